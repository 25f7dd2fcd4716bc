// How large a circuit is at most, from an order of elimination and the classes of the families, before any
// work.
#pragma once

#include <cstdint>
#include <span>

#include "inference/compile.hpp"

namespace ldag {

// When a variable is summed out, what was given a state before it matters only by what is left of each family
// then. There are no more different sums than states of the variables around it, and no more than
// combinations of what can be left of the families: labels leave fewer things than there are states.
struct CircuitBound {
    double n_terms = 0.0;    // of all sums
    std::uint32_t node = 0;  // the one that is summed out of the most
};
CircuitBound bound_circuit(const NetworkShape& network, std::span<const std::uint32_t> order);

}  // namespace ldag
