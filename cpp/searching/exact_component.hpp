// The families of one component of nodes that may be each other's ancestors, and the searches of a best order
// of these nodes.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "searching/exact.hpp"

namespace ldag {

inline NodeSet node_bit(std::size_t node) { return NodeSet{1} << node; }

inline std::size_t lowest_node(NodeSet set) { return static_cast<std::size_t>(std::countr_zero(set)); }

// Positions of a node's candidates in a component: -1 for those outside.
std::vector<int> places_of(std::span<const Node> candidates, std::span<const Node> component);

// Those of a set of candidates that lie in the component, by their places.
NodeSet in_component(NodeSet set, std::span<const int> places);

// The parent sets of one node as sets of the component's nodes, best first, found without a table of all
// subsets. Scores are relative to the best one.
class NodeFamilies {
  public:
    NodeFamilies(const RankedSets& ranked, std::span<const int> places, std::size_t n_nodes);

    // The rank of the best set within some nodes; that of "none" if there is none.
    std::size_t rank(NodeSet nodes) const;

    // 0 for the best, minus infinity for "none".
    double score(std::size_t rank) const { return scores_[rank]; }
    std::size_t none() const { return sets_.size(); }

    // All nodes that occur in sets before this rank.
    NodeSet wanted(std::size_t rank) const { return wanted_[rank]; }

  private:
    // Sets are tested 64 at a time: for every eight nodes and each choice of them that is missing, the bits
    // of the sets that do without.
    static constexpr std::size_t kChunk = 8;
    static constexpr std::size_t kMaxBlocks = 32;  // the sets after these are tested one by one
    using Chunk = std::array<std::uint64_t, std::size_t{1} << kChunk>;

    void make_blocks();

    std::size_t n_chunks_;
    std::vector<NodeSet> sets_;
    std::vector<double> scores_;
    std::vector<NodeSet> wanted_;
    std::vector<Chunk> blocks_;  // by 64 sets, then by eight nodes
};

// An order of a component's nodes, which is all there is to choose: everyone takes the best parents before.
struct NodeOrder {
    std::vector<std::size_t> nodes;
    double score = 0.0;  // against the best set of every node
};

// A good order, by inserting every node where it fits best and by seeded disturbances of the result.
NodeOrder climb_orders(std::span<const NodeFamilies> families, const std::atomic<bool>& stop);

// The most that the nodes which are not yet in an order can score: nodes are in groups, and the members of a
// group may be on no cycle, which is relaxed between groups (additive pattern databases, Yuan & Malone 2013).
// The least of some such bounds, with different groups.
class OrderBound {
  public:
    // Groups are improved until no order can exceed `known`, or for a while.
    OrderBound(std::span<const NodeFamilies> families, double known, std::size_t n_threads, Monitor& monitor);

    // Whether an order that has come to `score` may end above `known`.
    bool may_exceed(double known, double score, NodeSet missing) const;

  private:
    static constexpr std::size_t kChunk = 8;

    // Some nodes, and by their missing ones (numbered from 0) the best score.
    struct Group {
        Group(std::span<const NodeFamilies> families, std::span<const std::size_t> members);
        double operator()(NodeSet missing) const;

        std::vector<std::array<std::uint32_t, std::size_t{1} << kChunk>> numbers;  // by eight nodes
        std::vector<double> scores;
    };

    std::vector<std::vector<Group>> bounds_;
};

// The nodes that come first, half of all, in a best order among those better than `known`; nothing if there
// is none, or if stopped.
std::optional<NodeSet> best_first_half(std::span<const NodeFamilies> families, const OrderBound& bound,
                                       double known, std::size_t n_threads, Monitor& monitor);

// As best_in_component: by tables over all subsets of the component, or layer by layer and without tables.
std::optional<std::vector<std::size_t>> best_by_tables(const SearchSpace& space,
                                                       std::span<const RankedSets> ranked,
                                                       std::span<const Node> component, double& slack,
                                                       std::size_t n_threads, Monitor& monitor);
std::optional<std::vector<std::size_t>> best_by_layers(const SearchSpace& space,
                                                       std::span<const RankedSets> ranked,
                                                       std::span<const Node> component, double& slack,
                                                       std::size_t n_threads, Monitor& monitor);

// Bytes that each needs at most; the candidates are all that is known.
double bytes_of_tables(const SearchSpace& space, std::span<const Node> component);
double bytes_of_layers(std::size_t n_nodes);

}  // namespace ldag
