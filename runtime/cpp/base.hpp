#ifndef VPROTO_BASE_1
#define VPROTO_BASE_1
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

#if defined(__GNUC__)
#define VPROTO_INLINE inline __attribute__((always_inline))
#else
#define VPROTO_INLINE inline
#endif

// What all generated parsers share.
namespace vproto {

// How a call of parse() or finish() ended.
enum class status : std::uint8_t {
    more,        // all bytes were taken, more are wanted
    complete,    // finish(): the stream is whole
    incomplete,  // finish(): the stream ended too early
    stopped,     // by `break`
    error,       // see error()
    paused,      // a callback called pause(): call parse() again with the bytes that are left
    busy,        // called from a callback of the same parser: nothing was done
};

// What parse() did.
struct result {
    vproto::status status;
    std::size_t consumed;
    explicit operator bool() const { return status != status::error && status != status::incomplete; }
};

// Why parsing failed.
enum class reason : std::uint8_t {
    none, mismatch, minimum, condition, overflow, limit, no_progress, no_return, module,
};

inline const char* name(reason why) {
    static const char* const names[] = {"", "mismatch", "minimum", "condition", "overflow",
                                        "limit", "no-progress", "return", "module"};
    return names[static_cast<std::size_t>(why)];
}

// Where parsing failed, and why.
struct error {
    std::uint64_t offset;       // bytes consumed before
    unsigned line, column;      // the place in the description
    const char* file;           // an included file, or null
    reason kind;
    const char* expected;       // what was acceptable, as a set or a literal
    int found;                  // the byte; 256 is the end of the input; -1: nothing was looked at
};

// Whether a parser runs. A copy does not.
struct busy_flag {
    bool on = false;
    busy_flag() = default;
    busy_flag(const busy_flag&) {}
    busy_flag& operator=(const busy_flag&) { return *this; }
};
class busy_scope {
public:
    explicit busy_scope(busy_flag& flag) : flag_(flag) { flag_.on = true; }
    ~busy_scope() { flag_.on = false; }
    busy_scope(const busy_scope&) = delete;
    busy_scope& operator=(const busy_scope&) = delete;

private:
    busy_flag& flag_;
};

// Whether a class asks for a check that it has every callback: `static constexpr bool hears_all = true;`.
template <class Output, class = void>
struct hears_all : std::false_type {};
template <class Output>
struct hears_all<Output, std::void_t<decltype(Output::hears_all)>> : std::bool_constant<Output::hears_all> {};

// What a callback of the result returns that takes anything: that it was not replaced.
struct unheard {};

using cursor = const unsigned char*;

// The way a run ends.
inline constexpr std::uint64_t limit_ends = 1, stream_ends = 2;
inline constexpr std::uint64_t never = ~std::uint64_t{0};

constexpr bool likely(bool x) {
#if defined(__GNUC__)
    return __builtin_expect(x, true);
#else
    return x;
#endif
}
constexpr bool unlikely(bool x) {
#if defined(__GNUC__)
    return __builtin_expect(x, false);
#else
    return x;
#endif
}

constexpr std::uint64_t distance(cursor from, cursor to) { return static_cast<std::uint64_t>(to - from); }
constexpr std::uint64_t least(std::uint64_t a, std::uint64_t b) { return a < b ? a : b; }
constexpr std::uint64_t less(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; }
// No limit is the greatest number.
constexpr std::uint64_t unlimited(std::uint64_t left) {
    return left == static_cast<std::uint64_t>(INT64_MAX) ? never : left;
}
constexpr cursor at_most(cursor p, cursor end, std::uint64_t count) {
    return distance(p, end) <= count ? end : p + static_cast<std::ptrdiff_t>(count);
}
constexpr cursor forward(cursor p, std::uint64_t count) { return p + static_cast<std::ptrdiff_t>(count); }
constexpr cursor back(cursor p, std::uint64_t count) { return p - static_cast<std::ptrdiff_t>(count); }
// Where what may be read ends: at the fence or the fragment's end.
constexpr cursor window(cursor first, cursor stop, std::uint64_t base, std::uint64_t fence) {
    return fence - base <= distance(first, stop) ? forward(first, fence - base) : stop;
}
constexpr std::int64_t left(std::uint64_t end, std::uint64_t offset) {
    return end == never ? INT64_MAX : static_cast<std::int64_t>(less(end, offset));
}
inline std::string_view piece(cursor from, cursor to) {
    return {reinterpret_cast<const char*>(from), static_cast<std::size_t>(to - from)};
}
// A fragment's bytes; an empty one may have no address.
inline cursor bytes_at(const void* data) {
    static const unsigned char none = 0;
    return data ? static_cast<cursor>(data) : &none;
}
inline cursor begin(std::string_view text) { return reinterpret_cast<cursor>(text.data()); }

// Eight bytes at once: the high bit of each byte that is smaller than n (at most 128), or equal to c. Bits above the
// lowest one may be wrong.
inline constexpr std::uint64_t each = 0x0101010101010101u;
constexpr std::uint64_t below(std::uint64_t word, std::uint64_t n) {
    return (word - each * n) & ~word & (each << 7);
}
constexpr std::uint64_t equal(std::uint64_t word, std::uint64_t c) { return below(word ^ (each * c), 1); }

template <class Set, class = void>
struct has_stops : std::false_type {};
template <class Set>
struct has_stops<Set, std::void_t<decltype(Set::stops(0))>> : std::true_type {};

// The first place before `end` at which no byte of the set stands; byte by byte.
template <class Set, bool Unrolled>
inline cursor skip_bytes(cursor p, cursor end) {
    while (Unrolled && end - p >= 8) {
        if (!Set::has(p[0])) return p;
        if (!Set::has(p[1])) return p + 1;
        if (!Set::has(p[2])) return p + 2;
        if (!Set::has(p[3])) return p + 3;
        if (!Set::has(p[4])) return p + 4;
        if (!Set::has(p[5])) return p + 5;
        if (!Set::has(p[6])) return p + 6;
        if (!Set::has(p[7])) return p + 7;
        p += 8;
    }
    while (p != end && Set::has(*p)) ++p;
    return p;
}

// The same, eight bytes at a time where compares tell what stops.
template <class Set>
inline cursor skip(cursor p, cursor end) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if constexpr (has_stops<Set>::value) {
        while (end - p >= 8) {
            std::uint64_t word;
            std::memcpy(&word, p, 8);
            const std::uint64_t marks = Set::stops(word);
            if (marks == 0) {
                p += 8;
                continue;
            }
            p += __builtin_ctzll(marks) >> 3;
            if (!Set::has(*p)) return p;
            ++p;
        }
    }
#endif
    return skip_bytes<Set, true>(p, end);
}

