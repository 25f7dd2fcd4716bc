// Numbers as text files spell them.
#pragma once

#include <optional>
#include <string_view>

namespace ldag {

// The text without blanks around it: those that Python's str.strip takes from ASCII text.
std::string_view trim(std::string_view text);

// The number nearest to what a text spells, without leading zeros and blanks around it; none for other texts
// and for what no double holds. `decimal` is the sign before the fraction; if that is a comma, points may
// group digits, as in 1.234.567,8.
std::optional<double> number_in(std::string_view text, char decimal);

}  // namespace ldag
