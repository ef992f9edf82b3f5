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

using view = basic_view<std::string>;

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

// Stores a capture that was not cut.
template <bool Trim, bool Append>
inline void store(std::string& target, std::string_view text, std::uint64_t room) {
    text = kept<Trim>(text, room);
    if (!Append) target.assign(text.data(), text.size());
    else target.append(text.data(), text.size());
}

}  // namespace vproto
#endif
