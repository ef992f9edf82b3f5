// Plays jobs on the parsers of many cases: what `vproto_testkit::compiled` puts behind the generated parsers.
//
// A job is a case with an input, variables that are set, the trace that must come, and fragmentations. Each
// fragment is a heap block of exactly its size. Only runs that differ are printed.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace player {

using bytes = std::string;
using sizes = std::vector<std::size_t>;

struct job {
    std::size_t number = 0;
    std::vector<std::pair<bytes, bytes>> sets;
    bytes input, trace;
    std::vector<sizes> runs;
};

// Plays one run; false: a variable cannot be set.
template <class Parser>
bool play(const job& j, const sizes& run, bytes& out) {
    // Not on the stack: without a heap a parser holds all its texts.
    const std::unique_ptr<Parser> owner(new Parser);
    Parser& parser = *owner;
    parser.trace_to(out);
    for (const auto& [name, value] : j.sets)
        if (!parser.set(name, value)) return false;
    std::size_t at = 0;
    for (const std::size_t size : run) {
        unsigned char* block = new unsigned char[size == 0 ? 1 : size];
        if (size != 0) std::memcpy(block, j.input.data() + at, size);
        parser.parse(size == 0 ? nullptr : block, size);
        delete[] block;
        at += size;
    }
    parser.finish_traced();
    return true;
}

using function = bool (*)(const job&, const sizes&, bytes&);

inline bool read_number(std::size_t& to) {
    unsigned long long n = 0;
    if (std::scanf("%llu", &n) != 1 || std::getchar() == EOF) return false;
    to = static_cast<std::size_t>(n);
    return true;
}
inline bool read_bytes(bytes& to) {
    std::size_t size = 0;
    if (!read_number(size)) return false;
    to.resize(size);
    return size == 0 || std::fread(&to[0], 1, size, stdin) == size;
}
inline bool read_job(job& j) {
    if (!read_number(j.number)) return false;
    std::size_t count = 0;
    if (!read_number(count)) return false;
    j.sets.resize(count);
    for (auto& s : j.sets)
        if (!read_bytes(s.first) || !read_bytes(s.second)) return false;
    if (!read_bytes(j.input) || !read_bytes(j.trace) || !read_number(count)) return false;
    j.runs.resize(count);
    for (auto& run : j.runs) {
        if (!read_number(count)) return false;
        run.resize(count);
        for (auto& size : run)
            if (!read_number(size)) return false;
    }
    return true;
}

// Cuts at every position (1), and at every pair of positions (2).
inline void add_cuts(job& j, std::size_t how) {
    const std::size_t n = j.input.size();
    if (how >= 1)
        for (std::size_t a = 1; a < n; ++a) j.runs.push_back({a, n - a});
    if (how >= 2)
        for (std::size_t a = 1; a < n; ++a)
            for (std::size_t b = a + 1; b < n; ++b) j.runs.push_back({a, b - a, n - b});
}

inline int main(const std::vector<function>& cases) {
    std::size_t how = 0;
    for (std::size_t number = 0;; ++number) {
        job j;
        if (!read_job(j) || !read_number(how)) break;
        add_cuts(j, how);
        bytes out;
        for (const sizes& run : j.runs) {
            out.clear();
            const bool set = j.number < cases.size() && cases[j.number](j, run, out);
            if (set && out == j.trace) continue;
            std::printf("case %zu %zu", number, run.size());
            for (const std::size_t size : run) std::printf(" %zu", size);
            std::printf("\n%zu\n%s\n", out.size(), out.c_str());
            break;
        }
    }
    std::puts("done");
    return 0;
}

}  // namespace player
