// Texts that are given numbers, in the order of their first appearance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ldag {

class Dictionary {
  public:
    // Bytes that must be readable behind every text that is looked up.
    static constexpr std::size_t kPadding = 8;

    std::size_t size() const { return entries_.size(); }
    std::size_t n_bytes() const { return texts_.size(); }
    std::string_view operator[](std::size_t number) const {
        return {texts_.data() + entries_[number].offset, entries_[number].length};
    }

    // The number of a text, and whether it is new. It is followed by bytes that can be read.
    std::pair<std::size_t, bool> insert(std::string_view padded);

    void clear();

  private:
    struct Entry {
        std::uint64_t word;  // a short text itself, or the hash of a long one
        std::uint64_t offset;
        std::size_t length;
    };

    bool is_equal(const Entry& entry, std::uint64_t word, std::string_view text) const;
    void grow();

    std::string texts_;
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> slots_;  // numbers plus one, 0 where there is none
};

}  // namespace ldag
