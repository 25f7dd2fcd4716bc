#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "families/dirichlet.hpp"
#include "families/family.hpp"
#include "family_arrays.hpp"
#include "names.hpp"
#include "register.hpp"

namespace nb = nanobind;

namespace {

using ClassNumbers = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Steps = std::tuple<Array<std::int32_t>, Array<std::int64_t>, Array<std::int32_t>, Array<double>>;
using Result = std::tuple<Array<std::int32_t>, double, double, bool, Steps>;

Result to_python(const ldag::FamilyResult& result) {
    using ldag::Step;
    Steps steps(array_of<std::int32_t>(result.steps, [](const Step& step) { return step.axis; }),
                array_of<std::int64_t>(result.steps, [](const Step& step) { return step.line; }),
                array_of<std::int32_t>(result.steps, [](const Step& step) { return step.classes_lost; }),
                array_of<double>(result.steps, [](const Step& step) { return step.gain; }));
    return {array_of<std::int32_t>(result.classes, [](std::int32_t number) { return number; }), result.score,
            result.log_marginal_likelihood, result.is_exact, std::move(steps)};
}

Result optimise_family(const Counts& counts, std::vector<std::size_t> n_states, double equivalent_sample_size,
                       double class_lost, const std::string& structure, const std::string& labels,
                       bool regular, std::uint64_t seed, std::size_t n_restarts, ldag::FixedLabels fixed,
                       std::vector<std::uint8_t> ordered, bool per_class) {
    ldag::FamilyProblem problem = problem_of(counts, std::move(n_states), equivalent_sample_size, class_lost,
                                             regular, std::move(fixed), std::move(ordered));
    const ldag::Structure& allowed = structure_of(structure);
    if (per_class && !allowed.has_leaf_prior)
        throw nb::value_error("a sample size for every class is for the structure tree");
    problem.per_class = per_class;
    const ldag::LabelSearch search = search_of(labels);
    ldag::FamilyResult result;
    {
        nb::gil_scoped_release unlocked;
        result = ldag::optimise_family(problem, allowed, search, {seed, n_restarts});
    }
    return to_python(result);
}

std::tuple<double, double> score_partition(const Counts& counts, std::vector<std::size_t> n_states,
                                           double equivalent_sample_size, double class_lost,
                                           const ClassNumbers& classes) {
    const ldag::FamilyProblem problem =
        problem_of(counts, std::move(n_states), equivalent_sample_size, class_lost, false);
    if (classes.size() != problem.grid.size()) throw nb::value_error("one class per configuration");
    nb::gil_scoped_release unlocked;
    const ldag::FamilyResult result = ldag::score_partition(problem, {classes.data(), classes.size()});
    return {result.score, result.log_marginal_likelihood};
}

double bound_score(const Counts& counts, std::vector<std::size_t> n_states, double equivalent_sample_size,
                   double class_lost) {
    return ldag::bound_score(
        problem_of(counts, std::move(n_states), equivalent_sample_size, class_lost, false));
}

bool is_solved_exactly(std::vector<std::size_t> parent_states, std::size_t n_states,
                       const std::string& structure) {
    const ldag::FamilyProblem problem{ldag::Grid(std::move(parent_states)), n_states, {}, 1.0, 0.0, true};
    return ldag::is_solved_exactly(problem, structure_of(structure));
}

}  // namespace

void register_family(nb::module_& module, nb::module_& testing) {
    testing.def("log_gamma", nb::overload_cast<double>(&ldag::log_gamma), nb::arg("x"),
                "ln Gamma(x) for x > 0.");
    module.def("optimise_family", &optimise_family, nb::arg("counts"), nb::arg("n_states"),
               nb::arg("equivalent_sample_size"), nb::arg("class_lost"), nb::arg("structure") = "ldag",
               nb::arg("labels") = "greedy", nb::arg("regular") = true, nb::arg("seed") = 0,
               nb::arg("n_restarts") = 10, nb::arg("fixed") = ldag::FixedLabels{},
               nb::arg("ordered") = std::vector<std::uint8_t>{}, nb::arg("per_class") = false,
               "Search for the best partition of the parent configurations: classes, score, log marginal "
               "likelihood, whether it is proven best, and the steps (axis, line, classes lost, gain).");
    module.def("is_solved_exactly", &is_solved_exactly, nb::arg("parent_states"), nb::arg("n_states"),
               nb::arg("structure"), "Whether the exact search proves the best partition of such a family.");
    module.def("score_partition", &score_partition, nb::arg("counts"), nb::arg("n_states"),
               nb::arg("equivalent_sample_size"), nb::arg("class_lost"), nb::arg("classes"),
               "Score and log marginal likelihood of a given partition.");
    testing.def("bound_score", &bound_score, nb::arg("counts"), nb::arg("n_states"),
                nb::arg("equivalent_sample_size"), nb::arg("class_lost"),
                "What no partition of a family with whole counts scores more than.");
}
