#include "counting/shared_planes.hpp"

#include <algorithm>
#include <bit>

#include "counting/meets.hpp"
#include "support/cpu.hpp"

namespace ldag {

namespace {

using Word = BitPlanes::Word;

// Nanoseconds per configuration and state; words of 64 rows come on top.
constexpr double kSharedCellTime = 3.0;

// Most configurations, and most memory for them.
constexpr std::size_t kMaxCells = 4096;
constexpr std::size_t kMaxWords = std::size_t{1} << 20;

std::size_t count_words(std::size_t n_rows) {
    return (n_rows + BitPlanes::kWordBits - 1) / BitPlanes::kWordBits;
}

// Splits some rows: those in the plane, and the rest; returns how many are in the plane.
[[gnu::always_inline]] inline std::uint32_t split(const Word* plane, std::size_t n_words, Word* rest,
                                                  Word* both) {
    std::uint64_t n = 0;
    for (std::size_t word = 0; word < n_words; ++word) {
        const Word some = rest[word] & plane[word];
        both[word] = some;
        rest[word] ^= some;
        n += static_cast<std::uint64_t>(std::popcount(some));
    }
    return static_cast<std::uint32_t>(n);
}

using Split = std::uint32_t (*)(const Word*, std::size_t, Word*, Word*);

std::uint32_t split_plain(const Word* plane, std::size_t n_words, Word* rest, Word* both) {
    return split(plane, n_words, rest, both);
}

#ifdef LDAG_X86
[[gnu::target("popcnt")]] std::uint32_t split_popcnt(const Word* plane, std::size_t n_words, Word* rest,
                                                     Word* both) {
    return split(plane, n_words, rest, both);
}

[[gnu::target("avx512f,avx512vl,avx512vpopcntdq,popcnt")]] std::uint32_t split_wide(const Word* plane,
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

bool SharedPlanes::fit(const Columns& columns, std::size_t n_configurations) {
    return n_configurations <= kMaxCells && n_configurations * count_words(columns.single_.n) <= kMaxWords;
}

double SharedPlanes::time(const Columns& columns, std::size_t n_configurations, std::size_t n_states) {
    const double n_words = static_cast<double>(columns.single_.n) / BitPlanes::kWordBits;
    return static_cast<double>(n_configurations * (n_states - 1)) *
           (kSharedCellTime + bit_count_time() * n_words);
}

// One variable after the other splits the rows of every configuration further.
void SharedPlanes::make(const Columns& columns, std::span<const std::size_t> variables) {
    static const Split split_rows = best_split();
    const std::size_t n_rows = columns.single_.n;
    const std::size_t n_words = count_words(n_rows);
    planes_.assign(n_words, ~Word{0});
    if (n_rows % BitPlanes::kWordBits != 0) planes_.back() = (Word{1} << (n_rows % BitPlanes::kWordBits)) - 1;
    cells_.assign(1, 0);
    totals_.assign(1, static_cast<std::uint32_t>(n_rows));
    for (const std::size_t variable : variables) {
        const BitPlanes& own = columns.planes(variable);
        const std::size_t n_states = own.n_states();
        finer_planes_.resize(cells_.size() * n_states * n_words);
        finer_cells_.clear();
        finer_totals_.clear();
        Word* next = finer_planes_.data();
        for (std::size_t i = 0; i < cells_.size(); ++i) {
            Word* rest = planes_.data() + i * n_words;  // becomes the rows of the last state
            std::uint32_t n_rest = totals_[i];
            const auto keep = [&](std::size_t state, std::uint32_t n) {
                finer_cells_.push_back(static_cast<std::uint32_t>(cells_[i] * n_states + state));
                finer_totals_.push_back(n);
                next += n_words;
            };
            for (std::size_t state = 0; state + 1 < n_states; ++state) {
                const std::uint32_t n = split_rows(own.plane(state), n_words, rest, next);
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
        totals_.swap(finer_totals_);
    }
}

void SharedPlanes::count(const Columns& columns, std::size_t other, std::vector<std::uint32_t>& counts) {
    const BitPlanes& own = columns.planes(other);
    const std::size_t n_states = own.n_states();
    const std::size_t last = n_states - 1;
    counts.resize(cells_.size() * n_states);
    for (std::size_t i = 0; i < cells_.size(); ++i) counts[i * n_states + last] = totals_[i];
    sums_.resize(cells_.size() * kMostMet);
    for (std::size_t first = 0; first < last; first += kMostMet) {
        const std::size_t n = std::min(kMostMet, last - first);
        MetPlanes planes{};
        for (std::size_t i = 0; i < n; ++i) planes[i] = own.plane(first + i);
        count_meets(planes_, cells_.size(), planes, n, own.n_words(), sums_);
        for (std::size_t i = 0; i < cells_.size(); ++i) {
            std::uint32_t* const row = counts.data() + i * n_states;
            for (std::size_t k = 0; k < n; ++k) {
                row[first + k] = sums_[i * n + k];
                row[last] -= sums_[i * n + k];
            }
        }
    }
}

}  // namespace ldag
