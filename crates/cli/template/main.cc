// Prints the messages of a file. `make`, then `./NAME example.bin`.
#include "NAME.hpp"
#include <cstdio>
#include <string_view>

// Functions with the names of the description's `notify:` are called where they are reached.
struct Printer : NAMEResult {
    void message(std::uint64_t type, std::string_view value) {
        std::printf("type %u: %.*s\n", static_cast<unsigned>(type), static_cast<int>(value.size()), value.data());
    }
};

int main(int argc, char** argv) {
    std::FILE* in = argc > 1 ? std::fopen(argv[1], "rb") : stdin;
    if (!in) return std::perror(argv[1]), 3;
    NAME_parser<Printer> parser;
    char buffer[4096];
    while (std::size_t n = std::fread(buffer, 1, sizeof buffer, in))
        parser.parse(buffer, n);  // any fragmentation will do
    parser.finish();
    if (parser.error().kind) std::printf("error at byte %llu\n", static_cast<unsigned long long>(parser.error().offset));
}
