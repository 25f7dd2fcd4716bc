#include <nanobind/stl/optional.h>

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
#include "searching/perfect.hpp"

namespace nb = nanobind;

namespace {

// The space of a scorer's columns, without required parents.
ldag::SearchSpace perfect_space_of(const Scorer& scorer, ldag::Parents candidates,
                                   std::vector<std::size_t> max_parents) {
    ldag::Parents none(candidates.size());
    ldag::SearchSpace space = space_of(std::move(candidates), std::move(none), std::move(max_parents));
    if (space.n_nodes() != scorer.columns->n_columns() || space.n_nodes() == 0)
        throw nb::value_error("expected candidates of every column");
    return space;
}

FoundGraph search_perfect_exact(Scorer& scorer, ldag::Parents candidates,
                                std::vector<std::size_t> max_parents, std::size_t n_threads,
                                const nb::object& on_progress, std::optional<double> time_limit) {
    const ldag::SearchSpace space = perfect_space_of(scorer, std::move(candidates), std::move(max_parents));
    if (space.n_nodes() > ldag::kMostPerfect) throw nb::value_error("too many nodes");
    ldag::Monitor monitor;
    Watch watch(monitor, on_progress, time_limit);
    ldag::SearchResult result;
    {
        const nb::gil_scoped_release unlocked;
        result = ldag::search_perfect_exact(scorer.scorer, space, n_threads, monitor);
    }
    watch.finish();
    result.stopped |= watch.was_interrupted();
    return tuple_of(std::move(result));
}

// Restarts, those without success, and the best graph.
using PlainState = std::tuple<std::uint64_t, std::uint64_t, FoundGraph>;

nb::object plain_of(const ldag::PerfectClimbState& state) {
    return nb::cast(PlainState{state.n_done, state.n_stale, tuple_of(state.best)});
}

ldag::PerfectClimbState state_of(const nb::object& plain) {
    auto [n_done, n_stale, best] = nb::cast<PlainState>(plain);
    auto& [parents, score, trace, stopped, n_steps, n_accepted] = best;
    return {n_done, n_stale, {std::move(parents), score, points_of(trace), stopped, n_steps, n_accepted}};
}

bool is_perfect_in(const ldag::SearchSpace& space, const ldag::Parents& parents) {
    return ldag::is_allowed(space, parents) && ldag::is_perfect(parents);
}

FoundGraph search_perfect_climb(Scorer& scorer, ldag::Parents candidates,
                                std::vector<std::size_t> max_parents, std::size_t n_restarts,
                                std::uint64_t seed, std::size_t patience, ldag::Parents start,
                                const nb::object& on_progress, const nb::object& resume,
                                const nb::object& keep, double keep_every, std::optional<double> time_limit) {
    const ldag::SearchSpace space = perfect_space_of(scorer, std::move(candidates), std::move(max_parents));
    if (!start.empty() && !is_perfect_in(space, start))
        throw nb::value_error("the start is not an allowed perfect DAG");
    const ldag::PerfectClimbOptions options{n_restarts, seed, patience, std::move(start)};
    const auto search = [&](ldag::Monitor& monitor, ldag::PerfectClimbState* state) {
        if (state != nullptr && !state->best.trace.empty() && !is_perfect_in(space, state->best.parents))
            throw BadState();
        return ldag::search_perfect_climb(scorer.scorer, space, options, monitor, state);
    };
    return run_watched({on_progress, resume, keep, keep_every, time_limit}, &plain_of, &state_of, search);
}

// Every graph that a climb meets.
std::vector<ldag::Parents> watch_perfect_climb(Scorer& scorer, ldag::Parents candidates,
                                               std::vector<std::size_t> max_parents, std::size_t n_restarts,
                                               std::uint64_t seed) {
    const ldag::SearchSpace space = perfect_space_of(scorer, std::move(candidates), std::move(max_parents));
    std::vector<ldag::Parents> met;
    ldag::PerfectClimbOptions options{n_restarts, seed, 0, {}};
    options.watch = [&](const ldag::Parents& parents) { met.push_back(parents); };
    ldag::Monitor monitor;
    ldag::search_perfect_climb(scorer.scorer, space, options, monitor);
    return met;
}

}  // namespace

void register_search_perfect(nb::module_& module, nb::module_& testing) {
    module.attr("MAX_PERFECT") = ldag::kMostPerfect;
    module.def(
        "search_perfect_exact", &search_perfect_exact, nb::arg("scorer"), nb::arg("candidates"),
        nb::arg("max_parents"), nb::arg("n_threads"), nb::arg("on_progress").none() = nb::none(),
        nb::arg("time_limit").none() = nb::none(),
        "The best perfect DAG of the space, by dynamic programming over cliques and what hangs on them.");
    module.def("search_perfect_climb", &search_perfect_climb, nb::arg("scorer"), nb::arg("candidates"),
               nb::arg("max_parents"), nb::arg("n_restarts"), nb::arg("seed"), nb::arg("patience"),
               nb::arg("start"), nb::arg("on_progress").none() = nb::none(),
               nb::arg("resume").none() = nb::none(), nb::arg("keep").none() = nb::none(),
               nb::arg("keep_every") = 1.0, nb::arg("time_limit").none() = nb::none(),
               "A perfect DAG that no single change of the chordal graph improves, by climbing.");
    testing.def("watch_perfect_climb", &watch_perfect_climb, nb::arg("scorer"), nb::arg("candidates"),
                nb::arg("max_parents"), nb::arg("n_restarts"), nb::arg("seed"),
                "Every graph that a climb over perfect DAGs meets.");
}
