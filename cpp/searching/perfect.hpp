// Searches over perfect DAGs: the parents of every node are adjacent to each other. These are the chordal
// graphs with an order, and the models that need no arrows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "searching/search.hpp"

namespace ldag {

// A set of nodes of few.
using FewNodes = std::uint32_t;

// More nodes would need tables of gigabytes.
inline constexpr std::size_t kMostPerfect = 14;

bool is_perfect(const Parents& parents);

// The scores of all families of few nodes: scores[node << n | parents]; -inf where the space has no such
// family. Nothing if stopped.
std::vector<double> score_families(FamilyScorer& scorer, const SearchSpace& space, std::size_t n_threads,
                                   Monitor& monitor);

// The best perfect DAG of a space without required parents, by dynamic programming over pairs of a clique and
// the nodes that hang on it: 4^n steps.
SearchResult search_perfect_exact(FamilyScorer& scorer, const SearchSpace& space, std::size_t n_threads,
                                  Monitor& monitor);

struct PerfectClimbOptions {
    std::size_t n_restarts = 0;
    std::uint64_t seed = 0;
    std::size_t patience = 0;  // restarts without anything better before the end; 0: no limit
    Parents start;             // perfect; empty means without edges
    std::function<void(const Parents&)> watch = {};  // told every graph on the way
};

// Restarts that were made, the last of them that brought nothing better, and the best graph.
struct PerfectClimbState {
    std::uint64_t n_done = 0;
    std::uint64_t n_stale = 0;
    SearchResult best;
};

// Climbing by edges added and removed that keep the graph chordal, with the DAG pointed anew where its order
// no longer does, and by arrows turned whose ends have the same other parents; restarts disturb the best
// graph. What a restart draws depends on the seed and its number only.
SearchResult search_perfect_climb(FamilyScorer& scorer, const SearchSpace& space,
                                  const PerfectClimbOptions& options, Monitor& monitor,
                                  PerfectClimbState* state = nullptr);

}  // namespace ldag
