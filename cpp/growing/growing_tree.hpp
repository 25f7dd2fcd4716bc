// The tree of one node while it grows: which rows are at which leaf, and what is known of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "growing/growth.hpp"
#include "growing/leaf_score.hpp"
#include "growing/questions.hpp"

namespace ldag {

class GrowingTree {
  public:
    using Place = std::uint32_t;  // of a tree node, in the order in which they came to be; 0 is the root

    GrowingTree(const PackedRows& rows, std::size_t node, const GrowthOptions& options,
                const LeafScore& score);

    std::size_t node() const { return node_; }
    std::size_t size() const { return nodes_.size(); }
    bool is_leaf(Place place) const { return nodes_[place].n_branches == 0; }
    std::size_t n_leaves() const { return n_leaves_; }

    PackedRows::Part part(Place place) const;
    bool is_empty(Place place) const;
    double score(Place place) const { return nodes_[place].score; }
    LeafScore::Leaf leaf(Place place) const;
    std::span<const double> counts(Place place) const { return std::span(counts_).subspan(place * r_, r_); }

    // The states of a variable that can come to a tree node.
    StateSet left(Place place, std::size_t variable) const;

    // Calls visit(variable, left) for every variable asked about above, the last question first: of a
    // variable that was asked about again, the first call counts.
    template <class Visit>
    void for_each_above(Place place, Visit visit) const {
        for (; nodes_[place].above != place; place = nodes_[place].above)
            visit(nodes_[nodes_[place].above].variable, nodes_[place].states);
    }

    // How often every state of a variable occurs at a leaf with every state of the node, the latter fastest.
    void count(Place place, std::size_t variable, std::vector<double>& table) const;

    // Whether the first configuration of a leaf is lower than that of another.
    bool is_lower(Place place, Place other) const;

    // Cuts a leaf; its branches are the last tree nodes. `score` has entered the leaf.
    void split(Place place, const Question& question, LeafScore& score);

    // The tree without its steps, and the new number of every tree node.
    std::pair<GrownTree, std::vector<std::int32_t>> flatten() const;

  private:
    using Row = PackedRows::Row;
    struct TreeNode {
        Place above;       // the root: itself
        StateSet states;   // of the variable asked about above, those that come here
        Row begin, end;    // in single_
        Row wbegin, wend;  // in weighted_
        double volume;
        double score;
        std::uint32_t variable = 0;  // that it asks about
        Place first_branch = 0;
        std::uint32_t n_branches = 0;
    };

    void add_counts(Place place);
    void add_shares(Place place, const LeafScore& score);
    std::vector<std::pair<std::size_t, std::size_t>> raised_states(Place place) const;

    const PackedRows& rows_;
    std::size_t node_;
    std::size_t r_;
    bool is_nested_;
    double log_prior_of_leaf_;
    std::vector<TreeNode> nodes_;
    std::vector<double> counts_;  // by tree node, of the states of the node
    std::vector<double> shares_;  // the same, under the nested prior
    std::vector<Row> single_;     // by leaf, in it by the state of the node
    std::vector<Row> weighted_;
    std::size_t n_leaves_ = 1;
};

}  // namespace ldag
