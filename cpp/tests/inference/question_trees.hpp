// Trees of questions, made at random for classes that are known.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "inference/class_map.hpp"
#include "support/random.hpp"

namespace trees {

// Asks about axes with several states left in any order, one group of them against another, until none is
// open.
class Growth {
  public:
    Growth(std::span<const std::int32_t> classes, std::vector<std::uint32_t> n_states, ldag::Random& random)
        : classes_(classes), n_states_(std::move(n_states)), random_(random) {}

    ldag::ClassMap grow() {
        std::vector<std::vector<std::uint32_t>> left;
        for (const std::uint32_t n : n_states_) {
            left.emplace_back();
            for (std::uint32_t s = 0; s < n; ++s) left.back().push_back(s);
        }
        below(left);
        return {nodes_, targets_};
    }

  private:
    std::uint32_t below(const std::vector<std::vector<std::uint32_t>>& left) {
        const auto place = static_cast<std::uint32_t>(nodes_.size());
        std::vector<std::size_t> open;
        std::size_t cell = 0;
        for (std::size_t axis = 0; axis < left.size(); ++axis) {
            if (left[axis].size() > 1) open.push_back(axis);
            cell = cell * n_states_[axis] + left[axis][0];
        }
        if (open.empty()) {
            nodes_.push_back({ldag::TreeNode::kLeaf, static_cast<std::uint32_t>(classes_[cell])});
            return place;
        }
        const std::size_t axis = open[random_.below(open.size())];
        const auto first = static_cast<std::uint32_t>(targets_.size());
        nodes_.push_back({static_cast<std::int32_t>(axis), first});
        targets_.resize(first + n_states_[axis], place + 1);
        const std::size_t n_groups = 2 + random_.below(left[axis].size() - 1);
        std::vector<std::vector<std::uint32_t>> groups(n_groups);
        for (std::size_t i = 0; i < left[axis].size(); ++i)
            groups[i < n_groups ? i : random_.below(n_groups)].push_back(left[axis][i]);
        for (const std::vector<std::uint32_t>& group : groups) {
            std::vector<std::vector<std::uint32_t>> inside = left;
            inside[axis] = group;
            const std::uint32_t target = below(inside);
            for (const std::uint32_t state : group) targets_[first + state] = target;
        }
        return place;
    }

    std::span<const std::int32_t> classes_;
    std::vector<std::uint32_t> n_states_;
    ldag::Random& random_;
    std::vector<ldag::TreeNode> nodes_;
    std::vector<std::uint32_t> targets_;
};

}  // namespace trees
