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

FoundGraph search_exact(Scorer& scorer, ldag::Parents candidates, ldag::Parents required,
                        std::vector<std::size_t> max_parents, std::size_t n_threads,
                        const nb::object& on_progress) {
    const ldag::SearchSpace space =
        space_of(std::move(candidates), std::move(required), std::move(max_parents));
    if (space.n_nodes() != scorer.columns->n_columns())
        throw nb::value_error("expected candidates of every column");
    return run_watched(on_progress, [&](ldag::Monitor& monitor) {
        return ldag::search_exact(scorer.scorer, space, {n_threads}, monitor);
    });
}

std::pair<std::uint64_t, std::uint64_t> exact_cost(ldag::Parents candidates, ldag::Parents required,
                                                   std::vector<std::size_t> max_parents) {
    const ldag::ExactCost cost =
        ldag::exact_cost(space_of(std::move(candidates), std::move(required), std::move(max_parents)));
    return {cost.bytes, cost.n_families};
}

}  // namespace

void register_search_exact(nb::module_& module) {
    module.def("search_exact", &search_exact, nb::arg("scorer"), nb::arg("candidates"), nb::arg("required"),
               nb::arg("max_parents"), nb::arg("n_threads"), nb::arg("on_progress").none() = nb::none(),
               "The best DAG of the space, by dynamic programming over subsets.");
    module.def("exact_cost", &exact_cost, nb::arg("candidates"), nb::arg("required"), nb::arg("max_parents"),
               "Bytes that search_exact needs at most, and the number of families it scores.");
}
