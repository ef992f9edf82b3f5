#ifndef VPROTO_DIGEST_1
#define VPROTO_DIGEST_1

// Check values of `begin:crc32:v … end:v`. Kinds: crc32 adler32 xor8 sum8 sum16 inet16.
namespace vproto {

struct digest {
    std::uint32_t low = 0, high = 0;
    std::uint8_t kind = 0;
    bool odd = false;
    void clear() { *this = digest{}; }
};

struct crc_table {
    std::uint32_t rows[256] = {};
    constexpr crc_table() {
        for (std::uint32_t i = 0; i < 256; ++i) {
            std::uint32_t c = i;
            for (int k = 0; k < 8; ++k) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
            rows[i] = c;
        }
    }
};
inline constexpr crc_table crc_rows{};

inline void begin_digest(digest& to, unsigned kind) {
    to.clear();
    to.kind = static_cast<std::uint8_t>(kind);
    to.low = kind == 0 ? 0xffffffffu : kind == 1 ? 1u : 0u;
}
inline void fold_digest(digest& to, std::string_view bytes) {
    cursor p = begin(bytes);
    const cursor end = p + bytes.size();
    switch (to.kind) {
        case 0:
            for (; p != end; ++p) to.low = to.low >> 8 ^ crc_rows.rows[(to.low ^ *p) & 0xff];
            break;
        case 1:
            while (p != end) {
                // 5552 bytes are the most after which the sums still fit 32 bits.
                const cursor stop = at_most(p, end, 5552);
                for (; p != stop; ++p) to.low += *p, to.high += to.low;
                to.low %= 65521, to.high %= 65521;
            }
            break;
        case 2:
            for (; p != end; ++p) to.low ^= *p;
            break;
        case 3:
        case 4:
            for (; p != end; ++p) to.low += *p;
            break;
        default:
            if (to.odd && p != end) {
                to.low += *p++;
                to.odd = false;
            }
            {
                // Words of 32 bits add up to the same sum: 2^16 is 1 modulo 2^16 - 1.
                std::uint64_t sum = to.low;
                for (; end - p >= 4; p += 4) sum += load_big<4>(p);
                if (end - p >= 2) sum += load_big<2>(p), p += 2;
                sum = (sum & 0xffffffffu) + (sum >> 32);
                sum = (sum & 0xffff) + (sum >> 16);
                sum = (sum & 0xffff) + (sum >> 16);
                to.low = static_cast<std::uint32_t>((sum & 0xffff) + (sum >> 16));
            }
            if (p != end) {
                to.low += static_cast<std::uint32_t>(*p) << 8;
                to.odd = true;
            }
            to.low = (to.low & 0xffff) + (to.low >> 16);
            break;
    }
}
inline std::uint32_t digest_value(const digest& of) {
    switch (of.kind) {
        case 0: return ~of.low;
        case 1: return of.high << 16 | of.low;
        case 3: return of.low & 0xff;
        case 4: return of.low & 0xffff;
        case 5: return ~((of.low & 0xffff) + (of.low >> 16)) & 0xffff;
        default: return of.low;
    }
}

}  // namespace vproto
#endif
