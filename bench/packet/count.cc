// Parses one packet of 512 bytes N times: `count N`. Run under callgrind, with two values of N, the difference is the parser.
#include "packet.hpp"
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace {

struct Collect : packetResult {
    unsigned long packets = 0;
    unsigned long bytes = 0;
    void payload(std::string_view piece, bool, bool) { bytes += piece.size(); }
    void gotPacket() { packets += 1; }
};

// 16 bytes of record header, 14 Ethernet, 20 IPv4, 8 UDP, and the rest of 512.
std::vector<unsigned char> packet512() {
    std::vector<unsigned char> p(512, 0x5a);
    const unsigned payload = 512 - 16 - 14 - 20 - 8;
    auto be16 = [&](std::size_t at, unsigned v) { p[at] = static_cast<unsigned char>(v >> 8), p[at + 1] = static_cast<unsigned char>(v); };
    for (std::size_t i = 0; i < 16; ++i) p[i] = 0;
    be16(16 + 12, 0x0800);
    p[30] = 0x45;
    be16(32, 20 + 8 + payload);
    p[38] = 64, p[39] = 17;
    be16(50, 5353), be16(52, 53), be16(54, 8 + payload);
    return p;
}

}  // namespace

int main(int argc, char** argv) {
    const long times = argc > 1 ? std::atol(argv[1]) : 1;
    const std::vector<unsigned char> input = packet512();
    packet_parser<Collect> parser;
    for (long i = 0; i < times; ++i) parser.parse(reinterpret_cast<const char*>(input.data()), input.size());
    std::printf("%lu packets, %lu bytes of payload\n", parser.packets, parser.bytes);
    return parser.packets == static_cast<unsigned long>(times) ? 0 : 1;
}
