// Forward sampling: rows drawn from a network, node by node with parents first, by classes and not by tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "inference/class_map.hpp"
#include "support/parallel.hpp"

namespace ldag {

// A node as sampling needs it: the class of its parents' configurations, and one row of n_states
// probabilities per class.
struct SampledNode {
    std::vector<std::size_t> parents;
    std::size_t n_states = 0;
    ClassMap classes;
    std::span<const double> probabilities;
    std::optional<std::uint8_t> fixed;  // its code in every row, if it is not drawn
};

// Rows are drawn in blocks of this size, each from a stream of random numbers of its own.
inline constexpr std::size_t kSampleBlock = 1024;

// Draws rows from a network whose nodes are visited in `order`, parents first. `codes` gets a row of n_rows
// codes per node. `log_weights`, unless it is empty, gets for each row the log probability of the fixed codes
// given their parents: the weights of likelihood weighting.
//
// Row i depends on the seed and i alone, not on the numbers of rows or threads. Returns whether `poll`
// stopped it before all rows were drawn.
bool sample_rows(std::span<const SampledNode> nodes, std::span<const std::size_t> order, std::size_t n_rows,
                 std::uint64_t seed, std::size_t n_threads, std::span<std::uint8_t> codes,
                 std::span<double> log_weights, const StopPoll& poll = {});

}  // namespace ldag
