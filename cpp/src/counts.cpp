#include "ldag/counts.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

namespace ldag {

namespace {

// Rows are taken in blocks that stay in the first-level cache, so that every pass over a column is a
// simple loop the compiler can vectorise.
constexpr std::size_t kBlock = 1024;

using Cells = std::array<std::size_t, kBlock>;

// The cell of each row of the block: mixed radix, the last column fastest.
void locate(std::span<const Column> columns, std::size_t first, std::size_t n, Cells& cells) {
    std::fill_n(cells.begin(), n, std::size_t{0});
    for (const Column& column : columns) {
        const Code* codes = column.codes + first;
        for (std::size_t row = 0; row < n; ++row) {
            assert(codes[row] < column.n_states);
            cells[row] = cells[row] * column.n_states + codes[row];
        }
    }
}

}  // namespace

std::size_t table_size(std::span<const Column> columns) {
    std::size_t size = 1;
    for (const Column& column : columns) {
        if (column.n_states != 0 && size > std::numeric_limits<std::size_t>::max() / column.n_states) return 0;
        size *= column.n_states;
    }
    return size;
}

template <class Weight>
void add_counts(std::span<const Column> columns, std::size_t n_rows, std::span<const Weight> weights,
                std::span<Weight> table) {
    assert(weights.empty() || weights.size() == n_rows);
    assert(table.size() == table_size(columns));
    Cells cells;
    for (std::size_t first = 0; first < n_rows; first += kBlock) {
        const std::size_t n = std::min(kBlock, n_rows - first);
        locate(columns, first, n, cells);
        if (weights.empty()) {
            for (std::size_t row = 0; row < n; ++row) table[cells[row]] += Weight{1};
        } else {
            for (std::size_t row = 0; row < n; ++row) table[cells[row]] += weights[first + row];
        }
    }
}

template void add_counts<std::int64_t>(std::span<const Column>, std::size_t, std::span<const std::int64_t>,
                                       std::span<std::int64_t>);
template void add_counts<double>(std::span<const Column>, std::size_t, std::span<const double>,
                                 std::span<double>);

}  // namespace ldag
