// From a network to a circuit: every family becomes a diagram, variables are summed out one by one, and the
// multiplications and additions that this takes are the circuit (Chavira & Darwiche, 2007).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <vector>

#include "inference/circuit.hpp"
#include "inference/class_map.hpp"

namespace ldag {

inline constexpr std::int32_t kImpossible = -1;

// A node given its parents (ascending): the classes of their configurations, and per class and state the
// number of a parameter, or kImpossible for a probability of zero.
struct NetworkFamily {
    std::vector<std::uint32_t> parents;
    ClassMap classes;
    std::span<const std::int32_t> parameters;
};

struct NetworkShape {
    std::vector<std::uint32_t> n_states;
    std::vector<NetworkFamily> families;
    std::vector<std::uint8_t> fixed;  // states known for good, or kUnobserved
};

// Summing out `node` would have made the circuit larger than allowed; `scope` is what it depends on.
struct CircuitTooLarge : std::runtime_error {
    CircuitTooLarge(std::uint32_t eliminated, std::vector<std::uint32_t> others)
        : std::runtime_error("the circuit is too large"), node(eliminated), scope(std::move(others)) {}
    std::uint32_t node;
    std::vector<std::uint32_t> scope;
};

struct CompileStopped : std::runtime_error {
    CompileStopped() : std::runtime_error("compiling was stopped") {}
};

// At most `max_size` arguments of sums and products, before those that need no gate are left out, and as many
// children in the diagrams. `poll` may stop the work.
struct CompileLimits {
    std::size_t max_size;
    std::function<bool()> poll = {};
};

// The circuit of a network by summing its variables out in this order (all that are not fixed).
Circuit compile(const NetworkShape& network, std::span<const std::uint32_t> order,
                const CompileLimits& limits);

// Orders of elimination by greedy search on the moral graph, the one with the smallest tables first, at most
// `n_best`: by least fill-in, by smallest table and by smallest tables filled in, each with ties broken
// `n_tries` times by `seed`, or fewer on large graphs. `poll` may stop the work.
std::vector<std::vector<std::uint32_t>> elimination_orders(const NetworkShape& network, std::size_t n_tries,
                                                           std::uint64_t seed, std::size_t n_best,
                                                           const std::function<bool()>& poll = {});

// The nodes that a node stands in a table with when it is eliminated.
std::vector<std::uint32_t> elimination_scope(const NetworkShape& network,
                                             std::span<const std::uint32_t> order, std::uint32_t node);

}  // namespace ldag
