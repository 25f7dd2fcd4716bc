// Which class the configurations of a family's parents have: a number for each of them, or a tree of
// questions where there may be too many to list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ldag {

// A question of a tree, or a leaf.
struct TreeNode {
    static constexpr std::int32_t kLeaf = -1;

    std::int32_t axis;    // of the parent asked about, or kLeaf
    std::uint32_t first;  // where the targets of its states begin; the class, at a leaf
};

class ClassMap {
  public:
    ClassMap() = default;
    // By configuration, the last parent fastest. The numbers must outlive it.
    ClassMap(std::span<const std::int32_t> listed) : listed_(listed) {}
    ClassMap(const std::vector<std::int32_t>& listed) : listed_(listed) {}
    // By a tree whose root is node 0; targets are nodes after the one that asks.
    ClassMap(std::vector<TreeNode> nodes, std::vector<std::uint32_t> targets)
        : nodes_(std::move(nodes)), targets_(std::move(targets)) {}

    bool is_tree() const { return !nodes_.empty(); }
    std::span<const TreeNode> nodes() const { return nodes_; }
    std::uint32_t target(const TreeNode& question, std::size_t state) const {
        return targets_[question.first + state];
    }

    // By configuration, if it is no tree.
    std::span<const std::int32_t> listed() const { return listed_; }

    // The class in a configuration, by its number or by the state of each axis.
    template <class StateOf>
    std::size_t find(std::size_t configuration, StateOf state_of) const {
        return is_tree() ? walk(state_of) : static_cast<std::size_t>(listed_[configuration]);
    }
    template <class StateOf>
    std::size_t walk(StateOf state_of) const {
        const TreeNode* node = nodes_.data();
        while (node->axis != TreeNode::kLeaf)
            node = &nodes_[target(*node, state_of(static_cast<std::size_t>(node->axis)))];
        return node->first;
    }

  private:
    std::span<const std::int32_t> listed_;
    std::vector<TreeNode> nodes_;
    std::vector<std::uint32_t> targets_;
};

// The class of every configuration of parents with so many states; there must be few of them.
std::vector<std::int32_t> list_classes(const ClassMap& classes, std::span<const std::uint32_t> n_states);

// The class of every row by a tree; `columns` has the states of each axis, one row after the other, all below
// the axis's number of states.
void find_classes(const ClassMap& tree, std::span<const std::uint8_t* const> columns,
                  std::span<std::int32_t> classes, std::size_t n_threads);

}  // namespace ldag
