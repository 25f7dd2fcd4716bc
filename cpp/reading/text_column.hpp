// A column of a text file: the number of its text for each row, or, where there are many numbers, the number
// itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "reading/dictionary.hpp"

namespace ldag {

class TextColumn {
  public:
    // Different texts up to which a column of numbers keeps their spelling.
    static constexpr std::size_t kListed = 1000;
    // Texts other than numbers that a column of numbers may have when it outgrows that.
    static constexpr std::size_t kFewTexts = 16;

    // Numbers of texts in as few bytes as they fit, -1 for an empty cell; or doubles. A double that is no
    // number stands for a text: its lower 32 bits are the text's number plus one, 0 for an empty cell.
    using Cells = std::variant<std::vector<std::int8_t>, std::vector<std::int16_t>, std::vector<std::int32_t>,
                               std::vector<double>>;

    // With `decimal` 0, spellings are kept, however many there are.
    explicit TextColumn(char decimal) : decimal_(decimal), may_be_numbers_(decimal != 0) {}

    void add(std::string_view padded);

    const Dictionary& texts() const { return texts_; }
    const Cells& cells() const { return cells_; }

  private:
    void add_number(std::string_view padded);
    void widen(std::size_t number);
    void turn_into_numbers();

    char decimal_;
    bool may_be_numbers_;
    Dictionary texts_;
    Cells cells_;
};

}  // namespace ldag
