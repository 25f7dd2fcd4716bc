#include "counting/counts.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

#include "counting/cells.hpp"

namespace ldag {

namespace {

// The cell of each row of the block: mixed radix, the last column fastest.
template <class Index>
void locate(std::span<const Column> columns, std::size_t first, std::size_t n, Cells<Index>& cells) {
    std::fill_n(cells.begin(), n, Index{0});
    for (const Column& column : columns)
        append_digit(column.codes + first, n, static_cast<Index>(column.n_states), cells.data());
}

// What the rows of a block are worth: one each, or their weights.
struct Ones {
    std::int64_t operator[](std::size_t) const { return 1; }
    Ones from(std::size_t) const { return {}; }
};

template <class Weight>
struct Weights {
    const Weight* first;
    Weight operator[](std::size_t row) const { return first[row]; }
    Weights from(std::size_t row) const { return {first + row}; }
};

// Adds straight to the table.
template <class Index, class Worth, class Sum>
void add_direct(std::span<const Column> columns, std::size_t n_rows, Worth worth, Sum* table) {
    Cells<Index> cells;
    for (std::size_t first = 0; first < n_rows; first += kBlock) {
        const std::size_t n = std::min(kBlock, n_rows - first);
        const Worth here = worth.from(first);
        locate(columns, first, n, cells);
        for (std::size_t row = 0; row < n; ++row) table[cells[row]] += static_cast<Sum>(here[row]);
    }
}

// Adds to the copies in turn and joins them at the end.
template <class Part, class Index, class Worth, class Sum>
void add_in_turn(std::span<const Column> columns, std::size_t n_rows, Worth worth, std::span<Sum> table) {
    std::array<Part, kCopies * kMaxCopiedCells> copies;
    const std::size_t size = table.size();
    std::fill_n(copies.begin(), kCopies * size, Part{0});
    Part* const part = copies.data();
    Cells<Index> cells;
    for (std::size_t first = 0; first < n_rows; first += kBlock) {
        const std::size_t n = std::min(kBlock, n_rows - first);
        const Worth here = worth.from(first);
        locate(columns, first, n, cells);
        std::size_t row = 0;
        for (; row + kCopies <= n; row += kCopies)
            for (std::size_t copy = 0; copy < kCopies; ++copy)
                part[copy * size + cells[row + copy]] += static_cast<Part>(here[row + copy]);
        for (; row < n; ++row) part[cells[row]] += static_cast<Part>(here[row]);
    }
    for (std::size_t copy = 0; copy < kCopies; ++copy)
        for (std::size_t cell = 0; cell < size; ++cell)
            table[cell] += static_cast<Sum>(part[copy * size + cell]);
}

template <class Part, class Worth, class Sum>
void add_rows(std::span<const Column> columns, std::size_t n_rows, Worth worth, std::span<Sum> table) {
    const std::size_t size = table.size();
    if (size <= kMaxCopiedCells && size <= n_rows / kCopies)
        add_in_turn<Part, std::uint16_t>(columns, n_rows, worth, table);
    else if (size <= std::size_t{1} << 16)
        add_direct<std::uint16_t>(columns, n_rows, worth, table.data());
    else if (size <= std::size_t{1} << 32)
        add_direct<std::uint32_t>(columns, n_rows, worth, table.data());
    else
        add_direct<std::uint64_t>(columns, n_rows, worth, table.data());
}

}  // namespace

template <class Weight, class Sum>
void add_counts(std::span<const Column> columns, std::size_t n_rows, std::span<const Weight> weights,
                std::span<Sum> table) {
    assert(weights.empty() || weights.size() == n_rows);
    if (!weights.empty())
        add_rows<Sum>(columns, n_rows, Weights<Weight>{weights.data()}, table);
    else if (n_rows <= std::numeric_limits<std::uint32_t>::max())
        add_rows<std::uint32_t>(columns, n_rows, Ones{}, table);
    else
        add_rows<Sum>(columns, n_rows, Ones{}, table);
}

template void add_counts(std::span<const Column>, std::size_t, std::span<const std::int64_t>,
                         std::span<std::int64_t>);
template void add_counts(std::span<const Column>, std::size_t, std::span<const std::int64_t>,
                         std::span<double>);
template void add_counts(std::span<const Column>, std::size_t, std::span<const double>, std::span<double>);

}  // namespace ldag
