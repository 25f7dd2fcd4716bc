// Numbers for the parameters of a family.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ldag {

// The different positive values of each column of a table (`n_states` columns), in the order in which they
// come first; `numbers` tells of every cell which one it is, counted from `first` on, or kImpossible.
std::vector<double> number_values(std::span<const double> table, std::size_t n_states, std::int32_t first,
                                  std::span<std::int32_t> numbers);

}  // namespace ldag
