// Families between numpy arrays and the core's own types.
#pragma once

#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "families/family.hpp"

using Counts = nanobind::ndarray<const double, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;
template <class T>
using Array = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>;

// A problem on the caller's counts, one row per configuration of parents with these numbers of states.
inline ldag::FamilyProblem problem_of(const Counts& counts, std::vector<std::size_t> n_states,
                                      double equivalent_sample_size, double class_lost, bool regular,
                                      ldag::FixedLabels fixed = {}, std::vector<std::uint8_t> ordered = {}) {
    std::size_t size = 1;
    for (const std::size_t n : n_states) {
        if (n != 0 && size > std::numeric_limits<std::size_t>::max() / n)
            throw nanobind::value_error("the grid does not fit");
        size *= n;
    }
    if (size == 0 || size != counts.shape(0) || counts.shape(1) == 0)
        throw nanobind::value_error("one row of counts per configuration");
    if (!ordered.empty() && ordered.size() != n_states.size())
        throw nanobind::value_error("whether each parent has an order, or nothing at all");
    const ldag::Grid grid(std::move(n_states), std::move(ordered));
    if (!fixed.empty() && fixed.size() != grid.n_axes())
        throw nanobind::value_error("one fixed label per parent, or none at all");
    for (std::size_t axis = 0; axis < fixed.size(); ++axis)
        if (!fixed[axis].empty() && fixed[axis].size() != grid.n_lines(axis))
            throw nanobind::value_error("a fixed label has one entry per configuration of the other parents");
    return {grid,    counts.shape(1), {counts.data(), counts.size()}, equivalent_sample_size, class_lost,
            regular, std::move(fixed)};
}

// A numpy array that owns a copy of one column of the steps, or of the classes.
template <class T, class Items, class Get>
Array<T> array_of(const Items& items, Get get) {
    auto values = std::make_unique<T[]>(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) values[i] = get(items[i]);
    nanobind::capsule owner(values.get(), [](void* data) noexcept { delete[] static_cast<T*>(data); });
    return Array<T>(values.release(), {items.size()}, owner);
}
