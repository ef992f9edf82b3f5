#if defined(__AVX2__) && !defined(VPROTO_SCAN_AVX2_1)
#define VPROTO_SCAN_AVX2_1
#include <immintrin.h>

namespace vproto {

// 32 bytes at a time.
struct avx2 {
    using vec = __m256i;
    using hits = __m256i;
    static constexpr std::size_t width = 32;
    static constexpr unsigned per_byte = 1;
    static constexpr std::uint64_t every = 0xffffffff;
    static constexpr bool has_blocks = true;
    static constexpr bool has_lookup = true;

    static VPROTO_INLINE vec load(cursor p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
    static VPROTO_INLINE vec all(unsigned c) { return _mm256_set1_epi8(static_cast<char>(c)); }
    // The bytes from low to high; both are constants where this is inlined.
    static VPROTO_INLINE hits within(vec v, unsigned char low, unsigned char high) {
        if (low == high) return _mm256_cmpeq_epi8(v, all(low));
        if (high == 0xff) return _mm256_cmpeq_epi8(_mm256_max_epu8(v, all(low)), v);
        const vec above = low == 0 ? v : _mm256_sub_epi8(v, all(low));
        return _mm256_cmpeq_epi8(_mm256_min_epu8(above, all(static_cast<unsigned>(high - low))), above);
    }
    static VPROTO_INLINE hits either(hits a, hits b) { return _mm256_or_si256(a, b); }
    static VPROTO_INLINE vec classes(const unsigned char* low, const unsigned char* high, vec v) {
        const vec lows = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(low)));
        const vec highs = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(high)));
        const vec half = _mm256_and_si256(_mm256_srli_epi16(v, 4), all(15));
        return _mm256_and_si256(_mm256_shuffle_epi8(lows, v), _mm256_shuffle_epi8(highs, half));
    }
    // The bytes that have none of the classes.
    static VPROTO_INLINE hits lacks(vec classes, unsigned char bits) {
        return _mm256_cmpeq_epi8(_mm256_and_si256(classes, all(bits)), _mm256_setzero_si256());
    }
    static VPROTO_INLINE std::uint64_t marks(hits h) {
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(h));
    }
};

}  // namespace vproto
#endif
