/* Instructions of one encoding and one decoding of MESSAGE, and whether its bytes survive both, at odd addresses. */

#include "start.h"
#include <string.h>

#define CALLS 50

static struct MESSAGE m;
static unsigned char bytes[LENGTH + 8], again[LENGTH + 8];

/* 25.6 ticks are an instruction. */
static void report(const char *what, uint32_t begin, uint32_t end, uint32_t empty)
{
    uint32_t all = (end - begin) & 0xffffff;
    print(what);
    print(" ");
    print_number((all - empty) * 5 / 128 / CALLS);
    print("\n");
}

static int nothing(struct MESSAGE *a, unsigned char *s)
{
    __asm__ volatile("" : : "r"(a), "r"(s) : "memory");
    return 0;
}

static int (*volatile encode)(struct MESSAGE *, unsigned char *) = ENCODE;
static int (*volatile decode)(struct MESSAGE *, unsigned char *) = DECODE;
static int (*volatile empty)(struct MESSAGE *, unsigned char *) = nothing;

void program(void)
{
    uint32_t a, b, c, d;
    int i, failures = 0;
    unsigned shift;
    for (shift = 0; shift < 4; shift++) {
        for (i = 0; i < LENGTH; i++) {
            bytes[shift + i] = (unsigned char)(i * 37 + 11);
        }
        memset(&m, 0, sizeof m);
        DECODE(&m, bytes + shift);
        memset(again, 0, sizeof again);
        ENCODE(&m, again + 3 - shift);
        /* The last byte may have bits behind the message. */
        failures += memcmp(bytes + shift, again + 3 - shift, LENGTH - 1) != 0;
    }
    a = ticks();
    for (i = 0; i < CALLS; i++) {
        empty(&m, again);
    }
    b = ticks();
    for (i = 0; i < CALLS; i++) {
        encode(&m, again);
    }
    c = ticks();
    for (i = 0; i < CALLS; i++) {
        decode(&m, again);
    }
    d = ticks();
    report("encode", b, c, (b - a) & 0xffffff);
    report("decode", c, d, (b - a) & 0xffffff);
    print(failures ? "differs\n" : "same bytes\n");
}
