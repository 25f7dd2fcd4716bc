// The rows of a data set side by side, to count all variables at once among any of them: what growing trees
// asks of a leaf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "counting/columns.hpp"

namespace ldag {

class PackedRows {
  public:
    using Row = std::uint32_t;

    // Some rows of a node, those that count once and those with weights each numbered by themselves. Those
    // that count once ascend by the node's state.
    struct Part {
        std::size_t node;
        std::span<const Row> single;
        std::span<const Row> weighted;
    };

    // Memory that one thread needs for counting.
    struct Memory {
        std::vector<BitPlanes::Word> planes;
        std::vector<std::uint32_t> meets;
    };

    // The data set has no gaps and fewer than 2^32 rows, and outlives this.
    explicit PackedRows(const Columns& columns);

    std::size_t n_variables() const { return columns_.n_columns(); }
    std::size_t n_states(std::size_t variable) const { return columns_.n_states()[variable]; }
    std::size_t n_single() const { return columns_.single_.n; }
    std::size_t n_weighted() const { return columns_.weighted_.n; }
    bool is_whole() const { return columns_.has_whole_doubles(); }

    const Code* single(std::size_t variable) const {
        return columns_.column(columns_.single_, variable).codes;
    }
    const Code* weighted(std::size_t variable) const {
        return columns_.column(columns_.weighted_, variable).codes;
    }
    double weight(Row weighted) const { return weights_[weighted]; }

    // Where the counts of a variable begin: those of all its states but the last, which is what is left.
    std::size_t place(std::size_t variable) const { return places_[variable]; }
    std::size_t n_places() const { return n_places_; }

    // Counts all variables for every state of the node: sums[state * n_places() + place(variable) + code].
    void count(const Part& part, Memory& memory, std::vector<double>& sums) const;

  private:
    using Word = BitPlanes::Word;

    void add_planes(const Part& part, Memory& memory, std::span<double> sums) const;
    void add_single(const Part& part, std::span<double> sums) const;
    void add_wide(std::span<const Row> rows, std::span<double> sums) const;
    void add_weighted(const Part& part, std::span<double> sums) const;

    const Columns& columns_;
    std::vector<double> weights_;
    std::vector<std::size_t> places_;
    std::size_t n_places_ = 0;
    std::vector<std::size_t> narrow_;  // variables with a bit for every state but one
    std::vector<std::size_t> wide_;    // the others: with so many states that codes take less
    std::size_t n_words_ = 0;          // of a row
    std::vector<Word> bits_;           // of the rows that count once, row by row
};

}  // namespace ldag
