// Classes of families as Python has them: an array by configuration, or the axes, targets and classes of the
// nodes of a tree.
#pragma once

#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <variant>
#include <vector>

#include "inference/class_map.hpp"

using ClassNumbers =
    nanobind::ndarray<const std::int32_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using TreeNumbers = std::tuple<ClassNumbers, ClassNumbers, ClassNumbers>;
using FamilyClasses = std::variant<ClassNumbers, TreeNumbers>;

// Classes below `n_classes` of parents with so many states; the caller's arrays must outlive it. A state that
// leads nowhere, because it was asked away above, leads where another one does.
ldag::ClassMap class_map_of(const FamilyClasses& given, std::span<const std::uint32_t> n_states,
                            std::size_t n_classes);

// The numbers of states of some nodes.
template <class Nodes>
std::vector<std::uint32_t> states_of(const Nodes& nodes, std::span<const std::uint32_t> n_states) {
    std::vector<std::uint32_t> own;
    for (const auto node : nodes) {
        if (node >= n_states.size()) throw nanobind::value_error("no such parent");
        own.push_back(n_states[node]);
    }
    return own;
}
