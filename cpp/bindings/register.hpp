// What each file registers; `testing` takes what tests alone call.
#pragma once

#include <nanobind/nanobind.h>

void register_reading(nanobind::module_& module);
void register_counts(nanobind::module_& module);
void register_structures(nanobind::module_& module);
void register_family(nanobind::module_& module, nanobind::module_& testing);
void register_exact(nanobind::module_& module, nanobind::module_& testing);
void register_scorer(nanobind::module_& module);
void register_search_exact(nanobind::module_& module);
void register_search_chain(nanobind::module_& module, nanobind::module_& testing);
void register_search_climb(nanobind::module_& module, nanobind::module_& testing);
void register_search_perfect(nanobind::module_& module, nanobind::module_& testing);
void register_growing(nanobind::module_& module);
void register_uncertainty(nanobind::module_& module);
void register_circuit(nanobind::module_& module);
void register_completing(nanobind::module_& module);
void register_sums(nanobind::module_& module);
void register_sample(nanobind::module_& module);
