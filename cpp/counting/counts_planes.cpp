// Counting with bit planes. The rows in a configuration are the intersection of one plane per column, and
// their number is a population count. Two savings: intersections are shared between configurations that begin
// alike, and the last state of each column is never looked at: in its place stands "any state", which needs
// no intersection, and subtraction puts the table right at the end.
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <utility>

#include "counting/counts.hpp"
#include "support/cpu.hpp"

namespace ldag {

namespace {

using Word = BitPlanes::Word;

// Words of a plane taken at a time, 4 KB: the planes of a family stay in the near caches while they are
// intersected again and again. (For 100,000 rows, 2 KB were 5 % and 1 KB 25 % slower.)
constexpr std::size_t kBlockWords = 512;

// Most planes of one column that are counted in one pass, so that all sums fit registers.
constexpr std::size_t kGroup = 3;

// A few planes of one column, at the start of the block.
struct Group {
    std::array<const Word*, kGroup> planes;
    std::size_t n = 0;
    std::size_t first_state = 0;
};

// (A + 1)(B + 1) population counts in one pass: of the rows, with each plane of `a` or none, with each plane
// of `b` or none. "None" comes first.
template <std::size_t A, std::size_t B>
[[gnu::always_inline]] inline void cross(const Word* rows, const Group& a, const Group& b,
                                         std::size_t n_words, std::uint64_t* sums) {
    std::array<std::uint64_t, (A + 1) * (B + 1)> local{};
    for (std::size_t word = 0; word < n_words; ++word) {
#pragma GCC unroll 4
        for (std::size_t i = 0; i <= A; ++i) {
            const Word some = i == 0 ? rows[word] : rows[word] & a.planes[i - 1][word];
#pragma GCC unroll 4
            for (std::size_t j = 0; j <= B; ++j) {
                const Word all = j == 0 ? some : some & b.planes[j - 1][word];
                local[i * (B + 1) + j] += static_cast<std::uint64_t>(std::popcount(all));
            }
        }
    }
    std::copy(local.begin(), local.end(), sums);
}

using Cross = void (*)(const Word*, const Group&, const Group&, std::size_t, std::uint64_t*);

template <std::size_t A, std::size_t B>
void cross_plain(const Word* rows, const Group& a, const Group& b, std::size_t n_words, std::uint64_t* sums) {
    cross<A, B>(rows, a, b, n_words, sums);
}

#ifdef LDAG_X86
template <std::size_t A, std::size_t B>
[[gnu::target("popcnt")]] void cross_popcnt(const Word* rows, const Group& a, const Group& b,
                                            std::size_t n_words, std::uint64_t* sums) {
    cross<A, B>(rows, a, b, n_words, sums);
}

template <std::size_t A, std::size_t B>
[[gnu::target("avx512f,avx512vl,avx512vpopcntdq,popcnt")]] void cross_wide(const Word* rows, const Group& a,
                                                                           const Group& b,
                                                                           std::size_t n_words,
                                                                           std::uint64_t* sums) {
    cross<A, B>(rows, a, b, n_words, sums);
}
#endif

// One function per pair of group sizes.
using Crosses = std::array<std::array<Cross, kGroup + 1>, kGroup + 1>;

#define LDAG_ROW(kernel, a) {kernel<a, 0>, kernel<a, 1>, kernel<a, 2>, kernel<a, 3>}
#define LDAG_KERNELS(kernel)                                                                   \
    Crosses {                                                                                  \
        {                                                                                      \
            LDAG_ROW(kernel, 0), LDAG_ROW(kernel, 1), LDAG_ROW(kernel, 2), LDAG_ROW(kernel, 3) \
        }                                                                                      \
    }

// The fastest this machine can run.
Crosses best_crosses() {
#ifdef LDAG_X86
    if (cpu().wide_popcount) return LDAG_KERNELS(cross_wide);
    if (cpu().popcnt) return LDAG_KERNELS(cross_popcnt);
#endif
    return LDAG_KERNELS(cross_plain);
}

const Crosses& crosses() {
    static const Crosses best = best_crosses();
    return best;
}

// Counts one block of rows, depth first over the columns; the last two are counted together.
class BlockCounter {
  public:
    BlockCounter(std::span<const BitPlanes* const> columns, std::span<std::int64_t> table)
        : columns_(columns), table_(table.data()) {
        assert(columns.size() <= strides_.size());
        std::size_t stride = 1;
        for (std::size_t i = columns.size(); i-- > 0;) {
            strides_[i] = stride;
            stride *= columns[i]->n_states();
        }
        assert(stride == table.size());
    }

    // Adds the rows that `rows` has a bit for, in the words from `first` on.
    void add(const Word* rows, std::size_t first, std::size_t n_words) {
        first_ = first;
        n_words_ = n_words;
        descend(0, rows, 0);
    }

  private:
    static constexpr std::size_t kMaxColumns = 64;  // of two states or more: no table has as many

    std::size_t last_state(std::size_t column) const { return columns_[column]->n_states() - 1; }

