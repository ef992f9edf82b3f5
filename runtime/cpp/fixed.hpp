#ifndef VPROTO_FIXED_1
#define VPROTO_FIXED_1

// Texts of fixed size, for parsers that may not use the heap.
namespace vproto {

template <std::size_t N>
using fixed_view = basic_view<array<N>>;

}  // namespace vproto
#endif
