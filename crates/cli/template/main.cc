// Prints the messages of a file. `make`, then `./NAME example.bin`.
#include "NAME.hpp"
#include <cstdio>
#include <string_view>

// Functions with the names of the description's `notify:` are called where they are reached.
struct Printer : NAMEResult {
    void message(std::uint8_t type, std::string_view value) {
        std::printf("type %u: %.*s\n", unsigned{type}, static_cast<int>(value.size()), value.data());
    }
};

int main(int argc, char** argv) {
    std::FILE* in = argc > 1 ? std::fopen(argv[1], "rb") : stdin;
    if (!in) return std::perror(argv[1]), 3;
    NAME_parser<Printer> parser;
    char buffer[4096];
    vproto::status status = vproto::status::more;
    while (std::size_t n = std::fread(buffer, 1, sizeof buffer, in)) {
        status = parser.parse(buffer, n).status;  // any fragmentation will do
        if (status != vproto::status::more) break;
    }
    if (status == vproto::status::more) status = parser.finish();
    if (status == vproto::status::complete) return 0;
    const vproto::error error = parser.error();
    std::fprintf(stderr, "byte %llu, NAME.vproto:%u:%u: %s, expected %s\n", static_cast<unsigned long long>(error.offset),
                 error.line, error.column, vproto::name(error.kind), error.expected);
    return 1;
}
