/* Parts of generated bitproto code. Each part begins with a line "@part NAME: parts it needs"; the generator copies
 * the parts that a file uses. Written in the common subset of C89, C99 and C++98, except for the integer types. */

/* @part order: */
/* Set BITPROTO_LITTLE_ENDIAN and BITPROTO_UNALIGNED to 0 or 1 where this does not find out; 0 is right everywhere. */
#ifndef BITPROTO_LITTLE_ENDIAN
#if defined(__BYTE_ORDER__) && defined(__ORDER_LITTLE_ENDIAN__)
#define BITPROTO_LITTLE_ENDIAN (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#elif defined(_M_IX86) || defined(_M_X64) || defined(_M_ARM64) || defined(__i386__) || defined(__x86_64__)
#define BITPROTO_LITTLE_ENDIAN 1
#else
#define BITPROTO_LITTLE_ENDIAN 0
#endif
#endif

/* @part words: order */
#ifndef BITPROTO_UNALIGNED
#if defined(__i386__) || defined(__x86_64__) || defined(_M_IX86) || defined(_M_X64) || defined(__aarch64__) || \
    defined(_M_ARM64) || defined(__ARM_FEATURE_UNALIGNED)
#define BITPROTO_UNALIGNED 1
#else
#define BITPROTO_UNALIGNED 0
#endif
#endif

/* @part restrict: */
#ifndef BITPROTO_RESTRICT
#if defined(__GNUC__) || defined(_MSC_VER)
#define BITPROTO_RESTRICT __restrict
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L
#define BITPROTO_RESTRICT restrict
#else
#define BITPROTO_RESTRICT
#endif
#endif

/* @part load16: words */
static BP_INLINE uint32_t bp_load16(const unsigned char *s)
{
#if BITPROTO_LITTLE_ENDIAN && BITPROTO_UNALIGNED
    uint16_t v;
    memcpy(&v, s, 2);
    return v;
#else
    return (uint32_t)s[0] | (uint32_t)s[1] << 8;
#endif
}

/* @part load32: words */
static BP_INLINE uint32_t bp_load32(const unsigned char *s)
{
#if BITPROTO_LITTLE_ENDIAN && BITPROTO_UNALIGNED
    uint32_t v;
    memcpy(&v, s, 4);
    return v;
#else
    return (uint32_t)s[0] | (uint32_t)s[1] << 8 | (uint32_t)s[2] << 16 | (uint32_t)s[3] << 24;
#endif
}

/* @part load64: load32 */
static BP_INLINE uint64_t bp_load64(const unsigned char *s)
{
#if BITPROTO_LITTLE_ENDIAN && BITPROTO_UNALIGNED
    uint64_t v;
    memcpy(&v, s, 8);
    return v;
#else
    return (uint64_t)bp_load32(s) | (uint64_t)bp_load32(s + 4) << 32;
#endif
}

/* @part store16: words */
static BP_INLINE void bp_store16(unsigned char *s, uint32_t v)
{
#if BITPROTO_LITTLE_ENDIAN && BITPROTO_UNALIGNED
    uint16_t w = (uint16_t)v;
    memcpy(s, &w, 2);
#else
    s[0] = (unsigned char)v;
    s[1] = (unsigned char)(v >> 8);
#endif
}

/* @part store32: words */
static BP_INLINE void bp_store32(unsigned char *s, uint32_t v)
{
#if BITPROTO_LITTLE_ENDIAN && BITPROTO_UNALIGNED
    memcpy(s, &v, 4);
#else
    s[0] = (unsigned char)v;
    s[1] = (unsigned char)(v >> 8);
    s[2] = (unsigned char)(v >> 16);
    s[3] = (unsigned char)(v >> 24);
#endif
}

/* @part store64: store32 */
static BP_INLINE void bp_store64(unsigned char *s, uint64_t v)
{
#if BITPROTO_LITTLE_ENDIAN && BITPROTO_UNALIGNED
    memcpy(s, &v, 8);
#else
    bp_store32(s, (uint32_t)v);
    bp_store32(s + 4, (uint32_t)(v >> 32));
#endif
}

/* @part pair: order */
/* Two integers of 32 bits that follow each other, the first one in the low half. */
static BP_INLINE uint64_t bp_pair(const void *a)
{
#if BITPROTO_LITTLE_ENDIAN
    uint64_t v;
    memcpy(&v, a, 8);
    return v;
#else
    uint32_t v[2];
    memcpy(v, a, 8);
    return (uint64_t)v[0] | (uint64_t)v[1] << 32;
#endif
}

