/* Races contestants on the same messages: each repetition runs all of them in turn, beginning with another one each
 * time, and prints a line "CASE CONTESTANT NANOSECONDS" for each. RACE is the list of contestants, as `X(symbol)`s;
 * all encode the same message type. Arguments: name of the case, repetitions, calls of a repetition. */
#include "contestant.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define X(symbol) extern const struct contestant symbol;
RACE
#undef X

#define X(symbol) &symbol,
static const struct contestant *const racers[] = { RACE };
#undef X

enum { MESSAGES = 16, RACERS = sizeof racers / sizeof racers[0] };

static unsigned char *structs[RACERS][MESSAGES];
static unsigned char *bytes[MESSAGES];
static unsigned char *out[MESSAGES];

/* Time of the processor that this process had: what others do meanwhile does not count. */
static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Messages of random bytes that are what encoding them gives. */
static void prepare(void)
{
    uint64_t state = 1;
    size_t length = racers[0]->bytes;
    int i;
    size_t k;
    int r;
    for (i = 0; i < MESSAGES; i++) {
        bytes[i] = malloc(length);
        out[i] = malloc(length);
        for (k = 0; k < length; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            bytes[i][k] = (unsigned char)(state >> 56);
        }
        for (r = 0; r < RACERS; r++) {
            structs[r][i] = calloc(1, racers[r]->size);
        }
        racers[0]->decode(structs[0][i], bytes[i]);
        racers[0]->encode(structs[0][i], bytes[i]);
    }
}

/* All have to do the same before any is measured. */
static void compare(void)
{
    int i;
    int r;
    for (r = 0; r < RACERS; r++) {
        for (i = 0; i < MESSAGES; i++) {
            racers[r]->decode(structs[r][i], bytes[i]);
            memset(out[i], 0x55, racers[r]->bytes);
            racers[r]->encode(structs[r][i], out[i]);
            if (racers[r]->bytes != racers[0]->bytes || memcmp(out[i], bytes[i], racers[r]->bytes) != 0) {
                fprintf(stderr, "%s encodes otherwise than %s\n", racers[r]->name, racers[0]->name);
                exit(1);
            }
        }
    }
}

static double encoding(int r, long calls)
{
    const struct contestant *c = racers[r];
    uint64_t start = now();
    long i;
    for (i = 0; i < calls; i++) {
        c->encode(structs[r][i % MESSAGES], out[i % MESSAGES]);
    }
    return (double)(now() - start) / (double)calls;
}

static double decoding(int r, long calls)
{
    const struct contestant *c = racers[r];
    uint64_t start = now();
    long i;
    for (i = 0; i < calls; i++) {
        c->decode(structs[r][i % MESSAGES], bytes[i % MESSAGES]);
    }
    return (double)(now() - start) / (double)calls;
}

int main(int argc, char **argv)
{
    long repetitions = argc > 2 ? atol(argv[2]) : 10;
    long calls = argc > 3 ? atol(argv[3]) : 1000;
    long n;
    int i;
    if (argc < 2) {
        return 2;
    }
    prepare();
    compare();
    for (n = -2; n < repetitions; n++) {
        for (i = 0; i < RACERS; i++) {
            int r = (int)((n + 2 + i) % RACERS);
            double e = encoding(r, calls);
            double d = decoding(r, calls);
            if (n >= 0) {
                printf("%s/encode %s %.4f\n", argv[1], racers[r]->name, e);
                printf("%s/decode %s %.4f\n", argv[1], racers[r]->name, d);
            }
        }
    }
    return 0;
}