inline cursor find(cursor p, cursor end, unsigned char byte) {
    if (p == end) return end;
    const void* found = std::memchr(p, byte, static_cast<std::size_t>(end - p));
    return found ? static_cast<cursor>(found) : end;
}

constexpr unsigned char lower(unsigned char c) {
    return static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}
template <std::size_t N>
inline bool same(cursor p, std::string_view text) {
    return std::memcmp(p, text.data(), N) == 0;
}
template <std::size_t N>
inline bool same_folded(cursor p, std::string_view text) {
    for (std::size_t i = 0; i < N; ++i)
        if (lower(p[i]) != static_cast<unsigned char>(text[i])) return false;
    return true;
}
constexpr unsigned char letter(std::string_view text, std::uint64_t k) {
    return static_cast<unsigned char>(text[static_cast<std::size_t>(k)]);
}
// Borders are stored as pairs of bytes, the low one first.
constexpr std::uint64_t border(std::string_view borders, std::uint64_t k) {
    return letter(borders, 2 * k) | static_cast<std::uint64_t>(letter(borders, 2 * k + 1)) << 8;
}
// How many letters of the text, from the k-th on, stand at p.
inline std::uint64_t letters(cursor p, cursor end, std::string_view text, std::uint64_t k) {
    const cursor from = p;
    for (; k < text.size() && p != end && *p == letter(text, k); ++k) ++p;
    return distance(from, p);
}
inline std::uint64_t letters_folded(cursor p, cursor end, std::string_view text, std::uint64_t k) {
    const cursor from = p;
    for (; k < text.size() && p != end && lower(*p) == letter(text, k); ++k) ++p;
    return distance(from, p);
}
// The same, where a table says whether letters are compared in lower case.
inline std::uint64_t spelled(cursor p, cursor end, std::string_view text, std::uint64_t k, bool folds) {
    return folds ? letters_folded(p, end, text, k) : letters(p, end, text, k);
}
inline bool starts_here(cursor p, cursor end, std::string_view text) {
    return p != end && !text.empty() && *p == letter(text, 0);
}
inline cursor skip_blanks(cursor p, cursor end) {
    while (p != end && (*p == ' ' || *p == '\t')) ++p;
    return p;
}

