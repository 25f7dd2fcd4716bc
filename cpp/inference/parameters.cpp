#include "inference/parameters.hpp"

#include <array>
#include <bit>

#include "inference/compile.hpp"
#include "inference/diagram.hpp"

namespace ldag {

std::vector<double> number_values(std::span<const double> table, std::size_t n_states, std::int32_t first,
                                  std::span<std::int32_t> numbers) {
    std::vector<double> values;
    for (std::size_t state = 0; state < n_states; ++state) {
        NumberTable known;
        for (std::size_t cell = state; cell < table.size(); cell += n_states) {
            const double value = table[cell];
            numbers[cell] = kImpossible;
            if (value == 0.0) continue;
            const auto fresh = static_cast<std::uint32_t>(values.size());
            const std::uint32_t number =
                known.find_or_add(hash_numbers(6, std::bit_cast<std::array<std::uint32_t, 2>>(value)), fresh,
                                  [&](std::uint32_t other) { return values[other] == value; });
            if (number == fresh) values.push_back(value);
            numbers[cell] = first + static_cast<std::int32_t>(number);
        }
    }
    return values;
}

}  // namespace ldag
