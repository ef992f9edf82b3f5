// What a call is made of, and what is told on the way; derive from it to listen.
struct callResult {
    std::uint8_t n{};
    void over() {}
};

// All that a call remembers between fragments, its texts apart: 128 bytes.
struct call_state {
    struct frame_type {
        std::uint64_t home{0};  // where the tree's home was entered
        std::uint64_t fence{0};  // the end offset outside
        std::uint16_t call{0};  // which call
    };
    std::uint64_t base{0};  // bytes consumed
    std::uint64_t home{vproto::never};  // offset at which the stream's home was entered
    std::uint64_t fence{vproto::never};  // end offset of the innermost confined call
    vproto::capture capture0{};  // a capture that was cut
    std::uint64_t skip_to{0};  // end offset of bytes that nobody wants
    std::uint64_t n{0};  // bytes that the running token took
    std::uint64_t k{0};  // letters of the running text
    std::uint64_t hi{0};  // greatest number of bytes
    frame_type frames[1] = {};
    std::uint32_t number{0};  // where to go on
    std::uint32_t error_place{0};  // the place of the error
    std::uint32_t depth{0};  // calls that are open
    std::uint16_t error_found{0};  // what was there: a byte, 256 for the end, 257 for nothing
    std::uint16_t skip_call{0};  // the call whose bytes are skipped
    std::uint16_t skip_after{0};  // where to go behind them
    std::uint8_t error_kind{0};  // the kind of the error
    std::uint8_t over{0};  // how parsing ended
    bool pausing{false};  // a callback asked for a pause
};
static_assert(sizeof(call_state) <= 128, "the saved context has grown");

// A parser of call; Output is a class that derives from callResult.
template <class Output = callResult, class scan_level = vproto::widest>
class call_parser : public Output {
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
    struct set0 {  // [a]
        static constexpr bool has(unsigned char c) { return c == 'a'; }
    };
    struct set1 {  // [b-d]
        static constexpr bool has(unsigned char c) { return static_cast<unsigned char>(c - 'b') <= 2; }
    };

    // Whether the user's class can be told what happens.
    template <class P>
    static auto hears0(P* p) -> decltype(static_cast<void>(p->over()), std::true_type{});
    static std::false_type hears0(const void*);
    template <class P>
    static auto inherits0(P*) -> std::is_same<decltype(&P::over), decltype(&callResult::over)>;
    static std::false_type inherits0(const void*);

    struct place_type {
        std::uint32_t line, column;
        const char* file;
        const char* expected;
    };
    static constexpr place_type places[] = {
        {1, 1, nullptr, "[\\x00-\\xff]"},
        {1, 6, nullptr, ""},
        {1, 23, nullptr, ""},
        {4, 2, nullptr, "[a-d]"},
        {4, 2, nullptr, "\"a\""},
        {4, 6, nullptr, ""},
        {5, 2, nullptr, "[b-d]"},
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
        {3u, 0, nullptr, false},
        {4u, 0, nullptr, false},
        {6u, 0, nullptr, false},
        {4294967295u, 0, nullptr, false},
        {4294967295u, 0, nullptr, false},
    };
    static constexpr std::uint16_t handlers[] = {1, 1, 1, 1, 1, 1, 1};
    static constexpr std::uint16_t call_handlers[] = {1};
    static constexpr std::uint16_t call_trees[] = {1};
    static constexpr std::uint16_t call_fences[] = {1};

