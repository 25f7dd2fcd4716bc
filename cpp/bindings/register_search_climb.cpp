#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "register.hpp"
#include "scorer.hpp"
#include "search_arrays.hpp"
#include "searching/search.hpp"

namespace nb = nanobind;

namespace {

// Climbs done, parents to go on from, the best of the round.
using PlainChain = std::tuple<std::uint64_t, ldag::Parents, FoundGraph>;
// Rounds done, those without success, those of a chain by itself, the best of all, what candidates were
// selected for, the chains of the round under way.
using PlainState = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, FoundGraph, ldag::Parents,
                              std::vector<PlainChain>>;

nb::object plain_of(const ldag::ClimbState& state) {
    std::vector<PlainChain> chains;
    for (const ldag::ClimbChain& chain : state.chains)
        chains.emplace_back(chain.n_climbs, chain.parents, tuple_of(chain.best));
    return nb::cast(PlainState{state.n_rounds, state.n_stale, state.n_alone, tuple_of(state.best),
                               state.selected_for, std::move(chains)});
}

ldag::SearchResult result_of(FoundGraph plain) {
    auto& [parents, score, trace, stopped, n_steps, n_accepted] = plain;
    return {std::move(parents), score, points_of(trace), stopped, n_steps, n_accepted};
}

ldag::ClimbState state_of(const nb::object& plain) {
    auto [n_rounds, n_stale, n_alone, best, selected_for, plain_chains] = nb::cast<PlainState>(plain);
    ldag::ClimbState state{n_rounds, n_stale, n_alone, result_of(std::move(best)), std::move(selected_for),
                           {}};
    for (auto& [n_climbs, parents, found] : plain_chains)
        state.chains.push_back({n_climbs, std::move(parents), result_of(std::move(found))});
    return state;
}

// Whether the state can be one of a climb in the space.
bool is_of(const ldag::ClimbState& state, const ldag::SearchSpace& space) {
    if (state.chains.empty()) return true;
    const auto is_allowed = [&](const ldag::ClimbChain& chain) {
        return ldag::is_allowed(space, chain.parents) && ldag::is_allowed(space, chain.best.parents);
    };
    return state.chains.size() == ldag::kClimbChains && !state.best.trace.empty() &&
           ldag::is_allowed(space, state.best.parents) && ldag::is_allowed(space, state.selected_for) &&
           std::ranges::all_of(state.chains, is_allowed);
}

FoundGraph search_climb(Scorer& scorer, ldag::Parents candidates, ldag::Parents required,
                        std::vector<std::size_t> max_parents, std::size_t n_restarts, std::size_t tabu_length,
                        std::uint64_t seed, std::size_t n_threads, std::size_t max_candidates,
                        ldag::Parents start, const nb::object& on_progress, const nb::object& resume,
                        const nb::object& keep, double keep_every, std::optional<double> time_limit) {
    const ldag::SearchSpace space =
        space_of(std::move(candidates), std::move(required), std::move(max_parents));
    if (space.n_nodes() != scorer.columns->n_columns())
        throw nb::value_error("expected candidates of every column");
    if (!start.empty() && !ldag::is_allowed(space, start))
        throw nb::value_error("the start is not an allowed DAG");
    const ldag::ClimbOptions options{n_restarts, tabu_length, seed, n_threads, max_candidates, start};
    const auto search = [&](ldag::Monitor& monitor, ldag::ClimbState* state) {
        if (state != nullptr && !is_of(*state, space)) throw BadState();
        return ldag::search_climb(scorer.scorer, space, options, monitor, state);
    };
    return run_watched({on_progress, resume, keep, keep_every, time_limit}, &plain_of, &state_of, search);
}

}  // namespace

void register_search_climb(nb::module_& module) {
    module.def("search_climb", &search_climb, nb::arg("scorer"), nb::arg("candidates"), nb::arg("required"),
               nb::arg("max_parents"), nb::arg("n_restarts"), nb::arg("tabu_length"), nb::arg("seed"),
               nb::arg("n_threads"), nb::arg("max_candidates"), nb::arg("start"),
               nb::arg("on_progress").none() = nb::none(), nb::arg("resume").none() = nb::none(),
               nb::arg("keep").none() = nb::none(), nb::arg("keep_every") = 1.0,
               nb::arg("time_limit").none() = nb::none(),
               "A DAG that no single change improves, by climbing from a start and from perturbed restarts.");
}
