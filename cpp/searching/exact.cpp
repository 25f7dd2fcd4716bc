// The best DAG of a space: every family is scored once, families that a smaller one beats are dropped, and a
// dynamic programme (Koivisto & Sood; Silander & Myllymaki), or a search through its layers where its tables
// would be large, finds the best acyclic choice among the others.
// Nodes that can no longer be on a common cycle are independent of each other, so each strongly connected
// component of the remaining candidates is solved by itself.
#include "searching/exact.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

namespace ldag {

Parents components(const Parents& parents) {
    // Tarjan's algorithm.
    constexpr std::size_t kDone = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> order(parents.size(), 0);  // of first visits, from 1
    std::vector<Node> open;
    Parents components;
    std::size_t n_visited = 0;
    const std::function<std::size_t(Node)> visit = [&](Node node) {
        const std::size_t own = order[node] = ++n_visited;
        std::size_t first = own;  // the first visited node that can be reached
        open.push_back(node);
        for (const Node parent : parents[node])
            first = std::min(first, order[parent] == 0 ? visit(parent) : order[parent]);
        if (first < own) return first;
        const auto begin = std::ranges::find(open, node);
        std::vector<Node>& component = components.emplace_back(begin, open.end());
        open.erase(begin, open.end());
        for (const Node member : component) order[member] = kDone;
        std::ranges::sort(component);
        return kDone;
    };
    for (Node node = 0; node < parents.size(); ++node)
        if (order[node] == 0) visit(node);
    return components;
}

std::vector<Node> nodes_of(NodeSet set, std::span<const Node> candidates) {
    std::vector<Node> nodes;
    for (; set != 0; set &= set - 1)
        nodes.push_back(candidates[static_cast<std::size_t>(std::countr_zero(set))]);
    return nodes;
}

namespace {

// Parents that occur in some ranked set.
Parents possible_parents(const SearchSpace& space, std::span<const RankedSets> ranked) {
    Parents possible(ranked.size());
    for (std::size_t node = 0; node < ranked.size(); ++node) {
        NodeSet any = 0;
        for (const NodeSet set : ranked[node].sets) any |= set;
        possible[node] = nodes_of(any, space.candidates[node]);
    }
    return possible;
}

// The rank of the chosen parent set of every node; nothing if stopped.
std::optional<std::vector<std::size_t>> best_ranks(const SearchSpace& space,
                                                   std::span<const RankedSets> ranked, std::size_t n_threads,
                                                   Monitor& monitor) {
    std::vector<std::size_t> ranks(space.n_nodes(), 0);
    double slack = kTie / 2.0;
    for (const std::vector<Node>& component : components(possible_parents(space, ranked))) {
        const auto ranked_sets = best_in_component(space, ranked, component, slack, n_threads, monitor);
        if (!ranked_sets) return std::nullopt;
        for (std::size_t i = 0; i < component.size(); ++i) ranks[component[i]] = (*ranked_sets)[i];
    }
    return ranks;
}

// Any DAG that is better than nothing: nodes in an order that the required edges allow, lowest numbers
// first, each with its best ranked parents among those before it.
std::vector<std::size_t> ranks_in_order(const SearchSpace& space, std::span<const RankedSets> ranked) {
    std::vector<std::size_t> ranks(space.n_nodes(), 0);
    std::vector<bool> placed(space.n_nodes(), false);
    const auto is_placed = [&](Node node) { return placed[node]; };
    for (std::size_t n = 0; n < space.n_nodes(); ++n) {
        std::size_t node = 0;
        while (placed[node] || !std::ranges::all_of(space.required[node], is_placed)) ++node;
        while (
            !std::ranges::all_of(nodes_of(ranked[node].sets[ranks[node]], space.candidates[node]), is_placed))
            ++ranks[node];
        placed[node] = true;
    }
    return ranks;
}

}  // namespace

// Ties: the score is within kTie of the best. Half of that is for leaving out parent sets that hardly beat a
// subset, half for choosing among equals: the node with the highest number comes last, then the fewest
// parents, then those with the lowest numbers; of components beyond those that tables are made for, any of
// the best choices, the same every time. The number of threads changes nothing.
//
// Steps are families scored; the dynamic programme comes after the last. Stopped before its end, there is no
// best DAG yet, and the result is the one that ranks_in_order makes of the families ranked so far.
SearchResult search_exact(FamilyScorer& scorer, const SearchSpace& space, const ExactOptions& options,
                          Monitor& monitor, ExactState* state) {
    const auto ranked = rank_parent_sets(scorer, space, options.n_threads, monitor, state);
    const bool is_paused = state != nullptr && std::ranges::any_of(state->ranked, [](const RankedSets& node) {
                               return node.sets.empty();
                           });
    SearchResult result;
    const double without_choice = score_dag(scorer, space.required);
    result.trace.push_back({space.n_nodes(), without_choice});
    std::optional<std::vector<std::size_t>> ranks;
    if (!monitor.stop && !is_paused) ranks = best_ranks(space, ranked, options.n_threads, monitor);
    result.stopped = !ranks;
    if (!ranks) ranks = ranks_in_order(space, ranked);
    for (std::size_t node = 0; node < space.n_nodes(); ++node) {
        result.parents.push_back(nodes_of(ranked[node].sets[(*ranks)[node]], space.candidates[node]));
        result.score += ranked[node].scores[(*ranks)[node]];
    }
    result.n_steps = monitor.done;
    if (result.score > without_choice) result.trace.push_back({result.n_steps, result.score});
    monitor.best = result.score;
    return result;
}

std::vector<Parents> search_by_price(const FamilyScorer& scorer, const SearchSpace& space,
                                     std::span<const double> prices) {
    std::vector<Parents> graphs;
    Monitor monitor;
    for (const std::vector<RankedSets>& ranked : rank_by_price(scorer, space, prices)) {
        const auto ranks = best_ranks(space, ranked, 1, monitor);  // nothing stops it
        Parents& parents = graphs.emplace_back();
        for (std::size_t node = 0; node < space.n_nodes(); ++node)
            parents.push_back(nodes_of(ranked[node].sets[(*ranks)[node]], space.candidates[node]));
    }
    return graphs;
}

ExactCost exact_cost(const SearchSpace& space) {
    double n_families = 0.0;
    for (Node node = 0; node < space.n_nodes(); ++node)
        n_families += static_cast<double>(n_parent_sets(space, node));
    double tables = 0.0;
    for (const std::vector<Node>& component : components(space.candidates))
        tables = std::max(tables, component_bytes(space, component));
    const double family_bytes = 2 * sizeof(double) + sizeof(NodeSet);
    const auto whole = [](double number) {
        return number < 0x1p64 ? static_cast<std::uint64_t>(number)
                               : std::numeric_limits<std::uint64_t>::max();
    };
    return {whole(family_bytes * n_families + tables), whole(n_families)};
}

}  // namespace ldag
