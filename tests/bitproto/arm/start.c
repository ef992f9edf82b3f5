/* What a program needs to run on a bare Cortex-M under qemu: vectors, output by semihosting, a clock that counts
   instructions (with -icount shift=10 the 25 MHz timer makes 25.6 ticks an instruction). */

#include "start.h"
#include <stdint.h>

extern uint32_t data_source[], data_start[], data_end[], bss_start[], bss_end[];

static int host(int operation, const void *argument)
{
    register int r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void print(const char *text)
{
    host(4, text);
}

void print_number(uint32_t n)
{
    char text[11];
    char *at = text + 10;
    *at = 0;
    do {
        *--at = (char)('0' + n % 10);
        n /= 10;
    } while (n);
    print(at);
}

static void stop(void)
{
    host(0x18, (const void *)0x20026);
    for (;;) {
    }
}

static void fault(void)
{
    print("FAULT\n");
    stop();
}

#define SYSTICK ((volatile uint32_t *)0xe000e010)

uint32_t ticks(void)
{
    return 0xffffffu - SYSTICK[2];
}

void start(void)
{
    uint32_t *from = data_source, *to;
    for (to = data_start; to < data_end;) {
        *to++ = *from++;
    }
    for (to = bss_start; to < bss_end;) {
        *to++ = 0;
    }
    SYSTICK[1] = 0xffffff;
    SYSTICK[2] = 0;
    SYSTICK[0] = 5;
    program();
    stop();
}

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    (const void *)0x20004000, (const void *)start, (const void *)fault, (const void *)fault,
    (const void *)fault,      (const void *)fault, (const void *)fault,
};