/* @part gather: load64 */
/* Eight bools as eight bits. */
static BP_INLINE uint32_t bp_gather(const bool *a)
{
    if (sizeof(bool) == 1 && sizeof(void *) >= 8) {
        uint64_t all = bp_load64((const unsigned char *)a) & ((uint64_t)0x01010101u << 32 | 0x01010101u);
        return (uint32_t)(all * ((uint64_t)0x01020408u << 32 | 0x10204080u) >> 56);
    } else if (sizeof(bool) == 1) {
        uint32_t low = bp_load32((const unsigned char *)a) & 0x01010101u;
        uint32_t high = bp_load32((const unsigned char *)a + 4) & 0x01010101u;
        return ((low * 0x01020408u) >> 24 & 15u) | ((high * 0x01020408u) >> 20 & 0xf0u);
    } else {
        uint32_t v = 0;
        unsigned i;
        for (i = 0; i < 8u; i++) {
            v |= (uint32_t)(a[i] ? 1u : 0u) << i;
        }
        return v;
    }
}

/* @part gather4: load32 */
/* Four bools as four bits. */
static BP_INLINE uint32_t bp_gather4(const bool *a)
{
    if (sizeof(bool) == 1) {
        return (bp_load32((const unsigned char *)a) & 0x01010101u) * 0x01020408u >> 24 & 15u;
    }
    return (uint32_t)a[0] | (uint32_t)a[1] << 1 | (uint32_t)a[2] << 2 | (uint32_t)a[3] << 3;
}

/* @part spread4: store32 */
/* The lowest four bits as four bools. */
static BP_INLINE void bp_spread4(bool *a, uint32_t v)
{
    if (sizeof(bool) == 1) {
        bp_store32((unsigned char *)a, (v & 15u) * 0x00204081u & 0x01010101u);
    } else {
        unsigned i;
        for (i = 0; i < 4u; i++) {
            a[i] = (v >> i & 1u) != 0;
        }
    }
}

/* @part spread: spread4 */
/* The lowest eight bits as eight bools. */
static BP_INLINE void bp_spread(bool *a, uint32_t v)
{
    bp_spread4(a, v);
    bp_spread4(a + 4, v >> 4);
}

/* @part append: */
/* Appends `bits` bits of `t` behind the `phase` bits in `carry`; whole bytes go to `s`, the rest is returned. */
static unsigned bp_append(unsigned char *s, unsigned carry, unsigned phase, const unsigned char *t, unsigned bits)
{
    unsigned have = phase;
    unsigned n;
    for (; bits > 0; bits -= n) {
        n = bits < 8u ? bits : 8u;
        carry |= (unsigned)*t++ << have;
        have += n;
        if (have >= 8u) {
            *s++ = (unsigned char)carry;
            carry >>= 8;
            have -= 8u;
        }
    }
    return carry;
}

/* @part extract: */
/* The `bits` bits of `s` behind the first `phase` ones. */
static void bp_extract(unsigned char *t, const unsigned char *s, unsigned phase, unsigned bits)
{
    unsigned v;
    for (; bits > 0; bits -= bits < 8u ? bits : 8u) {
        v = (unsigned)*s++ >> phase;
        if (phase + bits > 8u) {
            v |= (unsigned)*s << (8u - phase);
        }
        *t++ = (unsigned char)(bits < 8u ? v & ((1u << bits) - 1u) : v);
    }
}

/* @part reader: */
/* Reads bit by bit what another version wrote: bits at or past `limit` are zero, those past `end` are missing. */
struct bp_reader {
    const unsigned char *s;
    uint32_t at;
    uint32_t limit;
    uint32_t end;
    int bad;
};

static void bp_begin(struct bp_reader *r, const unsigned char *s, size_t length)
{
    r->s = s;
    r->at = 0;
    r->limit = 0xffffffffu;
    r->end = length > 0x1ff00000u ? 0xff800000u : (uint32_t)length * 8u;
    r->bad = 0;
}

static uint64_t bp_take(struct bp_reader *r, unsigned n)
{
    uint64_t v = 0;
    unsigned got = 0;
    unsigned k;
    if (r->bad || r->at >= r->limit) {
        return 0;
    }
    if (n > r->limit - r->at) {
        n = (unsigned)(r->limit - r->at);
    }
    if (r->at > r->end || n > r->end - r->at) {
        r->bad = 1;
        return 0;
    }
    while (got < n) {
        k = 8u - (unsigned)(r->at & 7u);
        if (k > n - got) {
            k = n - got;
        }
        v |= (uint64_t)((unsigned)r->s[r->at >> 3] >> (r->at & 7u) & ((1u << k) - 1u)) << got;
        got += k;
        r->at += k;
    }
    return v;
}

