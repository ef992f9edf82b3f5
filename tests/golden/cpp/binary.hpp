// What a binary is made of, and what is told on the way; derive from it to listen.
struct binaryResult {
    std::uint16_t a{};
    std::uint32_t b{};
    std::uint8_t c{};
    void got(std::uint16_t, std::uint32_t) {}
};

// All that a binary remembers between fragments, its texts apart: 80 bytes.
struct binary_state {
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
};
static_assert(sizeof(binary_state) <= 80, "the saved context has grown");

// A parser of binary; Output is a class that derives from binaryResult.
template <class Output = binaryResult, class scan_level = vproto::widest>
class binary_parser : public Output {
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

    // Whether the user's class can be told what happens.
    template <class P>
    static auto hears0(P* p) -> decltype(static_cast<void>(p->got(std::declval<std::uint16_t&>(), std::declval<std::uint32_t&>())), std::true_type{});
    static std::false_type hears0(const void*);
    template <class P>
    static auto inherits0(P*) -> std::is_same<decltype(&P::got), decltype(&binaryResult::got)>;
    static std::false_type inherits0(const void*);

    struct place_type {
        std::uint32_t line, column;
        const char* file;
        const char* expected;
    };
    static constexpr place_type places[] = {
        {1, 20, nullptr, ""},
        {1, 1, nullptr, "[\\x00-\\xff]"},
        {1, 8, nullptr, "[\\x00-\\xff]"},
        {1, 15, nullptr, "[\\x00-\\xff]"},
    };
    struct rest_type {
        std::uint32_t place, count;
        const char* text;
        bool folds;
    };
    static constexpr rest_type rests[] = {
        {4294967295u, 0, nullptr, false},
        {1u, 0, nullptr, false},
        {1u, 2, nullptr, false},
        {4294967295u, 0, nullptr, false},
        {2u, 4, nullptr, false},
        {4294967295u, 0, nullptr, false},
        {3u, 0, nullptr, false},
        {4294967295u, 0, nullptr, false},
    };
    static constexpr std::uint16_t handlers[] = {1, 1, 1, 1};

