/* Plays vectors on generated code. Each line of the file named on the command line is
 *     SCHEMA MESSAGE BYTES USED EXPECTED JSON
 * BYTES are decoded; USED is what DecodeXBuf answers (-1 for too few); EXPECTED is what encoding the result gives;
 * JSON is its text, or "-" where none is known. Bytes are in hexadecimal, "-" for none. */
#include "entry.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct BpStream {
    unsigned char *buffer;
    size_t capacity;
    size_t have;
};

struct table {
    const char *schema;
    const struct entry *entries;
};

extern const struct table tables[];

static char line[1 << 20];
static long failures;

#define CHECK(test)                                                                          \
    do {                                                                                     \
        if (!(test)) {                                                                       \
            failures++;                                                                      \
            printf("%s:%d: %s: %s %s\n", __FILE__, __LINE__, #test, schema, e->name);        \
        }                                                                                    \
    } while (0)

static const struct entry *find(const char *schema, const char *message)
{
    const struct table *t;
    const struct entry *e;
    for (t = tables; t->schema; t++) {
        if (strcmp(t->schema, schema) == 0) {
            for (e = t->entries; e->name; e++) {
                if (strcmp(e->name, message) == 0) {
                    return e;
                }
            }
        }
    }
    printf("unknown message %s %s\n", schema, message);
    exit(2);
}

/* Bytes in a block of exactly their size, so that tools see each access beyond. */
static unsigned char *unhex(const char *hex, size_t *size)
{
    unsigned char *bytes;
    size_t i;
    unsigned v;
    *size = hex[0] == '-' ? 0 : strlen(hex) / 2;
    bytes = malloc(*size);
    for (i = 0; i < *size; i++) {
        sscanf(hex + 2 * i, "%2x", &v);
        bytes[i] = (unsigned char)v;
    }
    return bytes;
}

/* A struct full of ones: decoding has to assign every member. */
static void *dirty(size_t size)
{
    void *m = malloc(size);
    memset(m, 0xff, size);
    return m;
}

static void check_encoded(const char *schema, const struct entry *e, void *m, const unsigned char *wanted, size_t size)
{
    unsigned char *out = malloc(size);
    memset(out, 0x55, size);
    CHECK(e->encode(m, out) == 0);
    CHECK(size == 0 || memcmp(out, wanted, size) == 0);
    free(out);
}

static void check_json(const char *schema, const struct entry *e, const void *m, const char *wanted)
{
    size_t length = strlen(wanted);
    size_t sizes[4];
    size_t i;
    sizes[0] = 0;
    sizes[1] = 1;
    sizes[2] = length / 2 + 1;
    sizes[3] = length + 1;
    for (i = 0; i < 4; i++) {
        char *text = malloc(sizes[i]);
        CHECK(e->json(m, text, sizes[i]) == (int)length);
        if (sizes[i] > 0) {
            CHECK(strlen(text) == sizes[i] - 1 && memcmp(text, wanted, sizes[i] - 1) == 0);
        }
        free(text);
    }
}

/* Two copies of the message, cut into pieces of every size up to 9 bytes. */
static void check_stream(const char *schema, const struct entry *e, const unsigned char *bytes, size_t size,
                         const unsigned char *expected, size_t expected_size)
{
    size_t step;
    for (step = 1; step < 10; step++) {
        struct BpStream st;
        unsigned found = 0;
        size_t at = 0;
        st.buffer = malloc(size);
        st.capacity = size;
        st.have = 0;
        while (at < 2 * size) {
            size_t n = at + step > 2 * size ? 2 * size - at : step;
            size_t left = n;
            unsigned char *piece = malloc(n);
            const unsigned char *p = piece;
            size_t i;
            int r = 1;
            for (i = 0; i < n; i++) {
                piece[i] = bytes[(at + i) % size];
            }
            while (left > 0 && r == 1) {
                void *m = dirty(e->size);
                r = e->next(m, &st, &p, &left);
                CHECK(r >= 0);
                if (r == 1) {
                    found++;
                    check_encoded(schema, e, m, expected, expected_size);
                }
                free(m);
            }
            CHECK(left == 0);
            free(piece);
            at += n;
        }
        CHECK(found == 2);
        CHECK(st.have == 0);
        free(st.buffer);
        if (size > 600) {
            step += 3;
        }
    }
}

static void play(const char *schema, const struct entry *e, const unsigned char *bytes, size_t size, long used,
                 const unsigned char *expected, size_t expected_size, const char *json)
{
    void *m = dirty(e->size);
    CHECK(e->decode_buf(m, bytes, size) == used);
    if (used >= 0) {
        check_encoded(schema, e, m, expected, expected_size);
        if (json[0] != '-' && e->json) {
            check_json(schema, e, m, json);
        }
        free(m);
        m = dirty(e->size);
        /* The interface without length is that of C only. */
        if (e->decode) {
            CHECK(e->decode(m, (unsigned char *)(uintptr_t)bytes) == 0);
            check_encoded(schema, e, m, expected, expected_size);
        }
        if (used > 0 && (size_t)used == size) {
            unsigned char *shorter = malloc(size - 1);
            memcpy(shorter, bytes, size - 1);
            CHECK(e->decode_buf(m, shorter, size - 1) == -1);
            free(shorter);
            if (e->next && size < 5000) {
                check_stream(schema, e, bytes, size, expected, expected_size);
            }
        }
    }
    if (used >= 0 && (size_t)used == size && e->access && size == expected_size && memcmp(bytes, expected, size) == 0) {
        unsigned char *copy = malloc(size);
        memcpy(copy, bytes, size);
        CHECK(e->decode_buf(m, bytes, size) == used);
        CHECK(e->access(m, copy, bytes) == 0);
        CHECK(memcmp(copy, bytes, size) == 0);
        free(copy);
    }
    free(m);
}

int main(int argc, char **argv)
{
    long count = 0;
    FILE *file = fopen(argc > 1 ? argv[1] : "", "r");
    if (!file) {
        return 2;
    }
    while (fgets(line, sizeof line, file)) {
        char *schema = strtok(line, " ");
        char *message = strtok(NULL, " ");
        char *hex = strtok(NULL, " ");
        char *used = strtok(NULL, " ");
        char *expected_hex = strtok(NULL, " ");
        char *json = strtok(NULL, "\n");
        size_t size;
        size_t expected_size;
        const struct entry *e = find(schema, message);
        unsigned char *bytes = unhex(hex, &size);
        unsigned char *expected = unhex(expected_hex, &expected_size);
        play(schema, e, bytes, size, atol(used), expected, expected_size, json);
        free(bytes);
        free(expected);
        count++;
    }
    fclose(file);
    printf("%ld lines, %ld failures\n", count, failures);
    return failures > 0;
}
