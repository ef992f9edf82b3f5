#if defined(__ARM_NEON) && defined(__aarch64__) && !defined(VPROTO_SCAN_NEON_1)
#define VPROTO_SCAN_NEON_1
#include <arm_neon.h>

namespace vproto {

// 16 bytes at a time; four marks a byte, since there is no movemask.
struct neon {
    using vec = uint8x16_t;
    using hits = uint8x16_t;
    static constexpr std::size_t width = 16;
    static constexpr unsigned per_byte = 4;
    static constexpr std::uint64_t every = ~std::uint64_t{0};
    static constexpr bool has_blocks = false;
    static constexpr bool has_lookup = true;

    static VPROTO_INLINE vec load(cursor p) { return vld1q_u8(p); }
    static VPROTO_INLINE vec all(unsigned c) { return vdupq_n_u8(static_cast<unsigned char>(c)); }
    // The bytes from low to high; both are constants where this is inlined.
    static VPROTO_INLINE hits within(vec v, unsigned char low, unsigned char high) {
        if (low == high) return vceqq_u8(v, all(low));
        return vcleq_u8(vsubq_u8(v, all(low)), all(static_cast<unsigned>(high - low)));
    }
    static VPROTO_INLINE hits either(hits a, hits b) { return vorrq_u8(a, b); }
    static VPROTO_INLINE vec classes(const unsigned char* low, const unsigned char* high, vec v) {
        // A byte above 0x7f finds no row, as with the lookups of x86: index 16 and more gives 0.
        const vec lows = vqtbl1q_u8(vld1q_u8(low), vandq_u8(v, all(0x8f)));
        return vandq_u8(lows, vqtbl1q_u8(vld1q_u8(high), vshrq_n_u8(v, 4)));
    }
    // The bytes that have none of the classes.
    static VPROTO_INLINE hits lacks(vec classes, unsigned char bits) {
        return vceqq_u8(vandq_u8(classes, all(bits)), all(0));
    }
    static VPROTO_INLINE std::uint64_t marks(hits h) {
        return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(h), 4)), 0);
    }
};

}  // namespace vproto
#endif
