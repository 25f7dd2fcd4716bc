// Several variables summed out of a product at once, by classes of their configurations.
//
// A table tells some configurations of the variables that are summed out apart, and some of those that stay:
// what it has the same numbers for is one class, as labels, equal rows and few states make them. Tables are
// multiplied in one after the other. At any time only what later tables still tell apart is kept of the
// first, and only what earlier ones did of the second, instead of every cell of the product.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "inference/table.hpp"

namespace ldag {

// Which of `candidates` (ascending) are worth summing out together with one variable: that one alone where
// the product of all tables that have it is small or nothing in them repeats. Others are in about the same
// tables, and in none that has variables beyond that product. Ascending.
template <class Number>
std::vector<Rank> summed_together(std::span<const TableRef<Number>> tables, Rank rank,
                                  std::span<const Rank> candidates, std::span<const std::uint32_t> n_states);

// The product of tables with `gone` (ascending) summed out, as `product` has it; nothing where that would not
// take clearly less work than the cells of the product.
template <class Number>
std::optional<Table<Number>> sum_classes(std::span<const TableRef<Number>> factors,
                                         std::span<const Rank> gone, std::span<const std::uint32_t> n_states,
                                         SumsEffort& effort);

// Below so many cells of a product, nothing is looked for.
inline constexpr double kLeastProduct = 0x1p14;
// Configurations of variables summed out together, at most.
inline constexpr double kMostConfigurations = 0x1p12;

}  // namespace ldag
