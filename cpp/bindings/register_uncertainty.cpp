// The posterior over the labels of a family, and over DAGs.
#include <Python.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "families/posterior.hpp"
#include "family_arrays.hpp"
#include "family_keys.hpp"
#include "names.hpp"
#include "register.hpp"
#include "scorer.hpp"
#include "search_arrays.hpp"
#include "uncertainty/chains.hpp"
#include "uncertainty/dags.hpp"
#include "uncertainty/weights.hpp"

namespace nb = nanobind;

namespace {

using Matrix = nb::ndarray<nb::numpy, double, nb::ndim<2>>;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
auto array_from(const std::vector<T>& values) {
    return array_of<T>(values, [](T value) { return value; });
}

template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<2>> matrix_of(const std::vector<T>& values, std::size_t n_rows,
                                                 std::size_t n_columns) {
    auto copy = std::make_unique<T[]>(values.size());
    std::copy(values.begin(), values.end(), copy.get());
    nb::capsule owner(copy.get(), [](void* data) noexcept { delete[] static_cast<T*>(data); });
    return nb::ndarray<nb::numpy, T, nb::ndim<2>>(copy.release(), {n_rows, n_columns}, owner);
}

// A posterior on the caller's counts, which it copies.
struct Labels {
    ldag::FamilyPosterior posterior;
    std::size_t n_cells;
    std::size_t n_states;

    Labels(const Counts& counts, std::vector<std::size_t> n_states, double equivalent_sample_size,
           double class_lost, const std::string& structure, bool regular, ldag::FixedLabels fixed)
        : posterior(problem_of(counts, std::move(n_states), equivalent_sample_size, class_lost, regular,
                               std::move(fixed)),
                    structure_of(structure)),
          n_cells(counts.shape(0)),
          n_states(counts.shape(1)) {}

    double all_inside(const std::vector<std::pair<std::size_t, std::size_t>>& lines) const {
        std::vector<ldag::GridLine> given;
        for (const auto& [axis, line] : lines) given.push_back({axis, line});
        return posterior.all_inside(given);
    }
    Matrix together() { return matrix_of(posterior.together(), n_cells, n_cells); }
    Matrix mean_distributions() { return matrix_of(posterior.mean_distributions(), n_cells, n_states); }
    nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>> draw(std::size_t n_draws, std::uint64_t seed) {
        std::vector<std::int32_t> drawn;
        ldag::Random random(seed);
        for (std::size_t i = 0; i < n_draws; ++i) {
            const std::vector<std::int32_t> classes = posterior.draw(random);
            drawn.insert(drawn.end(), classes.begin(), classes.end());
        }
        return matrix_of(drawn, n_draws, n_cells);
    }
};

ldag::FamilyPrior family_prior_of(const std::string& name) {
    if (name == "labels") return ldag::FamilyPrior::labels;
    if (name == "normalised") return ldag::FamilyPrior::normalised;
    if (name == "table") return ldag::FamilyPrior::table;
    throw nb::value_error("no such prior");
}

using Settings = std::vector<std::tuple<std::string, double, double>>;  // prior, kappa, sample size

Matrix log_weights(std::shared_ptr<ldag::Columns> columns, const Settings& settings,
                   std::size_t max_configurations, const NodeRules& label_rules, const Numbers& nodes,
                   const Numbers& parents, const Offsets& offsets, std::size_t n_threads,
                   nb::object on_progress) {
    const auto families = families_of(nodes, parents, offsets, columns->n_columns());
    std::vector<ldag::WeightSetting> given;
    for (const auto& [prior, kappa, size] : settings)
        given.push_back({family_prior_of(prior), std::log(kappa), size});
    ldag::FamilyWeights weights(columns, std::move(given), rules_of(label_rules, *columns),
                                max_configurations);
    ldag::Monitor monitor;
    monitor.total = families.size();
    monitor.best = std::nan("");
    Watch watch(monitor, std::move(on_progress));
    std::vector<double> computed;
    {
        const nb::gil_scoped_release unlocked;
        computed = weights.log_weights(families, n_threads, monitor);
    }
    watch.finish_whole();
    return matrix_of(computed, families.size(), settings.size());
}

// The exact posterior over DAGs, as Python holds it.
struct Dags {
    std::unique_ptr<ldag::DagPosterior> posterior;

