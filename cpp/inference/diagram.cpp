#include "inference/diagram.hpp"

#include <algorithm>

namespace ldag {

std::uint32_t hash_numbers(std::uint64_t seed, std::span<const std::uint32_t> numbers) {
    std::uint64_t hash = seed * 0x9e3779b97f4a7c15 + numbers.size();
    for (const std::uint32_t number : numbers) hash = (hash ^ (hash >> 29) ^ number) * 0xbf58476d1ce4e5b9;
    return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

Ref Diagram::node(std::uint32_t level, std::span<const Ref> children) {
    if (std::ranges::all_of(children, [&](Ref child) { return child == children[0]; })) return children[0];
    const auto fresh = static_cast<Ref>(levels_.size());
    const auto equal = [&](std::uint32_t other) {
        return levels_[other] == level && std::ranges::equal(children_of(other), children);
    };
    const Ref node = table_.find_or_add(hash_numbers(level, children), fresh, equal);
    if (node == fresh) {
        levels_.push_back(level);
        children_.insert(children_.end(), children.begin(), children.end());
        first_.push_back(static_cast<std::uint32_t>(children_.size()));
    }
    return node;
}

}  // namespace ldag
