/* One contestant: generated C in the same unit, so that each is compiled alike. Defined on the command line:
 * SOURCE (the generated file), TYPE, LENGTH (its macro), NAME, SYMBOL, ENCODE and DECODE; LIBRARY (the run-time
 * library of bitproto, for its standard mode); CLEAR_BYTES and CLEAR_STRUCT where the contestant wants cleared memory. */
#ifdef LIBRARY
#include LIBRARY
#endif
#include SOURCE
#include "contestant.h"
#include <string.h>

static void encode(void *m, unsigned char *s)
{
#ifdef CLEAR_BYTES
    memset(s, 0, LENGTH);
#endif
    ENCODE(m, s);
}

static void decode(void *m, const unsigned char *s)
{
#ifdef CLEAR_STRUCT
    memset(m, 0, sizeof(struct TYPE));
#endif
    DECODE(m, (unsigned char *)s);
}

extern const struct contestant SYMBOL;
const struct contestant SYMBOL = { NAME, sizeof(struct TYPE), LENGTH, encode, decode };