    Dags(const std::vector<Numbers>& sets, const std::vector<Doubles>& weights, std::size_t n_threads,
         nb::object on_progress) {
        std::vector<ldag::WeightedSets> nodes;
        if (sets.size() != weights.size()) throw nb::value_error("one list of weights per node");
        for (std::size_t node = 0; node < sets.size(); ++node) {
            if (sets[node].size() != weights[node].size()) throw nb::value_error("one weight per parent set");
            nodes.push_back({{sets[node].data(), sets[node].data() + sets[node].size()},
                             {weights[node].data(), weights[node].data() + weights[node].size()}});
            for (const ldag::DagSet set : nodes.back().sets)
                if (set >> sets.size() != 0 || (set >> node & 1U) != 0)
                    throw nb::value_error("a parent set holds other nodes only");
        }
        ldag::Monitor monitor;
        monitor.best = std::nan("");
        Watch watch(monitor, std::move(on_progress));
        {
            const nb::gil_scoped_release unlocked;
            posterior = std::make_unique<ldag::DagPosterior>(std::move(nodes), n_threads, monitor);
        }
        watch.finish_whole();
    }

    void finish(std::size_t n_threads, nb::object on_progress) {
        ldag::Monitor monitor;
        monitor.best = std::nan("");
        Watch watch(monitor, std::move(on_progress));
        {
            const nb::gil_scoped_release unlocked;
            posterior->finish(n_threads, monitor);
        }
        watch.finish_whole();
    }

    std::vector<Array<double>> parent_sets() const {
        std::vector<Array<double>> chances;
        for (const std::vector<double>& own : posterior->parent_sets()) chances.push_back(array_from(own));
        return chances;
    }

    nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<2>> draw(std::size_t n_draws, std::uint64_t seed) {
        std::vector<std::uint32_t> drawn;
        {
            const nb::gil_scoped_release unlocked;
            for (std::size_t i = 0; i < n_draws; ++i) {
                ldag::Random random(seed, i);
                const std::vector<std::uint32_t> one = posterior->draw(random);
                drawn.insert(drawn.end(), one.begin(), one.end());
            }
        }
        return matrix_of(drawn, n_draws, posterior->n_nodes());
    }
};

// Coupled chains; by run: parent sets by setting and node (sums over samples), edges by sample, drawn parent
// sets by sample, the setting by sample, and swap rates. Weights are by node: a row per setting.
nb::list run_coupled_chains(const ldag::Parents& candidates, const std::vector<Numbers>& sets,
                            const std::vector<Rows>& weights, const std::vector<double>& log_priors,
                            std::size_t n_runs, std::uint64_t n_rounds, std::uint64_t thin,
                            std::uint64_t seed, std::size_t n_threads, nb::object on_progress) {
    const std::size_t n = candidates.size();
    const std::size_t n_settings = log_priors.size();
    if (sets.size() != n || weights.size() != n) throw nb::value_error("sets and weights of every node");
    if (n_settings == 0) throw nb::value_error("one setting or more");
    std::vector<ldag::CandidateSets> nodes;
    std::size_t n_edges = 0;
    for (std::size_t node = 0; node < n; ++node) {
        const std::size_t k = candidates[node].size();
        n_edges += k;
        if (k > ldag::kMaxChainCandidates) throw nb::value_error("too many candidates");
        for (const ldag::Node candidate : candidates[node])
            if (candidate >= n || candidate == node) throw nb::value_error("no such candidate");
        const std::size_t n_sets = sets[node].size();
        if (weights[node].shape(0) != n_settings || weights[node].shape(1) != n_sets || n_sets == 0)
            throw nb::value_error("one weight per setting and parent set");
        nodes.push_back({candidates[node], {sets[node].data(), sets[node].data() + n_sets}, {}});
        for (std::size_t s = 0; s < n_settings; ++s) {
            const double* own = weights[node].data() + s * n_sets;
            nodes.back().log_weights.emplace_back(own, own + n_sets);
        }
        for (const std::uint32_t set : nodes.back().sets)
            if (set >> k != 0) throw nb::value_error("a parent set holds candidates only");
    }
    ldag::Monitor monitor;
    monitor.best = std::nan("");
    Watch watch(monitor, std::move(on_progress));
    const ldag::CoupledOptions options{n_rounds, 8, thin, n_runs, seed, n_threads};
    std::vector<ldag::CoupledRun> runs;
    {
        const nb::gil_scoped_release unlocked;
        runs = ldag::run_coupled_chains(nodes, log_priors, options, monitor);
    }
    watch.finish();
    nb::list result;
    for (const ldag::CoupledRun& run : runs) {
        std::vector<std::vector<Array<double>>> own;
        for (const std::vector<std::vector<double>>& of_setting : run.parent_sets) {
            own.emplace_back();
            for (const std::vector<double>& sums : of_setting) own.back().push_back(array_from(sums));
        }
        result.append(nb::make_tuple(own, matrix_of(run.edges, run.n_samples, n_edges),
                                     matrix_of(run.dags, run.n_samples, n), array_from(run.settings),
                                     run.swap_rates));
    }
    return result;
}

}  // namespace

