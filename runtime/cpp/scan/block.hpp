#ifndef VPROTO_SCAN_BLOCK_1
#define VPROTO_SCAN_BLOCK_1

// The bytes that stop the runs of several sets, found for 64 bytes at once; the runs that follow consume the masks.
namespace vproto {

// Levels that are too narrow for that, or have no masks, look for the end of each run on its own.
template <class Level, bool HasBlocks, class... Sets>
struct block_of {
    const cursor first;

    VPROTO_INLINE block_of(cursor begin, cursor) : first(begin) {}

    template <std::size_t Index, class Set>
    VPROTO_INLINE cursor run(cursor p, cursor end) const {
        return vproto::run<Level, Set>(p, end, first);
    }
};

template <class Level, class... Sets>
struct block_of<Level, true, Sets...> {
    static constexpr std::size_t count = sizeof...(Sets);
    static constexpr unsigned per_block = 64 / Level::width;
    using vec = typename Level::vec;
    using table = nibbles<Sets...>;

    const cursor first, last;  // the fragment
    std::uintptr_t base = 0;   // of the 64 bytes; 0 before the first
    std::uint64_t stops[count] = {};

    VPROTO_INLINE block_of(cursor begin, cursor end) : first(begin), last(end) {}

    // The first place before `end` at which no byte of set number Index stands.
    template <std::size_t Index, class Set>
    VPROTO_INLINE cursor run(cursor p, cursor end) {
        if constexpr (!has_mask(Index, shape<Set>::regular)) return vproto::run<Level, Set>(p, end, first);
        std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(p) - base;
        for (;;) {
            if (likely(offset < 64)) {
                const std::uint64_t ahead = stops[Index] >> offset;
                if (likely(ahead != 0)) {
                    p += __builtin_ctzll(ahead);
                    return p < end ? p : end;
                }
                p += 64 - offset;
            }
            if (unlikely(p >= end)) return end;
            if (unlikely(last - first < 64)) return vproto::run<Level, Set>(p, end, first);
            load(p);
            offset = 0;
        }
    }

private:
    static constexpr bool has_mask(std::size_t set, bool regular) { return regular || table::made.bits[set] != 0; }

    VPROTO_INLINE void load(cursor p) {
        const std::size_t left = static_cast<std::size_t>(last - p);
        // The last block ends where the fragment ends, and begins before p.
        const cursor from = likely(left >= 64) ? p : last - 64;
        vec v[per_block], classes[per_block];
        for (unsigned i = 0; i < per_block; ++i) v[i] = Level::load(from + i * Level::width);
        if constexpr (table::made.used)
            for (unsigned i = 0; i < per_block; ++i)
                classes[i] = Level::classes(table::made.low, table::made.high, v[i]);
        base = reinterpret_cast<std::uintptr_t>(p);
        mark(v, classes, std::index_sequence_for<Sets...>());
        if (unlikely(left < 64))
            for (std::uint64_t& set : stops) set = set >> (64 - left) | ~std::uint64_t{0} << left;
    }
    template <std::size_t... Index>
    VPROTO_INLINE void mark(const vec* v, const vec* classes, std::index_sequence<Index...>) {
        (mark_one<Index, Sets>(v, classes), ...);
    }
    template <std::size_t Index, class Set>
    VPROTO_INLINE void mark_one(const vec* v, const vec* classes) {
        constexpr unsigned char bits = table::made.bits[Index];
        std::uint64_t found = 0;
        for (unsigned i = 0; has_mask(Index, shape<Set>::regular) && i < per_block; ++i) {
            if constexpr (bits == 0)
                found |= Level::marks(compared<Level, Set>(v[i])) << (i * Level::width);
            else
                found |= Level::marks(Level::lacks(classes[i], bits)) << (i * Level::width);
        }
        constexpr bool found_members = bits == 0 ? shape<Set>::seeks_members : shape<Set>::above;
        stops[Index] = found_members ? ~found : found;
    }
};

template <class Level, class... Sets>
using block = block_of<Level, Level::has_blocks, Sets...>;

}  // namespace vproto
#endif
