/* A motor controller: takes commands from a serial line byte by byte, answers each with a report.
   On a Cortex-M3 (mps2-an385) the line is UART 0; with HOSTED it is standard input and output. */

#include "link_bp.h"

#ifdef HOSTED
#include <stdio.h>
static int line_get(void)
{
    return getchar();
}
static void line_put(unsigned char c)
{
    putchar(c);
}
static void line_flush(void)
{
    fflush(stdout);
}
#else
#include "start.h"
#define UART ((volatile uint32_t *)0x40004000)
static int line_get(void)
{
    while (!(UART[1] & 2)) {
    }
    return (int)(UART[0] & 0xff);
}
static void line_put(unsigned char c)
{
    while (UART[1] & 1) {
    }
    UART[0] = c;
}
static void line_flush(void)
{
}
#endif

/* A motor moves by its speed at each command. */
static void drive(struct Report *report, const struct Command *command)
{
    int i;
    report->moving = false;
    for (i = 0; i < 3; i++) {
        struct Motor *motor = &report->motors[i];
        int speed = command->brakes[i] ? 0 : command->speeds[i];
        motor->gear = speed > 0 ? GEAR_FORWARD : speed < 0 ? GEAR_REVERSE : GEAR_IDLE;
        motor->speed = (uint16_t)(speed < 0 ? -speed : speed);
        motor->position = (int16_t)(motor->position + speed);
        report->moving = report->moving || speed != 0;
    }
}

static void serve(void)
{
    static struct Report report;
    static struct Command command;
    unsigned char kept[BYTES_LENGTH_COMMAND], out[BYTES_LENGTH_REPORT];
    struct BpStream stream = { kept, sizeof kept, 0 };
    int c, i;
    while ((c = line_get()) >= 0) {
        unsigned char byte = (unsigned char)c;
        const unsigned char *at = &byte;
        size_t length = 1;
        if (DecodeCommandNext(&command, &stream, &at, &length) != 1) {
            continue;
        }
        if (command.order == ORDER_STOP) {
            return;
        }
        if (command.order == ORDER_DRIVE) {
            drive(&report, &command);
        }
        report.sequence = command.sequence;
        report.ticks += 1;
        EncodeReport(&report, out);
        for (i = 0; i < BYTES_LENGTH_REPORT; i++) {
            line_put(out[i]);
        }
        line_flush();
    }
}

#ifdef HOSTED
int main(void)
{
    serve();
    return 0;
}
#else
void program(void)
{
    UART[4] = 16;
    UART[2] = 3;
    serve();
}
#endif
