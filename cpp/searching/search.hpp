// What every search over DAGs has in common: the space, the way it is watched and stopped, and the result.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "scoring/scorer.hpp"
#include "support/parallel.hpp"

namespace ldag {

// Scores of graphs that differ by less are the same: sums of the same numbers in another order do. Of large
// scores, which very many rows have, that is a share of them.
inline constexpr double kTieShare = 0x1p-44;

inline double tie_of(double score) { return std::max(kTie, std::abs(score) * kTieShare); }

inline bool beats(double score, double other) { return score > other + tie_of(score); }

using Node = std::uint32_t;
using Parents = std::vector<std::vector<Node>>;  // of every node, in increasing order

// What happens to one edge.
enum class MoveKind : std::uint8_t { add, remove, reverse };

// The DAGs that are allowed. The constraints are consistent: some allowed DAG exists.
struct SearchSpace {
    Parents candidates;                    // parents a node may have
    Parents required;                      // parents a node must have, a subset of the candidates
    std::vector<std::size_t> max_parents;  // at most so many parents for each node

    std::size_t n_nodes() const { return candidates.size(); }
};

// A search tells how far it is and asks whether to stop. `poll` runs on the calling thread every 50 ms or so
// and sets `stop`, which long loops look at.
struct Monitor {
    std::atomic<std::uint64_t> done{0};      // proposals, climbs or families so far
    std::atomic<std::uint64_t> total{0};     // and in all
    std::atomic<std::uint64_t> accepted{0};  // proposals that changed the graph
    std::atomic<double> best{0.0};           // the best score so far, not a number if not known
    std::atomic<bool> stop{false};
    std::atomic<bool> pause{false};  // asks a search that has a state to end where it can be gone on with
    StopPoll poll;
};

// One point of a search's history: after so many steps, the best score was this.
struct TracePoint {
    std::uint64_t step;
    double score;
};

struct SearchResult {
    Parents parents;
    double score = 0.0;
    std::vector<TracePoint> trace;  // whenever the best score rose
    bool stopped = false;           // whether it ended early; the result is the best so far
    std::uint64_t n_steps = 0;
    std::uint64_t n_accepted = 0;
};

// The sum of the scores of all families.
double score_dag(FamilyScorer& scorer, const Parents& parents);

bool is_acyclic(const Parents& parents);

// Whether a graph has no cycle and lies in the space.
bool is_allowed(const SearchSpace& space, const Parents& parents);

// Searches go on from a state, if they are given one, and leave there how far they came: a search that is
// paused or stopped and then called again ends with the very result of one that never was. Every call does
// some work, however early it is paused.

// Dynamic programming over subsets: the best DAG of the space.
struct ExactOptions {
    std::size_t n_threads = 1;
};

// A set of a node's candidates (by their position in its list), or of the nodes of a component.
using NodeSet = std::uint64_t;

// The parent sets of a node that beat all their subsets, best first; equals by fewest parents, then by lowest
// numbers. The others are in no need of being looked at: the subset is allowed wherever the set is, and its
// score is that of labels which the rules allow for it, so a DAG with the subset instead is allowed and not
// worse.
struct RankedSets {
    std::vector<NodeSet> sets;
    std::vector<double> scores;  // and -inf at the end, for "none of them"
};

class JointScores;

struct ExactState {
    std::vector<RankedSets> ranked;            // by node; no sets: not known yet
    std::shared_ptr<const JointScores> joint;  // kept from one call to the next, not with the rest
};

// With a state, nodes are dealt with one after the other.
SearchResult search_exact(FamilyScorer& scorer, const SearchSpace& space, const ExactOptions& options,
                          Monitor& monitor, ExactState* state = nullptr);

// Bytes that search_exact needs for its tables, and the number of families it scores.
struct ExactCost {
    std::uint64_t bytes;
    std::uint64_t n_families;
};
ExactCost exact_cost(const SearchSpace& space);

// The paper's non-reversible chains: uniform proposals among the distinct acyclic graphs one addition,
// removal or reversal away, accepted with probability min(1, exp(difference of scores)).
struct ChainOptions {
    std::size_t n_chains = 50;
    std::uint64_t n_iter = 500;  // proposals of each chain
    std::uint64_t seed = 0;
    std::size_t n_threads = 1;
    Parents start;                // of all chains; empty means without edges (but those required)
    std::size_t first_chain = 0;  // chains first_chain to first_chain + n_chains - 1 are run
};

// What one chain found. A chain depends on the seed and its number only, so chains may be run in any slices.
struct ChainResult {
    std::size_t chain = 0;
    Parents parents;  // the best graph visited, the start included; the earliest among those within 1e-9
    double score = 0.0;
    std::vector<TracePoint> trace;  // whenever the best score rose, the start being step 0
    std::uint64_t n_steps = 0;      // fewer than n_iter if it was stopped
    std::uint64_t n_accepted = 0;
    Parents now;                            // the graph it is at
    std::array<std::uint64_t, 4> random{};  // the state of its random numbers
};

// The chains that were begun, in their order: all of them unless the search was stopped.
std::vector<ChainResult> run_chains(FamilyScorer& scorer, const SearchSpace& space,
                                    const ChainOptions& options, Monitor& monitor);

// The answer of a search of so many chains and proposals each, from what at least one of its chains found:
// the best graph, of scores within 1e-9 of each other that of the lowest chain, with that chain's trace.
SearchResult merge_chains(std::span<const ChainResult> chains, std::size_t n_chains, std::uint64_t n_iter);

// The chains that were begun, in their order; the first result stands for the first n_merged, all finished.
struct ChainState {
    std::size_t n_merged = 0;
    std::vector<ChainResult> chains;
};

// Runs and merges.
SearchResult search_chain(FamilyScorer& scorer, const SearchSpace& space, const ChainOptions& options,
                          Monitor& monitor, ChainState* state = nullptr);

// Climbing by additions, removals and reversals with a tabu list, and seeded perturbed restarts: several
// chains of climbs side by side, from different starts, that learn from each other after every round.
struct ClimbOptions {
    std::size_t n_restarts = 0;
    std::size_t tabu_length = 0;  // 0: plain climbing
    std::uint64_t seed = 0;
    std::size_t n_threads = 1;
    // Only so many parents of a node are tried, those that gain most given its other parents; 0: all.
    std::size_t max_candidates = 0;
    // Ends after so many rounds without anything better; after more of them where looking at graphs near the
    // best is less work than the first climb, and after fewer where it is more. There are fewer restarts
    // where families are very large. 0: never before the last.
    std::size_t patience = 0;
    Parents start;  // empty means without edges (but those required)
};

// More chains find more; these are enough to keep a few cores busy, and start from few enough places.
inline constexpr std::size_t kClimbChains = 4;

// A family that a climb met, with its score.
struct PooledFamily {
    Node node;
    std::vector<Node> parents;
    double score;
};

// One of the chains of a round, after some climbs.
struct ClimbChain {
    std::uint64_t n_climbs = 0;
    Parents parents;                 // where the next restart begins
    SearchResult best;               // of this round
    std::vector<PooledFamily> pool;  // families met in this round
};

// After some rounds and a part of the next. What a climb draws depends on the seed and its number only.
struct ClimbState {
    std::uint64_t n_rounds = 0;
    std::uint64_t n_stale = 0;       // the last of them that brought nothing better
    std::uint64_t n_sure = 0;        // searches from orders at random that led to the best graph
    std::uint64_t n_first = 0;       // the work of the first climb, in small families
    std::uint64_t n_around = 0;      // and of looking around the graphs after it, before the first round
    SearchResult best;               // of whole rounds
    Parents candidates;              // the parents that are tried for every node
    std::vector<ClimbChain> chains;  // of the round under way
    std::vector<PooledFamily> pool;  // families met in whole rounds
};
SearchResult search_climb(FamilyScorer& scorer, const SearchSpace& space, const ClimbOptions& options,
                          Monitor& monitor, ClimbState* state = nullptr);

}  // namespace ldag
