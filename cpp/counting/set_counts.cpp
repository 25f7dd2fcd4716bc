#include "counting/set_counts.hpp"

#include <algorithm>
#include <limits>

#include "counting/cells.hpp"

namespace ldag {

namespace {

// Nanoseconds per observation and variable where several variables are counted in one pass.
constexpr double kPackedRowTime = 0.1;

// The largest table that observations are added to by turns.
constexpr std::size_t kMaxCopiedBytes = std::size_t{1} << 13;

// The largest table of several variables, also by observations: taking it apart takes time, too.
constexpr std::size_t kMaxPackedBytes = std::size_t{1} << 15;
constexpr std::size_t kRowsPerCell = 2;

// More configurations than this, and some for each observation, and those that occur are looked for.
constexpr std::size_t kFew = 16;
constexpr std::size_t kRowsPerConfiguration = 64;

// One variable after the other is summed over, from the last on: what is left is the table of those before
// it, in place, and the rest are sums by its own states.
template <std::size_t kStates, class Count>
void split_last(Count* table, std::size_t n_rows, std::size_t n_before, std::size_t any_n_states,
                std::uint32_t* own) {
    const std::size_t n_states = kStates > 0 ? kStates : any_n_states;
    const Count* next = table;
    std::fill_n(own, n_rows * n_states, 0);
    for (std::size_t row = 0; row < n_rows; ++row, own += n_states) {
        for (std::size_t before = 0; before < n_before; ++before, next += n_states) {
            std::uint32_t sum = 0;
            for (std::size_t state = 0; state < n_states; ++state) {
                own[state] += next[state];
                sum += next[state];
            }
            *table++ = static_cast<Count>(sum);
        }
    }
}

}  // namespace

void SetCounts::share(const Columns& columns, std::span<const std::uint32_t> parents, std::uint32_t node) {
    columns_ = &columns;
    variables_.clear();
    size_ = 1;
    std::size_t largest = 1;
    const auto take = [&](std::size_t variable) {
        const std::size_t n_states = columns.n_states()[variable];
        if (n_states == 1) return;
        variables_.push_back(variable);
        size_ *= n_states;
        largest = std::max(largest, n_states);
    };
    for (const std::uint32_t parent : parents) take(parent);
    take(node);
    may_use_planes_ = largest <= SharedPlanes::kMaxStates && SharedPlanes::fit(columns, size_);
    has_planes_ = false;
    make_index(columns.weighted_, weighted_index_);
    is_ranked_ = size_ > kFew + columns.single_.n / kRowsPerConfiguration;
    index_.clear();  // planes may do without
    if (is_ranked_) make_index(columns.single_, index_);
    ends_.clear();
    const std::size_t n_states = columns.n_states()[node];
    if (is_ranked_) return rank(n_states);
    n_rows_ = size_;
    for (std::size_t end = n_states; end <= size_; end += n_states)
        ends_.push_back(static_cast<std::uint32_t>(end));
}

void SetCounts::make_index(const Columns::Rows& rows, std::vector<std::uint16_t>& index) const {
    index.assign(rows.n, 0);
    for (std::size_t first = 0; first < rows.n; first += kBlock) {
        const std::size_t n = std::min(kBlock, rows.n - first);
        for (const std::size_t variable : variables_) {
            const Column column = columns_->column(rows, variable);
            append_digit(column.codes + first, n, static_cast<std::uint16_t>(column.n_states),
                         index.data() + first);
        }
    }
}

// Numbers the configurations that occur.
void SetCounts::rank(std::size_t n_states) {
    ranks_.assign(size_, 0);
    for (const std::uint16_t cell : index_) ranks_[cell] = 1;
    for (const std::uint16_t cell : weighted_index_) ranks_[cell] = 1;
    n_rows_ = 0;
    for (std::size_t first = 0; first < size_; first += n_states) {
        const std::size_t before = n_rows_;
        for (std::size_t cell = first; cell < first + n_states; ++cell)
            if (ranks_[cell] != 0) ranks_[cell] = static_cast<std::uint16_t>(n_rows_++);
        if (n_rows_ > before) ends_.push_back(static_cast<std::uint32_t>(n_rows_));
    }
    for (std::uint16_t& cell : index_) cell = ranks_[cell];
    for (std::uint16_t& cell : weighted_index_) cell = ranks_[cell];
}

bool SetCounts::planes_pay(std::size_t other) const {
    const std::size_t n_states = columns_->n_states()[other];
    if (!may_use_planes_ || n_states > SharedPlanes::kMaxStates) return false;
    return SharedPlanes::time(*columns_, n_rows_, n_states) <
           kPackedRowTime * static_cast<double>(columns_->single_.n);
}

bool SetCounts::fits_pack(std::size_t other) const {
    std::size_t size = n_rows_ * columns_->n_states()[other];
    for (const std::uint32_t variable : pack_) size *= columns_->n_states()[variable];
    const std::size_t n_bytes = size * (has_small_counts() ? sizeof(std::uint16_t) : sizeof(std::uint32_t));
    return n_bytes <= kMaxPackedBytes && size * kRowsPerCell <= columns_->single_.n;
}

void SetCounts::count_planes(std::size_t other) {
    if (!has_planes_) planes_.make(*columns_, variables_);
    has_planes_ = true;
    planes_.count(*columns_, other, plane_counts_);
    const std::size_t n_states = columns_->n_states()[other];
    counts_.assign(n_rows_ * n_states, 0);
    const std::uint32_t* next = plane_counts_.data();
    for (const std::uint32_t cell : planes_.cells()) {
        const std::size_t row = is_ranked_ ? ranks_[cell] : cell;
        std::copy_n(next, n_states, counts_.data() + row * n_states);
        next += n_states;
    }
    if (weighted_index_.empty()) return;
    const Code* const codes = columns_->column(columns_->weighted_, other).codes;
    const auto& weights = std::get<std::vector<std::int64_t>>(columns_->weights_);
    for (std::size_t row = 0; row < weighted_index_.size(); ++row)
        counts_[weighted_index_[row] * n_states + codes[row]] += static_cast<std::uint32_t>(weights[row]);
}

// Neighbouring observations often fall into the same cell, and adding to it has to wait for the addition
// before: so they are taken from far apart by turns.
template <class Index, class Count>
void SetCounts::add_rows(std::vector<Count>& parts, std::size_t size, std::size_t n_copies) {
    Cells<Index> cells;
    const std::size_t stride = n_copies > 1 ? size : 0;
    for (std::size_t first = 0; first < index_.size(); first += kBlock) {
        const std::size_t n = std::min(kBlock, index_.size() - first);
        std::copy_n(index_.data() + first, n, cells.data());
        for (const std::uint32_t variable : pack_) {
            const Column column = columns_->column(columns_->single_, variable);
            append_digit(column.codes + first, n, static_cast<Index>(column.n_states), cells.data());
        }
        const std::size_t quarter = n / kCopies;
        Count* const part = parts.data();
        for (std::size_t row = 0; row < quarter; ++row)
            for (std::size_t turn = 0; turn < kCopies; ++turn)
                ++part[turn * stride + cells[turn * quarter + row]];
        for (std::size_t row = kCopies * quarter; row < n; ++row) ++part[cells[row]];
    }
    for (std::size_t copy = 1; copy < n_copies; ++copy)
        for (std::size_t cell = 0; cell < size; ++cell)
            parts[cell] = static_cast<Count>(parts[cell] + parts[copy * size + cell]);
}

template <class Index, class Count>
void SetCounts::add_weighted(std::vector<Count>& parts) {
    if (weighted_index_.empty()) return;
    const auto& weights = std::get<std::vector<std::int64_t>>(columns_->weights_);
    Cells<Index> cells;
    for (std::size_t first = 0; first < weighted_index_.size(); first += kBlock) {
        const std::size_t n = std::min(kBlock, weighted_index_.size() - first);
        std::copy_n(weighted_index_.data() + first, n, cells.data());
        for (const std::uint32_t variable : pack_) {
            const Column column = columns_->column(columns_->weighted_, variable);
            append_digit(column.codes + first, n, static_cast<Index>(column.n_states), cells.data());
        }
        for (std::size_t row = 0; row < n; ++row)
            parts[cells[row]] = static_cast<Count>(parts[cells[row]] + weights[first + row]);
    }
}

template <class Count>
void SetCounts::take_apart(std::vector<Count>& parts) {
    std::size_t end = 0;
    std::size_t n_before = 1;
    for (const std::uint32_t variable : pack_) {
        end += n_rows_ * columns_->n_states()[variable];
        n_before *= columns_->n_states()[variable];
    }
    tables_.resize(end);
    for (std::size_t i = pack_.size(); i-- > 0;) {
        const std::size_t n_states = columns_->n_states()[pack_[i]];
        n_before /= n_states;
        end -= n_rows_ * n_states;
        std::uint32_t* const own = tables_.data() + end;
        if (i == 0)
            std::copy_n(parts.data(), n_rows_ * n_states, own);
        else if (n_states == 2)
            split_last<2>(parts.data(), n_rows_, n_before, 2, own);
        else if (n_states == 3)
            split_last<3>(parts.data(), n_rows_, n_before, 3, own);
        else if (n_states == 4)
            split_last<4>(parts.data(), n_rows_, n_before, 4, own);
        else
            split_last<0>(parts.data(), n_rows_, n_before, n_states, own);
    }
}

template <class Count>
void SetCounts::count_pack(std::vector<Count>& parts) {
    if (index_.empty()) make_index(columns_->single_, index_);
    std::size_t size = n_rows_;
    for (const std::uint32_t variable : pack_) size *= columns_->n_states()[variable];
    const bool is_small = size * sizeof(Count) <= kMaxCopiedBytes && size * kRowsPerCell <= index_.size();
    const std::size_t n_copies = is_small ? kCopies : 1;
    parts.assign(n_copies * size, 0);
    if (size <= std::size_t{std::numeric_limits<std::uint16_t>::max()} + 1) {
        add_rows<std::uint16_t>(parts, size, n_copies);
        add_weighted<std::uint16_t>(parts);
    } else {
        add_rows<std::uint32_t>(parts, size, n_copies);
        add_weighted<std::uint32_t>(parts);
    }
    take_apart(parts);
}

void SetCounts::count_pack() {
    if (has_small_counts())
        count_pack(small_parts_);
    else
        count_pack(parts_);
}

// Whether no count is beyond 16 bits.
bool SetCounts::has_small_counts() const {
    return columns_->total() <= static_cast<double>(std::numeric_limits<std::uint16_t>::max());
}

}  // namespace ldag
