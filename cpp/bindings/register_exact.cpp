#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "families/family.hpp"
#include "families/prior_sums.hpp"
#include "family_arrays.hpp"
#include "names.hpp"
#include "register.hpp"

namespace nb = nanobind;

namespace {

using Classes = Array<std::int32_t>;

std::pair<Classes, double> exact_partition(const Counts& counts, std::vector<std::size_t> n_states,
                                           double equivalent_sample_size, double class_lost,
                                           const std::string& structure, bool regular,
                                           std::vector<std::uint8_t> ordered) {
    const ldag::Structure& allowed = structure_of(structure);
    ldag::FamilyResult result;
    {
        nb::gil_scoped_release unlocked;
        result = ldag::exact_partition(problem_of(counts, std::move(n_states), equivalent_sample_size,
                                                  class_lost, regular, {}, std::move(ordered)),
                                       allowed);
    }
    return {array_of<std::int32_t>(result.classes, [](std::int32_t number) { return number; }), result.score};
}

double log_sum_partitions(const Counts& counts, std::vector<std::size_t> n_states,
                          double equivalent_sample_size, double class_lost, const std::string& structure,
                          bool regular, std::vector<std::uint8_t> ordered) {
    const ldag::Structure& allowed = structure_of(structure);
    nb::gil_scoped_release unlocked;
    return ldag::log_sum_partitions(problem_of(counts, std::move(n_states), equivalent_sample_size,
                                               class_lost, regular, {}, std::move(ordered)),
                                    allowed);
}

}  // namespace

void register_exact(nb::module_& module, nb::module_& testing) {
    testing.def("exact_partition", &exact_partition, nb::arg("counts"), nb::arg("n_states"),
                nb::arg("equivalent_sample_size"), nb::arg("class_lost"), nb::arg("structure"),
                nb::arg("regular"), nb::arg("ordered") = std::vector<std::uint8_t>{},
                "The best partition of at most 16 configurations: a class number each, and the score.");
    testing.def("log_sum_partitions", &log_sum_partitions, nb::arg("counts"), nb::arg("n_states"),
                nb::arg("equivalent_sample_size"), nb::arg("class_lost"), nb::arg("structure"),
                nb::arg("regular"), nb::arg("ordered") = std::vector<std::uint8_t>{},
                "The logarithm of the sum of exp(score) over all allowed partitions.");
    module.def(
        "log_prior_sum",
        [](const std::vector<std::size_t>& n_states, double class_lost) {
            return ldag::log_prior_sum(n_states, class_lost);
        },
        nb::arg("n_states"), nb::arg("class_lost"),
        "The logarithm of the sum of the prior over all labels of parents with these numbers of states, "
        "or beyond 16 configurations an upper bound.");
}
