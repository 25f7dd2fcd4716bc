// Table of contents of the native module: one register_*.cpp per topic, in the order of the rooms.
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
    nb::module_ testing = module.def_submodule("testing", "Parts of the loops that tests call one by one.");
    register_reading(module);
    register_counts(module);
    register_structures(module);
    register_family(module, testing);
    register_exact(module, testing);
    register_scorer(module);
    nb::exception<BadState>(module, "BadState", PyExc_ValueError);
    register_search_exact(module);
    register_search_chain(module, testing);
    register_search_climb(module, testing);
    register_search_perfect(module, testing);
    register_growing(module);
    register_uncertainty(module);
    register_circuit(module);
    register_completing(module);
    register_sums(module);
    register_sample(module);
}
