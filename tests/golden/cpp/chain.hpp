// What a chain is made of, and what is told on the way; derive from it to listen.
struct chainResult {
    void got() {}
};

// All that a chain remembers between fragments, its texts apart: 56 bytes.
struct chain_state {
    std::uint64_t base{0};  // bytes consumed
    std::uint64_t home{vproto::never};  // offset at which the stream's home was entered
    std::uint64_t n{0};  // bytes that the running token took
    std::uint64_t k{0};  // letters of the running text
    std::uint32_t number{0};  // where to go on
    std::uint32_t error_place{0};  // the place of the error
    std::uint16_t error_found{0};  // what was there: a byte, 256 for the end, 257 for nothing
    std::uint8_t error_kind{0};  // the kind of the error
    std::uint8_t over{0};  // how parsing ended
    bool pausing{false};  // a callback asked for a pause
};
static_assert(sizeof(chain_state) <= 56, "the saved context has grown");

// A parser of chain; Output is a class that derives from chainResult.
template <class Output = chainResult, class scan_level = vproto::widest>
class chain_parser : public Output {
public:

    // Takes the next bytes of the stream; says how many, and how it goes on.
    vproto::result parse(const void* data, std::size_t size) {
        if (busy_.on) return {vproto::status::busy, 0};
        if (finished_) { clear_context(); finished_ = false; }
        const std::uint64_t before = state_.base;
        const vproto::status how = run(vproto::bytes_at(data), size, 0);
        const auto taken = static_cast<std::size_t>(state_.base - before);
        if (reset_later_) reset();
        return {how, taken};
    }
    vproto::result parse(std::string_view data) {
        return parse(data.data(), data.size());
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
    struct set0 {  // [0-9]
        static constexpr bool has(unsigned char c) { return static_cast<unsigned char>(c - '0') <= 9; }
    };
    struct set1 {  // [.]
        static constexpr bool has(unsigned char c) { return c == '.'; }
    };
    struct set2 {  // [\n]
        static constexpr bool has(unsigned char c) { return c == '\n'; }
    };
    struct set3 {  // [H]
        static constexpr bool has(unsigned char c) { return c == 'H'; }
    };
    struct set4 {  // [\r]
        static constexpr bool has(unsigned char c) { return c == '\r'; }
    };

    // Whether the user's class can be told what happens.
    template <class P>
    static auto hears0(P* p) -> decltype(static_cast<void>(p->got()), std::true_type{});
    static std::false_type hears0(const void*);
    template <class P>
    static auto inherits0(P*) -> std::is_same<decltype(&P::got), decltype(&chainResult::got)>;
    static std::false_type inherits0(const void*);

    struct place_type {
        std::uint32_t line, column;
        const char* file;
        const char* expected;
    };
    static constexpr place_type places[] = {
        {1, 36, nullptr, ""},
        {1, 1, nullptr, "[H]"},
        {1, 1, nullptr, "\"HTTP/\""},
        {1, 9, nullptr, "[0-9]"},
        {1, 15, nullptr, "\".\""},
        {1, 19, nullptr, "[0-9]"},
        {1, 31, nullptr, "\"\\n\""},
    };
    struct rest_type {
        std::uint32_t place, count;
        const char* text;
        bool folds;
    };
    static constexpr rest_type rests[] = {
        {4294967295u, 0, nullptr, false},
        {1u, 0, nullptr, false},
        {2u, 5, "HTTP/", false},
        {4294967295u, 0, nullptr, false},
        {3u, 0, nullptr, false},
        {4u, 0, nullptr, false},
        {5u, 0, nullptr, false},
        {4294967295u, 0, nullptr, false},
        {6u, 0, nullptr, false},
        {4294967295u, 0, nullptr, false},
    };
    static constexpr std::uint16_t handlers[] = {1, 1, 1, 1, 1, 1, 1};

    void clear_variables() {
    }
    void clear_context() {
        state_.base = std::uint64_t{};
        state_.home = vproto::never;
        state_.n = std::uint64_t{};
        state_.k = std::uint64_t{};
        state_.number = std::uint32_t{};
        state_.error_place = std::uint32_t{};
        state_.error_found = std::uint16_t{};
        state_.error_kind = std::uint8_t{};
        state_.over = std::uint8_t{};
        state_.pausing = bool{};

    }

    // Takes one fragment, or the end.
    std::uint64_t steps(const vproto::cursor first, const std::size_t size, const std::uint64_t ending) {
        vproto::cursor p = first;
        const vproto::cursor stop = first + size;
        vproto::cursor end = stop;
        const std::uint64_t base = state_.base;
        constexpr vproto::cursor nowhere = nullptr;
        static_cast<void>(nowhere);
        static_cast<void>(end);
        static_cast<void>(ending);
        bool ended{false};
        std::uint64_t found{0};
        std::uint64_t goal{0};
        static_cast<void>(goal);
        std::uint64_t handler{0};
        std::uint64_t k{0};
        std::uint64_t kind{0};
        std::uint64_t n{0};
        std::uint64_t outcome{0};
        std::uint64_t place{0};
        std::uint64_t taken{0};

        state_.pausing = false;
        n = state_.n;
        k = state_.k;
    again:
        switch (state_.number) {
            case 0: goto s0;
            case 1: goto s1;
            case 2: goto spell;
            case 3: goto done2;
            case 4: goto s3;
            case 5: goto s4;
            case 6: goto s5;
            case 7: goto s6;
            case 8: goto s7;
            default: goto uncaught;
        }
    s0:
        if (vproto::likely(vproto::distance(p, end) >= 10 && vproto::same<5>(p, std::string_view("HTTP/", 5)) && set0::has(p[5]) && p[6] == '.' && set0::has(p[7]) && vproto::same<2>(p + 8, std::string_view("\r\n", 2)))) {
            state_.home = base + vproto::distance(first, p);
            p += 10;
            this->got();
            state_.home = base + vproto::distance(first, p);
            if (vproto::unlikely(state_.pausing)) { state_.number = 1; goto pause; }
            goto s1;
        }
        if (vproto::likely(vproto::distance(p, end) >= 10 && vproto::same<5>(p, std::string_view("HTTP/", 5)) && set0::has(p[5]) && p[6] == '.' && set0::has(p[7]) && p[8] == '\n')) {
            state_.home = base + vproto::distance(first, p);
            p += 9;
            this->got();
            state_.home = base + vproto::distance(first, p);
            if (vproto::unlikely(state_.pausing)) { state_.number = 1; goto pause; }
            goto s1;
        }
        state_.home = base + vproto::distance(first, p);

        // line 1: branching
    s1:
        if (vproto::likely(vproto::distance(p, end) >= 10 && vproto::same<5>(p, std::string_view("HTTP/", 5)) && set0::has(p[5]) && p[6] == '.' && set0::has(p[7]) && vproto::same<2>(p + 8, std::string_view("\r\n", 2)))) {
            p += 10;
            this->got();
            state_.home = base + vproto::distance(first, p);
            if (vproto::unlikely(state_.pausing)) { state_.number = 1; goto pause; }
            goto s1;
        }
        if (vproto::likely(vproto::distance(p, end) >= 10 && vproto::same<5>(p, std::string_view("HTTP/", 5)) && set0::has(p[5]) && p[6] == '.' && set0::has(p[7]) && p[8] == '\n')) {
            p += 9;
            this->got();
            state_.home = base + vproto::distance(first, p);
            if (vproto::unlikely(state_.pausing)) { state_.number = 1; goto pause; }
            goto s1;
        }
        if (vproto::unlikely(p == end || !(*p == 'H'))) { state_.number = 1; goto refuse; }

        // line 1: "HTTP/"
        if (vproto::unlikely(!(vproto::distance(p, end) >= 5 && vproto::same<5>(p, std::string_view("HTTP/", 5))))) { k = 0; state_.number = 2; goto spell; }
        p += 5;
    done2:

        // line 1: [0-9]
    s3:
        if (vproto::unlikely(p == end || !set0::has(*p))) { state_.number = 4; goto refuse; }
        ++p;

        // line 1: "."
    s4:
        if (vproto::unlikely(p == end || !(*p == '.'))) { state_.number = 5; goto refuse; }
        ++p;

        // line 1: [0-9]
    s5:
        if (vproto::unlikely(p == end || !set0::has(*p))) { state_.number = 6; goto refuse; }
        ++p;

        // line 1: "\r"
    s6:
        if (vproto::unlikely(p == end)) { state_.number = 7; goto rest; }
        if (*p == '\r') { ++p; }
    done6:

        // line 1: "\n"
    s7:
        if (vproto::unlikely(p == end || !(*p == '\n'))) { state_.number = 8; goto refuse; }
        ++p;
        this->got();
        state_.home = base + vproto::distance(first, p);
        if (vproto::unlikely(state_.pausing)) { state_.number = 1; goto pause; }
        goto s1;

        // No byte is left: is it the end?
    rest:
        if (vproto::likely(ending == 0)) goto cut;
        ended = ending == 2;
        place = rests[state_.number].place;
        if (place != 4294967295u) goto lack;
        switch (state_.number) {
            case 7: goto done6;
            default: goto uncaught;
        }

        // A literal that is not whole in this fragment, letter by letter.
    spell:
        taken = vproto::spelled(p, end, std::string_view(rests[state_.number].text, rests[state_.number].count), k, rests[state_.number].folds);
        p = vproto::forward(p, taken);
        k += taken;
        if (k < std::string_view(rests[state_.number].text, rests[state_.number].count).size()) goto refuse;
        ++state_.number;
        goto again;
    refuse:
        if (p == end) goto rest;
        place = rests[state_.number].place;
        goto byte_1;

        // A byte is lacking: a call may return, the stream may be complete.
    lack:
        if (state_.home == base + vproto::distance(first, p)) goto complete;
        kind = 2;
        found = 256;
        if (ending == 2) goto incomplete;

        // An exception: who takes it?
    raise:
        if (ended) goto uncaught;

        // What was captured so far is nobody's.
        handler = handlers[place];
        switch (handler) {
            default: goto uncaught;
        }
    uncaught:
        outcome = 4;
        goto failed;
    incomplete:
        outcome = 2;
    failed:
        state_.error_place = static_cast<std::uint32_t>(place);
        state_.error_kind = static_cast<std::uint8_t>(kind);
        state_.error_found = static_cast<std::uint16_t>(found);
        goto over;
    complete:
        outcome = 1;
    over:
        state_.over = static_cast<std::uint8_t>(outcome);
        state_.base = base + vproto::distance(first, p);
        return outcome;

        // A cut: what the fragment has of open captures is kept.
    pause:
        n = 0;
        k = 0;
    cut:
        state_.n = n;
        state_.k = k;
        state_.base = base + vproto::distance(first, p);
        return state_.pausing ? 5 : 0;
    byte_1:
        kind = 1;
        found = *p;
        goto raise;
    }
    vproto::status run(const vproto::cursor first, const std::size_t size, const std::uint64_t ending) {

        static_assert(decltype(hears0(static_cast<chain_parser*>(nullptr)))::value,
                      "got of the output class cannot be called with ()");
        static_assert(!vproto::hears_all<Output>::value || !decltype(inherits0(static_cast<Output*>(nullptr)))::value,
                      "hears_all: the output class has no got(); is its name misspelt\?");
        if (state_.over != 0) return static_cast<vproto::status>(state_.over);
        const vproto::busy_scope running(busy_);
        return static_cast<vproto::status>(steps(first, size, ending));
    }

    chain_state state_;
    vproto::busy_flag busy_;
    bool finished_ = false, reset_later_ = false;
};

using chain = chain_parser<>;
