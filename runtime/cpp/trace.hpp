#ifndef VPROTO_TRACE_1
#define VPROTO_TRACE_1
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

// The event trace: one line of JSON an event.
namespace vproto {

// Valid UTF-8 without control characters other than \t \r \n.
inline bool is_printable(std::string_view text) {
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    for (std::size_t i = 0; i < text.size();) {
        const unsigned c = at(i);
        if (c < 0x80) {
            if ((c < 0x20 && c != '\t' && c != '\r' && c != '\n') || c == 0x7f) return false;
            ++i;
            continue;
        }
        const std::size_t n = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
        if (c < 0xc2 || c > 0xf4 || text.size() - i <= n) return false;
        std::uint32_t code = c & (0x3fu >> n);
        for (std::size_t k = 1; k <= n; ++k) {
            if ((at(i + k) & 0xc0) != 0x80) return false;
            code = code << 6 | (at(i + k) & 0x3fu);
        }
        const std::uint32_t lowest = n == 3 ? 0x10000 : n == 2 ? 0x800 : 0x80;
        if (code < lowest || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) || code < 0xa0) return false;
        i += n + 1;
    }
    return true;
}
inline void put_json(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text) {
        switch (c) {
            case '"': out += "\\\""; break;
            case '\\': out += "\\\\"; break;
            case '\t': out += "\\t"; break;
            case '\r': out += "\\r"; break;
            case '\n': out += "\\n"; break;
            default:
                if (static_cast<unsigned char>(c) < 0x20) {
                    char code[8];
                    std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
                    out += code;
                } else {
                    out += c;
                }
        }
    }
    out += '"';
}
inline void put_hex(std::string& out, std::string_view bytes) {
    static const char digits[] = "0123456789abcdef";
    out += '"';
    for (const char c : bytes) {
        out += digits[static_cast<unsigned char>(c) >> 4];
        out += digits[static_cast<unsigned char>(c) & 15];
    }
    out += '"';
}
inline void put_number(std::string& out, double value, bool narrow) {
    char text[64];
    if (value == std::floor(value) && std::fabs(value) < 9007199254740992.0) {
        std::snprintf(text, sizeof text, "%.0f", value);
        if (value == 0) std::snprintf(text, sizeof text, "%s", std::signbit(value) ? "-0" : "0");
    } else {
        for (int n = 1; n <= 17; ++n) {
            std::snprintf(text, sizeof text, "%.*g", n, value);
            if (narrow ? std::strtof(text, nullptr) == static_cast<float>(value)
                       : std::strtod(text, nullptr) == value)
                break;
        }
    }
    out += text;
}

// A member of an enum, for its name.
struct member {
    std::uint64_t value;
    const char* name;
};

// Collects the lines of one parser and of those that it runs.
class tracer {
public:
    std::string* out = nullptr;      // where lines go
    const char* module = nullptr;    // of a sub-parser
    std::uint64_t outer = 0;         // offset of the fragment's first byte in the outer stream
    bool hushed = false;             // threads do not speak

    void begin(const char* event, std::uint64_t at) {
        *out += "{\"event\":\"";
        *out += event;
        *out += '"';
        if (module) {
            *out += ",\"module\":";
            put_json(*out, module);
        }
        *out += ",\"offset\":";
        *out += std::to_string(at);
    }
    void place(unsigned line, const char* file) {
        if (file) {
            *out += ",\"file\":";
            put_json(*out, file);
        }
        *out += ",\"line\":";
        *out += std::to_string(line);
    }
    void named(const char* name) {
        *out += ",\"name\":";
        put_json(*out, name);
    }
    void end() { *out += "}\n"; }

    void value(std::string_view bytes, bool argument) {
        if (is_printable(bytes)) {
            *out += argument ? "" : "\"value\":";
            put_json(*out, bytes);
        } else {
            *out += argument ? "{\"hex\":" : "\"hex\":";
            put_hex(*out, bytes);
            *out += argument ? "}" : "";
        }
    }
    void value(bool x, bool argument) {
        *out += argument ? "" : "\"value\":";
        *out += x ? "true" : "false";
    }
    template <class T, class = std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>>
    void value(T x, bool argument) {
        *out += argument ? "" : "\"value\":";
        *out += std::to_string(x);
    }
    void value(float x, bool argument) { real(x, argument, true); }
    void value(double x, bool argument) { real(x, argument, false); }
    template <std::size_t N>
    void value(std::uint64_t x, const member (&members)[N], bool argument) {
        *out += argument ? "" : "\"value\":";
        for (const member& m : members)
            if (m.value == x) return put_json(*out, m.name);
        *out += std::to_string(x);
    }

