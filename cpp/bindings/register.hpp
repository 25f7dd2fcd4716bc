#pragma once

#include <nanobind/nanobind.h>

void register_counts(nanobind::module_& module);
