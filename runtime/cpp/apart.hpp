#ifndef VPROTO_APART_1
#define VPROTO_APART_1

// What large parsers call instead of having it in each state: their compilation would take too long.
namespace vproto::apart {

template <class Level, class Set>
[[gnu::noinline]] cursor run(cursor p, cursor end, cursor first) {
    return vproto::run<Level, Set>(p, end, first);
}
template <std::size_t N>
[[gnu::noinline]] bool same_folded(cursor p, std::string_view text) {
    return vproto::same_folded<N>(p, text);
}
template <unsigned Radix, unsigned Bits, bool Signed, bool Wrap, bool Trim>
[[gnu::noinline]] cursor fold_digits(capture& to, cursor p, cursor end) {
    return vproto::fold_digits<Radix, Bits, Signed, Wrap, Trim>(to, p, end);
}
template <unsigned Max, unsigned Bits, bool Signed, bool Wrap>
[[gnu::noinline]] cursor fold_varint(capture& to, cursor p, cursor end) {
    return vproto::fold_varint<Max, Bits, Signed, Wrap>(to, p, end);
}
template <bool Big, unsigned Bits, bool Signed, bool Wrap>
[[gnu::noinline]] cursor fold_binary(capture& to, cursor p, cursor end) {
    return vproto::fold_binary<Big, Bits, Signed, Wrap>(to, p, end);
}
template <bool Trim, bool Append, class T, class Held>
[[gnu::noinline]] void finish_text(T& target, capture& slot, Held& held, cursor from, cursor end,
                                   std::uint64_t room) {
    vproto::finish_text<Trim, Append>(target, slot, held, from, end, room);
}

}  // namespace vproto::apart
#endif
