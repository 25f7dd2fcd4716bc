// The best partition that some CPT-tree makes, and the sum over all of them, by a recursion over sub-boxes.
#include <map>
#include <unordered_map>
#include <utility>

#include "families/exact.hpp"
#include "support/infinity.hpp"

namespace ldag {

namespace {

// The best tree with its leaves; a candidate must be better than a tie to replace an earlier one.
struct LeavesOfBest {
    struct Value {
        double gain = kMinusInfinity;
        std::vector<Block> leaves;
    };
    static constexpr bool counts_partitions_once = false;
    static Value one() { return {0.0, {}}; }
    static Value leaf(double gain, Block cells) { return {gain, {cells}}; }
    static void add(Value& total, const Value& candidate) {
        if (candidate.gain > total.gain + kTie) total = candidate;
    }
    static Value join(const Value& a, const Value& b) {
        Value joined{a.gain + b.gain, a.leaves};
        joined.leaves.insert(joined.leaves.end(), b.leaves.begin(), b.leaves.end());
        return joined;
    }
};

struct SumOfTrees {
    struct Value {
        double log_sum = kMinusInfinity;
    };
    static constexpr bool counts_partitions_once = true;
    static Value one() { return {0.0}; }
    static Value leaf(double gain, Block) { return {gain}; }
    static void add(Value& total, const Value& candidate) {
        total.log_sum = log_add(total.log_sum, candidate.log_sum);
    }
    static Value join(const Value& a, const Value& b) { return {a.log_sum + b.log_sum}; }
};

struct Box {
    Block cells;
    Axes free;  // the parents that are not fixed
};

// What matters above a box about a partition of it: along which parents some class spans all states, and
// which parents are split on somewhere. Kept empty where it does not matter.
struct Kind {
    Axes spanned;
    Axes cut;
    auto operator<=>(const Kind&) const = default;
};

// Different trees can make the same partition. A partition other than a single class can be split first on a
// parent if and only if no class spans it, and what it leaves in each part is the partition of a tree again.
// So to count every partition once, only the first such parent is taken as the root; that asks for the set
// of spanned parents, which is the union over the parts. No subtraction anywhere.
template <class Fold>
class TreeFold {
  public:
    using Value = typename Fold::Value;
    using Values = std::map<Kind, Value>;

    TreeFold(const BlockGrid& grid, std::span<const double> gains, bool regular)
        : grid_(grid), gains_(gains), regular_(regular) {}

    // The fold over the partitions of the whole grid.
    Value total() {
        Value total;
        for (const auto& [kind, value] : solve({grid_.all(), grid_.axes()})) {
            if (!regular_ || kind.cut == grid_.axes()) Fold::add(total, value);
        }
        return total;
    }

  private:
    const Values& solve(Box box) {
        if (const auto known = known_.find(box.cells); known != known_.end()) return known->second;
        Values values;
        for (Axes axes = box.free; axes != 0; axes &= axes - 1) {
            const auto axis = static_cast<std::size_t>(std::countr_zero(axes));
            for (const auto& [kind, value] : split(box, axis)) {
                const Axes roots = box.free & ~kind.spanned;
                const bool is_first_root = (roots & (~roots + 1)) == Axes{1} << axis;
                if (is_first_root || !Fold::counts_partitions_once) Fold::add(values[kind], value);
            }
        }
        const Kind one_class{Fold::counts_partitions_once ? box.free : 0, 0};
        Fold::add(values[one_class], Fold::leaf(gains_[box.cells], box.cells));
        return known_[box.cells] = std::move(values);
    }

    // The fold over the partitions of a box that split it on one parent first.
    Values split(Box box, std::size_t axis) {
        const Axes bit = Axes{1} << axis;
        Values values{{Kind{0, regular_ ? bit : 0}, Fold::one()}};
        for (std::size_t state = 0; state < grid_.n_states(axis); ++state) {
            Values joined;
            for (const auto& [kind, value] : solve({box.cells & grid_.slice(axis, state), box.free & ~bit})) {
                for (const auto& [before, value_before] : values) {
                    const Kind both{kind.spanned | before.spanned, kind.cut | before.cut};
                    Fold::add(joined[both], Fold::join(value_before, value));
                }
            }
            values = std::move(joined);
        }
        return values;
    }

    const BlockGrid& grid_;
    std::span<const double> gains_;
    bool regular_;
    std::unordered_map<Block, Values> known_;  // by the cells of the box
};

}  // namespace

std::vector<Block> best_block_tree(const BlockGrid& grid, std::span<const double> gains, bool regular) {
    return TreeFold<LeavesOfBest>(grid, gains, regular).total().leaves;
}

double log_sum_trees(const BlockGrid& grid, std::span<const double> gains, bool regular) {
    return TreeFold<SumOfTrees>(grid, gains, regular).total().log_sum;
}

}  // namespace ldag
