// Either the rows of every configuration of the variables in common are kept as bits, and counting one more
// variable is one intersection and population count per configuration and state; or the configuration of
// every row is kept, and counting is one addition per row.
#include "counting/shared_counts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <stdexcept>

#include "support/cpu.hpp"

namespace ldag {

namespace {

using Word = BitPlanes::Word;

// Nanoseconds: by planes, per configuration and state, and per word of 64 rows on top; by index, per row and
// per cell.
constexpr double kCellTime = 3.0;
constexpr double kWordTimeWide = 0.09;
constexpr double kWordTimeNarrow = 0.28;
constexpr double kRowTime = 0.45;

// Most configurations in common that are kept as bits, and most memory for them.
constexpr std::size_t kMaxCells = 4096;
constexpr std::size_t kMaxWords = std::size_t{1} << 20;
constexpr std::size_t kMaxStates = 16;

// Planes of the other variable that are counted in one pass.
constexpr std::size_t kGroup = 3;
using Planes = std::array<const Word*, kGroup>;

// Rows by turns to several copies of a small table, so that an addition need not wait for the one before.
constexpr std::size_t kCopies = 4;
constexpr std::size_t kMaxCopiedCells = 2048;

// More cells than so many for each row with a weight, and its cell is better worked out by itself.
constexpr std::size_t kCellsPerRow = 2;

// Numbers of rows in each shared plane and each of a few planes: sums[shared * A + i].
template <std::size_t A>
[[gnu::always_inline]] inline void meet(const Word* shared, std::size_t n_shared, const Planes& planes,
                                        std::size_t n_words, std::uint32_t* sums) {
    for (std::size_t cell = 0; cell < n_shared; ++cell, shared += n_words) {
        std::array<std::uint64_t, A> local{};
        for (std::size_t word = 0; word < n_words; ++word) {
#pragma GCC unroll 4
            for (std::size_t i = 0; i < A; ++i)
                local[i] += static_cast<std::uint64_t>(std::popcount(shared[word] & planes[i][word]));
        }
        for (std::size_t i = 0; i < A; ++i) sums[cell * A + i] = static_cast<std::uint32_t>(local[i]);
    }
}

using Meet = void (*)(const Word*, std::size_t, const Planes&, std::size_t, std::uint32_t*);

template <std::size_t A>
void meet_plain(const Word* shared, std::size_t n_shared, const Planes& planes, std::size_t n_words,
                std::uint32_t* sums) {
    meet<A>(shared, n_shared, planes, n_words, sums);
}

#ifdef LDAG_X86
template <std::size_t A>
[[gnu::target("popcnt")]] void meet_popcnt(const Word* shared, std::size_t n_shared, const Planes& planes,
                                           std::size_t n_words, std::uint32_t* sums) {
    meet<A>(shared, n_shared, planes, n_words, sums);
}

template <std::size_t A>
[[gnu::target("avx512f,avx512vl,avx512vpopcntdq,popcnt")]] void meet_wide(const Word* shared,
                                                                          std::size_t n_shared,
                                                                          const Planes& planes,
                                                                          std::size_t n_words,
                                                                          std::uint32_t* sums) {
    meet<A>(shared, n_shared, planes, n_words, sums);
}
#endif

using Kernels = std::array<Meet, kGroup + 1>;

// The fastest this machine can run, by number of planes.
Kernels best_kernels() {
#ifdef LDAG_X86
    if (cpu().wide_popcount) return {nullptr, meet_wide<1>, meet_wide<2>, meet_wide<3>};
    if (cpu().popcnt) return {nullptr, meet_popcnt<1>, meet_popcnt<2>, meet_popcnt<3>};
#endif
    return {nullptr, meet_plain<1>, meet_plain<2>, meet_plain<3>};
}

const Kernels& kernels() {
    static const Kernels best = best_kernels();
    return best;
}

// Splits some rows: those in the plane, and the rest; returns how many are in the plane.
[[gnu::always_inline]] inline std::int64_t split(const Word* plane, std::size_t n_words, Word* rest,
                                                 Word* both) {
    std::uint64_t n = 0;
    for (std::size_t word = 0; word < n_words; ++word) {
        const Word some = rest[word] & plane[word];
        both[word] = some;
        rest[word] ^= some;
        n += static_cast<std::uint64_t>(std::popcount(some));
    }
    return static_cast<std::int64_t>(n);
}

using Split = std::int64_t (*)(const Word*, std::size_t, Word*, Word*);

std::int64_t split_plain(const Word* plane, std::size_t n_words, Word* rest, Word* both) {
    return split(plane, n_words, rest, both);
}

#ifdef LDAG_X86
[[gnu::target("popcnt")]] std::int64_t split_popcnt(const Word* plane, std::size_t n_words, Word* rest,
                                                    Word* both) {
    return split(plane, n_words, rest, both);
}

[[gnu::target("avx512f,avx512vl,avx512vpopcntdq,popcnt")]] std::int64_t split_wide(const Word* plane,
                                                                                   std::size_t n_words,
                                                                                   Word* rest, Word* both) {
    return split(plane, n_words, rest, both);
}
#endif

Split best_split() {
#ifdef LDAG_X86
    if (cpu().wide_popcount) return split_wide;
    if (cpu().popcnt) return split_popcnt;
#endif
    return split_plain;
}

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
    const std::size_t n_words = (columns.single_.n + BitPlanes::kWordBits - 1) / BitPlanes::kWordBits;
    may_use_planes_ = size_ <= kMaxCells && largest <= kMaxStates && size_ * n_words <= kMaxWords;
    has_planes_ = has_index_ = has_weighted_index_ = has_ranks_ = false;
}

// The time by planes grows with the configurations in common, that by index with the rows.
bool SharedCounts::planes_pay(std::size_t n_states) const {
    if (!may_use_planes_ || n_states > kMaxStates) return false;
    const double n_rows = static_cast<double>(columns_->single_.n);
    const double per_word = cpu().wide_popcount ? kWordTimeWide : kWordTimeNarrow;
    const double per_cell = kCellTime + per_word * n_rows / BitPlanes::kWordBits;
    const std::size_t n_cells = has_planes_ ? cells_.size() : size_;
    return static_cast<double>(n_cells * (n_states - 1)) * per_cell < kRowTime * n_rows;
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

// One variable after the other splits the rows of every configuration further.
void SharedCounts::make_planes() {
    static const Split split_rows = best_split();
    const std::size_t n_rows = columns_->single_.n;
    const std::size_t n_words = (n_rows + BitPlanes::kWordBits - 1) / BitPlanes::kWordBits;
    planes_.assign(n_words, ~Word{0});
    if (n_rows % BitPlanes::kWordBits != 0) planes_.back() = (Word{1} << (n_rows % BitPlanes::kWordBits)) - 1;
    cells_.assign(1, 0);
    totals_.assign(1, static_cast<std::int64_t>(n_rows));
    std::vector<std::int64_t> finer_totals;
    for (const std::size_t variable : variables_) {
        const BitPlanes& own = columns_->planes(variable);
        const std::size_t n_states = own.n_states();
        finer_planes_.resize(cells_.size() * n_states * n_words);
        finer_cells_.clear();
        finer_totals.clear();
        Word* next = finer_planes_.data();
        for (std::size_t i = 0; i < cells_.size(); ++i) {
            Word* rest = planes_.data() + i * n_words;  // becomes the rows of the last state
            std::int64_t n_rest = totals_[i];
            const auto keep = [&](std::size_t state, std::int64_t n) {
                finer_cells_.push_back(static_cast<std::uint32_t>(cells_[i] * n_states + state));
                finer_totals.push_back(n);
                next += n_words;
            };
            for (std::size_t state = 0; state + 1 < n_states; ++state) {
                const std::int64_t n = split_rows(own.plane(state), n_words, rest, next);
                if (n == 0) continue;
                n_rest -= n;
                keep(state, n);
            }
            if (n_rest == 0) continue;
            std::copy_n(rest, n_words, next);
            keep(n_states - 1, n_rest);
        }
        planes_.swap(finer_planes_);
        cells_.swap(finer_cells_);
        totals_.swap(finer_totals);
    }
    has_planes_ = true;
}

void SharedCounts::count_planes(std::size_t other, Layout layout, std::span<double> table) {
    if (!has_planes_) make_planes();
    const BitPlanes& own = columns_->planes(other);
    const std::size_t last = layout.n_states - 1;
    for (std::size_t i = 0; i < cells_.size(); ++i)
        table[layout.first(cells_[i]) + last * layout.stride] = static_cast<double>(totals_[i]);
    sums_.resize(cells_.size() * kGroup);
    for (std::size_t first = 0; first < last; first += kGroup) {
        const std::size_t n = std::min(kGroup, last - first);
        Planes planes{};
        for (std::size_t i = 0; i < n; ++i) planes[i] = own.plane(first + i);
        kernels()[n](planes_.data(), cells_.size(), planes, own.n_words(), sums_.data());
        for (std::size_t i = 0; i < cells_.size(); ++i) {
            double* const own_cells = table.data() + layout.first(cells_[i]);
            for (std::size_t k = 0; k < n; ++k) {
                const double count = sums_[i * n + k];
                own_cells[(first + k) * layout.stride] = count;
                own_cells[last * layout.stride] -= count;
            }
        }
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