/* @part signed: */
static int64_t bp_signed(uint64_t v, unsigned n)
{
    return (int64_t)(v << (64u - n)) >> (64u - n);
}

/* @part enter: reader */
/* Begins a marked message; returns the limit around it. */
static uint32_t bp_enter(struct bp_reader *r)
{
    uint32_t start = r->at;
    uint32_t outer = r->limit;
    uint32_t size = (uint32_t)bp_take(r, 16u);
    if (size < 16u) {
        size = 16u;
    }
    if (start + size < outer) {
        r->limit = start + size;
    }
    return outer;
}

/* Ends a marked message: goes on right behind it. */
static void bp_leave(struct bp_reader *r, uint32_t outer)
{
    if (!r->bad) {
        if (r->limit > r->end) {
            r->bad = 1;
        } else {
            r->at = r->limit;
        }
    }
    r->limit = outer;
}

/* @part skip: reader */
static void bp_skip(struct bp_reader *r, uint32_t bits)
{
    if (r->bad || r->at >= r->limit) {
        return;
    }
    if (bits > r->limit - r->at) {
        bits = r->limit - r->at;
    }
    if (r->at > r->end || bits > r->end - r->at) {
        r->bad = 1;
    } else {
        r->at += bits;
    }
}

/* @part json: */
/* Text that is cut off at `size` but counted to its end. */
struct bp_text {
    char *to;
    size_t size;
    size_t length;
};

static void bp_put(struct bp_text *t, const char *text)
{
    for (; *text != 0; text++) {
        if (t->length < t->size) {
            t->to[t->length] = *text;
        }
        t->length++;
    }
}

/* @part json_unsigned: json */
static void bp_put_unsigned(struct bp_text *t, uint64_t v)
{
    char digits[21];
    char *p = digits + 20;
    *p = 0;
    do {
        *--p = (char)('0' + (int)(v % 10u));
        v /= 10u;
    } while (v != 0);
    bp_put(t, p);
}

/* @part json_signed: json_unsigned json */
static void bp_put_signed(struct bp_text *t, int64_t v)
{
    if (v < 0) {
        bp_put(t, "-");
        bp_put_unsigned(t, (uint64_t)0 - (uint64_t)v);
    } else {
        bp_put_unsigned(t, (uint64_t)v);
    }
}

/* @part json_float: json */
/* sprintf is all that C89 has; 17 digits, sign, point and exponent are less than 32 characters. */
#include <stdio.h>
static void bp_put_float(struct bp_text *t, double v, int digits)
{
    char text[32];
    if (v - v != 0) {
        bp_put(t, "null");
        return;
    }
    sprintf(text, "%.*g", digits, v);
    bp_put(t, text);
}

/* @part json_chars: json */
/* Up to the first 0. Bytes above 0x7f are UTF-8 as they are. */
static void bp_put_chars(struct bp_text *t, const char *s, size_t n)
{
    size_t i;
    bp_put(t, "\"");
    for (i = 0; i < n && s[i] != 0; i++) {
        char text[7];
        unsigned char c = (unsigned char)s[i];
        memset(text, 0, sizeof text);
        text[0] = s[i];
        if (c == '"' || c == '\\') {
            text[0] = '\\';
            text[1] = s[i];
        } else if (c < 0x20) {
            memcpy(text, "\\u00", 4);
            text[4] = (char)('0' + (c >> 4));
            text[5] = (char)((c & 15u) < 10u ? '0' + (c & 15u) : 'a' + (c & 15u) - 10u);
        }
        bp_put(t, text);
    }
    bp_put(t, "\"");
}

/* @part f32: */
static BP_INLINE float bp_f32(uint32_t n)
{
    float v;
    memcpy(&v, &n, 4);
    return v;
}

/* @part bits_f32: */
static BP_INLINE uint32_t bp_bits_f32(float v)
{
    uint32_t n;
    memcpy(&n, &v, 4);
    return n;
}

/* @part f64: */
static BP_INLINE double bp_f64(uint64_t n)
{
    double v;
    memcpy(&v, &n, 8);
    return v;
}

/* @part bits_f64: */
static BP_INLINE uint64_t bp_bits_f64(double v)
{
    uint64_t n;
    memcpy(&n, &v, 8);
    return n;
}

