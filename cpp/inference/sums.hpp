// Exact answers by sums over tables, with nothing compiled: the product of the families and the findings,
// from which variables are summed out one by one (bucket elimination), or messages on a junction tree for the
// posteriors of all nodes (lazy propagation, Madsen & Jensen 1999).
//
// Tables are built from classes when a question is asked, with the findings put in. What is neither asked
// about nor above a finding is left out, and so is what findings separate from the question.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "inference/circuit.hpp"
#include "inference/class_map.hpp"
#include "inference/elimination.hpp"

namespace ldag {

// A node given its parents: the classes of their configurations, a row of probabilities per class.
struct SumsFamily {
    SumsFamily(std::vector<std::uint32_t> above, ClassMap map, std::span<const double> numbers)
        : parents(std::move(above)),
          classes(std::move(map)),
          probabilities(numbers),
          has_zeros(std::ranges::find(numbers, 0.0) != numbers.end()) {}

    std::vector<std::uint32_t> parents;
    ClassMap classes;
    std::span<const double> probabilities;
    bool has_zeros;
};

struct SumsNetwork {
    std::vector<std::uint32_t> n_states;
    std::vector<SumsFamily> families;
    bool is_normalised = true;  // probabilities of a class sum to 1: what nothing is seen below is left out
};

// What is known: the state of a node (or kUnseen), and likelihoods of the states of others.
struct Findings {
    static constexpr std::int32_t kUnseen = -1;

    std::vector<std::int32_t> seen;
    std::vector<std::pair<std::uint32_t, std::vector<double>>> likelihoods;
};

// The tables would take more memory than allowed; the largest one is over `node` and `others`.
struct SumsTooLarge : std::runtime_error {
    SumsTooLarge(std::uint32_t eliminated, std::vector<std::uint32_t> scope, double cells, double bytes)
        : std::runtime_error("the tables are too large"),
          node(eliminated),
          others(std::move(scope)),
          n_cells(cells),
          n_bytes(bytes) {}
    std::uint32_t node;
    std::vector<std::uint32_t> others;
    double n_cells;
    double n_bytes;
};

struct SumsLimits {
    double max_bytes;
    std::function<bool()> poll = {};
};

// ln P(findings), of the part that matters for the question, and the joint posterior of the targets, the last
// fastest; not numbers where the findings are impossible.
struct JointAnswer {
    double log_probability;
    std::vector<double> posterior;
    double n_cells;  // that were worked out
};
JointAnswer joint_posterior(const SumsNetwork& network, const Findings& findings,
                            std::span<const std::uint32_t> targets, const SumsLimits& limits);

// The posterior of one node in every row of states, a state per node or kUnobserved: not numbers where a row
// is impossible. Rows in which the same nodes were seen should come one after the other, as what does not
// depend on states is then worked out once. `n_cells` gets what each row took: an infinite number where
// tables would not fit into a thread's share of the memory, and then the row has no answer. Returns whether
// it was stopped.
bool row_posteriors(const SumsNetwork& network, std::uint32_t target, std::span<const std::uint8_t> rows,
                    std::span<double> posteriors, std::span<double> n_cells, double max_bytes,
                    const Running& running);

// ln P(findings).
struct ProbabilityAnswer {
    double log_probability;
    double n_cells;  // that were worked out
};
ProbabilityAnswer log_probability(const SumsNetwork& network, const Findings& findings,
                                  const SumsLimits& limits);

// The states of the targets that are most probable together, the others summed out, and the ln of their joint
// probability with the findings; of equally probable ones the first. Minus infinity and no states where the
// findings are impossible.
struct MostProbable {
    double log_probability;
    std::vector<std::uint32_t> states;  // of the targets, in turn
};
MostProbable most_probable(const SumsNetwork& network, const Findings& findings,
                           std::span<const std::uint32_t> targets, const SumsLimits& limits);

// Draws rows of states from the posterior of all nodes, n_rows times each node's state; tells whether the
// findings are possible. Row i depends on the seed and i alone.
bool draw_posterior(const SumsNetwork& network, const Findings& findings, std::size_t n_rows,
                    std::uint64_t seed, std::span<std::uint16_t> states, const SumsLimits& limits);

}  // namespace ldag
