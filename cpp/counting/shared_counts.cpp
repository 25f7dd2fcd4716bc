// Either the rows of every configuration of the variables in common are kept as bits, and counting one more
// variable is one intersection and population count per configuration and state; or the configuration of
// every row is kept, and counting is one addition per row.
#include "counting/shared_counts.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "counting/cells.hpp"

namespace ldag {

namespace {

// Nanoseconds per row, by index.
constexpr double kIndexedRowTime = 0.45;

// More cells than so many for each row with a weight, and its cell is better worked out by itself.
constexpr std::size_t kCellsPerRow = 2;

}  // namespace

void SharedCounts::share(const Columns& columns, std::span<const std::size_t> variables) {
    columns_ = &columns;
    variables_.clear();
    size_ = 1;
    std::size_t largest = 1;
    for (const std::size_t variable : variables) {
        const std::size_t n_states = columns.n_states()[variable];
        if (n_states == 1) continue;
        variables_.push_back(variable);
        size_ *= n_states;
        largest = std::max(largest, n_states);
    }
    may_use_planes_ = largest <= SharedPlanes::kMaxStates && SharedPlanes::fit(columns, size_);
    has_planes_ = has_index_ = has_weighted_index_ = has_ranks_ = false;
}

// The time by planes grows with the configurations in common, that by index with the rows.
bool SharedCounts::planes_pay(std::size_t n_states) const {
    if (!may_use_planes_ || n_states > SharedPlanes::kMaxStates) return false;
    const std::size_t n_cells = has_planes_ ? planes_.cells().size() : size_;
    return SharedPlanes::time(*columns_, n_cells, n_states) <
           kIndexedRowTime * static_cast<double>(columns_->single_.n);
}

void SharedCounts::counts(std::size_t other, std::size_t stride, std::vector<double>& table) {
    const std::size_t n_states = columns_->n_states()[other];
    if (size_ > std::numeric_limits<std::uint32_t>::max() / n_states)
        throw std::length_error("the table of these columns is too large");
    table.assign(size_ * n_states, 0.0);
    const Layout layout{n_states, stride};
    if (planes_pay(n_states))
        count_planes(other, layout, table);
    else
        count_index(other, layout, table);
    if (columns_->weighted_.n > 0) add_weighted(other, layout, table);
}

void SharedCounts::count_planes(std::size_t other, Layout layout, std::span<double> table) {
    if (!has_planes_) planes_.make(*columns_, variables_);
    has_planes_ = true;
    planes_.count(*columns_, other, rows_);
    const std::uint32_t* count = rows_.data();
    for (const std::uint32_t cell : planes_.cells()) {
        double* const own_cells = table.data() + layout.first(cell);
        for (std::size_t state = 0; state < layout.n_states; ++state)
            own_cells[state * layout.stride] = *count++;
    }
}

void SharedCounts::make_index(const Columns::Rows& rows, std::vector<std::uint32_t>& index) const {
    index.assign(rows.n, 0);
    for (const std::size_t variable : variables_) {
        const Column column = columns_->column(rows, variable);
        const auto n_states = static_cast<std::uint32_t>(column.n_states);
        for (std::size_t row = 0; row < rows.n; ++row) index[row] = index[row] * n_states + column.codes[row];
    }
}

void SharedCounts::count_index(std::size_t other, Layout layout, std::span<double> table) {
    const Columns::Rows& rows = columns_->single_;
    if (!has_index_) make_index(rows, index_);
    has_index_ = true;
    const Code* const codes = columns_->column(rows, other).codes;
    const auto n_states = static_cast<std::uint32_t>(layout.n_states);
    const std::size_t n_copies = table.size() <= kMaxCopiedCells ? kCopies : 1;
    parts_.assign(n_copies * table.size(), 0);
    std::uint32_t* const parts = parts_.data();
    const std::size_t size = table.size();
    std::size_t row = 0;
    if (n_copies > 1)
        for (; row + kCopies <= rows.n; row += kCopies)
            for (std::size_t copy = 0; copy < kCopies; ++copy)
                ++parts[copy * size + index_[row + copy] * n_states + codes[row + copy]];
    for (; row < rows.n; ++row) ++parts[index_[row] * n_states + codes[row]];
    std::size_t cell = 0;
    for (std::uint32_t shared = 0; shared < size_; ++shared) {
        const std::size_t first = layout.first(shared);
        for (std::size_t state = 0; state < layout.n_states; ++state, ++cell) {
            std::uint64_t sum = 0;
            for (std::size_t copy = 0; copy < n_copies; ++copy) sum += parts[copy * size + cell];
            table[first + state * layout.stride] = static_cast<double>(sum);
        }
    }
}

void SharedCounts::make_ranks() {
    if (!has_index_) make_index(columns_->single_, index_);
    if (!has_weighted_index_) make_index(columns_->weighted_, weighted_index_);
    has_index_ = has_weighted_index_ = has_ranks_ = true;
    const auto last = static_cast<std::uint32_t>(columns_->n_states()[variables_.back()]);
    std::vector<std::uint32_t> rank(size_ / last, 0);
    for (const std::uint32_t shared : index_) rank[shared / last] = 1;
    for (const std::uint32_t shared : weighted_index_) rank[shared / last] = 1;
    occurring_.clear();
    for (std::uint32_t cell = 0; cell < rank.size(); ++cell) {
        if (rank[cell] == 0) continue;
        rank[cell] = static_cast<std::uint32_t>(occurring_.size());
        occurring_.push_back(cell);
    }
    const auto place = [&](std::uint32_t shared) { return rank[shared / last] * last + shared % last; };
    ranks_.resize(index_.size());
    weighted_ranks_.resize(weighted_index_.size());
    std::ranges::transform(index_, ranks_.begin(), place);
    std::ranges::transform(weighted_index_, weighted_ranks_.begin(), place);
}

void SharedCounts::observed(std::size_t other, std::size_t stride, std::vector<std::uint32_t>& cells,
                            std::vector<double>& counts) {
    if (!has_ranks_) make_ranks();
    const std::size_t last = columns_->n_states()[variables_.back()];
    const std::size_t n_states = columns_->n_states()[other];
    const std::size_t n_ranks = occurring_.size() * last;
    counts.assign(n_ranks * n_states, 0.0);  // by state of the other variable first
    const Code* const codes = columns_->column(columns_->single_, other).codes;
    for (std::size_t row = 0; row < ranks_.size(); ++row) counts[codes[row] * n_ranks + ranks_[row]] += 1.0;
    if (!weighted_ranks_.empty()) {
        const Code* const own = columns_->column(columns_->weighted_, other).codes;
        const auto& weights = std::get<std::vector<std::int64_t>>(columns_->weights_);
        for (std::size_t row = 0; row < weighted_ranks_.size(); ++row)
            counts[own[row] * n_ranks + weighted_ranks_[row]] += static_cast<double>(weights[row]);
    }
    cells.clear();
    const Layout layout{n_states, stride / last};
    std::size_t kept = 0;
    for (std::size_t state = 0; state < n_states; ++state) {
        for (std::size_t place = 0; place < occurring_.size(); ++place) {
            const double* row = counts.data() + state * n_ranks + place * last;
            if (std::all_of(row, row + last, [](double count) { return count == 0.0; })) continue;
            std::copy_n(row, last, counts.data() + kept);
            kept += last;
            cells.push_back(
                static_cast<std::uint32_t>(layout.first(occurring_[place]) + state * layout.stride));
        }
    }
    counts.resize(kept);
}

void SharedCounts::add_weighted(std::size_t other, Layout layout, std::span<double> table) {
    const Columns::Rows& rows = columns_->weighted_;
    if (!has_weighted_index_) make_index(rows, weighted_index_);
    has_weighted_index_ = true;
    const Code* const codes = columns_->column(rows, other).codes;
    const auto& weights = std::get<std::vector<std::int64_t>>(columns_->weights_);
    if (table.size() > kCellsPerRow * rows.n) {
        for (std::size_t row = 0; row < rows.n; ++row)
            table[layout.first(weighted_index_[row]) + codes[row] * layout.stride] +=
                static_cast<double>(weights[row]);
        return;
    }
    weighted_parts_.assign(table.size(), 0);
    for (std::size_t row = 0; row < rows.n; ++row)
        weighted_parts_[weighted_index_[row] * layout.n_states + codes[row]] += weights[row];
    const std::int64_t* part = weighted_parts_.data();
    for (std::uint32_t shared = 0; shared < size_; ++shared) {
        double* const own_cells = table.data() + layout.first(shared);
        for (std::size_t state = 0; state < layout.n_states; ++state, ++part)
            own_cells[state * layout.stride] += static_cast<double>(*part);
    }
}

}  // namespace ldag
