#include <nanobind/nanobind.h>

#include <string_view>

#include "families/structures.hpp"
#include "register.hpp"

namespace nb = nanobind;

namespace {

using ldag::Structure;

nb::str text_of(std::string_view text) { return nb::str(text.data(), text.size()); }

nb::dict by_name() {
    nb::dict rows;
    for (const Structure& structure : ldag::kStructures)
        rows[text_of(structure.name)] = nb::cast(&structure, nb::rv_policy::reference);
    return rows;
}

}  // namespace

void register_structures(nb::module_& module) {
    nb::class_<Structure>(module, "Structure",
                          "Which partitions a family may have, and what follows from it.")
        .def_prop_ro("name", [](const Structure& row) { return text_of(row.name); })
        .def_prop_ro("classes", [](const Structure& row) { return text_of(row.classes); })
        .def_ro("is_table", &Structure::is_table)
        .def_ro("takes_fixed_labels", &Structure::takes_fixed_labels)
        .def_ro("has_normalised_prior", &Structure::has_normalised_prior)
        .def_ro("has_leaf_prior", &Structure::has_leaf_prior)
        .def_ro("uses_order", &Structure::uses_order)
        .def_prop_ro("takes_unlabelled", &Structure::takes_unlabelled)
        .def_prop_ro("has_greedy_prices", &Structure::has_greedy_prices)
        .def_prop_ro("has_label_steps", &Structure::has_label_steps)
        .def_prop_ro("is_refined_to_the_best",
                     [](const Structure& row) { return row.is_proven_by_refining != ldag::never; })
        .def(
            "greedy_microseconds", [](const Structure& row, double n) { return row.cost.microseconds(n); },
            nb::arg("n"))
        .def(
            "unvisited_microseconds",
            [](const Structure& row, double n) { return row.unvisited_cost.microseconds(n); }, nb::arg("n"));
    module.attr("STRUCTURES") = by_name();
}
