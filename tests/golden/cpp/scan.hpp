// What a scan is made of, and what is told on the way; derive from it to listen.
struct scanResult {
    vproto::view word{};
};

// All that a scan remembers between fragments, its texts apart: 72 bytes.
struct scan_state {
    std::uint64_t base{0};  // bytes consumed
    std::uint64_t home{vproto::never};  // offset at which the stream's home was entered
    vproto::capture capture0{};  // a capture that was cut
    std::uint64_t room0{0};  // bytes that a text may still get
    std::uint32_t number{0};  // where to go on
    std::uint32_t error_place{0};  // the place of the error
    std::uint16_t error_found{0};  // what was there: a byte, 256 for the end, 257 for nothing
    std::uint8_t error_kind{0};  // the kind of the error
    std::uint8_t over{0};  // how parsing ended
    bool pausing{false};  // a callback asked for a pause
};
static_assert(sizeof(scan_state) <= 72, "the saved context has grown");

// A parser of scan; Output is a class that derives from scanResult.
template <class Output = scanResult, class scan_level = vproto::widest>
class scan_parser : public Output {
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
    struct set0 {  // [a-z]
        static constexpr bool has(unsigned char c) { return static_cast<unsigned char>(c - 'a') <= 25; }
    };
    struct set1 {  // [ ]
        static constexpr bool has(unsigned char c) { return c == ' '; }
    };

    struct place_type {
        std::uint32_t line, column;
        const char* file;
        const char* expected;
    };
    static constexpr place_type places[] = {
        {1, 1, nullptr, "[a-z]"},
        {1, 1, nullptr, ""},
        {1, 25, nullptr, "[ ]"},
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
        {2u, 0, nullptr, false},
        {4294967295u, 0, nullptr, false},
        {4294967295u, 0, nullptr, false},
    };
    static constexpr std::uint16_t handlers[] = {1, 1, 1};

    void clear_variables() {
        this->word.clear();
    }
    void clear_context() {
        state_.base = std::uint64_t{};
        state_.home = vproto::never;
        state_.capture0 = vproto::capture{};
        state_.room0 = std::uint64_t{};
        state_.number = std::uint32_t{};
        state_.error_place = std::uint32_t{};
        state_.error_found = std::uint16_t{};
        state_.error_kind = std::uint8_t{};
        state_.over = std::uint8_t{};
        state_.pausing = bool{};

        held0_.clear();
    }
    // At home only views that the description reads move; others last as long as the fragment.
    void move_views(vproto::cursor from, vproto::cursor to, bool at_home) {
        if (at_home) this->word.settle();
        else vproto::move_view(this->word, from, to);
        static_cast<void>(at_home);
    }

    // Takes one fragment, or the end.
    std::uint64_t steps(const vproto::cursor first, const std::size_t size, const std::uint64_t ending) {
        vproto::cursor p = first;
        const vproto::cursor stop = first + size;
        vproto::cursor end = stop;
        const std::uint64_t base = state_.base;
        constexpr vproto::cursor nowhere = nullptr;
        vproto::block<scan_level, set0> blocks(first, stop);
        static_cast<void>(nowhere);
        static_cast<void>(end);
        static_cast<void>(ending);
        bool ended{false};
        std::uint64_t found{0};
        vproto::cursor from0{nullptr};
        std::uint64_t goal{0};
        static_cast<void>(goal);
        std::uint64_t handler{0};
        std::uint64_t kind{0};
        std::uint64_t outcome{0};
        std::uint64_t place{0};
        std::uint64_t room0{0};

        state_.pausing = false;
        from0 = p;
        room0 = state_.room0;
        switch (state_.number) {
            case 0: goto s0;
            case 1: goto s1;
            case 2: goto s3;
            case 3: goto more3;
            case 4: goto s4;
            case 5: goto more4;
            default: goto uncaught;
        }
    s0:
        state_.home = base + vproto::distance(first, p);

        // line 1: branching
    s1:
        if (vproto::unlikely(p == end || !set0::has(*p))) { state_.number = 1; goto refuse; }
        from0 = p;
        room0 = 65536;
        vproto::clear(this->word);

        // line 1: [a-z]
    s3:
        if (vproto::unlikely(p == end || !set0::has(*p))) { state_.number = 2; goto refuse; }
        ++p;
    more3:
        p = blocks.template run<0, set0>(p, end);
        if (vproto::unlikely(vproto::distance(from0, p) > room0)) { p = vproto::forward(from0, room0); place = 1; goto byte_5; }
        if (vproto::unlikely(p == end)) { state_.number = 3; goto rest; }
    done3:
        vproto::finish_text<0, 0>(this->word, state_.capture0, held0_, from0, p, 65536);

        // line 1: [ ]
    s4:
        if (vproto::unlikely(p == end || !(*p == ' '))) { state_.number = 4; goto refuse; }
        ++p;
    more4:
        p = vproto::run<scan_level, set1>(p, end, first);
        if (vproto::unlikely(p == end)) { state_.number = 5; goto rest; }
    done4:
        state_.home = base + vproto::distance(first, p);
        goto s1;

        // No byte is left: is it the end?
    rest:
        if (vproto::likely(ending == 0)) goto cut;
        ended = ending == 2;
        place = rests[state_.number].place;
        if (place != 4294967295u) goto lack;
        switch (state_.number) {
            case 3: goto done3;
            case 5: goto done4;
            default: goto uncaught;
        }
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
        state_.capture0.clear();
        held0_.clear();
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
        move_views(first, stop, false);
        state_.over = static_cast<std::uint8_t>(outcome);
        state_.base = base + vproto::distance(first, p);
        return outcome;

        // A cut: what the fragment has of open captures is kept.
    cut:
        switch (state_.number) {
            case 2: case 3: {
                room0 = vproto::hold<0>(state_.capture0, held0_, from0, p, room0);
                break;
            }
            default: break;
        }
        move_views(first, stop, state_.home == base + vproto::distance(first, p));
        state_.room0 = room0;
        state_.base = base + vproto::distance(first, p);
        return state_.pausing ? 5 : 0;
    byte_1:
        kind = 1;
        found = *p;
        goto raise;
    byte_5:
        kind = 5;
        found = *p;
        goto raise;
    }
    vproto::status run(const vproto::cursor first, const std::size_t size, const std::uint64_t ending) {

        if (state_.over != 0) return static_cast<vproto::status>(state_.over);
        const vproto::busy_scope running(busy_);
        return static_cast<vproto::status>(steps(first, size, ending));
    }

    scan_state state_;
    vproto::held held0_;
    vproto::busy_flag busy_;
    bool finished_ = false, reset_later_ = false;
};

using scan = scan_parser<>;
