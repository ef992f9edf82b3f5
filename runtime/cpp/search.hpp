#ifndef VPROTO_SEARCH_1
#define VPROTO_SEARCH_1

// A text that is known at run time, with its borders.
namespace vproto {

class search {
public:
    void clear() { size_ = 0; }
    // The text has 1 to 255 bytes.
    void start(std::string_view text) {
        size_ = static_cast<unsigned char>(text.size());
        std::memcpy(text_, text.data(), size_);
        unsigned k = 0;
        borders_[0] = borders_[1] = 0;
        for (unsigned i = 1; i < size_; ++i) {
            while (k > 0 && text_[i] != text_[k]) k = borders_[k];
            if (text_[i] == text_[k]) ++k;
            borders_[i + 1] = static_cast<unsigned char>(k);
        }
    }
    std::string_view text() const { return {text_, size_}; }
    std::uint64_t border(std::uint64_t k) const { return borders_[k]; }

private:
    unsigned char size_ = 0;
    char text_[255] = {};
    unsigned char borders_[256] = {};
};

}  // namespace vproto
#endif
