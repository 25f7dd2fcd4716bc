#include <Python.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "family_keys.hpp"
#include "register.hpp"
#include "scorer.hpp"

namespace nb = nanobind;

namespace {

using Scores = nb::ndarray<nb::numpy, double, nb::ndim<1>>;

Scores scores(Scorer& self, const Numbers& nodes, const Numbers& parents, const Offsets& offsets,
              std::size_t n_threads) {
    const auto families = families_of(nodes, parents, offsets, self.columns->n_columns());
    bool interrupted = false;
    auto scores = std::make_unique<std::vector<double>>();
    {
        nb::gil_scoped_release unlocked;
        *scores = self.scorer.scores(families, n_threads, [&] {
            nb::gil_scoped_acquire locked;
            interrupted = interrupted || PyErr_CheckSignals() != 0;
            return interrupted;
        });
    }
    if (interrupted) throw nb::python_error();
    double* data = scores->data();
    const std::size_t size = scores->size();
    nb::capsule owner(scores.release(),
                      [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    return Scores(data, {size}, owner);
}

// The score of one family, whose parents may come in any order.
double score(Scorer& self, std::uint32_t node, std::vector<std::uint32_t> parents) {
    std::sort(parents.begin(), parents.end());
    const bool is_twice = std::adjacent_find(parents.begin(), parents.end()) != parents.end();
    const bool is_known =
        node < self.columns->n_columns() && (parents.empty() || parents.back() < self.columns->n_columns());
    if (!is_known || is_twice || std::binary_search(parents.begin(), parents.end(), node))
        throw nb::value_error("expected a node and other nodes, each once");
    nb::gil_scoped_release unlocked;
    return self.scorer.score({node, parents});
}

std::vector<double> scores_of_additions(Scorer& self, std::uint32_t node,
                                        const std::vector<std::uint32_t>& parents,
                                        const std::vector<std::uint32_t>& further) {
    for (const std::uint32_t variable : further)
        if (variable >= self.columns->n_columns()) throw nb::value_error("no such variable");
    std::vector<double> scores(further.size());
    nb::gil_scoped_release unlocked;
    self.scorer.scores_of_additions({node, parents}, further, scores);
    return scores;
}

// The predictive of new rows by the families of a graph, for every smoothing.
std::vector<double> log_predictives(const Scorer& self,
                                    const std::vector<std::vector<std::uint32_t>>& parents,
                                    const ldag::Columns& fresh, const PlainSmoothings& smoothings) {
    if (parents.size() != self.columns->n_columns())
        throw nb::value_error("expected parents of every column");
    for (std::uint32_t node = 0; node < parents.size(); ++node)
        for (const std::uint32_t parent : parents[node])
            if (parent >= parents.size() || parent == node) throw nb::value_error("no such parent");
    check_fresh(self, fresh);
    const auto given = smoothings_of(smoothings);
    const nb::gil_scoped_release unlocked;
    return ldag::log_predictives(self.scorer, families_of(parents), fresh, given);
}

std::vector<double> scores_by_price(const Scorer& self, std::uint32_t node,
                                    const std::vector<std::uint32_t>& parents,
                                    const std::vector<double>& prices) {
    check_priced(self);
    for (const std::uint32_t variable : parents)
        if (variable >= self.columns->n_columns()) throw nb::value_error("no such variable");
    const std::vector<double> floors(prices.size(), -std::numeric_limits<double>::infinity());
    std::vector<double> scores(prices.size());
    self.scorer.scores_by_price({node, parents}, prices, floors, scores);
    return scores;
}

nb::dict cache_statistics(const Scorer& self) {
    const ldag::CacheStatistics statistics = self.scorer.cache_statistics();
    nb::dict fields;
    fields["hits"] = statistics.hits;
    fields["misses"] = statistics.misses;
    fields["evictions"] = statistics.evictions;
    fields["entries"] = statistics.entries;
    fields["bytes"] = statistics.bytes;
    return fields;
}

}  // namespace

std::vector<ldag::LabelRules> rules_of(const NodeRules& given, const ldag::Columns& columns) {
    if (!given.empty() && given.size() != columns.n_columns())
        throw nb::value_error("label rules for every column, or none at all");
    std::vector<ldag::LabelRules> rules(given.size());
    for (std::size_t node = 0; node < given.size(); ++node) {
        for (const auto& [parent, contexts] : given[node]) {
            ldag::LabelRule& rule = rules[node].emplace_back(ldag::LabelRule{parent, {}});
            for (const auto& context : contexts) {
                ldag::Context& own = rule.contexts.emplace_back();
                for (const auto& [variable, state] : context) own.push_back({variable, state});
            }
        }
    }
    return rules;
}

void register_scorer(nb::module_& module) {
    module.attr("MAX_CELLS") = ldag::ScorerOptions{}.max_cells;
    nb::class_<Scorer>(module, "FamilyScorer", "Scores of families on one data set, cached and threaded.")
        .def(nb::init<std::shared_ptr<ldag::Columns>, double, double, double, const std::string&,
                      const std::string&, bool, std::uint64_t, std::size_t, std::size_t, const NodeRules&,
                      std::vector<std::uint8_t>, bool, bool>(),
             nb::arg("columns"), nb::arg("equivalent_sample_size"), nb::arg("parameter_saved"),
             nb::arg("parameter_of_table"), nb::arg("structure"), nb::arg("labels"), nb::arg("regular"),
             nb::arg("seed"), nb::arg("n_restarts"), nb::arg("cache_bytes"),
             nb::arg("label_rules") = NodeRules{}, nb::arg("ordered") = std::vector<std::uint8_t>{},
             nb::arg("normalised") = false, nb::arg("per_class") = false)
        .def("score", &score, nb::arg("node"), nb::arg("parents"), "Score of one family.")
        .def("scores", &scores, nb::arg("nodes"), nb::arg("parents"), nb::arg("offsets"),
             nb::arg("n_threads"), "Scores of many families, in parallel.")
        .def("scores_of_additions", &scores_of_additions, nb::arg("node"), nb::arg("parents"),
             nb::arg("further"), "Scores of a family with each of some further parents, counted together.")
        .def("scores_by_price", &scores_by_price, nb::arg("node"), nb::arg("parents"), nb::arg("prices"),
             "Scores of one family with each price of a saved parameter.")
        .def("log_predictives", &log_predictives, nb::arg("parents"), nb::arg("fresh"), nb::arg("smoothings"),
             "Log posterior predictive of new rows by the families of a graph, one for every smoothing: a "
             "sample "
             "size, and whether it is that of every class.")
        .def_prop_ro("cache_statistics", &cache_statistics);
}
