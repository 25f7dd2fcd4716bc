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

// Climbs done, parents to go on from, the best so far.
using PlainState = std::tuple<std::size_t, ldag::Parents, FoundGraph>;

nb::object plain_of(const ldag::ClimbState& state) {
    return nb::cast(PlainState{state.n_climbs, state.parents, tuple_of(state.best)});
}

ldag::ClimbState state_of(const nb::object& plain) {
    auto [n_climbs, parents, best] = nb::cast<PlainState>(plain);
    auto& [best_parents, score, trace, stopped, n_steps, n_accepted] = best;
    return {n_climbs,
            std::move(parents),
            {std::move(best_parents), score, points_of(trace), stopped, n_steps, n_accepted}};
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
        if (state != nullptr && state->n_climbs > 0 &&
            !(ldag::is_allowed(space, state->parents) && ldag::is_allowed(space, state->best.parents)))
            throw BadState();
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
