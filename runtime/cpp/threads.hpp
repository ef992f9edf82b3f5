#ifndef VPROTO_THREADS_1
#define VPROTO_THREADS_1

// Undecided `< >`: threads that look at the same byte. 256 stands for the end, 257 for no byte yet.
namespace vproto {

// What a thread has done, for when it wins; the bytes of a capture are a part of the thread's texts.
struct logged {
    std::uint64_t action = 0, offset = 0, outer = 0;
    capture value;
    std::size_t from = 0, size = 0;
};

// The bounds are worked out from the description: no thread needs more. One that did would be dropped with `limit`.
template <class Held, unsigned Slots, unsigned Log, unsigned Depth, unsigned Texts>
struct thread {
    static_assert(Slots > 0 && Log > 0 && Depth > 0, "a thread needs room for what it does");
    std::uint64_t state = 0, n = 0, k = 0, lo = 0, hi = 0, rep = 0;
    bool took = false, full = false;
    unsigned log_size = 0, depth = 0, leaving = 0;
    unsigned groups[Depth] = {};
    capture slots[Slots];
    std::uint64_t rooms[Slots] = {};
    bool strict[Slots] = {};
    logged entries[Log];
    Held texts;
    std::size_t text_from = 0;
    std::uint64_t stored[Texts == 0 ? 1 : Texts] = {};  // 1 above the size that a text variable would have; 0: as it is

    // A capture begins; what another one left that was dropped is nobody's.
    void begin_text() { text_from = texts.size(); }
    std::size_t text_size() const { return texts.size() - text_from; }
    std::uint64_t stored_size(std::uint64_t text, std::uint64_t of_variable) const {
        return stored[text] == 0 ? of_variable : stored[text] - 1;
    }
    bool put_text(char byte) {
        const std::size_t before = texts.size();
        texts.append(&byte, 1);
        full |= texts.size() == before;
        return true;
    }
    void log(std::uint64_t action, std::uint64_t offset) {
        if (log_size == Log) {
            full = true;
            return;
        }
        entries[log_size].action = action;
        entries[log_size++].offset = offset;
    }
    void log(std::uint64_t action, std::uint64_t offset, const capture& value) {
        if (log_size < Log) {
            entries[log_size].value = value;
            entries[log_size].from = text_from;
            entries[log_size].size = text_size();
            text_from = texts.size();
        }
        log(action, offset);
    }
    // Another thread has won the group that this one would leave now.
    bool is_late() const { return leaving != 0 && leaving == depth; }
    // For the trace of a module: where the last entry stands in the outer stream.
    void note_outer(std::uint64_t outer) {
        if (log_size != 0) entries[log_size - 1].outer = outer;
    }
    bool enters(unsigned group) {
        if (depth == Depth) return false;
        groups[depth++] = group;
        return true;
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
        for (at_ = 0; at_ < size_;) {
            Thread& t = list_[order_[at_]];
            std::uint64_t answer = step(t, byte, offset + (t.took ? 1 : 0));
            if (unlikely(t.full)) {
                died(limit);
                answer = 1;
            }
            if (answer == 2) {
                winner_ = order_[at_];
                took_ = t.took;
                return 2;
            }
            if (answer == 0) {
                ++at_;
            } else if (answer == 1) {
                took_ = t.took;
                remove(at_);
            }
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
                if (size_ == Count) {
                    died(limit);
                    break;
                }
                for (free = 0; in_use(free);) ++free;
                for (unsigned k = size_++; k > at + i; --k) order_[k] = order_[k - 1];
                order_[at + i] = free;
            }
            Thread& child = list_[free];
            child = model;
            child.state = first + i;
            child.full |= !child.enters(group);
        }
    }
    // A thread has won a group inside another one: the others of it leave. Those that were not shown the byte yet are
    // shown it once more, for what an error says that they would have taken.
    template <class Step>
    void leave_group(Thread& winner, std::uint64_t byte, std::uint64_t offset, Step step) {
        const unsigned depth = winner.depth - 1, group = winner.groups[depth];
        const auto leaves = [&](const Thread& t) {
            return &t != &winner && t.depth > depth && t.groups[depth] == group;
        };
        unsigned i = 0;
        while (&list_[order_[i]] != &winner) ++i;
        for (++i; i < size_ && leaves(list_[order_[i]]);) {
            Thread& t = list_[order_[i]];
            t.leaving = depth + 1;
            if (step(t, byte, offset) != 3) ++i;
        }
        for (i = size_; i-- > 0;) {
            if (!leaves(list_[order_[i]])) continue;
            remove(i);
            if (i < at_) --at_;
        }
        winner.depth = depth;
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
    // The bytes that some thread would have taken; the words where there is none.
    template <class Expectation>
    void note_expected(Expectation& to, std::string_view words) const {
        if ((expected_[0] | expected_[1] | expected_[2] | expected_[3]) == 0) return to.words(words);
        to.set(expected_);
    }
    std::uint64_t winner() const { return list_[winner_].state; }
    std::uint64_t log_size() const { return list_[winner_].log_size; }
    std::uint64_t action(std::uint64_t i) const { return list_[winner_].entries[i].action; }
    std::uint64_t offset(std::uint64_t i) const { return list_[winner_].entries[i].offset; }
    std::uint64_t outer(std::uint64_t i) const { return list_[winner_].entries[i].outer; }
    const capture& value(std::uint64_t i) const { return list_[winner_].entries[i].value; }
    std::string_view text(std::uint64_t i) const {
        const logged& entry = list_[winner_].entries[i];
        return std::string_view(list_[winner_].texts).substr(entry.from, entry.size);
    }

private:
    static constexpr std::uint64_t limit = 5;
    void remove(unsigned at) {
        for (unsigned k = at + 1; k < size_; ++k) order_[k - 1] = order_[k];
        --size_;
    }
    bool in_use(unsigned index) const {
        for (unsigned i = 0; i < size_; ++i)
            if (order_[i] == index) return true;
        return false;
    }
    Thread list_[Count];
    unsigned order_[Count] = {};
    unsigned size_ = 0, at_ = 0, winner_ = 0, groups_ = 0;
    std::uint64_t expected_[4] = {};
    std::uint64_t kind_ = 0;
    bool took_ = false;
};

template <bool Trim, bool Strict, class Thread>
inline bool take_text(Thread& t, std::uint64_t c, std::uint64_t room) {
    if (Trim && t.text_size() == 0 && (c == ' ' || c == '\t')) return true;
    if (t.text_size() >= room) return !Strict;
    return t.put_text(static_cast<char>(static_cast<unsigned char>(c)));
}
// A capture is complete: a later one may be appended to it.
template <bool Trim, class Thread>
inline void note_text(Thread& t, std::uint64_t text, std::uint64_t before) {
    t.stored[text] = before + kept<Trim>(std::string_view(t.texts).substr(t.text_from), never).size() + 1;
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
