// Contingency counts of a node and its parents: n(x_j, x_Pi), the numbers every score is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ldag {

using Code = std::uint8_t;  // the state of one variable in one row

// One encoded column and the number of states its variable has.
struct Column {
    const Code* codes;
    std::size_t n_states;
};

// Number of cells of the table of these columns; 0 if it does not fit 64 bits.
std::size_t table_size(std::span<const Column> columns);

// Adds the weight of every row to the cell of its configuration; the last column varies fastest.
// An empty `weights` counts every row once. `table` has table_size(columns) cells and is added to.
template <class Weight>
void add_counts(std::span<const Column> columns, std::size_t n_rows, std::span<const Weight> weights,
                std::span<Weight> table);

extern template void add_counts<std::int64_t>(std::span<const Column>, std::size_t,
                                              std::span<const std::int64_t>, std::span<std::int64_t>);
extern template void add_counts<double>(std::span<const Column>, std::size_t, std::span<const double>,
                                        std::span<double>);

}  // namespace ldag
