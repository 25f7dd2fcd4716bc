// Numbers of cells, row by row: what counting by index begins with.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>

#include "counting/counts.hpp"

namespace ldag {

// Rows are taken in blocks whose cell numbers stay in the first-level cache, so that every pass over a column
// is a simple loop the compiler can vectorise.
inline constexpr std::size_t kBlock = 2048;

template <class Index>
using Cells = std::array<Index, kBlock>;

// One more digit for every cell number. Only with __restrict is this loop vectorised: codes are bytes, and
// bytes may alias anything.
template <class Index>
[[gnu::noinline]] void append_digit(const Code* __restrict codes, std::size_t n, Index n_states,
                                    Index* __restrict cells) {
    for (std::size_t row = 0; row < n; ++row) {
        assert(codes[row] < n_states);
        cells[row] = static_cast<Index>(cells[row] * n_states + codes[row]);
    }
}

}  // namespace ldag