// --- binary numbers ---

template <std::size_t N>
inline std::uint64_t load_big(cursor p) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if constexpr (N == 2 || N == 4 || N == 8) {
        std::conditional_t<N == 2, std::uint16_t, std::conditional_t<N == 4, std::uint32_t, std::uint64_t>> word;
        std::memcpy(&word, p, N);
        if constexpr (N == 2) return __builtin_bswap16(word);
        else if constexpr (N == 4) return __builtin_bswap32(word);
        else return __builtin_bswap64(word);
    }
#endif
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < N; ++i) value = value << 8 | p[i];
    return value;
}
template <std::size_t N>
inline std::uint64_t load_little(cursor p) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if constexpr (N == 2 || N == 4 || N == 8) {
        std::conditional_t<N == 2, std::uint16_t, std::conditional_t<N == 4, std::uint32_t, std::uint64_t>> word;
        std::memcpy(&word, p, N);
        return word;
    }
#endif
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < N; ++i) value |= static_cast<std::uint64_t>(p[i]) << (8 * i);
    return value;
}
constexpr std::uint64_t mask(unsigned bits) { return bits >= 64 ? never : (std::uint64_t{1} << bits) - 1; }
// The value modulo 2^bits, in two's complement where that is asked for.
template <unsigned Bits, bool Signed>
constexpr std::uint64_t wrapped(std::uint64_t value) {
    value &= mask(Bits);
    if constexpr (Signed && Bits < 64) {
        if (value >> (Bits - 1)) value |= ~mask(Bits);
    }
    return value;
}
template <bool Little, unsigned Offset, unsigned Bits, bool Signed>
inline std::uint64_t bit_field(cursor p) {
    constexpr unsigned first = Offset / 8, last = (Offset + Bits - 1) / 8;
    std::uint64_t value = 0;
    if constexpr (last - first < 8) {
        if constexpr (Little) {
            value = load_little<last - first + 1>(p + first) >> (Offset % 8);
        } else {
            value = load_big<last - first + 1>(p + first) >> (7 - (Offset + Bits - 1) % 8);
        }
    } else {
        for (unsigned i = 0; i < Bits; ++i) {
            const unsigned bit = Offset + i;
            if constexpr (Little)
                value |= static_cast<std::uint64_t>(p[bit / 8] >> (bit % 8) & 1) << i;
            else
                value = value << 1 | (p[bit / 8] >> (7 - bit % 8) & 1);
        }
    }
    return wrapped<Bits, Signed>(value);
}
template <bool Big, unsigned Bits>
inline auto float_value(cursor p) {
    if constexpr (Bits == 32) {
        const auto bits = static_cast<std::uint32_t>(Big ? load_big<4>(p) : load_little<4>(p));
        float value;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    } else {
        const std::uint64_t bits = Big ? load_big<8>(p) : load_little<8>(p);
        double value;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
}

// --- portable arithmetic: what does not fit 64 bits sets `bad` ---

template <class T>
constexpr std::int64_t to_int(T value, bool& bad) {
    const auto wide = static_cast<std::uint64_t>(value);
    if (wide > static_cast<std::uint64_t>(INT64_MAX)) bad = true;
    return static_cast<std::int64_t>(wide & static_cast<std::uint64_t>(INT64_MAX));
}
constexpr std::int64_t add(std::int64_t a, std::int64_t b, bool& bad) {
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return bad = true, 0;
    return a + b;
}
constexpr std::int64_t subtract(std::int64_t a, std::int64_t b, bool& bad) {
    if (b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b) return bad = true, 0;
    return a - b;
}
constexpr std::int64_t multiply(std::int64_t a, std::int64_t b, bool& bad) {
#if defined(__GNUC__)
    std::int64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) return bad = true, 0;
    return product;
#else
    if (a == 0 || b == 0) return 0;
    const bool fits = a > 0 ? (b > 0 ? a <= INT64_MAX / b : b >= INT64_MIN / a)
                            : (b > 0 ? a >= INT64_MIN / b : b >= INT64_MAX / a);
    if (!fits) return bad = true, 0;
    return a * b;
#endif
}
constexpr std::int64_t divide(std::int64_t a, std::int64_t b, bool& bad) {
    if (b == 0 || (a == INT64_MIN && b == -1)) return bad = true, 0;
    return a / b;
}
constexpr std::int64_t remainder(std::int64_t a, std::int64_t b, bool& bad) {
    if (b == 0 || (a == INT64_MIN && b == -1)) return bad = true, 0;
    return a % b;
}
constexpr std::int64_t shift_left(std::int64_t a, std::int64_t count, bool& bad) {
    if (count < 0 || count > 63) return bad = true, 0;
    const auto shifted = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << count);
    if (shifted >> count != a) return bad = true, 0;
    return shifted;
}
constexpr std::int64_t shift_right(std::int64_t a, std::int64_t count, bool& bad) {
    if (count < 0 || count > 63) return bad = true, 0;
    return a >> count;
}
constexpr std::int64_t complement(std::int64_t a) { return ~a; }

