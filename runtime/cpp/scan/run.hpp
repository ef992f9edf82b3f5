#ifndef VPROTO_SCAN_RUN_1
#define VPROTO_SCAN_RUN_1

// Runs of bytes of a set, by vectors. A Level says what one instruction set can do (avx2.hpp is the model): `vec`, what a
// compare gives (`hits`), and marks, `per_byte` bits for each byte, the lowest for the first.
namespace vproto {

// No vectors: byte by byte.
struct bytewise {
    static constexpr std::size_t width = 1;
    static constexpr bool has_blocks = false;
};
// No vectors: words of eight bytes.
struct words {
    static constexpr std::size_t width = 8;
    static constexpr bool has_blocks = false;
};

// The hits of a set of at most three ranges on the side that is looked for.
template <class Level, class Set>
VPROTO_INLINE typename Level::hits compared(typename Level::vec v) {
    constexpr auto r = shape<Set>::ranges;
    auto hits = Level::within(v, r.low[0], r.high[0]);
    if constexpr (r.count > 1) hits = Level::either(hits, Level::within(v, r.low[1], r.high[1]));
    if constexpr (r.count > 2) hits = Level::either(hits, Level::within(v, r.low[2], r.high[2]));
    return hits;
}

// Marks the bytes that are not of the set.
template <class Level, class Set>
VPROTO_INLINE std::uint64_t outside(typename Level::vec v) {
    if constexpr (shape<Set>::regular) {
        const std::uint64_t found = Level::marks(compared<Level, Set>(v));
        return shape<Set>::seeks_members ? ~found & Level::every : found;
    } else {
        using table = nibbles<Set>;
        const auto classes = Level::classes(table::made.low, table::made.high, v);
        const std::uint64_t missed = Level::marks(Level::lacks(classes, table::made.bits[0]));
        return shape<Set>::above ? ~missed & Level::every : missed;
    }
}

// Whether vectors serve a set at all.
template <class Level, class Set>
constexpr bool is_vectored() {
    using s = shape<Set>;
    if constexpr (Level::width <= 8)
        return false;
    else
        return !s::small && s::ranges.count != 0 && (s::regular || (Level::has_lookup && s::even));
}

// The first place before `end` at which no byte of the set stands. Nothing outside of [first, end) is read.
template <class Level, class Set>
inline cursor run(cursor p, cursor end, cursor first) {
    if constexpr (shape<Set>::small || Level::width == 1) {
        static_cast<void>(first);
        return skip_bytes<Set, !shape<Set>::small>(p, end);
    } else if constexpr (!is_vectored<Level, Set>()) {
        static_cast<void>(first);
        return skip<Set>(p, end);
    } else {
        constexpr std::ptrdiff_t width = static_cast<std::ptrdiff_t>(Level::width);
        while (end - p >= width) {
            const std::uint64_t stops = outside<Level, Set>(Level::load(p));
            if (stops != 0) return p + static_cast<unsigned>(__builtin_ctzll(stops)) / Level::per_byte;
            p += width;
        }
        if (p == end) return end;
        if (end - first < width) return skip<Set>(p, end);
        // The last vector ends where the bytes end, and begins before p.
        const unsigned known = static_cast<unsigned>(width - (end - p)) * Level::per_byte;
        const std::uint64_t stops = outside<Level, Set>(Level::load(end - width)) >> known;
        return stops == 0 ? end : p + static_cast<unsigned>(__builtin_ctzll(stops)) / Level::per_byte;
    }
}

}  // namespace vproto
#endif
