#include "reading/text_column.hpp"

#include <bit>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "reading/numbers.hpp"

namespace ldag {

namespace {

constexpr std::uint64_t kNoNumber = 0x7ff8000000000000u;

// A double that stands for a text, or with -1 for an empty cell.
double no_number(std::int64_t text) {
    return std::bit_cast<double>(kNoNumber | static_cast<std::uint32_t>(text + 1));
}

template <class Wide, class Narrow>
std::vector<Wide> copy(const std::vector<Narrow>& cells) {
    return {cells.begin(), cells.end()};
}

}  // namespace

void TextColumn::add(std::string_view padded) {
    if (std::holds_alternative<std::vector<double>>(cells_)) return add_number(padded);
    std::int64_t number = -1;
    if (!padded.empty()) {
        const auto [place, is_new] = texts_.insert(padded);
        number = static_cast<std::int64_t>(place);
        if (is_new) widen(place);
    }
    std::visit(
        [&](auto& cells) {
            using Cell = typename std::decay_t<decltype(cells)>::value_type;
            if constexpr (!std::is_same_v<Cell, double>) cells.push_back(static_cast<Cell>(number));
        },
        cells_);
    if (may_be_numbers_ && texts_.size() > kListed) turn_into_numbers();
}

void TextColumn::add_number(std::string_view padded) {
    auto& cells = std::get<std::vector<double>>(cells_);
    if (padded.empty()) return cells.push_back(no_number(-1));
    const std::optional<double> value = number_in(padded, decimal_);
    cells.push_back(value ? *value : no_number(static_cast<std::int64_t>(texts_.insert(padded).first)));
}

// The largest number stays free, so that one can be added to all.
void TextColumn::widen(std::size_t number) {
    if (const auto* cells = std::get_if<std::vector<std::int8_t>>(&cells_);
        cells && number >= std::numeric_limits<std::int8_t>::max())
        cells_ = copy<std::int16_t>(*cells);
    else if (const auto* wider = std::get_if<std::vector<std::int16_t>>(&cells_);
             wider && number >= std::numeric_limits<std::int16_t>::max())
        cells_ = copy<std::int32_t>(*wider);
}

// Keep the numbers of a column that has so many, unless it has other texts as well; this is decided once.
void TextColumn::turn_into_numbers() {
    may_be_numbers_ = false;
    std::vector<double> values;
    Dictionary others;
    for (std::size_t number = 0; number < texts_.size(); ++number) {
        const std::string text = std::string(texts_[number]).append(Dictionary::kPadding, '\0');
        const std::string_view cell(text.data(), text.size() - Dictionary::kPadding);
        const std::optional<double> value = number_in(cell, decimal_);
        values.push_back(value ? *value : no_number(static_cast<std::int64_t>(others.insert(cell).first)));
        if (others.size() > kFewTexts) return;
    }
    values.push_back(no_number(-1));
    std::vector<double> cells;
    std::visit(
        [&](const auto& numbers) {
            cells.reserve(2 * numbers.size());
            for (const auto number : numbers)
                cells.push_back(number < 0 ? values.back() : values[static_cast<std::size_t>(number)]);
        },
        cells_);
    cells_ = std::move(cells);
    texts_ = std::move(others);
}

}  // namespace ldag
