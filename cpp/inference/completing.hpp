// Rows with gaps under a circuit that was compiled by class: how often every parameter is expected to be used
// in all of them, and draws of what stands in the gaps. Parameters are at most 1, but need not sum to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "inference/circuit.hpp"

namespace ldag {

// Rows one after the other, a state per node or kUnobserved, and what each counts for.
struct WeightedRows {
    std::span<const std::uint8_t> rows;
    std::span<const double> weights;
};

// The sum over rows of weight * P(a parameter is used | row), by parameter, and ln P of every row: minus
// infinity where it is impossible, and then it adds nothing. Returns whether it was stopped.
bool expected_counts(const Circuit& circuit, std::span<const double> parameters, const WeightedRows& table,
                     std::span<double> log_probability, std::span<double> counts, const Running& running);

// How completions are drawn. A draw depends on the seed, the content of the row, the number that a row has
// among equal ones (`repeats`; none given: 0) and the number of the copy, and on nothing else. Systematic
// copies share one random number and spread evenly over the completions of a row; others are independent.
struct Drawing {
    std::size_t n_copies = 1;
    std::uint64_t seed = 0;
    bool is_systematic = false;
    std::span<const std::uint32_t> repeats = {};
};

// A number that stands for the seed, the content of a row and its number among equal ones.
std::uint64_t row_key(std::uint64_t seed, std::span<const std::uint8_t> row, std::uint32_t repeat);

// Completions of every row, copy by copy, each with all rows; impossible rows stay as they are. Returns
// whether it was stopped.
bool draw_completions(const Circuit& circuit, std::span<const double> parameters,
                      std::span<const std::uint8_t> rows, const Drawing& drawing,
                      std::span<std::uint8_t> completions, const Running& running);

}  // namespace ldag
