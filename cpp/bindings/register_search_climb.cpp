#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "register.hpp"
#include "scorer.hpp"
#include "search_arrays.hpp"
#include "searching/climb_pool.hpp"
#include "searching/search.hpp"

namespace nb = nanobind;

namespace {

// Nodes, parents and scores of families.
using PlainPool = std::tuple<std::vector<ldag::Node>, ldag::Parents, std::vector<double>>;
// Climbs done, parents to go on from, the best of the round, families met.
using PlainChain = std::tuple<std::uint64_t, ldag::Parents, FoundGraph, PlainPool>;
// Rounds done, those without success; searches that led to the best; the work of the first climb and around
// it.
using PlainNumbers = std::array<std::uint64_t, 5>;
// These, the best of all, the parents that are tried, the chains of the round under way, families met before.
using PlainState = std::tuple<PlainNumbers, FoundGraph, ldag::Parents, std::vector<PlainChain>, PlainPool>;

PlainPool plain_of(const std::vector<ldag::PooledFamily>& pool) {
    PlainPool plain;
    for (const ldag::PooledFamily& family : pool) {
        std::get<0>(plain).push_back(family.node);
        std::get<1>(plain).push_back(family.parents);
        std::get<2>(plain).push_back(family.score);
    }
    return plain;
}

std::vector<ldag::PooledFamily> pool_of(PlainPool plain) {
    auto& [nodes, parents, scores] = plain;
    if (parents.size() != nodes.size() || scores.size() != nodes.size()) throw BadState();
    std::vector<ldag::PooledFamily> pool;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        pool.push_back({nodes[i], std::move(parents[i]), scores[i]});
    return pool;
}

nb::object plain_of(const ldag::ClimbState& state) {
    std::vector<PlainChain> chains;
    for (const ldag::ClimbChain& chain : state.chains)
        chains.emplace_back(chain.n_climbs, chain.parents, tuple_of(chain.best), plain_of(chain.pool));
    const PlainNumbers numbers{state.n_rounds, state.n_stale, state.n_sure, state.n_first, state.n_around};
    return nb::cast(
        PlainState{numbers, tuple_of(state.best), state.candidates, std::move(chains), plain_of(state.pool)});
}

ldag::SearchResult result_of(FoundGraph plain) {
    auto& [parents, score, trace, stopped, n_steps, n_accepted] = plain;
    return {std::move(parents), score, points_of(trace), stopped, n_steps, n_accepted};
}

ldag::ClimbState state_of(const nb::object& plain) {
    auto [numbers, best, candidates, plain_chains, pool] = nb::cast<PlainState>(plain);
    const auto [n_rounds, n_stale, n_sure, n_first, n_around] = numbers;
    ldag::ClimbState state{n_rounds,
                           n_stale,
                           n_sure,
                           n_first,
                           n_around,
                           result_of(std::move(best)),
                           std::move(candidates),
                           {},
                           pool_of(std::move(pool))};
    for (auto& [n_climbs, parents, result, met] : plain_chains)
        state.chains.push_back(
            {n_climbs, std::move(parents), result_of(std::move(result)), pool_of(std::move(met))});
    return state;
}

// Whether all families are allowed.
bool is_of(const std::vector<ldag::PooledFamily>& pool, const ldag::SearchSpace& space) {
    return std::ranges::all_of(pool, [&](const ldag::PooledFamily& family) {
        return family.node < space.n_nodes() && family.parents.size() <= space.max_parents[family.node] &&
               std::ranges::is_sorted(family.parents) &&
               std::ranges::includes(space.candidates[family.node], family.parents) &&
               std::ranges::includes(family.parents, space.required[family.node]);
    });
}

// Whether there are some of a space's candidates for every node, with those required.
bool is_part_of(const ldag::Parents& candidates, const ldag::SearchSpace& space) {
    if (candidates.size() != space.n_nodes()) return false;
    for (std::size_t node = 0; node < candidates.size(); ++node)
        if (!std::ranges::is_sorted(candidates[node]) ||
            !std::ranges::includes(space.candidates[node], candidates[node]) ||
            !std::ranges::includes(candidates[node], space.required[node]))
            return false;
    return true;
}

// Whether the state can be one of a climb in the space.
bool is_of(const ldag::ClimbState& state, const ldag::SearchSpace& space) {
    if (state.chains.empty()) return true;
    if (!is_part_of(state.candidates, space)) return false;
    const ldag::SearchSpace tried{state.candidates, space.required, space.max_parents};
    const auto is_allowed = [&](const ldag::ClimbChain& chain) {
        return ldag::is_allowed(tried, chain.parents) && ldag::is_allowed(tried, chain.best.parents) &&
               is_of(chain.pool, tried);
    };
    return state.chains.size() == ldag::kClimbChains && !state.best.trace.empty() &&
           ldag::is_allowed(tried, state.best.parents) && std::ranges::all_of(state.chains, is_allowed) &&
           is_of(state.pool, tried);
}

FoundGraph search_climb(Scorer& scorer, ldag::Parents candidates, ldag::Parents required,
                        std::vector<std::size_t> max_parents, std::size_t n_restarts, std::size_t tabu_length,
                        std::uint64_t seed, std::size_t n_threads, std::size_t max_candidates,
                        ldag::Parents start, const nb::object& on_progress, const nb::object& resume,
                        const nb::object& keep, double keep_every, std::optional<double> time_limit,
                        std::size_t patience) {
    const ldag::SearchSpace space =
        space_of(std::move(candidates), std::move(required), std::move(max_parents));
    if (space.n_nodes() != scorer.columns->n_columns())
        throw nb::value_error("expected candidates of every column");
    if (!start.empty() && !ldag::is_allowed(space, start))
        throw nb::value_error("the start is not an allowed DAG");
    const ldag::ClimbOptions options{n_restarts,     tabu_length, seed, n_threads,
                                     max_candidates, patience,    start};
    const auto search = [&](ldag::Monitor& monitor, ldag::ClimbState* state) {
        if (state != nullptr && !is_of(*state, space)) throw BadState();
        return ldag::search_climb(scorer.scorer, space, options, monitor, state);
    };
    return run_watched({on_progress, resume, keep, keep_every, time_limit}, &plain_of, &state_of, search);
}

// The families of a pool, each of some nodes.
ldag::climb::FamilyPool family_pool_of(std::size_t n_nodes, PlainPool plain) {
    ldag::climb::FamilyPool pool(n_nodes);
    for (ldag::PooledFamily& family : pool_of(std::move(plain))) {
        std::ranges::sort(family.parents);
        const bool is_known =
            family.node < n_nodes && (family.parents.empty() || family.parents.back() < n_nodes);
        if (!is_known) throw nb::value_error("expected families of the nodes");
        pool.add(family);
    }
    return pool;
}

PlainPool pool_families(std::size_t n_nodes, PlainPool families) {
    return plain_of(family_pool_of(n_nodes, std::move(families)).list());
}

ldag::Parents search_orders(PlainPool families, const ldag::Parents& start, std::size_t n_kicks,
                            std::uint64_t seed, bool turns) {
    const ldag::climb::PoolIndex pool{family_pool_of(start.size(), std::move(families))};
    ldag::Random random(seed);
    const std::atomic<bool> stop = false;
    return ldag::climb::search_orders(pool, start, n_kicks, turns, random, stop);
}

// What a climb takes to its pool around a graph.
PlainPool look_around(Scorer& scorer, ldag::Parents candidates, ldag::Parents required,
                      std::vector<std::size_t> max_parents, const ldag::Parents& graph,
                      const ldag::Parents& close) {
    const ldag::SearchSpace space =
        space_of(std::move(candidates), std::move(required), std::move(max_parents));
    if (space.n_nodes() != scorer.columns->n_columns() || !ldag::is_allowed(space, graph))
        throw nb::value_error("the graph is not an allowed DAG");
    if (!is_part_of(close, {space.candidates, ldag::Parents(close.size()), space.max_parents}))
        throw nb::value_error("the close nodes are not candidates");
    const ldag::climb::Candidates all(space, space.candidates);
    std::atomic<bool> stop = false;
    ldag::climb::ColumnStore store(scorer.scorer, space, all, 1, stop);
    const ldag::climb::Graph around(store, store.find_all(graph));
    ldag::climb::FamilyPool pool(space.n_nodes());
    constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
    for (ldag::Node node = 0; node < space.n_nodes(); ++node)
        pool.look_around(node, close[node], around, store, kNoLimit);
    return plain_of(pool.list());
}

// What a climb takes a family to score with each of some further parents before it chooses among them.
std::vector<double> estimate_additions(Scorer& scorer, ldag::Node node,
                                       const std::vector<ldag::Node>& parents,
                                       const std::vector<ldag::Node>& further) {
    for (const ldag::Node variable : further)
        if (variable >= scorer.columns->n_columns()) throw nb::value_error("no such variable");
    if (!scorer.scorer.can_estimate({node, parents})) throw nb::value_error("the family cannot be estimated");
    std::vector<double> scores(further.size());
    std::vector<std::uint8_t> is_bound(further.size());
    constexpr double kNoFloor = -std::numeric_limits<double>::infinity();
    scorer.scorer.bounds_of_small_additions({node, parents}, further, kNoFloor, 0, scores, is_bound);
    scorer.scorer.estimate_additions({node, parents}, further, scores);
    return scores;
}

// By node, its candidates that make it more likely by themselves, at most so many.
ldag::Parents find_close(Scorer& scorer, ldag::Parents candidates, std::size_t most, std::size_t n_threads) {
    const ldag::SearchSpace space =
        space_of(std::move(candidates), ldag::Parents(scorer.columns->n_columns()),
                 std::vector<std::size_t>(scorer.columns->n_columns()));
    std::atomic<bool> stop = false;
    return ldag::climb::find_close(*scorer.columns, space, most, n_threads, stop);
}

}  // namespace

