#ifndef VPROTO_FINISH_1
#define VPROTO_FINISH_1
namespace vproto {

// Stores a text, the first part of which was kept if it was cut.
template <bool Trim, bool Append, class T, class Held>
inline void finish_text(T& target, capture& slot, Held& held, cursor from, cursor end, std::uint64_t room) {
    if (likely(!slot.cut)) return store<Trim, Append>(target, piece(from, end), room);
    store_held<Trim, Append>(target, held, from, end, room);
    slot.clear();
    held.clear();
}

}  // namespace vproto
#endif
