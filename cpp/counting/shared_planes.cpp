#include "counting/shared_planes.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "support/cpu.hpp"

namespace ldag {

namespace {

using Word = BitPlanes::Word;

// Nanoseconds per configuration and state, and per word of 64 rows on top.
constexpr double kCellTime = 3.0;
constexpr double kWordTimeWide = 0.09;
constexpr double kWordTimeNarrow = 0.28;

// Most configurations, and most memory for them.
constexpr std::size_t kMaxCells = 4096;
constexpr std::size_t kMaxWords = std::size_t{1} << 20;

// Planes of the other variable that are counted in one pass.
constexpr std::size_t kGroup = 3;
using Planes = std::array<const Word*, kGroup>;

std::size_t count_words(std::size_t n_rows) {
    return (n_rows + BitPlanes::kWordBits - 1) / BitPlanes::kWordBits;
}

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
    const double per_word = cpu().wide_popcount ? kWordTimeWide : kWordTimeNarrow;
    const double n_words = static_cast<double>(columns.single_.n) / BitPlanes::kWordBits;
    return static_cast<double>(n_configurations * (n_states - 1)) * (kCellTime + per_word * n_words);
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
    sums_.resize(cells_.size() * kGroup);
    for (std::size_t first = 0; first < last; first += kGroup) {
        const std::size_t n = std::min(kGroup, last - first);
        Planes planes{};
        for (std::size_t i = 0; i < n; ++i) planes[i] = own.plane(first + i);
        kernels()[n](planes_.data(), cells_.size(), planes, own.n_words(), sums_.data());
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
