// What a part is made of, and what is told on the way; derive from it to listen.
struct partResult {
    void sentence() {}
};

// All that a part remembers between fragments, its texts apart: 64 bytes.
struct part_state {
    std::uint64_t base{0};  // bytes consumed
    std::uint64_t home{vproto::never};  // offset at which the stream's home was entered
    std::uint64_t limit{vproto::never};  // where the module's bytes end, if that is known
    std::uint64_t n{0};  // bytes that the running token took
    std::uint64_t k{0};  // letters of the running text
    std::uint32_t number{0};  // where to go on
    std::uint32_t error_place{0};  // the place of the error
    std::uint16_t error_found{0};  // what was there: a byte, 256 for the end, 257 for nothing
    std::uint8_t error_kind{0};  // the kind of the error
    std::uint8_t over{0};  // how parsing ended
    bool pausing{false};  // a callback asked for a pause
};
static_assert(sizeof(part_state) <= 64, "the saved context has grown");

// A parser of part; Output is a class that derives from partResult.
template <class Output = partResult, class scan_level = vproto::widest>
class part_parser : public Output {
public:

    // Takes the next bytes of the stream; says how many, and how it goes on.
    vproto::result parse(const void* data, std::size_t size) {
        if (busy_.on) return {vproto::status::busy, 0};

        const std::uint64_t before = state_.base;
        const vproto::status how = run(vproto::bytes_at(data), size, 0);
        const auto taken = static_cast<std::size_t>(state_.base - before);

        return {how, taken};
    }
    vproto::result parse(std::string_view data) {
        return parse(data.data(), data.size());
    }
    // No more bytes come. Variables stay readable; the next parse() starts anew.
    [[nodiscard]] vproto::status finish() {
        if (busy_.on) return vproto::status::busy;
        const vproto::status how = run(vproto::bytes_at(nullptr), 0, vproto::stream_ends);
        return how;
    }
    // As before the first byte, variables too. A callback that calls it pauses parsing, and then it is done.
    void reset() {
        if (busy_.on) return;
        clear_variables();
        clear_context();

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

    // For the parser that runs this one.
    void begin_stream(std::uint64_t limit) {
        if (!fresh_) {
            clear_variables();
            clear_context();
        }
        state_.limit = limit;
    }
    std::uint64_t feed(std::string_view bytes) {
        const std::uint64_t before = state_.base;
        run(vproto::begin(bytes), bytes.size(), 0);
        return state_.base - before;
    }
    std::uint64_t feed_last(std::string_view bytes) {
        const std::uint64_t before = state_.base;
        run(vproto::begin(bytes), bytes.size(), vproto::limit_ends);
        return state_.base - before;
    }
    void end_stream(std::uint64_t how) { run(vproto::bytes_at(nullptr), 0, how); }
    bool is_over() const { return state_.over == 1 || state_.over == 3; }
    std::uint64_t error_found() const { return state_.error_found; }
    bool has_failed() const { return state_.over == 2 || state_.over == 4; }
    bool is_incomplete() const { return state_.over == 2; }
    bool takes_pause() {
        const bool asked = state_.pausing;
        state_.pausing = false;
        return asked;
    }

private:
    struct set0 {  // [a-z]
        static constexpr bool has(unsigned char c) { return static_cast<unsigned char>(c - 'a') <= 25; }
    };
    struct set1 {  // [.]
        static constexpr bool has(unsigned char c) { return c == '.'; }
    };

    // Whether the user's class can be told what happens.
    template <class P>
    static auto hears0(P* p) -> decltype(static_cast<void>(p->sentence()), std::true_type{});
    static std::false_type hears0(const void*);
    template <class P>
    static auto inherits0(P*) -> std::is_same<decltype(&P::sentence), decltype(&partResult::sentence)>;
    static std::false_type inherits0(const void*);

    struct place_type {
        std::uint32_t line, column;
        const char* file;
        const char* expected;
    };
    static constexpr place_type places[] = {
        {1, 1, nullptr, "[a-z]"},
        {1, 8, nullptr, "\".\""},
        {1, 12, nullptr, ""},
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
    };
    static constexpr std::uint16_t handlers[] = {1, 1, 1};

    void clear_variables() {
    }
    void clear_context() {
        state_.base = std::uint64_t{};
        state_.home = vproto::never;
        state_.limit = vproto::never;
        state_.n = std::uint64_t{};
        state_.k = std::uint64_t{};
        state_.number = std::uint32_t{};
        state_.error_place = std::uint32_t{};
        state_.error_found = std::uint16_t{};
        state_.error_kind = std::uint8_t{};
        state_.over = std::uint8_t{};
        state_.pausing = bool{};
        fresh_ = true;
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
        std::uint64_t goal{0};
        static_cast<void>(goal);
        std::uint64_t handler{0};
        std::uint64_t k{0};
        std::uint64_t kind{0};
        std::uint64_t n{0};
        std::uint64_t outcome{0};
        std::uint64_t place{0};

        state_.pausing = false;
        n = state_.n;
        k = state_.k;
        switch (state_.number) {
            case 0: goto s0;
            case 1: goto s1;
            case 2: goto s2;
            case 3: goto more2;
            case 4: goto s3;
            default: goto uncaught;
        }
    s0:
        state_.home = base + vproto::distance(first, p);

        // line 1: branching
    s1:
        if (vproto::unlikely(p == end || !set0::has(*p))) { state_.number = 1; goto refuse; }

        // line 1: [a-z]
    s2:
        if (vproto::unlikely(p == end || !set0::has(*p))) { state_.number = 2; goto refuse; }
        ++p;
    more2:
        p = blocks.template run<0, set0>(p, end);
        if (vproto::unlikely(p == end)) { state_.number = 3; goto rest; }
    done2:

        // line 1: "."
    s3:
        if (vproto::unlikely(p == end || !(*p == '.'))) { state_.number = 4; goto refuse; }
        ++p;
        this->sentence();
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
            case 3: goto done2;
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
        fresh_ = false;
        static_assert(decltype(hears0(static_cast<part_parser*>(nullptr)))::value,
                      "sentence of the output class cannot be called with ()");
        static_assert(!vproto::hears_all<Output>::value || !decltype(inherits0(static_cast<Output*>(nullptr)))::value,
                      "hears_all: the output class has no sentence(); is its name misspelt\?");
        if (state_.over != 0) return static_cast<vproto::status>(state_.over);
        const vproto::busy_scope running(busy_);
        return static_cast<vproto::status>(steps(first, size, ending));
    }

    part_state state_;
    vproto::busy_flag busy_;
    bool fresh_ = true;
};

// What a join is made of, and what is told on the way; derive from it to listen.
struct joinResult {
    std::uint8_t n{};
    using p_output = partResult;
};

// All that a join remembers between fragments, its texts apart: 112 bytes.
struct join_state {
    std::uint64_t base{0};  // bytes consumed
    std::uint64_t home{vproto::never};  // offset at which the stream's home was entered
    vproto::capture capture0{};  // a capture that was cut
    std::uint64_t n{0};  // bytes that the running token took
    std::uint64_t k{0};  // letters of the running text
    std::uint64_t lo{0};  // least number of bytes
    std::uint64_t hi{0};  // greatest number of bytes
    std::uint32_t number{0};  // where to go on
    std::uint32_t error_place{0};  // the place of the error
    std::uint32_t joined_at1{0};  // the token that feeds it
    std::uint32_t joined1{0};  // when a module was first used
    std::uint32_t joins{0};  // number of modules that were used
    std::uint16_t error_found{0};  // what was there: a byte, 256 for the end, 257 for nothing
    std::uint8_t error_kind{0};  // the kind of the error
    std::uint8_t over{0};  // how parsing ended
    bool pausing{false};  // a callback asked for a pause
    bool runs1{false};  // a joined module is in its stream
};
static_assert(sizeof(join_state) <= 112, "the saved context has grown");

// A parser of join; Output is a class that derives from joinResult.
template <class Output = joinResult, class scan_level = vproto::widest>
class join_parser : public Output {
public:
    part_parser<typename Output::p_output> p;

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
    struct set0 {  // [;]
        static constexpr bool has(unsigned char c) { return c == ';'; }
    };

