#if defined(__SSE2__) && !defined(VPROTO_SCAN_SSE2_1)
#define VPROTO_SCAN_SSE2_1
#include <emmintrin.h>

namespace vproto {

// 16 bytes at a time, compares only.
struct sse2 {
    using vec = __m128i;
    using hits = __m128i;
    static constexpr std::size_t width = 16;
    static constexpr unsigned per_byte = 1;
    static constexpr std::uint64_t every = 0xffff;
    static constexpr bool has_blocks = false;
    static constexpr bool has_lookup = false;

    static VPROTO_INLINE vec load(cursor p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
    static VPROTO_INLINE vec all(unsigned c) { return _mm_set1_epi8(static_cast<char>(c)); }
    // The bytes from low to high; both are constants where this is inlined.
    static VPROTO_INLINE hits within(vec v, unsigned char low, unsigned char high) {
        if (low == high) return _mm_cmpeq_epi8(v, all(low));
        if (high == 0xff) return _mm_cmpeq_epi8(_mm_max_epu8(v, all(low)), v);
        const vec above = low == 0 ? v : _mm_sub_epi8(v, all(low));
        return _mm_cmpeq_epi8(_mm_min_epu8(above, all(static_cast<unsigned>(high - low))), above);
    }
    static VPROTO_INLINE hits either(hits a, hits b) { return _mm_or_si128(a, b); }
    static VPROTO_INLINE std::uint64_t marks(hits h) {
        return static_cast<std::uint32_t>(_mm_movemask_epi8(h));
    }
};

}  // namespace vproto
#endif