    template <class... Value>
    void capture(std::uint64_t at, unsigned line, const char* file, const char* variable, const Value&... shown) {
        begin("capture", at);
        place(line, file);
        named(variable);
        *out += ',';
        value(shown..., false);
        end();
    }
    void notify(std::uint64_t at, unsigned line, const char* file, const char* function) {
        begin("notify", at);
        place(line, file);
        named(function);
        *out += ",\"args\":[";
        first_ = true;
    }
    template <class... Value>
    void argument(const Value&... shown) {
        if (!first_) *out += ',';
        first_ = false;
        value(shown..., true);
    }
    void notified() {
        *out += ']';
        end();
    }

    void piece(unsigned buffer, std::string_view bytes) {
        if (buffers_.size() <= buffer) buffers_.resize(buffer + 1);
        buffers_[buffer].append(bytes);
    }
    void data(unsigned buffer, std::uint64_t at, unsigned line, const char* file, const char* name) {
        piece(buffer, {});
        begin("data", at);
        place(line, file);
        named(name);
        *out += ',';
        value(std::string_view(buffers_[buffer]), false);
        end();
        buffers_[buffer].clear();
    }
    void span_begin(unsigned buffer, unsigned line, const char* file, const char* name) {
        piece(buffer, {});
        buffers_[buffer].clear();
        if (spans_.size() <= buffer) spans_.resize(buffer + 1);
        spans_[buffer] = {line, file, name};
    }
    void span_end(unsigned buffer, std::uint64_t at) {
        const span& s = spans_[buffer];
        data(buffer, at, s.line, s.file, s.name);
    }
    void failure(std::uint64_t at, const error& e) {
        begin("error", at);
        place(e.line, e.file);
        *out += ",\"column\":" + std::to_string(e.column) + ",\"kind\":\"" + vproto::name(e.kind) + "\",\"expected\":";
        put_json(*out, e.expected);
        if (e.found == 256) {
            *out += ",\"found\":\"end\"";
        } else if (e.found >= 0) {
            char text[32];
            std::snprintf(text, sizeof text, ",\"found\":\"0x%02x\"", static_cast<unsigned>(e.found));
            *out += text;
        }
        end();
    }

private:
    struct span {
        unsigned line = 0;
        const char* file = nullptr;
        const char* name = "";
    };
    template <class T>
    void real(T x, bool argument, bool narrow) {
        if (std::isfinite(x)) {
            *out += argument ? "" : "\"value\":";
            return put_number(*out, static_cast<double>(x), narrow);
        }
        std::string bytes(sizeof x, '\0');
        unsigned char raw[sizeof x];
        std::memcpy(raw, &x, sizeof x);
        const std::uint16_t one = 1;
        unsigned char low;
        std::memcpy(&low, &one, 1);
        for (std::size_t i = 0; i < sizeof x; ++i) bytes[i] = static_cast<char>(raw[low ? sizeof x - 1 - i : i]);
        *out += argument ? "{\"hex\":" : "\"hex\":";
        put_hex(*out, bytes);
        *out += argument ? "}" : "";
    }
    std::vector<std::string> buffers_;
    std::vector<span> spans_;
    bool first_ = true;
};

inline const char* name(status s) {
    static const char* const names[] = {"more", "complete", "incomplete", "stopped", "error", "paused", "busy"};
    return names[static_cast<std::size_t>(s)];
}

// --- the text of `--set name=value` ---

inline bool parse_number(std::string_view text, bool& negative, std::uint64_t& magnitude) {
    negative = !text.empty() && text.front() == '-';
    if (negative) text.remove_prefix(1);
    unsigned base = 10;
    if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) base = 16, text.remove_prefix(2);
    if (text.empty()) return false;
    magnitude = 0;
    for (const char c : text) {
        unsigned digit = static_cast<unsigned>(static_cast<unsigned char>(c)) - '0';
        if (digit > 9) digit = (static_cast<unsigned>(static_cast<unsigned char>(c)) | 0x20u) - 'a' + 10;
        if (digit >= base || magnitude > (never - digit) / base) return false;
        magnitude = magnitude * base + digit;
    }
    return true;
}
template <class T>
inline bool set_number(T& target, std::string_view text) {
    if constexpr (std::is_enum_v<T>) {
        std::underlying_type_t<T> inner{};
        if (!set_number(inner, text)) return false;
        target = static_cast<T>(inner);
        return true;
    } else {
        bool negative = false;
        std::uint64_t magnitude = 0;
        if (!parse_number(text, negative, magnitude)) return false;
        if (negative && magnitude != 0) {
            if (magnitude - 1 > static_cast<std::uint64_t>(INT64_MAX)) return false;
            return fit(target, -static_cast<std::int64_t>(magnitude - 1) - 1);
        }
        return fit(target, magnitude);
    }
}
inline bool set_value(bool& target, std::string_view text) {
    if (text == "true" || text == "1") return target = true;
    if (text == "false" || text == "0") return target = false, true;
    return false;
}
inline bool set_value(float& target, std::string_view text) {
    char* end = nullptr;
    const std::string copy(text);
    target = std::strtof(copy.c_str(), &end);
    return !copy.empty() && *end == '\0';
}
inline bool set_value(double& target, std::string_view text) {
    char* end = nullptr;
    const std::string copy(text);
    target = std::strtod(copy.c_str(), &end);
    return !copy.empty() && *end == '\0';
}
template <class T>
inline bool set_text(T& target, std::string_view text, std::uint64_t limit) {
    return assign(target, limit, text);
}
template <class T, class = std::enable_if_t<std::is_integral_v<T> || std::is_enum_v<T>>>
inline bool set_value(T& target, std::string_view text) {
    return set_number(target, text);
}

