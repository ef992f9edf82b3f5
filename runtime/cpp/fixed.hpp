#ifndef VPROTO_FIXED_1
#define VPROTO_FIXED_1

// Texts of fixed size, for parsers that may not use the heap.
namespace vproto {

// A view that points into the caller's buffer, or into its own one of fixed size once a cut has moved it.
template <std::size_t N>
class fixed_view : public std::string_view {
public:
    fixed_view() = default;
    fixed_view(const fixed_view& other) : std::string_view(other), own_(other.own_) { rebase(other); }
    fixed_view& operator=(const fixed_view& other) {
        if (this != &other) {
            own_ = other.own_;
            std::string_view::operator=(other);
            rebase(other);
        }
        return *this;
    }
    fixed_view& operator=(std::string_view text) { point(text); return *this; }

    void clear() { std::string_view::operator=(std::string_view{}); }
    void point(std::string_view text) { std::string_view::operator=(text); }
    void own(std::string_view text) {
        own_.clear();
        own_.append(text.data(), text.size());
        point(own_);
    }
    bool owns() const { return !empty() && data() == own_.data(); }
    void append(const char* from, std::size_t count) {
        if (!owns()) own(*this);
        own_.append(from, count);
        point(own_);
    }
    void add(std::string_view text) {
        if (empty()) {
            point(text);
        } else if (!owns() && data() + size() == text.data()) {
            point({data(), size() + text.size()});
        } else if (!text.empty()) {
            append(text.data(), text.size());
        }
    }
    void swap(fixed_view& other) {
        const fixed_view copy = other;
        other = *this;
        *this = copy;
    }

private:
    void rebase(const fixed_view& other) {
        if (other.owns()) point(own_);
    }
    array<N> own_;
};

// Joins texts into a variable; false: it would hold more than it may.
template <class T, class... Parts>
inline bool assign_fixed(T& target, std::uint64_t limit, Parts... parts) {
    const std::string_view all[] = {std::string_view(parts)...};
    std::uint64_t size = 0;
    for (const std::string_view part : all) size += part.size();
    if (size > limit) return false;
    T joined;
    for (const std::string_view part : all) joined.append(part.data(), part.size());
    target = joined;
    return true;
}
#ifndef VPROTO_ASSIGN_1
#define VPROTO_ASSIGN_1
template <std::size_t N, class... Parts>
inline bool assign(array<N>& target, std::uint64_t limit, Parts... parts) {
    return assign_fixed(target, limit, parts...);
}
#endif

template <std::size_t N, class... Parts>
inline bool assign(fixed_view<N>& target, std::uint64_t limit, Parts... parts) {
    return assign_fixed(target, limit, parts...);
}
template <bool Trim, bool Append, std::size_t N>
inline void store(fixed_view<N>& target, std::string_view text, std::uint64_t room) {
    text = kept<Trim>(text, room);
    if (!Append) target.point(text);
    else target.add(text);
}
#ifndef VPROTO_STORE_HELD_1
#define VPROTO_STORE_HELD_1
template <bool Trim, bool Append, class T, class Held>
inline void store_held(T& target, Held& held, cursor from, cursor end, std::uint64_t room) {
    capture slot;
    hold<Trim>(slot, held, from, end, room);
    const std::string_view text = kept<Trim>(held, never);
    if (!Append) target.clear();
    target.append(text.data(), text.size());
}
#endif

template <std::size_t N>
inline void move_view(fixed_view<N>& target, cursor first, cursor stop) {
    const cursor at = vproto::begin(target);
    if (!target.empty() && at >= first && at < stop) target.own(std::string_view(target));
}

}  // namespace vproto
#endif
