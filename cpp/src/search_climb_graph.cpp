#include <algorithm>
#include <bit>

#include "ldag/climb.hpp"
#include "ldag/random.hpp"

namespace ldag::climb {

Ancestors::Ancestors(std::size_t n_nodes)
    : n_nodes_(n_nodes), n_words_((n_nodes + 63) / 64), bits_(n_nodes * n_words_), gathered_(n_words_) {}

void Ancestors::add(Node parent, Node child) {
    if (is_above(parent, child)) return;
    std::copy_n(bits_.begin() + static_cast<std::ptrdiff_t>(parent * n_words_), n_words_, gathered_.begin());
    gathered_[parent / 64] |= std::uint64_t{1} << (parent % 64);
    for (Node node = 0; node < n_nodes_; ++node) {
        if (node != child && !is_above(child, node)) continue;
        std::uint64_t* const row = bits_.data() + node * n_words_;
        for (std::size_t word = 0; word < n_words_; ++word) row[word] |= gathered_[word];
    }
}

// Sets the ancestors of a node from its parents'; returns whether they changed.
bool Ancestors::gather(Node node, std::span<const Node> parents) {
    std::ranges::fill(gathered_, 0);
    for (const Node parent : parents) {
        const std::uint64_t* const row = bits_.data() + parent * n_words_;
        for (std::size_t word = 0; word < n_words_; ++word) gathered_[word] |= row[word];
        gathered_[parent / 64] |= std::uint64_t{1} << (parent % 64);
    }
    const auto own = bits_.begin() + static_cast<std::ptrdiff_t>(node * n_words_);
    if (std::equal(gathered_.begin(), gathered_.end(), own)) return false;
    std::ranges::copy(gathered_, own);
    return true;
}

void Ancestors::remove(Node child, std::span<const ColumnPointer> columns) {
    // A node has more ancestors than any of them: by their numbers, parents come before children.
    std::vector<std::pair<int, Node>> below;
    for (Node node = 0; node < n_nodes_; ++node) {
        if (!is_above(child, node)) continue;
        int n = 0;
        for (std::size_t word = 0; word < n_words_; ++word) n += std::popcount(bits_[node * n_words_ + word]);
        below.emplace_back(n, node);
    }
    if (!gather(child, columns[child]->parents)) return;
    std::ranges::sort(below);
    for (const auto& [n, node] : below) gather(node, columns[node]->parents);
}

namespace {

std::uint64_t edge_fingerprint(Node parent, Node child) {
    std::uint64_t state = std::uint64_t{parent} << 32 | child;
    return splitmix64(state);
}

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

}  // namespace

Graph::Graph(ColumnStore& store, const Parents& parents)
    : store_(&store), columns_(parents.size()), ancestors_(parents.size()) {
    for (Node child = 0; child < parents.size(); ++child) {
        columns_[child] = store.find(child, parents[child]);
        if (!columns_[child]) return;
        for (const Node parent : parents[child]) {
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

void Graph::list_edges(std::vector<Move>& edges) const {
    edges.clear();
    for (Node child = 0; child < columns_.size(); ++child)
        for (const std::uint32_t place : columns_[child]->places)
            edges.push_back({child, place, MoveKind::remove, columns_[child]->gains[place]});
}

double Graph::gain(Node child, std::uint32_t place, MoveKind kind) const {
    const double own = columns_[child]->gains[place];
    if (kind != MoveKind::reverse) return own;
    const std::uint32_t back = store_->candidates().back(child, place);
    return back == kNone ? kNever : own + columns_[store_->candidates().of(child)[place]]->gains[back];
}

bool Graph::is_acyclic_after(Node parent, Node child, MoveKind kind) const {
    switch (kind) {
        case MoveKind::add:
            return !ancestors_.is_above(child, parent);
        case MoveKind::remove:
            return true;
        case MoveKind::reverse:
            break;
    }
    return std::ranges::none_of(columns_[child]->parents,
                                [&](Node other) { return ancestors_.is_above(parent, other); });
}

bool Graph::is_allowed(const Move& move) const {
    return move.gain != kNever && is_acyclic_after(parent_of(move), move.child, move.kind);
}

std::uint64_t Graph::fingerprint_after(const Move& move) const {
    const Node parent = parent_of(move);
    std::uint64_t fingerprint = fingerprint_ ^ edge_fingerprint(parent, move.child);
    if (move.kind == MoveKind::reverse) fingerprint ^= edge_fingerprint(move.child, parent);
    return fingerprint;
}

// Calls visit(move) for the moves of one node whose gain is above the floor, which may rise meanwhile.
template <class Visit>
void Graph::visit(Node child, const double& floor, Visit visit) const {
    const GainColumn& column = *columns_[child];
    for (const std::uint32_t place : column.additions) {
        const double gain = column.gains[place];
        if (!(gain > floor)) break;
        visit(Move{child, place, MoveKind::add, gain});
    }
    for (const std::uint32_t place : column.places) {
        for (const MoveKind kind : {MoveKind::remove, MoveKind::reverse}) {
            const Move move{child, place, kind, gain(child, place, kind)};
            if (move.gain > floor) visit(move);
        }
    }
}

std::optional<Move> Graph::best_move(double floor, const Tabu& tabu) const {
    double best = floor;
    const auto is_open = [&](const Move& move) {
        return is_allowed(move) && (tabu.empty() || !tabu.contains(fingerprint_after(move)));
    };
    for (Node child = 0; child < columns_.size(); ++child)
        visit(child, best, [&](const Move& move) {
            if (is_open(move)) best = move.gain;
        });
    if (!(best > floor)) return std::nullopt;
    const double least = std::max(floor, best - kTie);
    for (Node child = 0; child < columns_.size(); ++child) {
        std::optional<Move> first;
        visit(child, least, [&](const Move& move) {
            if (first && std::pair(first->place, first->kind) < std::pair(move.place, move.kind)) return;
            if (is_open(move)) first = move;
        });
        if (first) return first;
    }
    return std::nullopt;
}

bool Graph::make(const Move& move) {
    const Node parent = parent_of(move);
    const Node child = move.child;
    const bool adds = move.kind == MoveKind::add;
    const std::vector<Node>& old = columns_[child]->parents;
    ColumnPointer own = store_->find(child, adds ? with(old, parent) : without(old, parent));
    if (!own) return false;
    ColumnPointer other;
    if (move.kind == MoveKind::reverse) {
        other = store_->find(parent, with(columns_[parent]->parents, child));
        if (!other) return false;
    }
    fingerprint_ = fingerprint_after(move);
    columns_[child] = std::move(own);
    if (adds) {
        ancestors_.add(parent, child);
        return true;
    }
    ancestors_.remove(child, columns_);
    if (other) {
        columns_[parent] = std::move(other);
        ancestors_.add(child, parent);
    }
    return true;
}

}  // namespace ldag::climb
