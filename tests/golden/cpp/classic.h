// What a classic is made of, and what is told on the way; derive from it to listen.
struct classicResult {
    void word(const char* data, unsigned size, bool isFirst, bool isLast);
    void rest(const char* data, unsigned size, bool isFirst, bool isLast);
    void line();
};

// All that a classic remembers between fragments, its texts apart: 80 bytes.
struct classic_state {
    std::uint64_t base{0};  // bytes consumed
    std::uint64_t home{vproto::never};  // offset at which the stream's home was entered
    vproto::capture capture0{};  // a capture that was cut
    std::uint64_t n{0};  // bytes that the running token took
    std::uint64_t k{0};  // letters of the running text
    std::uint32_t number{0};  // where to go on
    std::uint32_t error_place{0};  // the place of the error
    std::uint16_t error_found{0};  // what was there: a byte, 256 for the end, 257 for nothing
    std::uint8_t error_kind{0};  // the kind of the error
    std::uint8_t over{0};  // how parsing ended
    bool pausing{false};  // a callback asked for a pause
    std::uint8_t begun0{0};  // whether a span is open, and was handed on
};
static_assert(sizeof(classic_state) <= 80, "the saved context has grown");

// A parser of classic.
class classic : public classicResult {
    using scan_level = vproto::widest;
public:

    // Takes the next bytes of the stream; false: they are not what the description says.
    bool parse(const char* data, unsigned size) {
        return feed_all(data, size);
    }
    bool parse(const std::string& data) { return feed_all(data.data(), data.size()); }
    // Takes the next bytes of the stream; says how many, and how it goes on.
    vproto::result parse_piece(const void* data, std::size_t size) {
        if (busy_.on) return {vproto::status::busy, 0};
        if (finished_) { clear_context(); finished_ = false; }
        const std::uint64_t before = state_.base;
        const vproto::status how = run(vproto::bytes_at(data), size, 0);
        const auto taken = static_cast<std::size_t>(state_.base - before);
        if (reset_later_) reset();
        return {how, taken};
    }
    // No more bytes come. Variables stay readable; the next parse() starts anew.
    [[nodiscard]] vproto::status finish() {
        if (busy_.on) return vproto::status::busy;
        const vproto::status how = run(vproto::bytes_at(nullptr), 0, vproto::stream_ends);
        finished_ = how == vproto::status::complete || how == vproto::status::incomplete;
        if (reset_later_) reset();
        return how;
    }
    // As before the first byte, variables too. A callback that calls it pauses parsing, and then it is done.
    void reset() {
        if (busy_.on) {
            reset_later_ = state_.pausing = true;
            return;
        }
        reset_later_ = false;
        clear_variables();
        clear_context();
        finished_ = false;
    }
    // For callbacks: parse() returns at the next place where it can, with `paused`.
    void pause() { state_.pausing = true; }
    // Bytes consumed up to the last call.
    [[nodiscard]] std::uint64_t offset() const { return state_.base; }
    // Whether no byte of a message is waiting for its rest.
    [[nodiscard]] bool empty() const { return state_.number == 0 || state_.home == state_.base; }
    // Where and why parsing failed.
    [[nodiscard]] vproto::error error() const {
        const place_type& at = places[state_.error_place];
        return {state_.base, at.line, at.column, at.file,
                static_cast<vproto::reason>(state_.error_kind), at.expected,
                state_.error_found > 256 ? -1 : static_cast<int>(state_.error_found)};
    }

private:
    bool feed_all(const char* data, std::size_t size) {
        for (;;) {
            const vproto::result r = parse_piece(data, size);
            if (r.status == vproto::status::error || r.status == vproto::status::busy) return false;
            if (r.status != vproto::status::paused) return true;
            data += r.consumed;
            size -= r.consumed;
        }
    }
    struct set0 {  // [a-z]
        static constexpr bool has(unsigned char c) { return static_cast<unsigned char>(c - 'a') <= 25; }
    };
    struct set1 {  // [ ]
        static constexpr bool has(unsigned char c) { return c == ' '; }
    };
    struct set2 {  // [^\n]
        static constexpr bool has(unsigned char c) { return c <= '\t' || c >= 11; }
        // Marks bytes that may stop a run: the lowest mark is one that `has` decides.
        static constexpr std::uint64_t stops(std::uint64_t w) { return vproto::equal(w, 10); }
    };
    struct set3 {  // [\n]
        static constexpr bool has(unsigned char c) { return c == '\n'; }
    };

    struct place_type {
        std::uint32_t line, column;
        const char* file;
        const char* expected;
    };
    static constexpr place_type places[] = {
        {1, 1, nullptr, "[a-z]"},
        {1, 13, nullptr, "\" \""},
        {1, 44, nullptr, "\"\\n\""},
        {1, 49, nullptr, ""},
    };
    struct rest_type {
        std::uint32_t place, count;
        const char* text;
        bool folds;
    };
    static constexpr rest_type rests[] = {
        {4294967295u, 0, nullptr, false},
        {0u, 0, nullptr, false},
        {0u, 0, nullptr, false},
        {4294967295u, 0, nullptr, false},
        {1u, 0, nullptr, false},
        {4294967295u, 0, nullptr, false},
        {2u, 0, nullptr, false},
        {4294967295u, 0, nullptr, false},
    };
    static constexpr std::uint16_t handlers[] = {1, 1, 1, 1};

    void clear_variables() {
    }
    void clear_context() {
        state_.base = std::uint64_t{};
        state_.home = vproto::never;
        state_.capture0 = vproto::capture{};
        state_.n = std::uint64_t{};
        state_.k = std::uint64_t{};
        state_.number = std::uint32_t{};
        state_.error_place = std::uint32_t{};
        state_.error_found = std::uint16_t{};
        state_.error_kind = std::uint8_t{};
        state_.over = std::uint8_t{};
        state_.pausing = bool{};
        state_.begun0 = std::uint8_t{};

    }
    std::uint64_t steps(const vproto::cursor first, const std::size_t size, const std::uint64_t ending);
    vproto::status run(const vproto::cursor first, const std::size_t size, const std::uint64_t ending) {

        if (state_.over != 0) return static_cast<vproto::status>(state_.over);
        const vproto::busy_scope running(busy_);
        return static_cast<vproto::status>(steps(first, size, ending));
    }
    void word_piece(std::string_view bytes, bool first, bool last) {
        this->word(bytes.data(), static_cast<unsigned>(bytes.size()), first, last);
    }
    void rest_piece(std::string_view bytes, bool first, bool last) {
        this->rest(bytes.data(), static_cast<unsigned>(bytes.size()), first, last);
    }

    classic_state state_;
    vproto::busy_flag busy_;
    bool finished_ = false, reset_later_ = false;
};
