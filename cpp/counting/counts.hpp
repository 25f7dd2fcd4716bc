// Contingency counts of a node and its parents: n(x_j, x_Pi), the numbers every score is made of. Two ways to
// count rows; Columns chooses between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace ldag {

using Code = std::uint8_t;  // the state of one variable in one row

// The most states of a variable: codes are bytes, and the last byte marks a gap.
inline constexpr std::size_t kMostStates = std::numeric_limits<Code>::max();

// One encoded column and the number of states its variable has.
struct Column {
    const Code* codes;
    std::size_t n_states;
};

// By index: adds the weight of every row to the cell of its configuration; the last column varies fastest.
// An empty `weights` counts every row once. `table` has one cell per configuration and is added to.
template <class Weight, class Sum>
void add_counts(std::span<const Column> columns, std::size_t n_rows, std::span<const Weight> weights,
                std::span<Sum> table);

extern template void add_counts(std::span<const Column>, std::size_t, std::span<const std::int64_t>,
                                std::span<std::int64_t>);
extern template void add_counts(std::span<const Column>, std::size_t, std::span<const std::int64_t>,
                                std::span<double>);
extern template void add_counts(std::span<const Column>, std::size_t, std::span<const double>,
                                std::span<double>);

// A column as bit planes: bit i of plane s says whether row i is in state s. The last state has no plane of
// its own; it is what the others leave.
class BitPlanes {
  public:
    using Word = std::uint64_t;
    static constexpr std::size_t kWordBits = 64;

    BitPlanes() = default;
    BitPlanes(Column column, std::size_t n_rows);

    std::size_t n_states() const { return n_states_; }
    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_words() const { return (n_rows_ + kWordBits - 1) / kWordBits; }
    const Word* plane(std::size_t state) const { return words_.data() + state * n_words(); }

  private:
    std::size_t n_states_ = 0;
    std::size_t n_rows_ = 0;
    std::vector<Word> words_;
};

// By bit planes: counts every row once, with intersections of planes and population counts. Every column has
// two states or more and all have the same rows (64 columns at most); `table` is overwritten.
void count_planes(std::span<const BitPlanes* const> columns, std::size_t n_rows,
                  std::span<std::int64_t> table);

}  // namespace ldag
