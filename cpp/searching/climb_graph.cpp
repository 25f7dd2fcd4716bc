#include <algorithm>
#include <cmath>
#include <utility>

#include "searching/climb.hpp"
#include "support/random.hpp"

namespace ldag::climb {

namespace {

std::uint64_t edge_fingerprint(Node parent, Node child) {
    std::uint64_t state = std::uint64_t{parent} << 32 | child;
    return splitmix64(state);
}

}  // namespace

std::vector<Node> with(const std::vector<Node>& parents, Node parent) {
    std::vector<Node> more = parents;
    more.insert(std::ranges::lower_bound(more, parent), parent);
    return more;
}

std::vector<Node> without(const std::vector<Node>& parents, Node parent) {
    std::vector<Node> fewer = parents;
    std::erase(fewer, parent);
    return fewer;
}

Graph::Graph(ColumnStore& store, std::vector<ColumnPointer> columns)
    : store_(&store),
      columns_(std::move(columns)),
      ancestors_(columns_.size()),
      best_gains_(columns_.size(), 0.0),
      stale_(columns_.size(), 1) {
    for (Node child = 0; child < columns_.size(); ++child) {
        for (const Node parent : columns_[child]->parents) {
            ancestors_.add(parent, child);
            fingerprint_ ^= edge_fingerprint(parent, child);
        }
    }
}

double Graph::score() const {
    double sum = 0.0;
    for (const ColumnPointer& column : columns_) sum += column->score;
    return sum;
}

Parents Graph::parents() const {
    Parents parents;
    for (const ColumnPointer& column : columns_) parents.push_back(column->parents);
    return parents;
}

std::vector<Node> Graph::children(Node node) const {
    std::vector<Node> children;
    for (Node child = 0; child < n_nodes(); ++child)
        if (is_above(node, child) && std::ranges::binary_search(column(child).parents, node))
            children.push_back(child);
    return children;
}

PlacedMove Graph::move(Node child, std::uint32_t place, MoveKind kind) const {
    double gain = columns_[child]->gains[place];
    if (kind == MoveKind::reverse) {
        const std::uint32_t back = store_->candidates().back(child, place);
        const Node parent = store_->candidates().of(child)[place];
        const double gain_back = back == kNone ? kNever : columns_[parent]->gains[back];
        gain = gain == kNever || gain_back == kNever ? kNever : gain + gain_back;
    }
    return {child, place, kind, gain};
}

bool Graph::is_allowed(const PlacedMove& move) const {
    if (move.gain == kNever) return false;
    const Node parent = parent_of(move);
    switch (move.kind) {
        case MoveKind::add:
            return !is_above(move.child, parent);
        case MoveKind::remove:
            return true;
        case MoveKind::reverse:
            break;
    }
    // There must be no other way from the parent to the child.
    return std::ranges::none_of(column(move.child).parents,
                                [&](Node other) { return is_above(parent, other); });
}

std::uint64_t Graph::fingerprint_after(const PlacedMove& move) const {
    const Node parent = parent_of(move);
    std::uint64_t fingerprint = fingerprint_ ^ edge_fingerprint(parent, move.child);
    if (move.kind == MoveKind::reverse) fingerprint ^= edge_fingerprint(move.child, parent);
    return fingerprint;
}

bool Graph::is_filled_after(const PlacedMove& move) const {
    const Node parent = parent_of(move);
    if (move.kind == MoveKind::add) return store_->is_filled(column(move.child), parent);
    return move.kind == MoveKind::remove || store_->is_filled(column(parent), move.child);
}

// The gain of a move that has a bound, or of any other.
double Graph::exact_gain(const PlacedMove& move) const {
    if (move.kind != MoveKind::reverse) return store_->gain(move.child, column(move.child), move.place);
    const std::uint32_t back = store_->candidates().back(move.child, move.place);
    const Node parent = parent_of(move);
    return column(move.child).gains[move.place] + store_->gain(parent, column(parent), back);
}

// Calls visit(move) for the moves of one node that may gain more than the floor, which may rise meanwhile.
template <class Visit>
void Graph::visit(Node child, const double& floor, Visit visit) const {
    const GainColumn& own = column(child);
    bool is_low = false;
    for (const std::uint32_t place : own.additions) {
        is_low = !(own.gains[place] > floor);
        if (is_low) break;
        visit(PlacedMove{child, place, MoveKind::add, own.gains[place]});
    }
    if (own.is_cut && !is_low) visit_rest(child, floor, visit);
    for (const std::uint32_t place : own.places) {
        for (const MoveKind kind : {MoveKind::remove, MoveKind::reverse}) {
            const PlacedMove change = move(child, place, kind);
            if (change.gain > floor) visit(change);
        }
    }
}

// The additions that a column does not keep in order, and some that it does.
template <class Visit>
void Graph::visit_rest(Node child, const double& floor, Visit visit) const {
    const GainColumn& own = column(child);
    const double most = own.gains[own.additions.back()];
    for (std::uint32_t place = 0; place < own.gains.size(); ++place) {
        if (!(own.gains[place] > floor) || own.gains[place] > most) continue;
        if (!std::ranges::binary_search(own.places, place))
            visit(PlacedMove{child, place, MoveKind::add, own.gains[place]});
    }
}

// The best gain of a node's moves, or the floor.
template <class Accept>
double Graph::best_gain(Node child, double floor, Accept accept) const {
    double best = floor;
    visit(child, best, [&](const PlacedMove& move) {
        if (accept(move)) best = std::max(best, exact_gain(move));
    });
    return best;
}

// Of a node's moves that gain more than the floor, the one with the lowest parent, then kind.
template <class Accept>
std::optional<PlacedMove> Graph::first_move(Node child, double floor, Accept accept) const {
    std::optional<PlacedMove> first;
    visit(child, floor, [&](const PlacedMove& move) {
        if (first && std::pair(first->place, first->kind) < std::pair(move.place, move.kind)) return;
        if (!accept(move)) return;
        const double gain = exact_gain(move);
        if (gain > floor) first = PlacedMove{move.child, move.place, move.kind, gain};
    });
    return first;
}

// What gains as good as the best are above; gains of ten million and more are further apart than kTie.
static double tie_floor(double best) { return std::min(best - kTie, std::nextafter(best, kNever)); }

std::optional<PlacedMove> Graph::best_improvement() {
    const auto accept = [&](const PlacedMove& move) { return is_allowed(move); };
    double best = kTie;
    for (Node child = 0; child < n_nodes(); ++child) {
        if (stale_[child] != 0) best_gains_[child] = best_gain(child, kTie, accept);
        stale_[child] = 0;
        best = std::max(best, best_gains_[child]);
    }
    if (!(best > kTie)) return std::nullopt;
    const double least = std::max(kTie, tie_floor(best));
    const auto first = std::ranges::find_if(best_gains_, [&](double gain) { return gain > least; });
    return first_move(static_cast<Node>(first - best_gains_.begin()), least, accept);
}

std::optional<PlacedMove> Graph::best_move(const Tabu& tabu) const {
    const auto accept = [&](const PlacedMove& move) {
        return is_allowed(move) && is_filled_after(move) && !tabu.contains(fingerprint_after(move));
    };
    double best = kNever;
    for (Node child = 0; child < n_nodes(); ++child) best = best_gain(child, best, accept);
    std::optional<PlacedMove> first;
    for (Node child = 0; child < n_nodes() && !first; ++child)
        first = first_move(child, tie_floor(best), accept);
    return first;
}

// Changed edges change gains of the child and of reversals of the edges it leads to, and which moves make no
// cycle: additions to the parents and what is above them, reversals of edges to the child and what is below
// it.
void Graph::mark_stale(std::span<const Node> parents, Node child) {
    const auto mark = [&](Node node) { stale_[node] = 1; };
    for (const Node parent : parents) {
        mark(parent);
        ancestors_.for_each_above(parent, mark);
    }
    ancestors_.for_each_from(child, mark);
}

void Graph::put(Node child, ColumnPointer column) {
    if (visited_ != nullptr) visited_->note(child, *column, candidates());
    columns_[child] = std::move(column);
}

void Graph::watch(Visited& visited) {
    visited_ = &visited;
    for (Node child = 0; child < n_nodes(); ++child) visited.note(child, *columns_[child], candidates());
}

bool Graph::make(const PlacedMove& move) {
    const Node parent = parent_of(move);
    const Node child = move.child;
    const bool adds = move.kind == MoveKind::add;
    ColumnPointer own = store_->find(
        child, adds ? with(column(child).parents, parent) : without(column(child).parents, parent));
    if (!own) return false;
    ColumnPointer other;
    if (move.kind == MoveKind::reverse) {
        other = store_->find(parent, with(column(parent).parents, child));
        if (!other) return false;
    }
    fingerprint_ = fingerprint_after(move);
    put(child, std::move(own));
    if (adds)
        ancestors_.add(parent, child);
    else
        ancestors_.remove(child, parents_now());
    mark_stale({&parent, 1}, child);
    if (other) {
        put(parent, std::move(other));
        ancestors_.add(child, parent);
        mark_stale({&child, 1}, parent);
    }
    return true;
}

bool Graph::clear(Node child) {
    const ColumnPointer old = columns_[child];
    std::vector<Node> kept;
    std::vector<Node> lost;
    for (const std::uint32_t place : old->places)
        (candidates().is_required(child, place) ? kept : lost).push_back(candidates().of(child)[place]);
    ColumnPointer bare = store_->find(child, kept);
    if (!bare) return false;
    for (const Node parent : lost) fingerprint_ ^= edge_fingerprint(parent, child);
    put(child, std::move(bare));
    ancestors_.remove(child, parents_now());
    mark_stale(lost, child);
    return true;
}

}  // namespace ldag::climb
