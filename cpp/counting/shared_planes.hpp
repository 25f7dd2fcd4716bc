// The rows of every configuration of some variables as bits: counting one more variable is one intersection
// and population count per configuration and state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "counting/columns.hpp"

namespace ldag {

class SharedPlanes {
  public:
    // Most states of a variable.
    static constexpr std::size_t kMaxStates = 16;

    // Whether so many configurations take a bearable amount of memory.
    static bool fit(const Columns& columns, std::size_t n_configurations);

    // Nanoseconds, about, for counting a variable with so many states.
    static double time(const Columns& columns, std::size_t n_configurations, std::size_t n_states);

    // Takes the rows of a data set that count once, and variables of two states or more, the last one
    // fastest.
    void make(const Columns& columns, std::span<const std::size_t> variables);

    // The configurations that occur among these rows, ascending.
    std::span<const std::uint32_t> cells() const { return cells_; }

    // For each of them the counts of one more variable, state by state.
    void count(const Columns& columns, std::size_t other, std::vector<std::uint32_t>& counts);

  private:
    using Word = BitPlanes::Word;

    std::vector<std::uint32_t> cells_;
    std::vector<Word> planes_;  // by configuration that occurs
    std::vector<std::uint32_t> totals_;
    std::vector<Word> finer_planes_;
    std::vector<std::uint32_t> finer_cells_;
    std::vector<std::uint32_t> finer_totals_;
    std::vector<std::uint32_t> sums_;
};

}  // namespace ldag
