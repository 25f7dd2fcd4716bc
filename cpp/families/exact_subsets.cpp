// The best partition of the grid into allowed blocks, and the sum over all of them, by one recursion:
// best(W) = max over allowed blocks S of W that hold the first cell of W, of gain(S) + best(W without S).
// With a sum in place of the maximum and exp(gain) in place of gain the same recursion sums over partitions.
#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "families/exact.hpp"

namespace ldag {

double log_add(double a, double b) {
    const double high = std::max(a, b);
    const double difference = std::min(a, b) - high;
    // Also where both are -inf: the difference is then not a number.
    return difference > -45.0 ? high + std::log1p(std::exp(difference)) : high;
}

namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// What "best" or "sum" means: `add` chooses between partitions, `join` puts disjoint parts together.
struct MaxPlus {
    static constexpr double zero = kMinusInfinity;
    static constexpr double one = 0.0;
    // A block that does not beat the best partition of its own cells into smaller blocks can be replaced by
    // that partition wherever it occurs, so leaving it out does not change any maximum.
    static constexpr bool skips_beaten_blocks = true;
    static double add(double a, double b) { return a < b ? b : a; }
    static double join(double a, double b) { return a + b; }
};

// Sums of exp(gain).
struct SumProduct {
    static constexpr double zero = 0.0;
    static constexpr double one = 1.0;
    static constexpr bool skips_beaten_blocks = false;
    static double add(double a, double b) { return a + b; }
    static double join(double a, double b) { return a * b; }
};

// The same in logarithms: slower, for gains whose exponentials a double cannot hold.
struct LogSum {
    static constexpr double zero = kMinusInfinity;
    static constexpr double one = 0.0;
    static constexpr bool skips_beaten_blocks = false;
    static double add(double a, double b) { return log_add(a, b); }
    static double join(double a, double b) { return a + b; }
};

// The folds over all partitions of every set of cells that a recursion from the whole grid can meet.
//
// To be regular, the blocks together must cut every parent. A remainder W can still have parents to cut only
// if all blocks before were unions of whole lines along these, and then so is W: along one parent of r_i
// states there are 2^(q / r_i) such sets. So the constrained part is small: at most 1.3 million steps.
template <class Fold>
class SubsetFold {
  public:
    SubsetFold(const BlockGrid& grid, std::span<const Block> allowed, std::span<const double> values,
               bool regular)
        : values_(values), folds_(std::size_t{1} << (grid.n_cells() - 1), Fold::zero) {
        if (regular) cut_ = cut_axes(grid);
        folds_[0] = Fold::one;
        for (const Block block : allowed) {
            if (block >= folds_.size()) break;
            if (Fold::skips_beaten_blocks && values[block] <= folds_[block]) continue;
            add_to_supersets(block);
        }
    }

    // The fold over the partitions of `cells` whose blocks together cut all the parents in `to_cut`. Call
    // with the whole grid, or with what is left of it after taking out blocks that hold the first cell.
    double fold(Block cells, Axes to_cut) {
        if (to_cut == 0 && cells < folds_.size()) return folds_[cells];
        const std::uint32_t key = cells << 8 | to_cut;
        if (const auto known = constrained_.find(key); known != constrained_.end()) return known->second;
        double folded = Fold::zero;
        for_each_first_block(cells, [&](Block block) {
            folded = Fold::add(folded, fold_starting_with(block, cells, to_cut));
        });
        constrained_.emplace(key, folded);
        return folded;
    }

    // The same over the partitions of which `block` is one.
    double fold_starting_with(Block block, Block cells, Axes to_cut) {
        if (values_[block] == Fold::zero) return Fold::zero;
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

  private:
    // Lets `block` be the part that holds the first cell c, with every set of later cells as the remainder.
    // Blocks come in increasing order: the folds of all sets without c are complete, and when the turn of a
    // block comes, its own entry already knows all partitions of it into smaller blocks.
    void add_to_supersets(Block block) {
        const double value = values_[block];
        const Block later = (first_cell(block) - 1) & ~block;
        Block rest = 0;
        do {
            double& folded = folds_[block | rest];
            folded = Fold::add(folded, Fold::join(value, folds_[rest]));
            rest = (rest - later) & later;
        } while (rest != 0);
    }

    std::span<const double> values_;
    std::vector<double> folds_;      // by set of cells, for all sets without the first cell of the grid
    std::vector<std::uint8_t> cut_;  // by block, if regular
    std::unordered_map<std::uint32_t, double> constrained_;
};

}  // namespace

std::vector<Block> best_blocks(const BlockGrid& grid, std::span<const Block> allowed,
                               std::span<const double> gains, bool regular) {
    SubsetFold<MaxPlus> folds(grid, allowed, gains, regular);
    // Of the blocks that lose nothing (up to kTie over the whole partition) the one with the fewest cells,
    // then the one whose cells come first.
    Axes to_cut = regular ? grid.axes() : 0;
    double slack = kTie;
    std::vector<Block> blocks;
    for (Block cells = grid.all(); cells != 0; cells ^= blocks.back()) {
        const double best = folds.fold(cells, to_cut);
        double kept = best;
        Block chosen = 0;
        folds.for_each_first_block(cells, [&](Block block) {
            const double value = folds.fold_starting_with(block, cells, to_cut);
            if (value < best - slack) return;
            if (chosen != 0 && std::popcount(block) > std::popcount(chosen)) return;
            chosen = block;
            kept = value;
        });
        blocks.push_back(chosen);
        slack = std::max(0.0, slack - (best - kept));
        to_cut = folds.after(chosen, to_cut);
    }
    return blocks;
}

double log_sum_blocks(const BlockGrid& grid, std::span<const Block> allowed, std::span<const double> gains,
                      bool regular) {
    const Axes to_cut = regular ? grid.axes() : 0;
    // No partition gains more than q times the largest gain per cell. Singletons gain 0, so no sum of
    // exp(gain) is below 1, and what underflows does not matter.
    double largest = 0.0;
    for (const Block block : allowed) largest = std::max(largest, gains[block] / std::popcount(block));
    if (largest * static_cast<double>(grid.n_cells()) > 600.0) {
        return SubsetFold<LogSum>(grid, allowed, gains, regular).fold(grid.all(), to_cut);
    }
    std::vector<double> weights(gains.size(), 0.0);
    for (const Block block : allowed) weights[block] = std::exp(gains[block]);
    return std::log(SubsetFold<SumProduct>(grid, allowed, weights, regular).fold(grid.all(), to_cut));
}

}  // namespace ldag
