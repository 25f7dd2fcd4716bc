#include "searching/chain_moves.hpp"

#include <algorithm>
#include <bit>
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

std::size_t n_bits(std::span<const std::uint64_t> words) {
    std::size_t n = 0;
    for (const std::uint64_t word : words) n += static_cast<std::size_t>(std::popcount(word));
    return n;
}

}  // namespace

MovingGraph::MovingGraph(const SearchSpace& space, Parents start)
    : space_(&space),
      parents_(std::move(start)),
      n_words_((space.n_nodes() + 63) / 64),
      ancestors_(space.n_nodes() * n_words_),
      old_row_(n_words_) {
    std::uint64_t n_candidates = 0;
    for (const std::vector<Node>& own : space.candidates) ends_.push_back(n_candidates += own.size());
    fill_ancestors();
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
    return std::ranges::none_of(parents_[child], [&](Node other) { return is_ancestor(parent, other); });
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
    if (is_ancestor(child, parent)) return std::nullopt;
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
    std::vector<Move> found;
    for (Node child = 0; child < parents_.size(); ++child) {
        // A node that is full can only lose parents.
        const std::vector<Node>& others = is_full(child) ? parents_[child] : space_->candidates[child];
        for (const Node parent : others)
            if (const auto move = move_to(parent, child)) found.push_back(*move);
    }
    return found;
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
    if (is_ancestor(parent, child)) return;
    for (Node node = 0; node < parents_.size(); ++node)
        if (node == child || is_ancestor(child, node)) join_ancestors(node, parent);
}

void MovingGraph::remove(Node parent, Node child) {
    std::vector<Node> later = below(child);
    erase_sorted(parents_[child], parent);
    if (!renew_ancestors(child)) return;
    for (const Node node : later) renew_ancestors(node);
}

// The descendants of a node, each after those of its own ancestors that are among them: an ancestor has
// fewer ancestors.
std::vector<Node> MovingGraph::below(Node node) const {
    std::vector<std::pair<std::size_t, Node>> found;
    for (Node other = 0; other < parents_.size(); ++other)
        if (is_ancestor(node, other)) found.emplace_back(n_bits(row(other)), other);
    std::ranges::sort(found);
    std::vector<Node> nodes;
    for (const auto& [n_above, other] : found) nodes.push_back(other);
    return nodes;
}

// Adds a parent of a node, and what is above it, to the node's ancestors.
void MovingGraph::join_ancestors(Node node, Node parent) {
    const auto own = row(node);
    const auto above = row(parent);
    for (std::size_t i = 0; i < n_words_; ++i) own[i] |= above[i];
    own[parent / 64] |= std::uint64_t{1} << (parent % 64);
}

// Gathers a node's ancestors from its parents and says whether they changed.
bool MovingGraph::renew_ancestors(Node node) {
    const auto own = row(node);
    std::ranges::copy(own, old_row_.begin());
    std::ranges::fill(own, 0);
    for (const Node parent : parents_[node]) join_ancestors(node, parent);
    return !std::ranges::equal(own, old_row_);
}

// Parents before children.
void MovingGraph::fill_ancestors() {
    Parents children(parents_.size());
    std::vector<std::size_t> missing(parents_.size());
    std::vector<Node> free;
    for (Node node = 0; node < parents_.size(); ++node) {
        missing[node] = parents_[node].size();
        for (const Node parent : parents_[node]) children[parent].push_back(node);
        if (missing[node] == 0) free.push_back(node);
    }
    while (!free.empty()) {
        const Node node = free.back();
        free.pop_back();
        renew_ancestors(node);
        for (const Node child : children[node])
            if (--missing[child] == 0) free.push_back(child);
    }
}

}  // namespace ldag
