// Table of contents of the native module: one register_*.cpp per topic.
#include <nanobind/nanobind.h>

#include "register.hpp"
#include "search_arrays.hpp"

NB_MODULE(_native, module) {
    module.doc() = "Loops of ldag on plain arrays. Private: the checked doors are in the Python modules.";
    register_counts(module);
    register_family(module);
    register_exact(module);
    register_scorer(module);
    nanobind::exception<BadState>(module, "BadState", PyExc_ValueError);
    register_search_exact(module);
    register_search_chain(module);
    register_search_climb(module);
    register_circuit(module);
    register_sample(module);
}
