// Who is above whom in an acyclic graph: one matrix of bits that every search by single edges keeps.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ldag {

// The ancestors of every node, and an order of the nodes in which parents come before their children.
class Ancestors {
  public:
    using Node = std::uint32_t;

    explicit Ancestors(std::size_t n_nodes);  // without edges

    bool is_above(Node ancestor, Node node) const {
        return (bits_[node * n_words_ + ancestor / 64] >> (ancestor % 64) & 1) != 0;
    }

    // After an edge was added that closes no cycle.
    void add(Node parent, Node child);

    // After edges into `child` were removed; parents_of(node) are the parents that are left.
    template <class ParentsOf>
    void remove(Node child, ParentsOf parents_of) {
        for_each_from(child, [&](Node node) { gather(node, parents_of(node)); });
    }

    // Parents before children.
    std::span<const Node> order() const { return order_; }

    // Calls visit(node) for a node and all below it, parents before children.
    template <class Visit>
    void for_each_from(Node node, Visit visit) const {
        visit(node);
        for (std::size_t i = position_[node] + 1; i < order_.size(); ++i)
            if (is_above(node, order_[i])) visit(order_[i]);
    }

    // Calls visit(node) for all above a node.
    template <class Visit>
    void for_each_above(Node node, Visit visit) const {
        for (std::size_t word = 0; word < n_words_; ++word)
            for (std::uint64_t left = bits_[node * n_words_ + word]; left != 0; left &= left - 1)
                visit(static_cast<Node>(word * 64 + static_cast<std::size_t>(std::countr_zero(left))));
    }

  private:
    void put_in_order(Node parent, Node child);
    void gather(Node node, std::span<const Node> parents);

    std::size_t n_words_;              // of 64 nodes each
    std::vector<std::uint64_t> bits_;  // by node, its ancestors
    std::vector<std::uint64_t> gathered_;
    std::vector<Node> order_;
    std::vector<std::uint32_t> position_;
};

}  // namespace ldag
