#include "uncertainty/dag_moves.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "support/infinity.hpp"

namespace ldag {

void DagMoves::move(Layers& layers, std::size_t n_changes, Random& random) {
    const std::size_t n = problem_.nodes.size();
    setting_ = layers.setting;
    parents_.resize(n);
    for (std::size_t t = 0; t < n; ++t) parents_[t] = draw(t, layers.rooms[t], random);
    for (std::size_t i = 0; i < n_changes; ++i) {
        if (random.below(2) == 0)
            redraw(random.below(n), random);
        else
            reverse(random);
    }
    find_layers(layers);
    layers.sum(problem_);
}

std::size_t DagMoves::count_edges() const {
    std::size_t n_edges = 0;
    for (const CandidateMask set : parents_) n_edges += static_cast<std::size_t>(std::popcount(set));
    return n_edges;
}

DagMoves::Edge DagMoves::edge(std::size_t number) const {
    std::size_t child = 0;
    for (; number >= static_cast<std::size_t>(std::popcount(parents_[child])); ++child)
        number -= static_cast<std::size_t>(std::popcount(parents_[child]));
    CandidateMask set = parents_[child];
    for (; number > 0; --number) set &= set - 1;
    return {child, set & (~set + 1)};
}

// Draws the parents of a node given those of all others (Gibbs).
void DagMoves::redraw(std::size_t node, Random& random) {
    parents_[node] = draw(node, room_for(node), random);
}

// The edge reversal of Grzegorczyk & Husmeier (2008): both ends of an edge i -> j lose their parents, i gets
// new ones with j among them, and then j. It is accepted by the ratio of the sums over what could be drawn,
// there and back, and of the numbers of edges to choose from.
void DagMoves::reverse(Random& random) {
    const std::size_t n_edges = count_edges();
    if (n_edges == 0) return;
    const auto [j, i_of_j] = edge(random.below(n_edges));
    const std::size_t i =
        problem_.nodes[j].given().candidates[static_cast<std::size_t>(std::countr_zero(i_of_j))];
    const CandidateMask j_of_i = bit_of(i, j);
    const CandidateMask old_of_i = parents_[i];
    const CandidateMask old_of_j = parents_[j];
    const Room back_i = room_for(i);
    parents_[i] = parents_[j] = 0;
    const Room there_i = room_for(i, j_of_i);
    const Room back_j = room_for(j, i_of_j);
    double log_ratio = log_sum(i, there_i) - log_sum(j, back_j) - log_sum(i, back_i);
    if (log_ratio > kMinusInfinity) {  // i can have j as a parent
        parents_[i] = draw(i, there_i, random);
        const Room there_j = room_for(j);
        parents_[j] = draw(j, there_j, random);
        log_ratio += log_sum(j, there_j) + std::log(static_cast<double>(n_edges)) -
                     std::log(static_cast<double>(count_edges()));
        if (random.uniform() < std::exp(std::min(log_ratio, 0.0))) return;
    }
    parents_[i] = old_of_i;
    parents_[j] = old_of_j;
}

// Marks a node and what comes after it.
void DagMoves::mark_descendants(std::size_t node) {
    marks_.assign(parents_.size(), 0);
    marks_[node] = 1;
    waiting_.assign(1, node);
    while (!waiting_.empty()) {
        const std::size_t above = waiting_.back();
        waiting_.pop_back();
        for (const auto& [t, own] : problem_.children[above]) {
            if ((parents_[t] & own) == 0 || marks_[t] != 0) continue;
            marks_[t] = 1;
            waiting_.push_back(t);
        }
    }
}

// What a node may have as parents: nothing that comes after it.
Room DagMoves::room_for(std::size_t node) {
    mark_descendants(node);
    Room room;
    const std::vector<Node>& candidates = problem_.nodes[node].given().candidates;
    for (std::size_t i = 0; i < candidates.size(); ++i)
        room.earlier |= static_cast<CandidateMask>(marks_[candidates[i]] == 0) << i;
    return room;
}

// The same with a parent that it must have.
Room DagMoves::room_for(std::size_t node, CandidateMask needed) {
    const CandidateMask earlier = room_for(node).earlier;
    return {earlier, earlier & needed, false};
}

// The bit of a candidate; 0 if it is none.
CandidateMask DagMoves::bit_of(std::size_t node, std::size_t parent) const {
    for (const auto& [t, own] : problem_.children[parent])
        if (t == node) return own;
    return 0;
}

void DagMoves::find_layers(Layers& layers) {
    const std::size_t n = parents_.size();
    layers.of.assign(n, 0);
    layers.n = 0;
    n_left_.resize(n);
    waiting_.clear();
    for (std::size_t t = 0; t < n; ++t) {
        n_left_[t] = std::popcount(parents_[t]);
        if (n_left_[t] == 0) waiting_.push_back(t);
    }
    while (!waiting_.empty()) {
        const std::size_t above = waiting_.back();
        waiting_.pop_back();
        layers.n = std::max(layers.n, layers.of[above] + 1);
        for (const auto& [t, own] : problem_.children[above]) {
            if ((parents_[t] & own) == 0) continue;
            layers.of[t] = std::max(layers.of[t], layers.of[above] + 1);
            if (--n_left_[t] == 0) waiting_.push_back(t);
        }
    }
}

}  // namespace ldag
