#if defined(__SSSE3__) && !defined(VPROTO_SCAN_SSE42_1)
#define VPROTO_SCAN_SSE42_1
#include <tmmintrin.h>

namespace vproto {

// 16 bytes at a time, with lookups; every CPU with SSE4.2 has them.
struct sse42 : sse2 {
    static constexpr bool has_lookup = true;

    static VPROTO_INLINE vec classes(const unsigned char* low, const unsigned char* high, vec v) {
        const vec lows = _mm_loadu_si128(reinterpret_cast<const __m128i*>(low));
        const vec highs = _mm_loadu_si128(reinterpret_cast<const __m128i*>(high));
        const vec half = _mm_and_si128(_mm_srli_epi16(v, 4), all(15));
        return _mm_and_si128(_mm_shuffle_epi8(lows, v), _mm_shuffle_epi8(highs, half));
    }
    // The bytes that have none of the classes.
    static VPROTO_INLINE hits lacks(vec classes, unsigned char bits) {
        return _mm_cmpeq_epi8(_mm_and_si128(classes, all(bits)), _mm_setzero_si128());
    }
};

}  // namespace vproto
#endif
