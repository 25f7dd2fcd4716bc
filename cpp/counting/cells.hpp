// Numbers of cells, row by row: what counting by index begins with.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>

#include "counting/counts.hpp"
#include "support/cpu.hpp"

namespace ldag {

// Rows are taken in blocks whose cell numbers stay in the first-level cache, so that every pass over a column
// is a simple loop the compiler can vectorise.
inline constexpr std::size_t kBlock = 2048;

// Neighbouring rows often fall into the same cell, and adding to a cell has to wait for the addition before.
// So rows take turns between several copies of a table that is small compared with the rows.
inline constexpr std::size_t kCopies = 4;
inline constexpr std::size_t kMaxCopiedCells = 2048;

template <class Index>
using Cells = std::array<Index, kBlock>;

// Only with __restrict is this loop vectorised: codes are bytes, and bytes may alias anything.
template <class Index>
[[gnu::always_inline]] inline void append_digit_loop(const Code* __restrict codes, std::size_t n,
                                                     Index n_states, Index* __restrict cells) {
    for (std::size_t row = 0; row < n; ++row) {
        assert(codes[row] < n_states);
        cells[row] = static_cast<Index>(cells[row] * n_states + codes[row]);
    }
}

#ifdef LDAG_X86
template <class Index>
[[gnu::target("avx2"), gnu::noinline]] void append_digit_avx2(const Code* codes, std::size_t n,
                                                              Index n_states, Index* cells) {
    append_digit_loop(codes, n, n_states, cells);
}
#endif

// One more digit for every cell number.
template <class Index>
[[gnu::noinline]] void append_digit(const Code* codes, std::size_t n, Index n_states, Index* cells) {
#ifdef LDAG_X86
    if (cpu().avx2) return append_digit_avx2(codes, n, n_states, cells);
#endif
    append_digit_loop(codes, n, n_states, cells);
}

}  // namespace ldag
