#ifndef VPROTO_SCAN_SHAPE_1
#define VPROTO_SCAN_SHAPE_1

// What the compiler finds of a set of bytes, which is a type with a test `has`: ranges for compares, tables for lookups.
namespace vproto {

template <class Set>
struct shape {
    struct ranges_type {
        unsigned count = 0;  // of all ranges, also of those that are not listed
        unsigned char low[3] = {}, high[3] = {};
    };
    static constexpr ranges_type ranges_of(bool member) {
        ranges_type found;
        for (unsigned c = 0; c < 256; ++c) {
            if (Set::has(static_cast<unsigned char>(c)) != member) continue;
            if (c == 0 || Set::has(static_cast<unsigned char>(c - 1)) != member) {
                if (found.count < 3) found.low[found.count] = static_cast<unsigned char>(c);
                ++found.count;
            }
            if (found.count <= 3) found.high[found.count - 1] = static_cast<unsigned char>(c);
        }
        return found;
    }
    static constexpr unsigned size() {
        unsigned count = 0;
        for (unsigned c = 0; c < 256; ++c) count += Set::has(static_cast<unsigned char>(c)) ? 1u : 0u;
        return count;
    }
    // Whether all bytes above 0x7f are in, or all are out.
    static constexpr bool even_above() {
        for (unsigned c = 0x80; c < 256; ++c)
            if (Set::has(static_cast<unsigned char>(c)) != Set::has(0xff)) return false;
        return true;
    }
    static constexpr bool above = Set::has(0xff);
    static constexpr bool even = even_above();
    // Compares look for the bytes of the side with fewer ranges.
    static constexpr bool seeks_members = ranges_of(true).count <= ranges_of(false).count;
    static constexpr ranges_type ranges = ranges_of(seeks_members);
    static constexpr bool regular = ranges.count <= 3;
    // Runs of these are short: a loop over bytes finds their end first.
    static constexpr bool small = size() <= 4;
};

}  // namespace vproto
#endif
