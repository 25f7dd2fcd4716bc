#include "families/bundles.hpp"

#include <algorithm>
#include <utility>

namespace ldag {

// Only what was used is cleared: a grid may have many times more lines than rows ever visit.
void Bundles::clear(std::size_t n_joins) {
    for (const Node& node : nodes_) node_of_[node.join.number] = kNone;
    if (node_of_.size() < n_joins) node_of_.resize(n_joins, kNone);
    nodes_.clear();
    roots_.clear();
    gains_.clear();
    best_.clear();
    stale_.clear();
}

Bundles::Bundle Bundles::make() {
    if (roots_.size() % kBlock == 0) {
        best_.push_back(kNever);
        stale_.push_back(0);
    }
    roots_.push_back(kNone);
    gains_.push_back(kNever);
    return static_cast<Bundle>(roots_.size() - 1);
}

std::uint32_t Bundles::link(std::uint32_t a, std::uint32_t b) {
    if (nodes_[b].join.number < nodes_[a].join.number) std::swap(a, b);
    nodes_[b].sibling = nodes_[a].child;
    nodes_[a].child = b;
    return a;
}

void Bundles::put(Bundle bundle, const Join& join) {
    const auto node = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({join, kNone, kNone});
    node_of_[join.number] = node;
    roots_[bundle] = roots_[bundle] == kNone ? node : link(roots_[bundle], node);
}

void Bundles::unite(Bundle bundle, Bundle other) {
    if (roots_[bundle] == kNone)
        roots_[bundle] = roots_[other];
    else if (roots_[other] != kNone)
        roots_[bundle] = link(roots_[bundle], roots_[other]);
    roots_[other] = kNone;
    set_gain(other, kNever);
}

// Links the children in pairs, and these from the last to the first: so many steps as the logarithm of their
// number, on average over all calls.
std::uint32_t Bundles::without_first(std::uint32_t root) {
    std::uint32_t pairs = kNone;
    for (std::uint32_t next = nodes_[root].child; next != kNone;) {
        const std::uint32_t one = next;
        const std::uint32_t two = nodes_[one].sibling;
        next = two == kNone ? kNone : nodes_[two].sibling;
        const std::uint32_t pair = two == kNone ? one : link(one, two);
        nodes_[pair].sibling = pairs;
        pairs = pair;
    }
    if (pairs == kNone) return kNone;
    std::uint32_t rest = pairs;
    for (std::uint32_t next = nodes_[pairs].sibling; next != kNone;) {
        const std::uint32_t pair = next;
        next = nodes_[pair].sibling;
        rest = link(rest, pair);
    }
    return rest;
}

const Join* Bundles::first(Bundle bundle) {
    std::uint32_t& root = roots_[bundle];
    while (root != kNone && node_of_[nodes_[root].join.number] != root) root = without_first(root);
    return root == kNone ? nullptr : &nodes_[root].join;
}

void Bundles::set_gain(Bundle bundle, double gain) {
    gains_[bundle] = gain;
    stale_[bundle / kBlock] = 1;
}

Bundles::Bundle Bundles::best() {
    std::size_t top = 0;
    for (std::size_t block = 0; block < best_.size(); ++block) {
        if (stale_[block] != 0) {
            const auto first = gains_.begin() + static_cast<std::ptrdiff_t>(block * kBlock);
            const auto n = std::min(kBlock, gains_.size() - block * kBlock);
            best_[block] = *std::max_element(first, first + static_cast<std::ptrdiff_t>(n));
            stale_[block] = 0;
        }
        if (best_[block] > best_[top]) top = block;
    }
    if (best_.empty()) return kNone;
    std::size_t bundle = top * kBlock;
    while (gains_[bundle] < best_[top]) ++bundle;
    return static_cast<Bundle>(bundle);
}

}  // namespace ldag
