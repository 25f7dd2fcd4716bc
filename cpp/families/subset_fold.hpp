// One recursion over the subsets of a grid, for the best partition into allowed blocks and for sums over all:
// best(W) = max over allowed blocks S of W that hold the first cell of W, of gain(S) + best(W without S).
// With a sum in place of the maximum and exp(gain) in place of gain the same recursion sums over partitions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "families/exact.hpp"

namespace ldag {

// What "best" or "sum" means: `add` chooses between partitions, `join` puts disjoint parts together.
struct MaxPlus {
    using Value = double;
    using BlockValue = double;
    static constexpr double zero = -std::numeric_limits<double>::infinity();
    static constexpr double one = 0.0;
    static constexpr double no_block = zero;
    // A block that does not beat the best partition of its own cells into smaller blocks can be replaced by
    // that partition wherever it occurs, so leaving it out does not change any maximum.
    static constexpr bool skips_beaten_blocks = true;
    static double add(double a, double b) { return a < b ? b : a; }
    static double join(double a, double b) { return a + b; }
};

// Sums of exp(gain).
struct SumProduct {
    using Value = double;
    using BlockValue = double;
    static constexpr double zero = 0.0;
    static constexpr double one = 1.0;
    static constexpr double no_block = zero;
    static constexpr bool skips_beaten_blocks = false;
    static double add(double a, double b) { return a + b; }
    static double join(double a, double b) { return a * b; }
};

// The same in logarithms: slower, for gains whose exponentials a double cannot hold.
struct LogSum {
    using Value = double;
    using BlockValue = double;
    static constexpr double zero = -std::numeric_limits<double>::infinity();
    static constexpr double one = 0.0;
    static constexpr double no_block = zero;
    static constexpr bool skips_beaten_blocks = false;
    static double add(double a, double b) { return log_add(a, b); }
    static double join(double a, double b) { return a + b; }
};

// Several sums of exp(gain) at once, over the same blocks: memory is gone through once for all of them.
struct SumLanes {
    static constexpr std::size_t n = 4;
    using Value = std::array<double, n>;
    using BlockValue = Value;
    static constexpr Value zero{};
    static constexpr Value one{1.0, 1.0, 1.0, 1.0};
    static constexpr Value no_block = zero;
    static constexpr bool skips_beaten_blocks = false;
    static Value add(Value a, const Value& b) {
        for (std::size_t i = 0; i < n; ++i) a[i] += b[i];
        return a;
    }
    static Value join(Value a, const Value& b) {
        for (std::size_t i = 0; i < n; ++i) a[i] *= b[i];
        return a;
    }
};

// The folds over all partitions of every set of cells that a recursion from the whole grid can meet.
//
// To be regular, the blocks together must cut every parent. A remainder W can still have parents to cut only
// if all blocks before were unions of whole lines along these, and then so is W: along one parent of r_i
// states there are 2^(q / r_i) such sets. So the constrained part is small: at most 1.3 million steps.
template <class Fold>
class SubsetFold {
  public:
    using Value = typename Fold::Value;
    using BlockValue = typename Fold::BlockValue;

    SubsetFold(const BlockGrid& grid, std::span<const Block> allowed, std::span<const BlockValue> values,
               bool regular)
        : values_(values), folds_(std::size_t{1} << (grid.n_cells() - 1), Fold::zero) {
        if (regular) cut_ = cut_axes(grid);
        folds_[0] = Fold::one;
        for (const Block block : allowed) {
            if (block >= folds_.size()) break;
            if constexpr (Fold::skips_beaten_blocks)
                if (values[block] <= folds_[block]) continue;
            add_to_supersets(block);
        }
    }

    // The fold over the partitions of `cells` whose blocks together cut all the parents in `to_cut`. Call
    // with the whole grid, or with what is left of it after taking out blocks that hold the first cell.
    Value fold(Block cells, Axes to_cut) {
        if (to_cut == 0 && cells < folds_.size()) return folds_[cells];
        const std::uint32_t key = cells << 8 | to_cut;
        if (const auto known = constrained_.find(key); known != constrained_.end()) return known->second;
        Value folded = Fold::zero;
        for_each_first_block(cells, [&](Block block) {
            folded = Fold::add(folded, fold_starting_with(block, cells, to_cut));
        });
        constrained_.emplace(key, folded);
        return folded;
    }

    // The same over the partitions of which `block` is one.
    Value fold_starting_with(Block block, Block cells, Axes to_cut) {
        if (values_[block] == Fold::no_block) return Fold::zero;
        return Fold::join(values_[block], fold(cells ^ block, after(block, to_cut)));
    }

    // What is left to cut after taking out a block.
    Axes after(Block block, Axes to_cut) const { return to_cut == 0 ? 0 : to_cut & ~Axes{cut_[block]}; }

    // Calls visit(block) for every subset of `cells` that holds their first cell.
    template <class Visit>
    static void for_each_first_block(Block cells, Visit visit) {
        const Block first = first_cell(cells);
        const Block others = cells ^ first;
        Block chosen = 0;
        do {
            visit(first | chosen);
            chosen = (chosen - others) & others;
        } while (chosen != 0);
    }

    // The fold over the partitions of `cells`, which do not hold the first cell of the grid.
    const Value& of_later(Block cells) const { return folds_[cells]; }
    Block n_later() const { return static_cast<Block>(folds_.size()); }

  private:
    // Lets `block` be the part that holds the first cell c, with every set of later cells as the remainder.
    // Blocks come in increasing order: the folds of all sets without c are complete, and when the turn of a
    // block comes, its own entry already knows all partitions of it into smaller blocks.
    void add_to_supersets(Block block) {
        const BlockValue value = values_[block];
        const Block later = (first_cell(block) - 1) & ~block;
        Block rest = 0;
        do {
            Value& folded = folds_[block | rest];
            folded = Fold::add(folded, Fold::join(value, folds_[rest]));
            rest = (rest - later) & later;
        } while (rest != 0);
    }

    std::span<const BlockValue> values_;
    std::vector<Value> folds_;       // by set of cells, for all sets without the first cell of the grid
    std::vector<std::uint8_t> cut_;  // by block, if regular
    std::unordered_map<std::uint32_t, Value> constrained_;
};

}  // namespace ldag
