// Families as flat arrays of numbers.
#pragma once

#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scoring/scorer.hpp"

using Numbers =
    nanobind::ndarray<const std::uint32_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using Offsets =
    nanobind::ndarray<const std::int64_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

// Family i is nodes[i] with parents[offsets[i]] .. parents[offsets[i + 1]], in increasing order.
inline std::vector<ldag::FamilyKey> families_of(const Numbers& nodes, const Numbers& parents,
                                                const Offsets& offsets, std::size_t n_columns) {
    if (offsets.size() != nodes.size() + 1)
        throw nanobind::value_error("one offset per family, and one more");
    std::vector<ldag::FamilyKey> families;
    families.reserve(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const std::int64_t first = offsets.data()[i];
        const std::int64_t last = offsets.data()[i + 1];
        if (first < 0 || last < first || static_cast<std::size_t>(last) > parents.size())
            throw nanobind::value_error("offsets must ascend within the parents");
        const std::span<const std::uint32_t> own(parents.data() + first, parents.data() + last);
        const auto known = [&](std::uint32_t variable) { return variable < n_columns; };
        if (!known(nodes.data()[i]) || !std::ranges::all_of(own, known))
            throw nanobind::index_error("no such column");
        if (!std::ranges::is_sorted(own)) throw nanobind::value_error("parents must ascend");
        families.push_back({nodes.data()[i], own});
    }
    return families;
}