// Assigns a number that fits; says whether it does.
template <class T, class V>
inline bool fit(T& target, V value) {
    if constexpr (std::is_enum_v<V>) {
        return fit(target, static_cast<std::underlying_type_t<V>>(value));
    } else if constexpr (std::is_same_v<V, bool>) {
        return fit(target, static_cast<std::uint8_t>(value));
    } else if constexpr (std::is_enum_v<T>) {
        std::underlying_type_t<T> inner{};
        if (!fit(inner, value)) return false;
        target = static_cast<T>(inner);
        return true;
    } else {
        const T narrowed = static_cast<T>(value);
        if (static_cast<V>(narrowed) != value || (narrowed < T{}) != (value < V{})) return false;
        target = narrowed;
        return true;
    }
}

// --- captures that were cut ---

// Digits and bytes of a number so far.
struct capture {
    std::uint64_t value = 0;
    std::uint64_t count = 0;
    bool cut = false, negative = false, blank = false;
    unsigned char beyond = 0;

    void clear() { *this = capture{}; }
    bool was_cut() const { return cut; }
    void mark_cut() { cut = true; }
    void end_cut() { cut = false; }
    bool is_blank() const { return blank; }
    std::uint64_t& position() { return count; }
    std::uint64_t number() const { return value; }
};

