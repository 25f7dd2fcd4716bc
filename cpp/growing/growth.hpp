// Trees for the families of a graph, grown from rows: whatever the number of candidates, no grid of their
// configurations is ever made. A tree starts as a single leaf. The best step of all nodes is taken, again and
// again, as long as one gains: a leaf asks a question, or all leaves of a node ask about the same variable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "counting/packed_rows.hpp"
#include "searching/search.hpp"

namespace ldag {

// What a leaf of volume V (its share of all configurations) adds to its counts, for every state of r.
enum class LeafPrior : std::uint8_t {
    by_volume,  // N V / r
    per_leaf,   // N / r
    nested,     // N times the share of the state at the node above, which leans on the one above it in the
                // same way; at the root 1
};

struct GrowthOptions {
    LeafPrior prior = LeafPrior::by_volume;
    double equivalent_sample_size = 1.0;  // N
    double log_kappa = 0.0;               // a leaf costs (r - 1) ln kappa, not above 0
    bool is_complete = false;             // a branch for every state, instead of two branches
    std::vector<std::uint8_t> ordered;    // variables that are cut by thresholds if there are two branches
    bool levels = false;                  // whether a step may be a question for all leaves of a node
    std::vector<double> choice_prices;    // by node, what every step pays for the choice, a level once
    std::vector<std::size_t> max_leaves;  // by node
    std::size_t n_threads = 1;
};

// A tree with its nodes in depth-first order, branches by their lowest states.
struct GrownTree {
    std::vector<std::int32_t> axes;     // by tree node, the variable it asks about, -1 at a leaf
    std::vector<std::int32_t> targets;  // by tree node that asks, then state of that variable: the tree node
                                        // it leads to, -1 if that state cannot come here
    std::vector<double> counts;         // by tree node, of the states of the node
    std::vector<std::int32_t> asked;    // tree nodes in the order in which they asked; in a level, in
                                        // that in which they came to be
    std::vector<std::int32_t> steps;    // by these, the number of the step: those of a level are one step
    std::vector<double> gains;          // by step, its price paid
    double log_marginal_likelihood = 0.0;
    double log_prior = 0.0;  // of the number of leaves
};

struct Growth {
    std::vector<GrownTree> trees;  // by node
    std::uint64_t n_steps = 0;
    bool stopped = false;  // whether some step was still to gain
};

// Grows trees for all nodes of a space; a node without candidates stays a leaf. What was asked about become
// the parents: no cycle is closed, and there are no more than the space allows. A required parent that nobody
// asked about when growth ends is asked about where that is least bad, and growth goes on. Ties (1e-9) go to
// the lowest node, in it to the leaf with the lowest first configuration, to the lowest variable and the
// lowest state, and to a leaf before a level. The result does not depend on the number of threads.
Growth grow_trees(const PackedRows& rows, const SearchSpace& space, const GrowthOptions& options,
                  Monitor& monitor);

}  // namespace ldag
