#if defined(__AVX512BW__) && !defined(VPROTO_SCAN_AVX512_1)
#define VPROTO_SCAN_AVX512_1
#include <immintrin.h>

namespace vproto {

// 64 bytes at a time; compares give masks.
struct avx512 {
    using vec = __m512i;
    using hits = __mmask64;
    static constexpr std::size_t width = 64;
    static constexpr unsigned per_byte = 1;
    static constexpr std::uint64_t every = ~std::uint64_t{0};
    static constexpr bool has_blocks = true;
    static constexpr bool has_lookup = true;

    static VPROTO_INLINE vec load(cursor p) { return _mm512_loadu_si512(p); }
    static VPROTO_INLINE vec all(unsigned c) { return _mm512_set1_epi8(static_cast<char>(c)); }
    // The bytes from low to high; both are constants where this is inlined.
    static VPROTO_INLINE hits within(vec v, unsigned char low, unsigned char high) {
        if (low == high) return _mm512_cmpeq_epi8_mask(v, all(low));
        const vec above = low == 0 ? v : _mm512_sub_epi8(v, all(low));
        return _mm512_cmple_epu8_mask(above, all(static_cast<unsigned>(high - low)));
    }
    static VPROTO_INLINE hits either(hits a, hits b) { return a | b; }
    // A table in each quarter; the plain broadcast makes gcc 12 warn of an uninitialised vector.
    static VPROTO_INLINE vec four(const unsigned char* table) {
        return _mm512_maskz_broadcast_i32x4(0xffff, _mm_loadu_si128(reinterpret_cast<const __m128i*>(table)));
    }
    static VPROTO_INLINE vec classes(const unsigned char* low, const unsigned char* high, vec v) {
        const vec lows = four(low), highs = four(high);
        const vec half = _mm512_and_si512(_mm512_srli_epi16(v, 4), all(15));
        return _mm512_and_si512(_mm512_shuffle_epi8(lows, v), _mm512_shuffle_epi8(highs, half));
    }
    // The bytes that have none of the classes.
    static VPROTO_INLINE hits lacks(vec classes, unsigned char bits) {
        return _mm512_testn_epi8_mask(classes, all(bits));
    }
    static VPROTO_INLINE std::uint64_t marks(hits h) { return h; }
};

}  // namespace vproto
#endif