    void clear_variables() {
        this->a = std::uint16_t{};
        this->b = std::uint32_t{};
        this->c = std::uint8_t{};
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
        vproto::cursor from0{nullptr};
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
        from0 = p;
        n = state_.n;
        k = state_.k;
    again:
        switch (state_.number) {
            case 0: goto s0;
            case 1: goto s1;
            case 2: case 4: goto fill;
            case 3: goto shown3;
            case 5: goto shown4;
            case 6: goto s5;
            default: goto uncaught;
        }
    s0:
        if (vproto::likely(vproto::distance(p, end) >= 7)) {
            state_.home = base + vproto::distance(first, p);
            from0 = p;
            this->a = static_cast<std::uint16_t>(0);
            p += 2;
            this->a = static_cast<std::uint16_t>(vproto::load_big<2>(vproto::whole(state_.capture0, from0, p)));
            from0 = p;
            this->b = static_cast<std::uint32_t>(0);
            p += 4;
            this->b = static_cast<std::uint32_t>(vproto::load_little<4>(vproto::whole(state_.capture0, from0, p)));
            from0 = p;
            this->c = static_cast<std::uint8_t>(0);
            ++p;
            this->c = static_cast<std::uint8_t>(vproto::load_little<1>(vproto::whole(state_.capture0, from0, p)));
            this->got(this->a, this->b);
            state_.home = base + vproto::distance(first, p);
            if (vproto::unlikely(state_.pausing)) { state_.number = 1; goto pause; }
            goto s1;
        }
        state_.home = base + vproto::distance(first, p);

        // line 1: branching
    s1:
        if (vproto::likely(vproto::distance(p, end) >= 7)) {
            from0 = p;
            this->a = static_cast<std::uint16_t>(0);
            p += 2;
            this->a = static_cast<std::uint16_t>(vproto::load_big<2>(vproto::whole(state_.capture0, from0, p)));
            from0 = p;
            this->b = static_cast<std::uint32_t>(0);
            p += 4;
            this->b = static_cast<std::uint32_t>(vproto::load_little<4>(vproto::whole(state_.capture0, from0, p)));
            from0 = p;
            this->c = static_cast<std::uint8_t>(0);
            ++p;
            this->c = static_cast<std::uint8_t>(vproto::load_little<1>(vproto::whole(state_.capture0, from0, p)));
            this->got(this->a, this->b);
            state_.home = base + vproto::distance(first, p);
            if (vproto::unlikely(state_.pausing)) { state_.number = 1; goto pause; }
            goto s1;
        }
        if (vproto::unlikely(p == end)) { state_.number = 1; goto rest; }
        from0 = p;
        this->a = static_cast<std::uint16_t>(0);

        // line 1: [\x00-\xff]
        if (vproto::unlikely(vproto::distance(p, end) < 2)) { n = 0; state_.number = 2; goto fill; }
        p += 2;
    shown3:
        this->a = static_cast<std::uint16_t>(vproto::load_big<2>(vproto::whole(state_.capture0, from0, p)));
        from0 = p;
        this->b = static_cast<std::uint32_t>(0);

        // line 1: [\x00-\xff]
        if (vproto::unlikely(vproto::distance(p, end) < 4)) { n = 0; state_.number = 4; goto fill; }
        p += 4;
    shown4:
        this->b = static_cast<std::uint32_t>(vproto::load_little<4>(vproto::whole(state_.capture0, from0, p)));
        from0 = p;
        this->c = static_cast<std::uint8_t>(0);

        // line 1: [\x00-\xff]
    s5:
        if (vproto::unlikely(p == end)) { state_.number = 6; goto rest; }
        ++p;
        this->c = static_cast<std::uint8_t>(vproto::load_little<1>(vproto::whole(state_.capture0, from0, p)));
        this->got(this->a, this->b);
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
            default: goto uncaught;
        }

        // A token of fixed length that is not whole in this fragment.
    fill:
        taken = vproto::least(rests[state_.number].count - n, vproto::distance(p, end));
        p = vproto::forward(p, taken);
        n += taken;
        if (n < rests[state_.number].count) goto rest;
        ++state_.number;
        goto again;

        // A byte is lacking: a call may return, the stream may be complete.
    lack:
        if (state_.home == base + vproto::distance(first, p)) goto complete;
        kind = 2;
        found = 256;
        if (ending == 2) goto incomplete;

        // An exception: who takes it?
        if (ended) goto uncaught;

        // What was captured so far is nobody's.
        state_.capture0.clear();
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
        switch (state_.number) {
            case 2: case 3: case 4: case 5: case 6: {
                vproto::keep(state_.capture0, from0, p);
                break;
            }
            default: break;
        }
        state_.n = n;
        state_.k = k;
        state_.base = base + vproto::distance(first, p);
        return state_.pausing ? 5 : 0;
    }
    vproto::status run(const vproto::cursor first, const std::size_t size, const std::uint64_t ending) {

        static_assert(decltype(hears0(static_cast<binary_parser*>(nullptr)))::value,
                      "got of the output class cannot be called with (std::uint16_t a, std::uint32_t b)");
        static_assert(!vproto::hears_all<Output>::value || !decltype(inherits0(static_cast<Output*>(nullptr)))::value,
                      "hears_all: the output class has no got(std::uint16_t a, std::uint32_t b); is its name misspelt\?");
        if (state_.over != 0) return static_cast<vproto::status>(state_.over);
        const vproto::busy_scope running(busy_);
        return static_cast<vproto::status>(steps(first, size, ending));
    }

    binary_state state_;
    vproto::busy_flag busy_;
    bool finished_ = false, reset_later_ = false;
};

using binary = binary_parser<>;
