// How a product of diagrams comes apart while its variables are given states, topmost first.
//
// Which variables are left of a factor depends on the states that were given: labels make variables vanish.
// So there is no one tree of parts, but there are few: each split is worked out once. Factors of which
// nothing has been taken away hang together in the same way wherever they are met, in trees of variables made
// once (elimination trees: below a variable are those that its factors join). So a part is made of the
// factors that something has been taken away from, the variables left in each, and of whole trees: few
// things, even where it has hundreds of factors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/diagram.hpp"

namespace ldag {

// Parts have numbers: factors that hang together, none of them a leaf. Spans hold until the next split().
class Decomposition {
  public:
    Decomposition(const Diagram& diagram, std::span<const Ref> factors);

    // The topmost variable of a part.
    std::uint32_t level(std::uint32_t part) const { return numbers_[parts_[part].first]; }
    // The factors of which something has been taken away, ascending.
    std::span<const std::uint32_t> cut(std::uint32_t part) const {
        return {numbers_.data() + parts_[part].first + 1, parts_[part].n_cut};
    }
    // The factors that depend on the topmost variable.
    std::span<const std::uint32_t> having(std::uint32_t part) const {
        return {numbers_.data() + parts_[part].first + 1 + 2 * parts_[part].n_cut, parts_[part].n_having};
    }
    // All factors, ascending.
    std::vector<std::uint32_t> factors(std::uint32_t part) const;

    // The parts of the product of all factors.
    std::span<const std::uint32_t> whole() const { return parts_of(0); }
    // The number of the split that a part comes to when its topmost variable has got a state; `current` is
    // what is left of each factor.
    std::uint32_t split(std::uint32_t part, std::span<const Ref> current);
    std::span<const std::uint32_t> parts_of(std::uint32_t split) const {
        return {split_parts_.data() + first_part_[split], split_parts_.data() + first_part_[split + 1]};
    }

  private:
    // A part's numbers are its topmost level, its cut factors, the variables left in each as a set by number,
    // the factors that have the topmost variable, and the tops of its trees.
    struct Part {
        std::uint64_t first;
        std::uint32_t n_cut;
        std::uint32_t n_having;
        std::uint32_t n_tops;
    };
    // The variables that hang together below one that has no state yet, by whole factors.
    struct Tree {
        std::vector<std::uint32_t>
            starting;                      // factors that have the top as their topmost variable, ascending
        std::vector<std::uint32_t> below;  // the tops of the trees that they join
        std::uint32_t place = 0;           // a tree's variables have places one after the other
        std::uint32_t n_variables = 1;
        std::uint32_t n_factors = 0;
        std::uint32_t first_factor = 0;  // the least
    };
    // What factors come apart into, while it is worked out.
    struct Group {
        std::uint32_t n_cut = 0;
        std::uint32_t n_tops = 0;
        std::uint32_t n_factors = 0;
        std::uint32_t first_factor = 0;
        std::uint32_t first_cut = 0;  // where its factors and trees are, once sorted by group
        std::uint32_t first_top = 0;
    };

    void find_sets();
    void grow_trees();
    std::uint32_t set_number(const std::vector<std::uint32_t>& levels);
    std::uint32_t tree_of(std::uint32_t level) const;
    std::uint32_t leader_of(std::uint32_t tree);
    void separate();
    void sort_groups();
    std::uint32_t part_number(const Group& group);
    std::uint32_t left_of(Ref ref) const { return is_leaf(ref) ? 0 : set_of_[ref]; }
    std::span<const std::uint32_t> left(std::uint32_t part) const {
        return {numbers_.data() + parts_[part].first + 1 + parts_[part].n_cut, parts_[part].n_cut};
    }
    std::span<const std::uint32_t> tops(std::uint32_t part) const {
        const Part& own = parts_[part];
        return {numbers_.data() + own.first + 1 + 2 * own.n_cut + own.n_having, own.n_tops};
    }

    const Diagram& diagram_;
    std::vector<std::uint32_t> set_of_;             // by node of the diagram: the variables at and below it
    std::vector<std::vector<std::uint32_t>> sets_;  // levels, ascending; the first is empty
    NumberTable set_table_;
    std::vector<Tree> trees_;              // by level
    std::vector<std::uint32_t> all_left_;  // of each factor when nothing has a state yet
    std::vector<Part> parts_;
    std::vector<std::uint32_t> numbers_;
    NumberTable part_table_;
    std::vector<std::uint32_t> split_parts_;
    std::vector<std::uint64_t> first_part_ = {0};
    std::vector<std::uint32_t> keys_;  // of the splits: the part, the variables left
    std::vector<std::uint64_t> first_ = {0};
    NumberTable split_table_;

    // For separate(): factors and trees to be taken apart, and the same by group.
    std::vector<std::uint32_t> cut_;
    std::vector<std::uint32_t> left_;
    std::vector<std::uint32_t> tops_;    // in the order of their places
    std::vector<std::uint32_t> leader_;  // by tree in the list
    std::vector<std::uint32_t> group_of_;
    std::vector<std::uint32_t> home_;  // by cut factor: a tree in the list that it has a variable of
    std::vector<Group> groups_;
    std::vector<std::uint32_t> cut_by_group_;
    std::vector<std::uint32_t> left_by_group_;
    std::vector<std::uint32_t> tops_by_group_;
};

}  // namespace ldag
