// Expected counts of rows with gaps by messages on a junction tree, where a circuit would be too large.
#pragma once

#include <span>

#include "inference/completing.hpp"
#include "inference/junction_tree.hpp"

namespace ldag {

// As expected_counts by a circuit; counts are by family, class and state. As many threads as have the memory
// for messages of their own.
bool expected_counts(const JunctionTree& tree, const SumsNetwork& network, const WeightedRows& table,
                     std::span<double> log_probability, std::span<double> counts, double max_bytes,
                     const Running& running);

}  // namespace ldag
