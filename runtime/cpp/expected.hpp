#ifndef VPROTO_EXPECTED_1
#define VPROTO_EXPECTED_1

// What was acceptable, where a variable or an undecided `< >` says it: written down when the error happens.
namespace vproto {

// Text is a string, or an array of a size that is fixed: what does not fit is left out there.
template <class Text>
class expectation {
public:
    void clear() { text_.clear(); }
    const char* text() const { return text_.empty() ? "" : text_.data(); }
    // Runs of three or more as a range; the complement for 129 to 255 members.
    void set(const std::uint64_t (&words)[4]) {
        bool members[257] = {};
        unsigned count = 0;
        for (unsigned c = 0; c < 256; ++c) count += members[c] = words[c >> 6] >> (c & 63) & 1;
        const bool negate = count >= 129 && count <= 255;
        text_.clear();
        put(negate ? "[^" : "[");
        for (unsigned c = 0; c < 256;) {
            unsigned last = c;
            if (members[c] == negate) {
                ++c;
                continue;
            }
            while (last < 255 && members[last + 1] != negate) ++last;
            letter(c, "\\][^-");
            if (last > c + 1) put("-");
            if (last > c) letter(last, "\\][^-");
            c = last + 1;
        }
        end(']');
    }
    void quoted(std::string_view text) {
        text_.clear();
        put("\"");
        for (const char c : text) letter(static_cast<unsigned char>(c), "\\\"");
        end('"');
    }
    void words(std::string_view text) {
        text_.clear();
        put(text);
        end('\0');
    }

private:
    void put(std::string_view part) { text_.append(part.data(), part.size()); }
    void letter(unsigned c, std::string_view escaped) {
        const char byte = static_cast<char>(static_cast<unsigned char>(c));
        if (c == '\t') return put("\\t");
        if (c == '\n') return put("\\n");
        if (c == '\r') return put("\\r");
        if (c < 0x20 || c > 0x7e) {
            constexpr std::string_view digits = "0123456789abcdef";
            const char code[] = {'\\', 'x', digits[c >> 4], digits[c & 15]};
            return put({code, 4});
        }
        if (escaped.find(byte) != std::string_view::npos) put("\\");
        put({&byte, 1});
    }
    // A text of fixed size that is full ends where it is cut.
    void end(char last) {
        const char close[] = {last, '\0'};
        put({close, last == '\0' ? 1u : 2u});
    }
    Text text_;
};

// Room for every set, and for texts of 255 bytes; the byte behind it stays zero.
template <std::size_t N>
class fixed_text {
public:
    void clear() { text_ = fixed_text{}.text_; }
    bool empty() const { return text_.empty(); }
    const char* data() const { return text_.data(); }
    void append(const char* from, std::size_t count) {
        const std::size_t room = N - 1 - text_.size();
        text_.append(from, count < room ? count : room);
    }

private:
    array<N> text_;
};

}  // namespace vproto
#endif