/* @part f16: f32 */
static float bp_f16(uint32_t n)
{
    uint32_t sign = (n & 0x8000u) << 16, exponent = n >> 10 & 31u, low = n & 0x3ffu;
    if (exponent == 0) {
        /* Multiples of 2 to the -24. */
        float v = (float)low * (1.0f / 16777216.0f);
        return sign != 0 ? -v : v;
    }
    return bp_f32(sign | (exponent == 31u ? 255u : exponent + 112u) << 23 | low << 13);
}

/* @part bits_f16: bits_f32 */
/* The nearest one, of two the even one. */
static uint32_t bp_bits_f16(float v)
{
    uint32_t n = bp_bits_f32(v), sign = n >> 16 & 0x8000u, low = n & 0x7fffffu, out, rest, half;
    int exponent = (int)(n >> 23 & 255u) - 112;
    int drop = 13;
    if (exponent == 143) {
        return sign | 0x7c00u | low >> 13 | (low != 0 && low >> 13 == 0);
    }
    if (exponent > 30) {
        return sign | 0x7c00u;
    }
    if (exponent < -10) {
        return sign;
    }
    if (exponent <= 0) {
        low |= 0x800000u;
        drop = 14 - exponent;
        exponent = 0;
    }
    out = (uint32_t)exponent << 10 | low >> drop;
    rest = low & (((uint32_t)1 << drop) - 1u);
    half = (uint32_t)1 << (drop - 1);
    if (rest > half || (rest == half && (out & 1u) != 0)) {
        out++;
    }
    return sign | out;
}

/* @part bits: */
/* Reads n bits, 1 to 64, at any bit. With constants it comes down to a load and a shift. */
static BP_INLINE uint64_t bp_get_bits(const unsigned char *s, size_t at, unsigned n)
{
    unsigned shift = (unsigned)(at & 7u);
    unsigned end = shift + n;
    uint64_t v;
    s += at >> 3;
    v = (uint64_t)s[0] >> shift;
    if (end > 8u) {
        v |= (uint64_t)s[1] << (8u - shift);
    }
    if (end > 16u) {
        v |= (uint64_t)s[2] << (16u - shift);
    }
    if (end > 24u) {
        v |= (uint64_t)s[3] << (24u - shift);
    }
    if (end > 32u) {
        v |= (uint64_t)s[4] << (32u - shift);
    }
    if (end > 40u) {
        v |= (uint64_t)s[5] << (40u - shift);
    }
    if (end > 48u) {
        v |= (uint64_t)s[6] << (48u - shift);
    }
    if (end > 56u) {
        v |= (uint64_t)s[7] << (56u - shift);
    }
    if (end > 64u) {
        v |= (uint64_t)s[8] << (64u - shift);
    }
    return n < 64u ? v & (((uint64_t)1 << n) - 1u) : v;
}

/* Writes the lowest n bits of v at any bit and leaves the bits around them. */
static BP_INLINE void bp_set_bits(unsigned char *s, size_t at, unsigned n, uint64_t v)
{
    unsigned shift = (unsigned)(at & 7u);
    s += at >> 3;
    while (n > 0) {
        unsigned k = 8u - shift < n ? 8u - shift : n;
        unsigned mask = ((1u << k) - 1u) << shift;
        *s = (unsigned char)((*s & ~mask) | ((unsigned)v << shift & mask));
        v >>= k;
        n -= k;
        shift = 0;
        s++;
    }
}

/* The lowest n bits of v with the sign of the highest of them. */
static BP_INLINE int64_t bp_sign_bits(uint64_t v, unsigned n)
{
    return (int64_t)(v << (64u - n)) >> (64u - n);
}

/* @part bmi2: */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(BITPROTO_NO_SIMD)
#include <immintrin.h>

/* Whether pext and pdep exist and are fast: they take hundreds of cycles on the first two generations of Zen. */
static int bp_bmi2;

__attribute__((constructor)) static void bp_find_bmi2(void)
{
    __builtin_cpu_init();
    bp_bmi2 = __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2");
}
#endif

/* @part shift2: bmi2 */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(BITPROTO_NO_SIMD)
/* Two words from three that follow each other: bits from `right` on, 1 to 63. */
static BP_INLINE void bp_shift2(unsigned char *s, const unsigned char *p, int right)
{
    const __m128i low = _mm_loadu_si128((const __m128i *)(const void *)p);
    const __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(p + 8));
    const __m128i both = _mm_or_si128(_mm_srli_epi64(low, right), _mm_slli_epi64(high, 64 - right));
    _mm_storeu_si128((__m128i *)(void *)s, both);
}
#endif