void register_search_climb(nb::module_& module, nb::module_& testing) {
    testing.def("pool_families", &pool_families, nb::arg("n_nodes"), nb::arg("families"),
                "The families that beat those with fewer of their parents, by node, the best first.");
    testing.def("search_orders", &search_orders, nb::arg("families"), nb::arg("start"), nb::arg("n_kicks"),
                nb::arg("seed"), nb::arg("turns") = false,
                "A DAG of families of a pool, not worse than the start, by a search over orders.");
    testing.def("look_around", &look_around, nb::arg("scorer"), nb::arg("candidates"), nb::arg("required"),
                nb::arg("max_parents"), nb::arg("graph"), nb::arg("close"),
                "The families that nodes may need in graphs near this one, those that beat their subsets.");
    testing.def("estimate_additions", &estimate_additions, nb::arg("scorer"), nb::arg("node"),
                nb::arg("parents"), nb::arg("further"),
                "About what a family scores with each of some further parents.");
    testing.def("find_close", &find_close, nb::arg("scorer"), nb::arg("candidates"), nb::arg("most"),
                nb::arg("n_threads"),
                "Candidates that make each node more likely by themselves, at most so many.");
    module.def("search_climb", &search_climb, nb::arg("scorer"), nb::arg("candidates"), nb::arg("required"),
               nb::arg("max_parents"), nb::arg("n_restarts"), nb::arg("tabu_length"), nb::arg("seed"),
               nb::arg("n_threads"), nb::arg("max_candidates"), nb::arg("start"),
               nb::arg("on_progress").none() = nb::none(), nb::arg("resume").none() = nb::none(),
               nb::arg("keep").none() = nb::none(), nb::arg("keep_every") = 1.0,
               nb::arg("time_limit").none() = nb::none(), nb::arg("patience") = 0,
               "A DAG that no single change improves, by climbing from a start and from perturbed restarts.");
}
