#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ldag/search.hpp"
#include "register.hpp"
#include "scorer.hpp"
#include "search_arrays.hpp"

namespace nb = nanobind;

namespace {

FoundGraph search_climb(Scorer& scorer, ldag::Parents candidates, ldag::Parents required,
                        std::vector<std::size_t> max_parents, std::size_t n_restarts, std::size_t tabu_length,
                        std::uint64_t seed, std::size_t n_threads, std::size_t max_candidates,
                        ldag::Parents start, const nb::object& on_progress) {
    const ldag::SearchSpace space =
        space_of(std::move(candidates), std::move(required), std::move(max_parents));
    if (space.n_nodes() != scorer.columns->n_columns())
        throw nb::value_error("expected candidates of every column");
    if (!start.empty() && !ldag::is_allowed(space, start))
        throw nb::value_error("the start is not an allowed DAG");
    return run_watched(on_progress, [&](ldag::Monitor& monitor) {
        return ldag::search_climb(scorer.scorer, space,
                                  {n_restarts, tabu_length, seed, n_threads, max_candidates, start}, monitor);
    });
}

}  // namespace

void register_search_climb(nb::module_& module) {
    module.def("search_climb", &search_climb, nb::arg("scorer"), nb::arg("candidates"), nb::arg("required"),
               nb::arg("max_parents"), nb::arg("n_restarts"), nb::arg("tabu_length"), nb::arg("seed"),
               nb::arg("n_threads"), nb::arg("max_candidates"), nb::arg("start"),
               nb::arg("on_progress").none() = nb::none(),
               "A DAG that no single change improves, by climbing from a start and from perturbed restarts.");
}
