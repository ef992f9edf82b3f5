/* What the race knows of one way to encode and decode one message. */
#include <stddef.h>

struct contestant {
    const char *name;
    /* Size of the decoded and of the encoded message. */
    size_t size;
    size_t bytes;
    void (*encode)(void *m, unsigned char *s);
    void (*decode)(void *m, const unsigned char *s);
};
