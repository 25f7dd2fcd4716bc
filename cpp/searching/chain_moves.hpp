// A DAG that changes by one edge at a time inside a search space, and a uniform draw among its neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "searching/ancestors.hpp"
#include "searching/search.hpp"
#include "support/random.hpp"

namespace ldag {

// What happens to the edge parent -> child: it is added, it is removed, or it takes the place of
// child -> parent. Different moves lead to different graphs.
struct Move {
    MoveKind kind;
    Node parent;
    Node child;

    bool operator==(const Move&) const = default;
};

// Every edge parent -> child of the candidates stands for exactly one graph one move away: without the edge
// if it is there, with it in place of child -> parent if that is there, and with it besides otherwise. So a
// uniform draw among the candidates, repeated until the graph is allowed, is uniform among allowed graphs.
class MovingGraph {
  public:
    // `space` must outlive the graph; `start` is allowed in it.
    MovingGraph(const SearchSpace& space, Parents start);

    std::span<const Node> parents(Node node) const { return parents_[node]; }
    const Parents& all_parents() const { return parents_; }

    // One of all allowed moves, each equally likely; nothing if there is none.
    std::optional<Move> draw(Random& random) const;

    // The move that the candidate parent -> child stands for, if it is allowed.
    std::optional<Move> move_to(Node parent, Node child) const;

    // All allowed moves, by child and then by parent.
    std::vector<Move> moves() const;

    void apply(const Move& move);

  private:
    bool has(Node parent, Node child) const;
    bool is_required(Node parent, Node child) const;
    bool is_full(Node child) const { return parents_[child].size() >= space_->max_parents[child]; }
    bool is_only_path(Node parent, Node child) const;

    void add(Node parent, Node child);
    void remove(Node parent, Node child);

    const SearchSpace* space_;
    std::vector<std::uint64_t> ends_;  // of the candidates of each node among all candidates
    Parents parents_;
    Ancestors ancestors_;
};

}  // namespace ldag
