// A good order of the nodes of a component, to begin with.
#include <algorithm>

#include "searching/exact_component.hpp"
#include "support/random.hpp"

namespace ldag {

namespace {

class OrderClimb {
  public:
    explicit OrderClimb(std::span<const NodeFamilies> families) : families_(families) {}

    double score(std::span<const std::size_t> order) const {
        double sum = 0.0;
        NodeSet before = 0;
        for (const std::size_t node : order) {
            sum += score(node, before);
            before |= node_bit(node);
        }
        return sum;
    }

    // Inserts nodes where they fit best until nothing improves.
    void climb(NodeOrder& order) {
        for (bool improves = true; improves;) {
            improves = false;
            for (std::size_t node = 0; node < families_.size(); ++node)
                improves = insert(order, node) || improves;
        }
    }

  private:
    double score(std::size_t node, NodeSet before) const {
        return families_[node].score(families_[node].rank(before));
    }

    // Moves a node to its best place.
    bool insert(NodeOrder& order, std::size_t node) {
        std::vector<std::size_t>& nodes = order.nodes;
        const auto from = std::ranges::find(nodes, node);
        const auto place = static_cast<std::size_t>(from - nodes.begin());
        nodes.erase(from);
        const std::size_t n = nodes.size();
        after_.assign(n + 1, 0.0);  // what those from a place on lose after the node
        NodeSet before = node_bit(families_.size()) - 1;
        for (std::size_t i = n; i-- > 0;) {
            before &= ~node_bit(nodes[i]);
            after_[i] = after_[i + 1] + score(nodes[i], before);
        }
        before = 0;
        double sum = 0.0;  // of those before the place
        double best = order.score;
        std::size_t best_place = place;
        for (std::size_t i = 0; i <= n; ++i) {
            const double all = sum + score(node, before) + after_[i];
            if (all > best + kGain) {
                best = all;
                best_place = i;
            }
            if (i == n) break;
            sum += score(nodes[i], before);
            before |= node_bit(nodes[i]);
        }
        nodes.insert(nodes.begin() + static_cast<std::ptrdiff_t>(best_place), node);
        order.score = best;
        return best_place != place;
    }

    static constexpr double kGain = 1e-9;  // an improvement is more than this

    std::span<const NodeFamilies> families_;
    std::vector<double> after_;
};

}  // namespace

NodeOrder climb_orders(std::span<const NodeFamilies> families, const std::atomic<bool>& stop) {
    constexpr std::size_t kRoundsPerNode = 20;
    constexpr std::uint64_t kMostMoves = 4;
    OrderClimb climb(families);
    Random random(0);
    NodeOrder best;
    NodeSet placed = 0;  // nodes one by one, as required parents allow
    while (best.nodes.size() < families.size())
        for (std::size_t node = 0; node < families.size(); ++node)
            if ((placed >> node & 1) == 0 && families[node].rank(placed) != families[node].none()) {
                best.nodes.push_back(node);
                placed |= node_bit(node);
            }
    best.score = climb.score(best.nodes);
    climb.climb(best);
    for (std::size_t round = kRoundsPerNode * families.size(); round > 0 && !stop; --round) {
        NodeOrder other = best;
        for (std::uint64_t moves = 1 + random.below(kMostMoves); moves > 0; --moves)
            std::swap(other.nodes[random.below(families.size())], other.nodes[random.below(families.size())]);
        other.score = climb.score(other.nodes);
        climb.climb(other);
        if (other.score >= best.score) best = std::move(other);
    }
    return best;
}

}  // namespace ldag