constexpr std::uint64_t greatest(unsigned bits, bool is_signed, bool negative) {
    return !is_signed ? mask(bits) : negative ? (mask(bits) >> 1) + 1 : mask(bits) >> 1;
}
// Folds digits; the answer is `end`, or the place of the first one that is refused.
template <unsigned Radix, unsigned Bits, bool Signed, bool Wrap, bool Trim>
inline cursor fold_digits(capture& to, cursor p, cursor end) {
    for (; p != end; ++p) {
        unsigned digit = static_cast<unsigned>(*p) - '0';
        if (Radix == 16 && digit > 9) {
            digit = (static_cast<unsigned>(*p) | 0x20u) - 'a' + 10;
            if (digit < 10) digit = 16;
        }
        if (digit >= Radix) {
            if (*p == '-') to.negative = true;
            if (Trim) {
                if (*p != ' ' && *p != '\t') to.count = 1;
                else if (to.count > 0) to.blank = true;
            }
            continue;
        }
        if (Trim && to.blank) return p;
        if (Trim) to.count = 1;
        if constexpr (Wrap) {
            to.value = to.value * Radix + digit;
        } else {
            const std::uint64_t most = greatest(Bits, Signed, Signed && to.negative);
            if (to.value > most / Radix || to.value * Radix > most - digit) {
                to.blank = false;
                return p;
            }
            to.value = to.value * Radix + digit;
        }
    }
    return p;
}
template <unsigned Bits, bool Signed, bool Wrap>
inline std::uint64_t digits_value(const capture& from) {
    const std::uint64_t value = from.negative ? 0 - from.value : from.value;
    return Wrap ? wrapped<Bits, Signed>(value) : value;
}
template <unsigned Max, unsigned Bits, bool Signed, bool Wrap>
inline cursor fold_varint(capture& to, cursor p, cursor end) {
    for (; p != end; ++p) {
        const std::uint64_t place = to.count;
        const std::uint64_t group = *p & 0x7fu;
        const std::uint64_t value = to.value | group << least(7 * place, 63);
        const bool fits = place < 9 || *p <= 1;
        if (!fits || (place + 1 >= Max && *p >= 0x80) || (!Wrap && value > mask(Bits))) return p;
        ++to.count;
        to.value = value;
    }
    return p;
}
template <unsigned Bits, bool Signed, bool Wrap>
inline std::uint64_t varint_value(const capture& from) {
    return wrapped<Bits, Signed>(from.value);
}
// A boolean is true where any byte is not zero.
inline cursor fold_any(capture& to, cursor p, cursor end) {
    for (; p != end; ++p)
        if (*p != 0) to.value = 1;
    return p;
}
// Folds bytes of a binary integer. One that makes it too large is refused, as far as the byte order tells before the
// end: a little-endian one with a sign is judged by `binary_value`.
template <bool Big, unsigned Bits, bool Signed, bool Wrap>
inline cursor fold_binary(capture& to, cursor p, cursor end) {
    for (; p != end; ++p) {
        if constexpr (Big && Wrap) {
            const bool first = to.count == 0 && Signed && *p >= 0x80;
            to.value = (first ? ~std::uint64_t{0xff} : to.value << 8) | *p;
        } else if constexpr (Big && Signed) {
            constexpr auto high = static_cast<std::int64_t>(greatest(Bits, true, false));
            constexpr std::int64_t low = -high - 1;
            const auto old = static_cast<std::int64_t>(to.value);
            std::int64_t next = *p >= 0x80 ? static_cast<std::int64_t>(*p) - 256 : *p;
            if (to.count != 0) {
                const std::int64_t digit = *p;
                if (old > (high - digit) >> 8 || old < -((high >> 8) + 1)) return p;
                next = old * 256 + digit;
            }
            if (next < low || next > high) return p;
            to.value = static_cast<std::uint64_t>(next);
        } else if constexpr (Big) {
            if (to.value > (mask(Bits) - *p) >> 8 || *p > mask(Bits)) return p;
            to.value = to.value << 8 | *p;
        } else if (to.count < 8) {
            const std::uint64_t next = to.value | static_cast<std::uint64_t>(*p) << (8 * to.count);
            if (!Wrap && !Signed && next > mask(Bits)) return p;
            to.value = next;
        } else {
            if (!Wrap && !Signed && *p != 0) return p;
            // From the ninth byte on: all zero (1), all ones (2), or neither (3).
            to.beyond = static_cast<unsigned char>(to.beyond | (*p == 0 ? 1 : *p == 0xff ? 2 : 3));
        }
        to.negative = *p >= 0x80;
        ++to.count;
    }
    return p;
}
template <bool Big, unsigned Bits, bool Signed, bool Wrap>
inline std::uint64_t binary_value(const capture& of, bool& bad) {
    std::uint64_t value = of.value;
    if constexpr (!Big && Signed) {
        if (of.count <= 8) {
            if (of.negative && of.count != 0 && of.count < 8) value |= ~mask(static_cast<unsigned>(8 * of.count));
        } else if (!Wrap) {
            const bool below = value >> 63 != 0;
            if (!(of.negative ? of.beyond == 2 && below : of.beyond == 1 && !below)) bad = true;
        }
        if (!Wrap && wrapped<Bits, true>(value) != value) bad = true;
    }
    static_cast<void>(bad);
    return wrapped<Bits, Signed>(value);
}

// Keeps the bytes of a short capture.
[[gnu::noinline, gnu::cold]] inline void keep(capture& to, cursor from, cursor end) {
    if (!to.cut) to.clear();
    to.cut = true;
    unsigned char bytes[8];
    std::memcpy(bytes, &to.value, 8);
    for (; from != end && to.count < 8; ++from) bytes[to.count++] = *from;
    std::memcpy(&to.value, bytes, 8);
}
// All bytes of a short capture that ends here.
inline cursor whole(capture& slot, cursor from, cursor end) {
    if (likely(!slot.cut)) return from;
    keep(slot, from, end);
    slot.cut = false;
    return reinterpret_cast<cursor>(&slot.value);
}

// Combines bytes with those of a key, as many as there is room for. A callback may have emptied the key since the
// token began: then the bytes stay as they are.
inline std::string_view unmask(unsigned char (&scratch)[256], std::string_view bytes, std::string_view key,
                               std::uint64_t position) {
    const std::size_t count = bytes.size() < 256 ? bytes.size() : 256;
    if (key.empty()) {
        if (count != 0) std::memcpy(scratch, bytes.data(), count);
        return {reinterpret_cast<const char*>(scratch), count};
    }
    std::size_t at = static_cast<std::size_t>(position % key.size());
    for (std::size_t i = 0; i < count; ++i) {
        scratch[i] = static_cast<unsigned char>(bytes[i] ^ key[at]);
        if (++at == key.size()) at = 0;
    }
    return {reinterpret_cast<const char*>(scratch), count};
}