    void descend(std::size_t column, const Word* rows, std::size_t cell) {
        if (columns_.size() - column <= 2) return finish(column, rows, cell);
        const std::size_t stride = strides_[column];
        const std::size_t last = last_state(column);
        descend(column + 1, rows, cell + last * stride);
        std::array<Word, kBlockWords> some;
        for (std::size_t state = 0; state < last; ++state)
            if (intersect(rows, columns_[column]->plane(state) + first_, some.data()))
                descend(column + 1, some.data(), cell + state * stride);
    }

    // Whether anything is left.
    bool intersect(const Word* rows, const Word* plane, Word* some) const {
        Word any = 0;
        for (std::size_t word = 0; word < n_words_; ++word) {
            some[word] = rows[word] & plane[word];
            any |= some[word];
        }
        return any != 0;
    }

    // The next few planes of a column from a state on; none if there is no such column.
    Group group(std::size_t column, std::size_t first_state) const {
        Group group;
        group.first_state = first_state;
        if (column >= columns_.size()) return group;
        group.n = std::min(kGroup, last_state(column) - first_state);
        for (std::size_t i = 0; i < group.n; ++i)
            group.planes[i] = columns_[column]->plane(first_state + i) + first_;
        return group;
    }

    // The last two columns, or the last one.
    void finish(std::size_t column, const Word* rows, std::size_t cell) {
        const std::size_t other = column + 1 < columns_.size() ? column : columns_.size();
        const std::size_t node = columns_.size() - 1;
        for (Group a = group(other, 0);; a = group(other, a.first_state + a.n)) {
            for (Group b = group(node, 0);; b = group(node, b.first_state + b.n)) {
                count(rows, a, other, b, node, cell);
                if (b.first_state + b.n == last_state(node)) break;
            }
            if (other == columns_.size() || a.first_state + a.n == last_state(other)) break;
        }
    }

    void count(const Word* rows, const Group& a, std::size_t other, const Group& b, std::size_t node,
               std::size_t cell) {
        std::array<std::uint64_t, (kGroup + 1) * (kGroup + 1)> sums;
        crosses()[a.n][b.n](rows, a, b, n_words_, sums.data());
        // "Any state" stands in the last state's place, and is counted with the first group only.
        for (std::size_t i = a.first_state == 0 ? 0 : 1; i <= a.n; ++i) {
            std::size_t start = cell;
            if (other < columns_.size())
                start += (i == 0 ? last_state(other) : a.first_state + i - 1) * strides_[other];
            for (std::size_t j = b.first_state == 0 ? 0 : 1; j <= b.n; ++j)
                table_[start + (j == 0 ? last_state(node) : b.first_state + j - 1)] +=
                    static_cast<std::int64_t>(sums[i * (b.n + 1) + j]);
        }
    }

    std::span<const BitPlanes* const> columns_;
    std::int64_t* table_;
    std::array<std::size_t, kMaxColumns> strides_;
    std::size_t first_ = 0;
    std::size_t n_words_ = 0;
};

// Where a column's last state stands for "any state", takes the other states away from it.
void subtract_others(std::span<std::int64_t> table, std::size_t n_states, std::size_t stride) {
    const std::size_t step = n_states * stride;
    for (std::size_t start = 0; start < table.size(); start += step) {
        std::int64_t* const last = table.data() + start + step - stride;
        for (std::int64_t* state = table.data() + start; state < last; state += stride)
            for (std::size_t i = 0; i < stride; ++i) last[i] -= state[i];
    }
}

// A bit for each of the next rows, as many as a block holds.
void fill_rows(std::size_t n_rows, std::array<Word, kBlockWords>& rows) {
    const std::size_t whole = std::min(kBlockWords, n_rows / BitPlanes::kWordBits);
    std::fill_n(rows.begin(), whole, ~Word{0});
    if (whole < kBlockWords) rows[whole] = (Word{1} << (n_rows % BitPlanes::kWordBits)) - 1;
}

}  // namespace

BitPlanes::BitPlanes(Column column, std::size_t n_rows)
    : n_states_(column.n_states), n_rows_(n_rows), words_(column.n_states * n_words()) {
    const std::size_t stride = n_words();
    for (std::size_t row = 0; row < n_rows; ++row)
        words_[column.codes[row] * stride + row / kWordBits] |= Word{1} << (row % kWordBits);
    words_.resize((n_states_ - 1) * stride);
    words_.shrink_to_fit();
}

void count_planes(std::span<const BitPlanes* const> columns, std::size_t n_rows,
                  std::span<std::int64_t> table) {
    std::fill(table.begin(), table.end(), 0);
    if (columns.empty()) {
        table[0] = static_cast<std::int64_t>(n_rows);
        return;
    }
    BlockCounter counter(columns, table);
    std::array<Word, kBlockWords> rows;
    const std::size_t n_words = (n_rows + BitPlanes::kWordBits - 1) / BitPlanes::kWordBits;
    for (std::size_t first = 0; first < n_words; first += kBlockWords) {
        fill_rows(n_rows - first * BitPlanes::kWordBits, rows);
        counter.add(rows.data(), first, std::min(kBlockWords, n_words - first));
    }
    std::size_t stride = 1;
    for (std::size_t i = columns.size(); i-- > 0;) {
        subtract_others(table, columns[i]->n_states(), stride);
        stride *= columns[i]->n_states();
    }
}

}  // namespace ldag
