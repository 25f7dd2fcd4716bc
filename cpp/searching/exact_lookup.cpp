#include <algorithm>
#include <limits>

#include "searching/exact_component.hpp"

namespace ldag {

std::vector<int> places_of(std::span<const Node> candidates, std::span<const Node> component) {
    std::vector<int> places;
    for (const Node candidate : candidates) {
        const auto place = std::ranges::lower_bound(component, candidate);
        const bool inside = place != component.end() && *place == candidate;
        places.push_back(inside ? static_cast<int>(place - component.begin()) : -1);
    }
    return places;
}

NodeSet in_component(NodeSet set, std::span<const int> places) {
    NodeSet inside = 0;
    for (; set != 0; set &= set - 1)
        if (const int place = places[lowest_node(set)]; place >= 0)
            inside |= node_bit(static_cast<std::size_t>(place));
    return inside;
}

NodeFamilies::NodeFamilies(const RankedSets& ranked, std::span<const int> places, std::size_t n_nodes)
    : n_chunks_((n_nodes + kChunk - 1) / kChunk), wanted_{0} {
    for (std::size_t i = 0; i < ranked.sets.size(); ++i) {
        sets_.push_back(in_component(ranked.sets[i], places));
        scores_.push_back(ranked.scores[i] - ranked.scores[0]);
        wanted_.push_back(wanted_.back() | sets_.back());
    }
    scores_.push_back(-std::numeric_limits<double>::infinity());
    make_blocks();
}

void NodeFamilies::make_blocks() {
    for (std::size_t first = 0; first < sets_.size() && first < 64 * kMaxBlocks; first += 64) {
        const std::size_t n = std::min<std::size_t>(64, sets_.size() - first);
        for (std::size_t chunk = 0; chunk < n_chunks_; ++chunk) {
            std::array<std::uint64_t, kChunk> without{};  // by node, the sets that do without
            for (std::size_t node = 0; node < kChunk; ++node)
                for (std::size_t i = 0; i < n; ++i)
                    if ((sets_[first + i] >> (kChunk * chunk + node) & 1) == 0)
                        without[node] |= std::uint64_t{1} << i;
            Chunk& made = blocks_.emplace_back();
            made[0] = n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
            for (std::size_t missing = 1; missing < made.size(); ++missing)
                made[missing] = made[missing & (missing - 1)] & without[lowest_node(missing)];
        }
    }
}

std::size_t NodeFamilies::rank(NodeSet nodes) const {
    const NodeSet missing = ~nodes;
    const std::size_t n_tested = 64 * blocks_.size() / n_chunks_;
    const Chunk* chunk = blocks_.data();
    for (std::size_t first = 0; first < n_tested; first += 64) {
        std::uint64_t possible = ~std::uint64_t{0};
        for (std::size_t i = 0; i < n_chunks_; ++i) possible &= (*chunk++)[missing >> (kChunk * i) & 0xff];
        if (possible != 0) return first + lowest_node(possible);
    }
    std::size_t rank = std::min(n_tested, sets_.size());
    while (rank < sets_.size() && (sets_[rank] & missing) != 0) ++rank;
    return rank;
}

}  // namespace ldag
