/* What the test program knows of one message. */
#include <stddef.h>

struct BpStream;

struct entry {
    const char *name;
    size_t size;
    int (*encode)(void *m, unsigned char *s);
    int (*decode)(void *m, unsigned char *s);
    int (*decode_buf)(void *m, const unsigned char *s, size_t len);
    int (*json)(const void *m, char *s, size_t size);
    /* Compares single fields in encoded bytes with a decoded message, and writes them to a copy of the bytes. */
    int (*access)(const void *m, unsigned char *copy, const unsigned char *s);
    int (*next)(void *m, struct BpStream *st, const unsigned char **s, size_t *len);
};
