// The parts of the exact search over DAGs: the parent sets worth considering, and the best order of nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "searching/search.hpp"

namespace ldag {

// Most candidates of a node: their subsets are numbered with 64 bits.
inline constexpr std::size_t kMaxCandidates = 63;

// How many parent sets a node may have, and at most 2^64 - 1.
std::uint64_t n_parent_sets(const SearchSpace& space, Node node);

// Whether set a comes before b among sets of equal score.
bool comes_first(NodeSet a, NodeSet b);

// Scores all families of the space and ranks them. If stopped, only the families scored so far are ranked;
// the required parents by themselves always are. With a state, nodes that it knows are not scored again, and
// the others are scored and ranked one by one, until all are known or there is a pause.
std::vector<RankedSets> rank_parent_sets(const FamilyScorer& scorer, const SearchSpace& space,
                                         std::size_t n_threads, Monitor& monitor, ExactState* state);

// The same for several prices of a saved parameter, each family counted once; for small spaces, as nothing
// stops it. By price and node.
std::vector<std::vector<RankedSets>> rank_by_price(const FamilyScorer& scorer, const SearchSpace& space,
                                                   std::span<const double> prices);

// What search_exact finds for each price.
std::vector<Parents> search_by_price(const FamilyScorer& scorer, const SearchSpace& space,
                                     std::span<const double> prices);

// The candidates that are in a set of their positions.
std::vector<Node> nodes_of(NodeSet set, std::span<const Node> candidates);

// The strongly connected components of a graph given by parents, each in increasing order.
Parents components(const Parents& parents);

// Chooses a parent set for every node of a component, as ranks, such that the graph is acyclic and no choice
// is better by more than `slack`, which is reduced by what is lost; parents outside the component are always
// available. Nothing if stopped.
std::optional<std::vector<std::size_t>> best_in_component(const SearchSpace& space,
                                                          std::span<const RankedSets> ranked,
                                                          std::span<const Node> component, double& slack,
                                                          std::size_t n_threads, Monitor& monitor);

// Bytes that best_in_component needs at most, if nothing is known but the candidates.
double component_bytes(const SearchSpace& space, std::span<const Node> component);

}  // namespace ldag