    struct place_type {
        std::uint32_t line, column;
        const char* file;
        const char* expected;
    };
    static constexpr place_type places[] = {
        {1, 1, nullptr, "[\\x00-\\xff]"},
        {1, 6, nullptr, ""},
        {1, 6, nullptr, "[\\x00-\\xff]"},
        {1, 33, nullptr, "\";\""},
        {1, 37, nullptr, ""},
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
        {4294967295u, 0, nullptr, false},
        {3u, 0, nullptr, false},
        {4294967295u, 0, nullptr, false},
    };
    static constexpr std::uint16_t handlers[] = {1, 1, 1, 1, 1};

    void clear_variables() {
        this->n = std::uint8_t{};
    }
    void clear_context() {
        state_.base = std::uint64_t{};
        state_.home = vproto::never;
        state_.capture0 = vproto::capture{};
        state_.n = std::uint64_t{};
        state_.k = std::uint64_t{};
        state_.lo = std::uint64_t{};
        state_.hi = std::uint64_t{};
        state_.number = std::uint32_t{};
        state_.error_place = std::uint32_t{};
        state_.joined_at1 = std::uint32_t{};
        state_.joined1 = std::uint32_t{};
        state_.joins = std::uint32_t{};
        state_.error_found = std::uint16_t{};
        state_.error_kind = std::uint8_t{};
        state_.over = std::uint8_t{};
        state_.pausing = bool{};
        state_.runs1 = bool{};

        p.begin_stream(vproto::never);
    }

