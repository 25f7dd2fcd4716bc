// How many of some rows have each bit set, where rows are long words of bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ldag {

// Adds to sums[bit] how many of these rows have that bit; `bits` has n_words words per row, and `sums` one
// number per bit.
void add_bits(std::span<const std::uint64_t> bits, std::size_t n_words, std::span<const std::uint32_t> rows,
              std::span<double> sums);

}  // namespace ldag
