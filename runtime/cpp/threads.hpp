#ifndef VPROTO_THREADS_1
#define VPROTO_THREADS_1

// Undecided `< >`: threads that look at the same byte. 256 stands for the end, 257 for no byte yet.
namespace vproto {

// What a thread has done, for when it wins.
template <class Held>
struct logged {
    std::uint64_t action = 0, offset = 0;
    capture value;
    Held text;
};

template <class Held, unsigned Slots, unsigned Log, unsigned Depth>
struct thread {
    std::uint64_t state = 0, n = 0, k = 0, lo = 0, hi = 0, rep = 0;
    bool took = false, dead = false;
    unsigned log_size = 0, depth = 0;
    unsigned groups[Depth] = {};
    capture slots[Slots];
    Held held[Slots];
    std::uint64_t rooms[Slots] = {};
    logged<Held> entries[Log];

    void log(std::uint64_t action, std::uint64_t offset) {
        if (log_size == Log) return;
        entries[log_size].action = action;
        entries[log_size++].offset = offset;
    }
    void log(std::uint64_t action, std::uint64_t offset, const capture& value, const Held& text) {
        if (log_size == Log) return;
        entries[log_size].value = value;
        entries[log_size].text = text;
        log(action, offset);
    }
};

template <class Thread, unsigned Count>
class threads {
public:
    void clear() { size_ = 0; }
    bool is_empty() const { return size_ == 0; }
    void start(std::uint64_t count, std::uint64_t first) {
        size_ = 0;
        groups_ = 0;
        for (; size_ < count && size_ < Count; ++size_) {
            order_[size_] = size_;
            list_[size_] = Thread{};
            list_[size_].state = first + size_;
        }
    }
    // Shows a byte to every thread. 0: undecided; 1: none is left; 2: one has won.
    template <class Step>
    std::uint64_t round(std::uint64_t byte, std::uint64_t offset, Step step) {
        for (auto& word : expected_) word = 0;
        kind_ = 0;
        took_ = false;
        for (unsigned i = 0; i < size_; ++i) list_[order_[i]].took = false;
        for (unsigned i = 0; i < size_;) {
            Thread& t = list_[order_[i]];
            if (!t.dead) {
                const std::uint64_t answer = step(t, byte, offset + (t.took ? 1 : 0));
                if (answer == 2) {
                    winner_ = order_[i];
                    took_ = t.took;
                    return 2;
                }
                if (answer == 0) {
                    ++i;
                    continue;
                }
                if (answer == 3) continue;
                took_ = t.took;
            }
            for (unsigned k = i + 1; k < size_; ++k) order_[k - 1] = order_[k];
            --size_;
        }
        return size_ == 0 ? 1 : 0;
    }
    // A group inside a thread: one thread for each fork takes its place.
    void fork(Thread& parent, std::uint64_t count, std::uint64_t first) {
        unsigned at = 0;
        while (&list_[order_[at]] != &parent) ++at;
        const unsigned group = ++groups_;
        const Thread model = parent;
        for (std::uint64_t i = 0; i < count; ++i) {
            unsigned free = order_[at];
            if (i > 0) {
                if (size_ == Count) break;
                for (free = 0; in_use(free);) ++free;
                for (unsigned k = size_++; k > at + i; --k) order_[k] = order_[k - 1];
                order_[at + i] = free;
            }
            Thread& child = list_[free];
            child = model;
            child.state = first + i;
            child.groups[child.depth++] = group;
        }
    }
    // A thread has won a group inside another one: the others of it leave.
    void leave_group(Thread& winner) {
        const unsigned depth = --winner.depth;
        const unsigned group = winner.groups[depth];
        for (unsigned i = 0; i < size_; ++i) {
            Thread& t = list_[order_[i]];
            if (&t != &winner && t.depth > depth && t.groups[depth] == group) t.dead = true;
        }
    }
    void expect(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
        expected_[0] |= a, expected_[1] |= b, expected_[2] |= c, expected_[3] |= d;
    }
    void expect_letter(unsigned char letter, bool fold) {
        const auto put = [&](unsigned c) { expected_[c >> 6] |= std::uint64_t{1} << (c & 63); };
        put(letter);
        if (fold && letter >= 'a' && letter <= 'z') put(letter - 0x20u);
    }
    // The first thread of the round that died had this reason.
    void died(std::uint64_t kind) {
        if (kind_ == 0) kind_ = kind;
    }
    std::uint64_t kind() const { return kind_ == 0 ? 1 : kind_; }
    bool took() const { return took_; }
    const std::uint64_t (&expected() const)[4] { return expected_; }
    std::uint64_t winner() const { return list_[winner_].state; }
    std::uint64_t log_size() const { return list_[winner_].log_size; }
    std::uint64_t action(std::uint64_t i) const { return list_[winner_].entries[i].action; }
    std::uint64_t offset(std::uint64_t i) const { return list_[winner_].entries[i].offset; }
    const capture& value(std::uint64_t i) const { return list_[winner_].entries[i].value; }
    std::string_view text(std::uint64_t i) const { return list_[winner_].entries[i].text; }

private:
    bool in_use(unsigned index) const {
        for (unsigned i = 0; i < size_; ++i)
            if (order_[i] == index) return true;
        return false;
    }
    Thread list_[Count];
    unsigned order_[Count] = {};
    unsigned size_ = 0, winner_ = 0, groups_ = 0;
    std::uint64_t expected_[4] = {};
    std::uint64_t kind_ = 0;
    bool took_ = false;
};

template <bool Trim, bool Strict, class Held>
inline bool take_text(Held& held, std::uint64_t c, std::uint64_t room) {
    if (Trim && held.empty() && (c == ' ' || c == '\t')) return true;
    if (held.size() >= room) return !Strict;
    const char byte = static_cast<char>(static_cast<unsigned char>(c));
    held.append(&byte, 1);
    return true;
}
inline void ignore(bool) {}
inline void keep_byte(capture& slot, std::uint64_t c) {
    const auto byte = static_cast<unsigned char>(c);
    keep(slot, &byte, &byte + 1);
}
template <unsigned Radix, unsigned Bits, bool Signed, bool Wrap, bool Trim>
inline bool take_digit(capture& slot, std::uint64_t c) {
    const auto byte = static_cast<unsigned char>(c);
    return fold_digits<Radix, Bits, Signed, Wrap, Trim>(slot, &byte, &byte + 1) != &byte;
}
template <unsigned Max, unsigned Bits, bool Signed, bool Wrap>
inline bool take_varint(capture& slot, std::uint64_t c) {
    const auto byte = static_cast<unsigned char>(c);
    return fold_varint<Max, Bits, Signed, Wrap>(slot, &byte, &byte + 1) != &byte;
}
template <bool Big, unsigned Bits, bool Signed, bool Wrap>
inline bool take_binary(capture& slot, std::uint64_t c) {
    const auto byte = static_cast<unsigned char>(c);
    return fold_binary<Big, Bits, Signed, Wrap>(slot, &byte, &byte + 1) != &byte;
}
inline bool take_any(capture& slot, std::uint64_t c) {
    if (c != 0) slot.value = 1;
    return true;
}
inline cursor raw(const capture& slot) { return reinterpret_cast<cursor>(&slot.value); }
inline bool begins_with(std::string_view text, std::uint64_t c) { return !text.empty() && letter(text, 0) == c; }
inline bool same_letter(std::uint64_t c, unsigned char letter) { return c == letter; }
inline bool same_letter_folded(std::uint64_t c, unsigned char letter) {
    return c < 256 && lower(static_cast<unsigned char>(c)) == letter;
}

}  // namespace vproto
#endif