// --- texts ---

// A buffer of fixed size.
template <std::size_t N>
class array {
public:
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    const char* data() const { return bytes_; }
    static constexpr std::size_t capacity() { return N; }
    operator std::string_view() const { return {bytes_, size_}; }
    unsigned char operator[](std::size_t i) const { return static_cast<unsigned char>(bytes_[i]); }
    void clear() { size_ = 0; }
    void assign(std::string_view text) { *this = text; }
    array& operator=(std::string_view text) { clear(); append(text.data(), text.size()); return *this; }
    void append(const char* from, std::size_t count) {
        if (count > N - size_) count = N - size_;
        if (count != 0) std::memmove(bytes_ + size_, from, count);
        size_ += count;
    }
    void swap(array& other) {
        const array copy = other;
        other = *this;
        *this = copy;
    }

private:
    std::size_t size_ = 0;
    char bytes_[N == 0 ? 1 : N] = {};
};

inline std::string_view bytes(std::string_view text) { return text; }
inline bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}
inline bool starts_with(std::string_view text, std::string_view part) {
    return text.substr(0, part.size()) == part;
}
template <class T>
inline void clear(T& text) { text.clear(); }
template <class T>
inline void swap(T& a, T& b) { a.swap(b); }
// Bytes that may still be added to a text that holds at most so many.
template <class T>
inline std::uint64_t room(std::uint64_t most, const T& text) { return less(most, text.size()); }
// One byte more; false: there is no room.
template <class T>
inline bool push(T& text, std::uint64_t limit, std::int64_t byte, bool& bad) {
    if (byte < 0 || byte > 255) return bad = true;
    if (text.size() >= limit) return false;
    const char c = static_cast<char>(static_cast<unsigned char>(byte));
    text.append(&c, 1);
    return true;
}
// One code point more, in UTF-8.
template <class T>
inline bool push_utf8(T& text, std::uint64_t limit, std::int64_t code, bool& bad) {
    if (code < 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return bad = true;
    const auto c = static_cast<std::uint32_t>(code);
    char out[4];
    std::size_t n = 0;
    const auto put = [&](std::uint32_t x) { out[n++] = static_cast<char>(static_cast<unsigned char>(x)); };
    if (c < 0x80) {
        put(c);
    } else if (c < 0x800) {
        put(0xc0 | c >> 6), put(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        put(0xe0 | c >> 12), put(0x80 | (c >> 6 & 0x3f)), put(0x80 | (c & 0x3f));
    } else {
        put(0xf0 | c >> 18), put(0x80 | (c >> 12 & 0x3f)), put(0x80 | (c >> 6 & 0x3f)), put(0x80 | (c & 0x3f));
    }
    if (text.size() + n > limit) return false;
    text.append(out, n);
    return true;
}
inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
// Leading blanks go, then what does not fit, then trailing blanks.
template <bool Trim>
inline std::string_view kept(std::string_view text, std::uint64_t room) {
    if constexpr (Trim) {
        while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    }
    if (text.size() > room) text = text.substr(0, static_cast<std::size_t>(room));
    if constexpr (Trim) {
        while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    }
    return text;
}
// Keeps bytes of a capture that is cut, as many as it may store; says how many it may still get.
template <bool Trim, class Held>
[[gnu::noinline, gnu::cold]] inline std::uint64_t hold(capture& slot, Held& held, cursor from, cursor end, std::uint64_t room) {
    slot.cut = true;
    if (Trim && held.empty()) from = skip_blanks(from, end);
    const std::uint64_t count = least(distance(from, end), room);
    if (count != 0) held.append(reinterpret_cast<const char*>(from), static_cast<std::size_t>(count));
    return room - count;
}
template <class Held>
inline void keep_long(capture& slot, Held& held, cursor from, cursor end) {
    slot.cut = true;
    if (from != end) held.append(reinterpret_cast<const char*>(from), static_cast<std::size_t>(end - from));
}
template <class Held>
inline void append(Held& to, cursor from, cursor end) {
    if (from != end) to.append(reinterpret_cast<const char*>(from), static_cast<std::size_t>(end - from));
}
template <class Held>
inline cursor whole_long(capture& slot, Held& held, cursor from, cursor end) {
    if (!slot.cut) return from;
    keep_long(slot, held, from, end);
    return reinterpret_cast<cursor>(held.data());
}
template <bool Trim, bool Append, std::size_t N>
inline void store(array<N>& target, std::string_view text, std::uint64_t room) {
    text = kept<Trim>(text, room);
    if (!Append) target.clear();
    target.append(text.data(), text.size());
}
// A view that points into the caller's buffer, or owns its bytes once a cut has moved them.
template <class Store>
class basic_view : public std::string_view {
public:
    basic_view() = default;
    basic_view(const basic_view& other) : std::string_view(other), own_(other.own_), settled_(other.settled_) { rebase(other); }
    basic_view& operator=(const basic_view& other) {
        if (this != &other) {
            own_ = other.own_;
            std::string_view::operator=(other);
            settled_ = other.settled_;
            rebase(other);
        }
        return *this;
    }
    basic_view& operator=(std::string_view text) {
        point(text);
        return *this;
    }

    void clear() { point(std::string_view{}); }
    void point(std::string_view text) {
        std::string_view::operator=(text);
        settled_ = false;
    }
    // The fragment that it points into is over for the parser: whatever lies at that address later is never read.
    void settle() { settled_ = !owns(); }
    bool is_settled() const { return settled_; }
    // Makes a copy of the bytes its own; they may be its own already.
    void own(std::string_view text) {
        own_.assign(text);
        point(own_);
    }
    bool owns() const { return !empty() && data() == own_.data(); }
    void append(const char* from, std::size_t count) {
        if (!owns()) own(*this);
        own_.append(from, count);
        point(own_);
    }
    // A piece that follows the view in the same buffer only makes it longer.
    void add(std::string_view text) {
        if (empty()) {
            point(text);
        } else if (!owns() && data() + size() == text.data()) {
            point({data(), size() + text.size()});
        } else if (!text.empty()) {
            append(text.data(), text.size());
        }
    }
    void swap(basic_view& other) {
        const basic_view copy = other;
        other = *this;
        *this = copy;
    }

private:
    void rebase(const basic_view& other) {
        if (other.owns()) point(own_);
    }
    Store own_;
    bool settled_ = false;
};
template <class T>
struct is_view : std::false_type {};
template <class Store>
struct is_view<basic_view<Store>> : std::true_type {};

// Joins texts, which may be parts of the variable that they go to; false: it would hold more than it may.
template <class Text, class... Parts>
inline bool join_into(Text& joined, std::uint64_t limit, Parts... parts) {
    std::uint64_t size = 0;
    ((size += parts.size()), ...);
    if (size > limit) return false;
    (joined.append(parts.data(), parts.size()), ...);
    return true;
}
template <std::size_t N, class... Parts>
inline bool assign(array<N>& target, std::uint64_t limit, Parts... parts) {
    array<N> joined;
    if (!join_into(joined, limit, std::string_view(parts)...)) return false;
    target = joined;
    return true;
}
template <class Store, class... Parts>
inline bool assign(basic_view<Store>& target, std::uint64_t limit, Parts... parts) {
    Store joined;
    if (!join_into(joined, limit, std::string_view(parts)...)) return false;
    target.own(joined);
    return true;
}
template <bool Trim, bool Append, class Store>
inline void store(basic_view<Store>& target, std::string_view text, std::uint64_t room) {
    text = kept<Trim>(text, room);
    if (!Append) target.point(text);
    else target.add(text);
}
// Stores a capture of which `held` has the first part.
template <bool Trim, bool Append, class T, class Held>
[[gnu::noinline, gnu::cold]] inline void store_held(T& target, Held& held, cursor from, cursor end, std::uint64_t room) {
    capture slot;
    hold<Trim>(slot, held, from, end, room);
    const std::string_view text = kept<Trim>(held, never);
    if (!Append) target.clear();
    if constexpr (is_view<T>::value) {
        if (!Append) return target.own(text);
    }
    target.append(text.data(), text.size());
}
// A view into a buffer that goes away.
template <class Store>
inline void move_view(basic_view<Store>& target, cursor first, cursor stop) {
    const cursor at = vproto::begin(target);
    if (target.is_settled()) return;
    if (!target.empty() && at >= first && at < stop) target.own(target);
}
// A text of fixed size for what a cut leaves.
template <std::size_t N>
using fixed_held = array<N>;

}  // namespace vproto
#endif
