#include "searching/chain_moves.hpp"

#include <algorithm>
#include <utility>

namespace ldag {

namespace {

// After so many candidates that were not allowed, all moves are listed instead. Either way of ending is
// uniform, so this limit changes no probability.
constexpr int kMaxDraws = 1024;

void insert_sorted(std::vector<Node>& nodes, Node node) {
    nodes.insert(std::ranges::lower_bound(nodes, node), node);
}

void erase_sorted(std::vector<Node>& nodes, Node node) { nodes.erase(std::ranges::lower_bound(nodes, node)); }

}  // namespace

MovingGraph::MovingGraph(const SearchSpace& space, Parents start)
    : space_(&space), parents_(std::move(start)), ancestors_(space.n_nodes()) {
    std::uint64_t n_candidates = 0;
    for (const std::vector<Node>& own : space.candidates) ends_.push_back(n_candidates += own.size());
    for (Node child = 0; child < parents_.size(); ++child)
        for (const Node parent : parents_[child]) ancestors_.add(parent, child);
}

bool MovingGraph::has(Node parent, Node child) const {
    const std::vector<Node>& own = parents_[child];
    return std::find(own.begin(), own.end(), parent) != own.end();
}

bool MovingGraph::is_required(Node parent, Node child) const {
    return std::ranges::binary_search(space_->required[child], parent);
}

// Whether the edge parent -> child is the only path from parent to child.
bool MovingGraph::is_only_path(Node parent, Node child) const {
    return std::ranges::none_of(parents_[child],
                                [&](Node other) { return ancestors_.is_above(parent, other); });
}

std::optional<Move> MovingGraph::move_to(Node parent, Node child) const {
    if (has(parent, child)) {
        if (is_required(parent, child)) return std::nullopt;
        return Move{MoveKind::remove, parent, child};
    }
    if (is_full(child)) return std::nullopt;
    if (has(child, parent)) {
        if (is_required(child, parent) || !is_only_path(child, parent)) return std::nullopt;
        return Move{MoveKind::reverse, parent, child};
    }
    if (ancestors_.is_above(child, parent)) return std::nullopt;
    return Move{MoveKind::add, parent, child};
}

std::optional<Move> MovingGraph::draw(Random& random) const {
    if (ends_.empty() || ends_.back() == 0) return std::nullopt;
    for (int i = 0; i < kMaxDraws; ++i) {
        const std::uint64_t candidate = random.below(ends_.back());
        const auto child =
            static_cast<std::size_t>(std::ranges::upper_bound(ends_, candidate) - ends_.begin());
        const std::vector<Node>& own = space_->candidates[child];
        const Node parent = own[own.size() - (ends_[child] - candidate)];
        if (const auto move = move_to(parent, static_cast<Node>(child))) return move;
    }
    const std::vector<Move> all = moves();
    if (all.empty()) return std::nullopt;
    return all[random.below(all.size())];
}

std::vector<Move> MovingGraph::moves() const {
    std::vector<Move> moves;
    for (Node child = 0; child < parents_.size(); ++child) {
        // A node that is full can only lose parents.
        const std::vector<Node>& others = is_full(child) ? parents_[child] : space_->candidates[child];
        for (const Node parent : others)
            if (const auto move = move_to(parent, child)) moves.push_back(*move);
    }
    return moves;
}

void MovingGraph::apply(const Move& move) {
    if (move.kind == MoveKind::remove) {
        remove(move.parent, move.child);
        return;
    }
    if (move.kind == MoveKind::reverse) remove(move.child, move.parent);
    add(move.parent, move.child);
}

void MovingGraph::add(Node parent, Node child) {
    insert_sorted(parents_[child], parent);
    ancestors_.add(parent, child);
}

void MovingGraph::remove(Node parent, Node child) {
    erase_sorted(parents_[child], parent);
    ancestors_.remove(child, [&](Node node) { return std::span<const Node>(parents_[node]); });
}

}  // namespace ldag
