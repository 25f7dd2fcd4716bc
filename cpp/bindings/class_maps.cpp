#include "class_maps.hpp"

#include <algorithm>
#include <utility>

namespace nb = nanobind;

namespace {

ldag::ClassMap tree_of(const TreeNumbers& given, std::span<const std::uint32_t> n_states,
                       std::size_t n_classes) {
    const auto& [axes, targets, classes] = given;
    const std::size_t n = axes.size();
    if (n == 0 || classes.size() != n) throw nb::value_error("expected an axis and a class of every node");
    std::vector<ldag::TreeNode> nodes;
    std::vector<std::uint32_t> to(targets.size());
    std::size_t first = 0;
    for (std::size_t node = 0; node < n; ++node) {
        const std::int32_t axis = axes.data()[node];
        if (axis == ldag::TreeNode::kLeaf) {
            const std::int32_t number = classes.data()[node];
            if (number < 0 || static_cast<std::size_t>(number) >= n_classes)
                throw nb::value_error("a leaf has no class");
            nodes.push_back({axis, static_cast<std::uint32_t>(number)});
            continue;
        }
        if (axis < 0 || static_cast<std::size_t>(axis) >= n_states.size())
            throw nb::value_error("a question about no parent");
        const std::size_t n_own = n_states[static_cast<std::size_t>(axis)];
        if (first + n_own > targets.size()) throw nb::value_error("a target of every state is expected");
        const std::span<const std::int32_t> own(targets.data() + first, n_own);
        const std::int32_t any = *std::ranges::max_element(own);
        for (std::size_t s = 0; s < n_own; ++s) {
            const std::int32_t target = own[s] < 0 ? any : own[s];
            if (target <= static_cast<std::int32_t>(node) || static_cast<std::size_t>(target) >= n)
                throw nb::value_error("targets are nodes further below");
            to[first + s] = static_cast<std::uint32_t>(target);
        }
        nodes.push_back({axis, static_cast<std::uint32_t>(first)});
        first += n_own;
    }
    return {std::move(nodes), std::move(to)};
}

}  // namespace

ldag::ClassMap class_map_of(const FamilyClasses& given, std::span<const std::uint32_t> n_states,
                            std::size_t n_classes) {
    if (const auto* tree = std::get_if<TreeNumbers>(&given)) return tree_of(*tree, n_states, n_classes);
    const auto& listed = std::get<ClassNumbers>(given);
    return std::span<const std::int32_t>(listed.data(), listed.size());
}
