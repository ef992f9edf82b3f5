// Parses one request N times: `count N`. Run under callgrind, with two values of N, the difference is the parser.
#include "strict.hpp"
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

struct Request {
    std::string_view method, target;
    unsigned minor = 0;
    std::string_view names[64], values[64];
    std::size_t count = 0;
};

struct Collect : strictResult {
    Request request;
    void gotRequest() {
        request.method = method;
        request.target = target;
        request.minor = static_cast<unsigned>(minor);
        request.count = 0;
    }
    void gotField() {
        request.names[request.count & 63] = name;
        request.values[request.count++ & 63] = value;
    }
    void gotEnd() { ++requests; }
    unsigned long requests = 0;
};

std::string get430() {
    std::string s =
        "GET /news/technology/2024/05/article-17-building-faster-parsers?ref=home&id=88 HTTP/1.1\r\n"
        "Host: www.example.com\r\n"
        "Connection: keep-alive\r\n"
        "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0 Safari/537.36\r\n"
        "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n"
        "Accept-Encoding: gzip, deflate, br\r\n"
        "Accept-Language: en-US,en;q=0.5\r\n"
        "Cookie: sid=";
    while (s.size() < 426) s += static_cast<char>('a' + s.size() % 26);
    return s + "\r\n\r\n";
}

}  // namespace

int main(int argc, char** argv) {
    const long times = argc > 1 ? std::atol(argv[1]) : 1;
    const std::string input = get430();
    strict_parser<Collect> parser;
    for (long i = 0; i < times; ++i) parser.parse(input.data(), input.size());
    std::printf("%lu requests of %zu bytes, %zu fields\n", parser.requests, input.size(), parser.request.count);
    return parser.requests == static_cast<unsigned long>(times) && parser.request.count == 7 ? 0 : 1;
}
