#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "register.hpp"
#include "scorer.hpp"
#include "scoring/predictive.hpp"
#include "search_arrays.hpp"
#include "searching/exact.hpp"
#include "searching/search.hpp"

namespace nb = nanobind;

namespace {

// By node, its ranked parent sets and their scores; empty if not known yet.
using PlainState = std::vector<std::pair<std::vector<ldag::NodeSet>, std::vector<double>>>;

nb::object plain_of(const ldag::ExactState& state) {
    PlainState plain;
    for (const ldag::RankedSets& node : state.ranked) {
        plain.emplace_back(node.sets, node.scores);
        if (!node.scores.empty()) plain.back().second.pop_back();
    }
    return nb::cast(plain);
}

ldag::ExactState state_of(const nb::object& plain) {
    ldag::ExactState state;
    for (auto& [sets, scores] : nb::cast<PlainState>(plain)) {
        if (!sets.empty()) scores.push_back(-std::numeric_limits<double>::infinity());
        state.ranked.push_back({std::move(sets), std::move(scores)});
    }
    return state;
}

// Whether the ranked sets can be those of the space.
bool is_of(const ldag::ExactState& state, const ldag::SearchSpace& space) {
    const std::size_t n = state.ranked.size();
    if (n != 0 && n != space.n_nodes()) return false;
    for (std::size_t node = 0; node < n; ++node) {
        const ldag::RankedSets& own = state.ranked[node];
        const auto is_set = [&](ldag::NodeSet set) { return set >> space.candidates[node].size() == 0; };
        if (own.scores.size() != (own.sets.empty() ? 0 : own.sets.size() + 1)) return false;
        if (!std::ranges::all_of(own.sets, is_set)) return false;
    }
    return true;
}

FoundGraph search_exact(Scorer& scorer, ldag::Parents candidates, ldag::Parents required,
                        std::vector<std::size_t> max_parents, std::size_t n_threads,
                        const nb::object& on_progress, const nb::object& resume, const nb::object& keep,
                        double keep_every, std::optional<double> time_limit) {
    const ldag::SearchSpace space =
        space_of(std::move(candidates), std::move(required), std::move(max_parents));
    if (space.n_nodes() != scorer.columns->n_columns())
        throw nb::value_error("expected candidates of every column");
    const auto search = [&](ldag::Monitor& monitor, ldag::ExactState* state) {
        if (state != nullptr && !is_of(*state, space)) throw BadState();
        return ldag::search_exact(scorer.scorer, space, {n_threads}, monitor, state);
    };
    return run_watched({on_progress, resume, keep, keep_every, time_limit}, &plain_of, &state_of, search);
}

// The ranked parent sets of every node as bits of its candidates with their scores; nothing if stopped.
std::optional<PlainState> rank_parent_sets(Scorer& scorer, ldag::Parents candidates, ldag::Parents required,
                                           std::vector<std::size_t> max_parents, std::size_t n_threads,
                                           const nb::object& on_progress, std::optional<double> time_limit) {
    const ldag::SearchSpace space =
        space_of(std::move(candidates), std::move(required), std::move(max_parents));
    if (space.n_nodes() != scorer.columns->n_columns())
        throw nb::value_error("expected candidates of every column");
    ldag::Monitor monitor;
    Watch watch(monitor, on_progress, time_limit);
    PlainState plain;
    {
        const nb::gil_scoped_release unlocked;
        for (ldag::RankedSets& node :
             ldag::rank_parent_sets(scorer.scorer, space, n_threads, monitor, nullptr)) {
            node.scores.pop_back();
            plain.emplace_back(std::move(node.sets), std::move(node.scores));
        }
    }
    watch.finish();
    if (monitor.stop) return std::nullopt;
    return plain;
}

// The best graph for each price, and its predictive of new rows for every smoothing.
std::vector<std::pair<ldag::Parents, std::vector<double>>> search_by_price(
    const Scorer& scorer, ldag::Parents candidates, ldag::Parents required,
    std::vector<std::size_t> max_parents, const std::vector<double>& prices, const ldag::Columns& fresh,
    const PlainSmoothings& smoothings) {
    const ldag::SearchSpace space =
        space_of(std::move(candidates), std::move(required), std::move(max_parents));
    if (space.n_nodes() != scorer.columns->n_columns())
        throw nb::value_error("expected candidates of every column");
    check_priced(scorer);
    check_fresh(scorer, fresh);
    std::vector<std::pair<ldag::Parents, std::vector<double>>> by_price;
    if (prices.empty()) return by_price;
    const auto given = smoothings_of(smoothings);
    const nb::gil_scoped_release unlocked;
    for (ldag::Parents& parents : ldag::search_by_price(scorer.scorer, space, prices)) {
        const ldag::FamilyScorer priced = scorer.scorer.at_price(prices[by_price.size()]);
        std::vector<double> scores = ldag::log_predictives(priced, families_of(parents), fresh, given);
        by_price.emplace_back(std::move(parents), std::move(scores));
    }
    return by_price;
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
               nb::arg("resume").none() = nb::none(), nb::arg("keep").none() = nb::none(),
               nb::arg("keep_every") = 1.0, nb::arg("time_limit").none() = nb::none(),
               "The best DAG of the space, by dynamic programming over subsets.");
    module.def("rank_parent_sets", &rank_parent_sets, nb::arg("scorer"), nb::arg("candidates"),
               nb::arg("required"), nb::arg("max_parents"), nb::arg("n_threads"),
               nb::arg("on_progress").none() = nb::none(), nb::arg("time_limit").none() = nb::none(),
               "The parent sets of every node that beat all their subsets, best first, with their scores.");
    module.def(
        "search_by_price", &search_by_price, nb::arg("scorer"), nb::arg("candidates"), nb::arg("required"),
        nb::arg("max_parents"), nb::arg("prices"), nb::arg("fresh"), nb::arg("smoothings"),
        "The parents that search_exact finds with each price of a saved parameter, and the log posterior "
        "predictive of new rows by each, as FamilyScorer.log_predictives has it; for small spaces.");
    module.def("exact_cost", &exact_cost, nb::arg("candidates"), nb::arg("required"), nb::arg("max_parents"),
               "Bytes that search_exact needs at most, and the number of families it scores.");
}
