// The best acyclic choice of parent sets in one component: by tables of all subsets as long as they are
// small, else layer by layer, which tells which nodes come first, and then each half by itself.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "searching/exact_component.hpp"

namespace ldag {

namespace {

// Tables of so many nodes are made within a second and take some 100 MB.
constexpr std::size_t kMaxTableNodes = 22;

// Sets of nodes are 64 bits.
constexpr std::size_t kMostNodes = 63;

std::vector<std::size_t> ranks_of(const NodeOrder& order, std::span<const NodeFamilies> families) {
    std::vector<std::size_t> ranks(order.nodes.size());
    NodeSet before = 0;
    for (const std::size_t node : order.nodes) {
        ranks[node] = families[node].rank(before);
        before |= node_bit(node);
    }
    return ranks;
}

// Ranked sets without those that have some nodes of a component, and the ranks they had before.
struct Restricted {
    RankedSets ranked;
    std::vector<std::size_t> ranks;

    Restricted(const RankedSets& all, std::span<const int> places, NodeSet without) {
        for (std::size_t rank = 0; rank < all.sets.size(); ++rank) {
            if ((in_component(all.sets[rank], places) & without) != 0) continue;
            ranks.push_back(rank);
            ranked.sets.push_back(all.sets[rank]);
            ranked.scores.push_back(all.scores[rank]);
        }
        ranked.scores.push_back(all.scores.back());
    }
};

class LargeComponent {
  public:
    LargeComponent(const SearchSpace& space, std::span<const RankedSets> ranked,
                   std::span<const Node> component, std::size_t n_threads, Monitor& monitor)
        : space_(space), ranked_(ranked), component_(component), n_threads_(n_threads), monitor_(monitor) {}

    std::optional<std::vector<std::size_t>> solve(double& slack) const {
        std::vector<NodeFamilies> families;
        for (const Node node : component_)
            families.emplace_back(ranked_[node], places_of(space_.candidates[node], component_),
                                  component_.size());
        NodeOrder known;
        parallel_for(
            1, 1, [&](std::size_t, std::size_t) { known = climb_orders(families, monitor_.stop); },
            &monitor_.stop, monitor_.poll);
        if (monitor_.stop) return std::nullopt;
        slack /= 2;  // what the known order may lose against the best
        const OrderBound bound(families, known.score + slack, n_threads_, monitor_);
        if (monitor_.stop) return std::nullopt;
        const auto first = best_first_half(families, bound, known.score + slack, n_threads_, monitor_);
        if (monitor_.stop) return std::nullopt;
        return first ? solve_halves(*first, slack) : ranks_of(known, families);
    }

  private:
    std::optional<std::vector<std::size_t>> solve_halves(NodeSet first, double& slack) const {
        const NodeSet second = (node_bit(component_.size()) - 1) & ~first;
        std::vector<std::size_t> ranks(component_.size());
        std::vector<RankedSets> inside(ranked_.begin(), ranked_.end());
        std::vector<std::vector<std::size_t>> before(component_.size());
        for (NodeSet rest = first; rest != 0; rest &= rest - 1) {
            const std::size_t i = lowest_node(rest);
            const Node node = component_[i];
            Restricted own(ranked_[node], places_of(space_.candidates[node], component_), second);
            inside[node] = std::move(own.ranked);
            before[i] = std::move(own.ranks);
        }
        // Parents outside of what is solved are always available: of the first half, that is none of the
        // second.
        if (!solve_part(first, inside, ranks, slack) || !solve_part(second, ranked_, ranks, slack))
            return std::nullopt;
        for (NodeSet rest = first; rest != 0; rest &= rest - 1) {
            const std::size_t i = lowest_node(rest);
            ranks[i] = before[i][ranks[i]];
        }
        return ranks;
    }

    bool solve_part(NodeSet part, std::span<const RankedSets> ranked, std::vector<std::size_t>& ranks,
                    double& slack) const {
        std::vector<Node> nodes;
        for (NodeSet rest = part; rest != 0; rest &= rest - 1) nodes.push_back(component_[lowest_node(rest)]);
        const auto best = best_in_component(space_, ranked, nodes, slack, n_threads_, monitor_);
        if (!best) return false;
        for (auto rank = best->begin(); part != 0; part &= part - 1) ranks[lowest_node(part)] = *rank++;
        return true;
    }

    const SearchSpace& space_;
    std::span<const RankedSets> ranked_;
    std::span<const Node> component_;
    std::size_t n_threads_;
    Monitor& monitor_;
};

}  // namespace

std::optional<std::vector<std::size_t>> best_by_layers(const SearchSpace& space,
                                                       std::span<const RankedSets> ranked,
                                                       std::span<const Node> component, double& slack,
                                                       std::size_t n_threads, Monitor& monitor) {
    return LargeComponent(space, ranked, component, n_threads, monitor).solve(slack);
}

std::optional<std::vector<std::size_t>> best_in_component(const SearchSpace& space,
                                                          std::span<const RankedSets> ranked,
                                                          std::span<const Node> component, double& slack,
                                                          std::size_t n_threads, Monitor& monitor) {
    if (component.size() > kMostNodes)
        throw std::length_error("the exact search takes at most " + std::to_string(kMostNodes) +
                                " nodes that may be each other's ancestors, got " +
                                std::to_string(component.size()));
    const auto best = component.size() <= kMaxTableNodes ? best_by_tables : best_by_layers;
    return best(space, ranked, component, slack, n_threads, monitor);
}

double component_bytes(const SearchSpace& space, std::span<const Node> component) {
    return component.size() <= kMaxTableNodes ? bytes_of_tables(space, component)
                                              : bytes_of_layers(component.size());
}

}  // namespace ldag
