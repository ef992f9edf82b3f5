#ifndef VPROTO_HEAP_1
#define VPROTO_HEAP_1
#include <string>

// Texts that grow, for parsers that may use the heap.
namespace vproto {

// Bytes of a capture that a cut left; grows only then.
class held {
public:
    std::size_t size() const { return bytes_.size(); }
    bool empty() const { return bytes_.empty(); }
    const char* data() const { return bytes_.data(); }
    void clear() { bytes_.clear(); }
    void append(const char* from, std::size_t count) { bytes_.append(from, count); }
    void assign(std::string_view text) { bytes_.assign(text.data(), text.size()); }
    operator std::string_view() const { return bytes_; }

private:
    std::string bytes_;
};

// A view that points into the caller's buffer, or owns its bytes once a cut has moved them.
class view : public std::string_view {
public:
    view() = default;
    view(const view& other) : std::string_view(other), own_(other.own_) { rebase(other); }
    view(view&& other) noexcept : view(static_cast<const view&>(other)) {}
    view& operator=(const view& other) {
        if (this != &other) {
            own_ = other.own_;
            std::string_view::operator=(other);
            rebase(other);
        }
        return *this;
    }
    view& operator=(view&& other) noexcept { return *this = static_cast<const view&>(other); }
    view& operator=(std::string_view text) { point(text); return *this; }

    void clear() { std::string_view::operator=(std::string_view{}); }
    void point(std::string_view text) { std::string_view::operator=(text); }
    // Makes a copy of the bytes its own.
    void own(std::string_view text) {
        if (text.data() != own_.data()) own_.assign(text.data(), text.size());
        else own_.resize(text.size());
        point(own_);
    }
    bool owns() const { return !empty() && data() == own_.data(); }
    void append(const char* from, std::size_t count) {
        if (!owns()) own(*this);
        own_.append(from, count);
        point(own_);
    }
    // A piece that follows the view in the same buffer only makes it longer.
    void add(std::string_view text) {
        if (empty()) {
            point(text);
        } else if (!owns() && data() + size() == text.data()) {
            point({data(), size() + text.size()});
        } else if (!text.empty()) {
            append(text.data(), text.size());
        }
    }
    void swap(view& other) {
        const view copy = other;
        other = *this;
        *this = copy;
    }

private:
    void rebase(const view& other) {
        if (other.owns()) point(own_);
    }
    std::string own_;
};

inline std::string join(std::string_view a) { return std::string(a); }
template <class... Parts>
inline std::string join(std::string_view a, Parts... parts) {
    std::string all(a);
    (all.append(std::string_view(parts)), ...);
    return all;
}
// Joins texts into a variable; false: it would hold more than it may.
template <class... Parts>
inline bool assign(std::string& target, std::uint64_t limit, Parts... parts) {
    std::string all = join(std::string_view(parts)...);
    if (all.size() > limit) return false;
    target.swap(all);
    return true;
}
template <class... Parts>
inline bool assign(view& target, std::uint64_t limit, Parts... parts) {
    const std::string all = join(std::string_view(parts)...);
    if (all.size() > limit) return false;
    target.own(all);
    return true;
}
#ifndef VPROTO_ASSIGN_1
#define VPROTO_ASSIGN_1
template <std::size_t N, class... Parts>
inline bool assign(array<N>& target, std::uint64_t limit, Parts... parts) {
    const std::string all = join(std::string_view(parts)...);
    if (all.size() > limit) return false;
    target = std::string_view(all);
    return true;
}
#endif

// Stores a capture that was not cut.
template <bool Trim, bool Append>
inline void store(std::string& target, std::string_view text, std::uint64_t room) {
    text = kept<Trim>(text, room);
    if (!Append) target.assign(text.data(), text.size());
    else target.append(text.data(), text.size());
}
template <bool Trim, bool Append>
inline void store(view& target, std::string_view text, std::uint64_t room) {
    text = kept<Trim>(text, room);
    if (!Append) target.point(text);
    else target.add(text);
}
// Stores a capture of which `held` has the first part.
#ifndef VPROTO_STORE_HELD_1
#define VPROTO_STORE_HELD_1
template <bool Trim, bool Append, class T, class Held>
inline void store_held(T& target, Held& held, cursor from, cursor end, std::uint64_t room) {
    capture slot;
    hold<Trim>(slot, held, from, end, room);
    const std::string_view text = kept<Trim>(held, never);
    if (!Append) target.clear();
    if constexpr (std::is_same_v<T, view>) {
        if (!Append) return target.own(text);
    }
    target.append(text.data(), text.size());
}
#endif

// A view into a buffer that goes away.
inline void move_view(view& target, cursor first, cursor stop) {
    const cursor at = vproto::begin(target);
    if (!target.empty() && at >= first && at < stop) target.own(target);
}

}  // namespace vproto
#endif
