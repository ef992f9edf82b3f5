// Every level of runtime/cpp/scan finds what a loop over bytes finds: sets of all shapes, every length and start, each
// input in a heap block of exactly its size (run under sanitizers).
#include "base.hpp"
#include "scan/shape.hpp"
#include "scan/nibbles.hpp"
#include "scan/run.hpp"
#include "scan/block.hpp"
#include "scan/sse2.hpp"
#include "scan/sse42.hpp"
#include "scan/avx2.hpp"
#include "scan/avx512.hpp"
#include "scan/neon.hpp"
#include "scan/widest.hpp"
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace {

struct Digits { static constexpr bool has(unsigned char c) { return c >= '0' && c <= '9'; } };
struct Word {
    static constexpr bool has(unsigned char c) {
        return Digits::has(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' || c == '!' || c == '|';
    }
};
struct Visible { static constexpr bool has(unsigned char c) { return c > ' ' && c != 0x7f; } };
struct Text { static constexpr bool has(unsigned char c) { return (c >= ' ' && c != 0x7f) || c == '\t'; } };
struct InString { static constexpr bool has(unsigned char c) { return c >= ' ' && c != '"' && c != '\\' && c < 0x80; } };
struct Continuation { static constexpr bool has(unsigned char c) { return c >= 0x80 && c < 0xc0; } };
struct High { static constexpr bool has(unsigned char c) { return c >= 0x80; } };
struct NotLine { static constexpr bool has(unsigned char c) { return c != '\n'; } };
struct Blank { static constexpr bool has(unsigned char c) { return c == ' ' || c == '\t'; } };
struct Odd { static constexpr bool has(unsigned char c) { return c % 2 == 1; } };  // 128 ranges, even above
template <unsigned Seed>
struct Random {  // members without order, below and above 0x7f
    static constexpr bool has(unsigned char c) { return ((c * 2654435761u + Seed * 40503u) >> 13) % 5 != 0; }
};
template <unsigned Seed>
struct RandomBelow {  // without order below 0x80 only
    static constexpr bool has(unsigned char c) { return c < 0x80 ? Random<Seed>::has(c) : Seed % 2 == 0; }
};

unsigned long state = 1;
unsigned draw(unsigned below) {
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    return static_cast<unsigned>(state >> 33) % below;
}
long checked = 0;

// Bytes of which most are members of the set: runs of all lengths.
template <class Set>
void fill(unsigned char* bytes, std::size_t size) {
    const unsigned rare = 2 + draw(120);
    for (std::size_t i = 0; i < size; ++i) {
        unsigned char c = static_cast<unsigned char>(draw(256));
        for (int k = 0; k < 40 && Set::has(c) != (draw(rare) != 0); ++k) c = static_cast<unsigned char>(draw(256));
        bytes[i] = c;
    }
}
void fail(const char* what, std::size_t size, std::size_t from) {
    std::printf("%s: size %zu, from %zu\n", what, size, from);
    std::exit(1);
}

template <class Level, class Set>
void runs(const char* what) {
    for (std::size_t size = 0; size < 200; ++size) {
        const std::unique_ptr<unsigned char[]> block(new unsigned char[size == 0 ? 1 : size]);
        unsigned char* const p = block.get();
        fill<Set>(p, size);
        for (std::size_t from = 0; from <= size; ++from) {
            const vproto::cursor want = vproto::skip_bytes<Set, false>(p + from, p + size);
            if (vproto::run<Level, Set>(p + from, p + size, p) != want) fail(what, size, from);
            ++checked;
        }
    }
}

// Sets in turn consume one block's masks, with ends before the fragment's too.
template <class Level, class A, class B, class C>
void blocks(const char* what) {
    for (std::size_t size = 0; size < 300; ++size) {
        const std::unique_ptr<unsigned char[]> block(new unsigned char[size == 0 ? 1 : size]);
        unsigned char* const p = block.get();
        draw(2) == 0 ? fill<A>(p, size) : fill<B>(p, size);
        vproto::block<Level, A, B, C> masks(p, p + size);
        vproto::cursor at = p;
        while (at != p + size) {
            const vproto::cursor end = draw(4) == 0 ? at + draw(static_cast<unsigned>(p + size - at) + 1) : p + size;
            const unsigned which = draw(3);
            const vproto::cursor want = which == 0   ? vproto::skip_bytes<A, false>(at, end)
                                        : which == 1 ? vproto::skip_bytes<B, false>(at, end)
                                                     : vproto::skip_bytes<C, false>(at, end);
            const vproto::cursor got = which == 0   ? masks.template run<0, A>(at, end)
                                       : which == 1 ? masks.template run<1, B>(at, end)
                                                    : masks.template run<2, C>(at, end);
            if (got != want) fail(what, size, static_cast<std::size_t>(at - p));
            ++checked;
            at = got == p + size || draw(8) == 0 ? got : got + 1;
            if (draw(20) == 0 && at - p > 5) at -= 5;  // captures may set the cursor back
            if (got == p + size) break;
        }
    }
}

template <class Level>
void level(const char* name) {
    runs<Level, Digits>(name);
    runs<Level, Word>(name);
    runs<Level, Visible>(name);
    runs<Level, Text>(name);
    runs<Level, InString>(name);
    runs<Level, Continuation>(name);
    runs<Level, High>(name);
    runs<Level, NotLine>(name);
    runs<Level, Blank>(name);
    runs<Level, Odd>(name);
    runs<Level, Random<1>>(name);
    runs<Level, Random<2>>(name);
    runs<Level, RandomBelow<3>>(name);
    runs<Level, RandomBelow<4>>(name);
    for (int round = 0; round < 20; ++round) {
        blocks<Level, Word, Text, Visible>(name);
        blocks<Level, RandomBelow<5>, RandomBelow<6>, Text>(name);
        blocks<Level, Continuation, InString, Word>(name);
        blocks<Level, Random<7>, NotLine, Odd>(name);
    }
}

}  // namespace

int main() {
    level<vproto::bytewise>("bytewise");
    level<vproto::words>("words");
    level<vproto::widest>(WIDEST);
    std::printf("%ld runs\n", checked);
    return 0;
}
