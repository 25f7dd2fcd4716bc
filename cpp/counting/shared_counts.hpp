// Tables of many families that have all variables but one in common: what a search needs that asks what each
// further parent of a node would bring.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "counting/columns.hpp"
#include "counting/shared_planes.hpp"

namespace ldag {

class SharedCounts {
  public:
    // Takes the data set and the variables in common, the last one fastest. The data set has whole counts
    // that doubles hold (Columns::has_whole_doubles) and outlives this. The table of these variables has
    // fewer than 2^32 cells.
    void share(const Columns& columns, std::span<const std::size_t> variables);

    // The table with one more variable. It stands before the last variables in common, those that have
    // `stride` configurations. Throws std::length_error if the table would have 2^32 cells or more.
    void counts(std::size_t other, std::size_t stride, std::vector<double>& table);

    // The same for the configurations of all but the last variable in common (which has two states or more)
    // that occur: their numbers in the table without that variable, in no particular order, and their rows of
    // counts. For tables with many more cells than rows.
    void observed(std::size_t other, std::size_t stride, std::vector<std::uint32_t>& cells,
                  std::vector<double>& counts);

  private:
    // Where one more variable's cells are in the table.
    struct Layout {
        std::size_t n_states;
        std::size_t stride;

        // The cell of its first state; those of the others follow at every stride.
        std::size_t first(std::uint32_t shared) const {
            const auto step = static_cast<std::uint32_t>(stride);
            return std::size_t{shared / step} * n_states * stride + shared % step;
        }
    };

    void make_index(const Columns::Rows& rows, std::vector<std::uint32_t>& index) const;
    void make_ranks();
    bool planes_pay(std::size_t n_states) const;
    void count_planes(std::size_t other, Layout layout, std::span<double> table);
    void count_index(std::size_t other, Layout layout, std::span<double> table);
    void add_weighted(std::size_t other, Layout layout, std::span<double> table);

    const Columns* columns_ = nullptr;
    std::vector<std::size_t> variables_;  // of two states or more
    std::size_t size_ = 1;
    bool may_use_planes_ = false;
    bool has_planes_ = false;
    bool has_index_ = false;
    bool has_weighted_index_ = false;
    bool has_ranks_ = false;

    SharedPlanes planes_;
    std::vector<std::uint32_t> rows_;  // counts by configuration that occurs

    // By index: the configuration of every row.
    std::vector<std::uint32_t> index_;
    std::vector<std::uint32_t> weighted_index_;
    std::vector<std::uint32_t> parts_;
    std::vector<std::int64_t> weighted_parts_;

    // The configurations of all but the last variable in common that occur, ascending; and for every row the
    // place of its own among them with the state of the last variable.
    std::vector<std::uint32_t> occurring_;
    std::vector<std::uint32_t> ranks_;
    std::vector<std::uint32_t> weighted_ranks_;
};

}  // namespace ldag
