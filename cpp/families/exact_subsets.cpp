// The best partition of the grid into allowed blocks, and the sum over all of them.
#include <algorithm>
#include <cmath>

#include "families/subset_fold.hpp"

namespace ldag {

double log_add(double a, double b) {
    const double high = std::max(a, b);
    const double difference = std::min(a, b) - high;
    // Also where both are -inf: the difference is then not a number.
    return difference > -45.0 ? high + std::log1p(std::exp(difference)) : high;
}

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

bool needs_logarithms(const BlockGrid& grid, std::span<const Block> allowed, std::span<const double> gains) {
    // No partition gains more than q times the largest gain per cell. Where all singletons are allowed, which
    // gain 0, no sum of exp(gain) is below 1, and what underflows does not matter.
    for (std::size_t cell = 0; cell < grid.n_cells(); ++cell)
        if (gains[grid.cell(cell)] != 0.0) return true;
    double largest = 0.0;
    for (const Block block : allowed) largest = std::max(largest, gains[block] / std::popcount(block));
    return largest * static_cast<double>(grid.n_cells()) > 600.0;
}

double log_sum_blocks(const BlockGrid& grid, std::span<const Block> allowed, std::span<const double> gains,
                      bool regular) {
    const Axes to_cut = regular ? grid.axes() : 0;
    if (needs_logarithms(grid, allowed, gains))
        return SubsetFold<LogSum>(grid, allowed, gains, regular).fold(grid.all(), to_cut);
    std::vector<double> weights(gains.size(), 0.0);
    for (const Block block : allowed) weights[block] = std::exp(gains[block]);
    return std::log(SubsetFold<SumProduct>(grid, allowed, weights, regular).fold(grid.all(), to_cut));
}

std::vector<double> log_sums_blocks(const BlockGrid& grid, std::span<const Block> allowed,
                                    std::span<const std::vector<double>> gains, bool regular) {
    std::vector<double> sums(gains.size());
    std::vector<std::size_t> together;  // those that doubles can hold
    for (std::size_t i = 0; i < gains.size(); ++i) {
        if (needs_logarithms(grid, allowed, gains[i]))
            sums[i] = log_sum_blocks(grid, allowed, gains[i], regular);
        else
            together.push_back(i);
    }
    std::vector<SumLanes::Value> weights(std::size_t{grid.all()} + 1);
    for (std::size_t begin = 0; begin < together.size(); begin += SumLanes::n) {
        const std::size_t n = std::min(SumLanes::n, together.size() - begin);
        if (n == 1) {
            sums[together[begin]] = log_sum_blocks(grid, allowed, gains[together[begin]], regular);
            continue;
        }
        std::ranges::fill(weights, SumLanes::zero);
        for (const Block block : allowed)
            for (std::size_t i = 0; i < n; ++i)
                weights[block][i] = std::exp(gains[together[begin + i]][block]);
        SubsetFold<SumLanes> folds(grid, allowed, weights, regular);
        const SumLanes::Value totals = folds.fold(grid.all(), regular ? grid.axes() : 0);
        for (std::size_t i = 0; i < n; ++i) sums[together[begin + i]] = std::log(totals[i]);
    }
    return sums;
}

}  // namespace ldag
