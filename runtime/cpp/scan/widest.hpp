#ifndef VPROTO_SCAN_WIDEST_1
#define VPROTO_SCAN_WIDEST_1

namespace vproto {

// The widest level that the compiler's flags allow. It is a parameter of each parser, so that code compiled with other
// flags has another name, and the linker never merges the two.
#if defined(__AVX512BW__)
using widest = avx512;
#elif defined(__AVX2__)
using widest = avx2;
#elif defined(__SSSE3__)
using widest = sse42;
#elif defined(__SSE2__)
using widest = sse2;
#elif defined(__ARM_NEON) && defined(__aarch64__)
using widest = neon;
#else
using widest = words;
#endif

}  // namespace vproto
#endif