    void clear_variables() {
        this->n = std::uint8_t{};
    }
    void clear_context() {
        state_.base = std::uint64_t{};
        state_.home = vproto::never;
        state_.fence = vproto::never;
        state_.capture0 = vproto::capture{};
        state_.skip_to = std::uint64_t{};
        state_.n = std::uint64_t{};
        state_.k = std::uint64_t{};
        state_.hi = std::uint64_t{};
        state_.number = std::uint32_t{};
        state_.error_place = std::uint32_t{};
        state_.depth = std::uint32_t{};
        state_.error_found = std::uint16_t{};
        state_.skip_call = std::uint16_t{};
        state_.skip_after = std::uint16_t{};
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
        std::uint64_t hi{0};
        std::uint64_t k{0};
        std::uint64_t kind{0};
        std::uint64_t level{0};
        std::uint64_t n_here{0};
        std::uint64_t outcome{0};
        std::uint64_t place{0};
        bool used_up{false};
        static_cast<void>(used_up);

        state_.pausing = false;
        end = vproto::window(first, stop, base, state_.fence);
        from0 = p;
        n_here = state_.n;
        k = state_.k;
        hi = state_.hi;
        switch (state_.number) {
            case 0: goto s0;
            case 1: goto s1;
            case 2: goto s3;
            case 3: goto s7;
            case 4: goto s8;
            case 5: goto s10;
            case 6: goto more10;
            case 7: goto skip;
            default: goto uncaught;
        }
    s0:
        if (state_.depth == 0) { state_.home = base + vproto::distance(first, p); }

        // line 1: branching
    s1:
        if (vproto::unlikely(p == end)) { state_.number = 1; goto rest; }
        from0 = p;
        this->n = static_cast<std::uint8_t>(0);
        goto in3;

        // line 1: [\x00-\xff]
    s3:
        if (vproto::unlikely(p == end)) { state_.number = 2; goto rest; }
    in3:
        ++p;
        this->n = static_cast<std::uint8_t>(vproto::load_little<1>(vproto::whole(state_.capture0, from0, p)));
        hi = static_cast<std::uint64_t>(static_cast<std::int64_t>(this->n));

        // line 1: call
        if (vproto::unlikely(hi > static_cast<std::uint64_t>(vproto::left(state_.fence, base + vproto::distance(first, p))))) { place = 1; goto here_5; }
        if (vproto::unlikely(hi == 0)) goto behind4;
        ++state_.depth;
        state_.frames[state_.depth - 1].call = 0;
        state_.frames[state_.depth - 1].fence = state_.fence;
        state_.frames[state_.depth - 1].home = base + vproto::distance(first, p);
        state_.fence = base + vproto::distance(first, p) + hi;
        end = vproto::window(first, stop, base, state_.fence);
        if (state_.depth != 0) {
            if (call_trees[state_.frames[state_.depth - 1].call] == 1) { state_.frames[state_.depth - 1].home = base + vproto::distance(first, p); }
        }
        if (vproto::unlikely(state_.pausing)) { state_.number = 3; goto pause; }
        goto s7;
    behind4:
        this->over();
        if (state_.depth == 0) { state_.home = base + vproto::distance(first, p); }
        if (vproto::unlikely(state_.pausing)) { state_.number = 1; goto pause; }
        goto s1;

        // line 4: branching
    s7:
        if (vproto::unlikely(p == end)) { state_.number = 3; goto rest; }
        if (*p == 'a') goto in8;
        if (set1::has(*p)) goto in10;
        place = 3;
        goto byte_1;

        // line 4: "a"
    s8:
        if (vproto::unlikely(p == end || !(*p == 'a'))) { state_.number = 4; goto refuse; }
    in8:
        ++p;

        // line 4: return
        if (vproto::unlikely(state_.depth == 0)) { place = 5; goto here_7; }
        goto ret;

        // line 5: [b-d]
    s10:
        if (vproto::unlikely(p == end || !set1::has(*p))) { state_.number = 5; goto refuse; }
    in10:
        ++p;
    more10:
        p = vproto::run<scan_level, set1>(p, end, first);
        if (vproto::unlikely(p == end)) { state_.number = 6; goto rest; }
    done10:
        if (state_.depth != 0) {
            if (call_trees[state_.frames[state_.depth - 1].call] == 1) { state_.frames[state_.depth - 1].home = base + vproto::distance(first, p); }
        }
        goto s7;

        // No byte is left: is it the end?
    rest:
        if (state_.fence == base + vproto::distance(first, p)) goto ends;
        if (vproto::likely(ending == 0)) goto cut;
        ended = ending == 2;
    ends:
        place = rests[state_.number].place;
        if (place != 4294967295u) goto lack;
        switch (state_.number) {
            case 6: goto done10;
            case 7: {
                place = 0;
                switch (state_.skip_call) {
                    case 0: {
                        place = 1;
                        break;
                    }
                    default: break;
                }
                kind = 2;
                found = 256;
                if (ending == 2) goto incomplete;
                goto raise;
            }
            default: goto uncaught;
        }
    refuse:
        if (p == end) goto rest;
        place = rests[state_.number].place;
        goto byte_1;

        // A byte is lacking: a call may return, the stream may be complete.
    lack:
        if (state_.fence == base + vproto::distance(first, p)) {
            level = state_.depth;
            while (level > 1 && call_fences[state_.frames[level - 1].call] == 0) {
                level = level - 1;
            }
            if (state_.frames[level - 1].home == base + vproto::distance(first, p)) goto fence;
            goto lacking;
        }
        if (state_.home == base + vproto::distance(first, p)) goto complete;
    lacking:
        kind = 2;
        found = 256;
        if (ending == 2 && state_.fence != base + vproto::distance(first, p)) goto incomplete;
        goto raise;

        // The bytes of a confined call are used up, and it may return.
    fence:
        level = state_.depth;
        while (level > 1 && call_fences[state_.frames[level - 1].call] == 0) {
            level = level - 1;
        }
        state_.capture0.clear();
        while (state_.depth > level) {
            switch (state_.frames[state_.depth - 1].call) {
                case 0: {
                    state_.skip_to = state_.fence;
                    state_.skip_call = 0;
                    state_.fence = state_.frames[state_.depth - 1].fence;
                    break;
                }
                default: break;
            }
            state_.depth = state_.depth - 1;
        }
        used_up = true;

        // A call returns.
    ret:
        switch (state_.frames[state_.depth - 1].call) {
            case 0: {
                state_.skip_to = state_.fence;
                state_.skip_call = 0;
                state_.fence = state_.frames[state_.depth - 1].fence;
                state_.depth = state_.depth - 1;
                if (vproto::unlikely(state_.skip_to > base + vproto::distance(first, p))) { state_.skip_after = 0; goto skip; }
                end = vproto::window(first, stop, base, state_.fence);
                goto behind4;
            }
            default: goto uncaught;
        }

        // Bytes of a confined call that nobody took.
    skip:
        end = stop;
        p = vproto::forward(p, vproto::least(state_.skip_to - (base + vproto::distance(first, p)), vproto::distance(p, stop)));
        if (vproto::unlikely(state_.skip_to > base + vproto::distance(first, p))) { state_.number = 7; goto rest; }
        state_.skip_to = 0;
        end = vproto::window(first, stop, base, state_.fence);
        switch (state_.skip_after) {
            case 0: goto behind4;
            default: goto uncaught;
        }

        // An exception: who takes it?
    raise:
        if (ended) goto uncaught;

        // What was captured so far is nobody's.
        state_.capture0.clear();
        handler = handlers[place];
        state_.skip_to = 0;
        level = state_.depth;
        while (handler == 1 && level > 0) {
            level = level - 1;
            handler = call_handlers[state_.frames[level].call];
        }
        if (handler < 2) goto uncaught;
        while (state_.depth > level) {
            switch (state_.frames[state_.depth - 1].call) {
                case 0: {
                    state_.skip_to = state_.fence;
                    state_.skip_call = 0;
                    state_.fence = state_.frames[state_.depth - 1].fence;
                    break;
                }
                default: break;
            }
            state_.depth = state_.depth - 1;
        }
        end = vproto::window(first, stop, base, state_.fence);
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
        n_here = 0;
        k = 0;
    cut:
        switch (state_.number) {
            case 2: {
                vproto::keep(state_.capture0, from0, p);
                break;
            }
            default: break;
        }
        state_.n = n_here;
        state_.k = k;
        state_.hi = hi;
        state_.base = base + vproto::distance(first, p);
        return state_.pausing ? 5 : 0;
    byte_1:
        kind = 1;
        found = *p;
        goto raise;
    here_5:
        kind = 5;
        found = 257;
        goto raise;
    here_7:
        kind = 7;
        found = 257;
        goto raise;
    }
    vproto::status run(const vproto::cursor first, const std::size_t size, const std::uint64_t ending) {

        static_assert(decltype(hears0(static_cast<call_parser*>(nullptr)))::value,
                      "over of the output class cannot be called with ()");
        static_assert(!vproto::hears_all<Output>::value || !decltype(inherits0(static_cast<Output*>(nullptr)))::value,
                      "hears_all: the output class has no over(); is its name misspelt\?");
        if (state_.over != 0) return static_cast<vproto::status>(state_.over);
        const vproto::busy_scope running(busy_);
        return static_cast<vproto::status>(steps(first, size, ending));
    }

    call_state state_;
    vproto::busy_flag busy_;
    bool finished_ = false, reset_later_ = false;
};

using call = call_parser<>;