    // Takes one fragment, or the end.
    std::uint64_t steps(const vproto::cursor first, const std::size_t size, const std::uint64_t ending) {
        vproto::cursor p_here = first;
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
        vproto::cursor limit{nullptr};
        std::uint64_t lo{0};
        std::uint64_t n_here{0};
        std::uint64_t outcome{0};
        bool partial{false};
        std::uint64_t place{0};
        std::uint64_t taken{0};

        state_.pausing = false;
        from0 = p_here;
        n_here = state_.n;
        k = state_.k;
        lo = state_.lo;
        hi = state_.hi;
        switch (state_.number) {
            case 0: goto s0;
            case 1: goto s1;
            case 2: goto s3;
            case 3: goto s4;
            case 4: goto more4;
            case 5: goto s5;
            default: goto uncaught;
        }
    s0:
        state_.home = base + vproto::distance(first, p_here);

        // line 1: branching
    s1:
        if (vproto::unlikely(p_here == end)) { state_.number = 1; goto rest; }
        from0 = p_here;
        this->n = static_cast<std::uint8_t>(0);
        goto in3;

        // line 1: [\x00-\xff]
    s3:
        if (vproto::unlikely(p_here == end)) { state_.number = 2; goto rest; }
    in3:
        ++p_here;
        this->n = static_cast<std::uint8_t>(vproto::load_little<1>(vproto::whole(state_.capture0, from0, p_here)));
        hi = static_cast<std::uint64_t>(static_cast<std::int64_t>(this->n));
        lo = hi;

        // line 1: sub-parser
    s4:
        if (!state_.runs1) { state_.runs1 = true; p.begin_stream(vproto::never); }
        state_.joined_at1 = 1;
        if (state_.joined1 == 0) { ++state_.joins; state_.joined1 = state_.joins; }
        if (vproto::unlikely(p_here == end)) { p.feed(vproto::piece(p_here, p_here)); }
        n_here = 0;
    more4:
        if (vproto::unlikely(p.has_failed())) {
            place = 1;
            kind = 8;
            partial = p.is_incomplete();
            found = p.error_found();
            goto raise;
        }
        if (n_here >= hi) goto leave4;
        limit = vproto::at_most(p_here, end, hi - n_here);
        if (p_here != limit) {
            if (vproto::unlikely(p.is_over())) { n_here += vproto::distance(p_here, limit); p_here = limit; goto more4; }
            taken = p.feed(vproto::piece(p_here, limit));
            p_here = vproto::forward(p_here, taken);
            n_here += taken;
            if (vproto::unlikely(p.takes_pause())) { state_.number = 4; goto cut; }
            if (vproto::unlikely(p_here != limit || p.is_over())) goto more4;
        }
        if (n_here >= hi) goto leave4;
        state_.number = 4;
        goto rest;
    leave4:
    done4:

        // line 1: ";"
    s5:
        if (vproto::unlikely(p_here == end || !(*p_here == ';'))) { state_.number = 5; goto refuse; }
        ++p_here;
        if (state_.runs1) {
            state_.runs1 = false;
            p.end_stream(2);
            if (vproto::unlikely(p.has_failed())) {
                place = 4;
                kind = 8;
                partial = false;
                found = p.error_found();
                goto raise;
            }
        }
        state_.home = base + vproto::distance(first, p_here);
        if (vproto::unlikely(state_.pausing)) { state_.number = 1; goto pause; }
        goto s1;
    endmodule4:
        if (n_here < lo) { place = 2; goto lack; }
        goto done4;

        // No byte is left: is it the end?
    rest:
        if (vproto::likely(ending == 0)) goto cut;
        ended = ending == 2;
        place = rests[state_.number].place;
        if (place != 4294967295u) goto lack;
        switch (state_.number) {
            case 3: case 4: goto endmodule4;
            default: goto uncaught;
        }
    refuse:
        if (p_here == end) goto rest;
        place = rests[state_.number].place;
        goto byte_1;

        // A byte is lacking: a call may return, the stream may be complete.
    lack:
        if (state_.home == base + vproto::distance(first, p_here)) goto complete;
        kind = 2;
        found = 256;
        if (ending == 2) goto incomplete;

        // An exception: who takes it?
    raise:
        if (ended) goto uncaught;

        // What was captured so far is nobody's.
        state_.capture0.clear();
        handler = handlers[place];
        switch (handler) {
            default: goto uncaught;
        }
    uncaught:
        if (kind == 8 && partial) goto incomplete;
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
        if (state_.runs1) {
            state_.runs1 = false;
            p.end_stream(2);
            if (vproto::unlikely(p.has_failed())) {
                partial = false;
                place = state_.joined_at1;
                kind = 8;
                found = p.error_found();
                if (p.is_incomplete()) goto incomplete;
                goto uncaught;
            }
        }
        outcome = 1;
    over:
        state_.over = static_cast<std::uint8_t>(outcome);
        state_.base = base + vproto::distance(first, p_here);
        return outcome;

        // A cut: what the fragment has of open captures is kept.
    pause:
        n_here = 0;
        k = 0;
    cut:
        switch (state_.number) {
            case 2: {
                vproto::keep(state_.capture0, from0, p_here);
                break;
            }
            default: break;
        }
        state_.n = n_here;
        state_.k = k;
        state_.lo = lo;
        state_.hi = hi;
        state_.base = base + vproto::distance(first, p_here);
        return state_.pausing ? 5 : 0;
    byte_1:
        kind = 1;
        found = *p_here;
        goto raise;
    }
    vproto::status run(const vproto::cursor first, const std::size_t size, const std::uint64_t ending) {

        if (state_.over != 0) return static_cast<vproto::status>(state_.over);
        const vproto::busy_scope running(busy_);
        return static_cast<vproto::status>(steps(first, size, ending));
    }

    join_state state_;
    vproto::busy_flag busy_;
    bool finished_ = false, reset_later_ = false;
};

using join = join_parser<>;
