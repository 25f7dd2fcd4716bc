// Rows that sets of rows have in common, by intersections of bit planes and population counts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "counting/counts.hpp"

namespace ldag {

// Planes that are counted in one pass.
inline constexpr std::size_t kMostMet = 3;
using MetPlanes = std::array<const BitPlanes::Word*, kMostMet>;

// Numbers of rows in each shared plane, one after the other in `shared`, and each of 1 to 3 planes:
// sums[shared * n_planes + plane].
void count_meets(std::span<const BitPlanes::Word> shared, std::size_t n_shared, const MetPlanes& planes,
                 std::size_t n_planes, std::size_t n_words, std::span<std::uint32_t> sums);

}  // namespace ldag