void register_uncertainty(nb::module_& module) {
    nb::class_<Labels>(module, "FamilyPosterior", "All labels of one family, by their posterior.")
        .def(nb::init<const Counts&, std::vector<std::size_t>, double, double, const std::string&, bool,
                      ldag::FixedLabels>(),
             nb::arg("counts"), nb::arg("n_states"), nb::arg("equivalent_sample_size"), nb::arg("class_lost"),
             nb::arg("structure"), nb::arg("regular"), nb::arg("fixed") = ldag::FixedLabels{})
        .def_prop_ro("log_sum", [](const Labels& self) { return self.posterior.log_sum(); })
        .def("all_inside", &Labels::all_inside, nb::arg("lines"),
             "The probability that lines, as pairs of an axis and a line, all lie inside classes.")
        .def("together", &Labels::together)
        .def("n_classes", [](const Labels& self) { return array_from(self.posterior.n_classes()); })
        .def("mean_distributions", &Labels::mean_distributions)
        .def("draw", &Labels::draw, nb::arg("n_draws"), nb::arg("seed"));
    module.def("log_weights", &log_weights, nb::arg("columns"), nb::arg("settings"),
               nb::arg("max_configurations"), nb::arg("label_rules"), nb::arg("nodes"), nb::arg("parents"),
               nb::arg("offsets"), nb::arg("n_threads"), nb::arg("on_progress").none() = nb::none(),
               "By family and setting, the logarithms of weights, labels summed out; not a number where it "
               "was stopped.");
    nb::class_<Dags>(module, "DagPosterior", "The exact posterior over DAGs.")
        .def(nb::init<const std::vector<Numbers>&, const std::vector<Doubles>&, std::size_t, nb::object>(),
             nb::arg("sets"), nb::arg("log_weights"), nb::arg("n_threads"),
             nb::arg("on_progress").none() = nb::none())
        .def("finish", &Dags::finish, nb::arg("n_threads"), nb::arg("on_progress").none() = nb::none(),
             "The sums for parent sets and ancestors.")
        .def_prop_ro("has_evidence", [](const Dags& self) { return self.posterior->has_evidence(); })
        .def_prop_ro("is_complete", [](const Dags& self) { return self.posterior->is_complete(); })
        .def_prop_ro("log_evidence", [](const Dags& self) { return self.posterior->log_evidence(); })
        .def("parent_sets", &Dags::parent_sets)
        .def("ancestors",
             [](const Dags& self) {
                 const std::size_t n = self.posterior->n_nodes();
                 return matrix_of(self.posterior->ancestors(), n, n);
             })
        .def("draw", &Dags::draw, nb::arg("n_draws"), nb::arg("seed"),
             "By draw and node, the number of the node's parent set.");
    module.def("run_coupled_chains", &run_coupled_chains, nb::arg("candidates"), nb::arg("sets"),
               nb::arg("log_weights"), nb::arg("log_priors"), nb::arg("n_runs"), nb::arg("n_rounds"),
               nb::arg("thin"), nb::arg("seed"), nb::arg("n_threads"),
               nb::arg("on_progress").none() = nb::none(),
               "Runs of coupled chains over ordered partitions of the nodes.");
    module.def("dag_posterior_bytes", &ldag::dag_posterior_bytes, nb::arg("n_nodes"));
    module.attr("MAX_DAG_NODES") = ldag::kMaxDagNodes;
    module.attr("MAX_EXACT_CELLS") = ldag::kMaxExactCells;
}