template <class T, std::size_t N>
inline bool set_member(T& target, std::string_view text, const member (&members)[N]) {
    for (const member& m : members)
        if (text == m.name) return target = static_cast<T>(m.value), true;
    return set_number(target, text);
}

// --- a whole program ---

// Plays pieces of the input; each piece is a heap block of exactly its size.
template <class Parser>
inline void play(Parser& parser, std::string_view input, const std::vector<std::size_t>& cuts) {
    std::size_t at = 0;
    const auto feed = [&](std::size_t end) {
        const std::size_t size = end - at;
        auto* block = new unsigned char[size == 0 ? 1 : size];
        if (size != 0) std::memcpy(block, input.data() + at, size);
        std::size_t done = 0;
        for (;;) {
            const result r = parser.parse(block + done, size - done);
            done += r.consumed;
            if (r.status != status::paused) break;
        }
        delete[] block;
        at = end;
    };
    for (const std::size_t cut : cuts) feed(cut);
    feed(input.size());
    parser.finish_traced();
}

struct arguments {
    std::string input;
    std::size_t chunk = 0;
    bool random = false;
    std::uint64_t seed = 0;
    std::vector<std::pair<std::string, std::string>> sets;
};

inline bool read_all(std::FILE* file, std::string& to) {
    char buffer[65536];
    for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file)) != 0;) to.append(buffer, n);
    return std::ferror(file) == 0;
}
// 0: go on; else the exit code.
inline int read_arguments(int argc, char** argv, arguments& to) {
    const char* path = nullptr;
    const auto usage = [&](const char* what) {
        std::fprintf(stderr, "%s: %s\nusage: %s [FILE] [--chunk N|random:SEED] [--set NAME=VALUE]...\n", argv[0], what,
                     argv[0]);
        return 2;
    };
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == "--chunk" && i + 1 < argc) {
            std::string_view text = argv[++i];
            to.random = text.substr(0, 7) == "random:";
            if (to.random) text.remove_prefix(7);
            std::uint64_t n = 0;
            if (!set_number(n, text)) return usage("--chunk wants a number or random:SEED");
            to.seed = n;
            to.chunk = static_cast<std::size_t>(n);
            if (!to.random && n == 0) return usage("--chunk wants a number above 0");
        } else if (argument == "--set" && i + 1 < argc) {
            const std::string_view text = argv[++i];
            const std::size_t eq = text.find('=');
            if (eq == std::string_view::npos) return usage("--set wants NAME=VALUE");
            to.sets.emplace_back(text.substr(0, eq), text.substr(eq + 1));
        } else if (!argument.empty() && argument[0] == '-' && argument != "-") {
            return usage("unknown option");
        } else if (path) {
            return usage("more than one file");
        } else {
            path = argv[i];
        }
    }
    std::FILE* file = stdin;
    if (path && std::string_view(path) != "-") file = std::fopen(path, "rb");
    if (!file || !read_all(file, to.input)) {
        std::fprintf(stderr, "%s: cannot read %s\n", argv[0], path ? path : "standard input");
        return 3;
    }
    if (file != stdin) std::fclose(file);
    return 0;
}
// Random pieces, empty ones among them.
inline std::vector<std::size_t> cuts_of(const arguments& from) {
    std::vector<std::size_t> cuts;
    std::uint64_t x = from.seed * 0x9e3779b97f4a7c15u + 1;
    for (std::size_t at = 0; at < from.input.size();) {
        if (from.random) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            at += static_cast<std::size_t>((x >> 20) % ((x >> 50 & 3) ? 9 : 200));
        } else if (from.chunk != 0) {
            at += from.chunk;
        } else {
            break;
        }
        if (at < from.input.size()) cuts.push_back(at);
    }
    return cuts;
}
template <class Parser>
inline int traced_main(int argc, char** argv) {
    arguments given;
    if (const int code = read_arguments(argc, argv, given)) return code;
    std::string out;
    Parser parser;
    parser.trace_to(out);
    for (const auto& [name, value] : given.sets) {
        if (!parser.set(name, value)) {
            std::fprintf(stderr, "%s: cannot set %s to %s\n", argv[0], name.c_str(), value.c_str());
            return 2;
        }
    }
    play(parser, given.input, cuts_of(given));
    const bool written = std::fwrite(out.data(), 1, out.size(), stdout) == out.size() && std::fflush(stdout) == 0;
    if (!written) return 3;
    return parser.succeeded() ? 0 : 1;
}

}  // namespace vproto
#endif
