// Table of contents of the native module: one sub-module per room, one register_*.cpp per topic.
#include <nanobind/nanobind.h>

#include "register.hpp"
#include "search_arrays.hpp"

namespace nb = nanobind;

NB_MODULE(_native, module) {
#ifdef NDEBUG
    // What other programs, such as test runners, still hold when Python ends is freed with the process.
    nb::set_leak_warnings(false);
#endif
    module.doc() = "Loops of ldag on plain arrays. Private: the checked doors are in the Python modules.";
    nb::module_ reading = module.def_submodule("reading", "Text files.");
    register_reading(reading);
    nb::module_ counting = module.def_submodule("counting", "Data sets and their counts.");
    register_counts(counting);
    nb::module_ families = module.def_submodule("families", "Partitions of one family.");
    register_family(families);
    register_exact(families);
    nb::module_ scoring = module.def_submodule("scoring", "Scores of families on one data set.");
    register_scorer(scoring);
    nb::module_ searching = module.def_submodule("searching", "Searches over DAGs.");
    nb::exception<BadState>(searching, "BadState", PyExc_ValueError);
    register_search_exact(searching);
    register_search_chain(searching);
    register_search_climb(searching);
    nb::module_ uncertainty = module.def_submodule("uncertainty", "Posteriors over labels and DAGs.");
    register_uncertainty(uncertainty);
    nb::module_ inference = module.def_submodule("inference", "Sums, circuits and samples.");
    register_circuit(inference);
    register_sums(inference);
    register_sample(inference);
    for (const nb::module_& part : {reading, counting, families, scoring, searching, uncertainty, inference})
        for (const auto& [name, value] : nb::cast<nb::dict>(part.attr("__dict__")))
            if (nb::borrow<nb::str>(name).c_str()[0] != '_') module.attr(name) = value;
}
