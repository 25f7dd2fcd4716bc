// The exact optimum over the partitions of a family's grid, and the sum over all of them.
#include "families/exact.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <stdexcept>
#include <string>

#include "families/posterior.hpp"
#include "families/structures.hpp"

namespace ldag {

void check_exact(const FamilyProblem& problem) {
    const std::size_t n_cells = problem.grid.size();
    if (n_cells == 0 || n_cells > kMaxExactCells) {
        throw std::invalid_argument("exact partitions need a grid of 1 to " + std::to_string(kMaxExactCells) +
                                    " configurations, this one has " + std::to_string(n_cells));
    }
    if (problem.counts.size() != n_cells * problem.n_states) {
        throw std::invalid_argument("expected one count per configuration and state");
    }
}

namespace {

// The marginal likelihood of the class made of these cells.
double log_marginal_likelihood(const FamilyProblem& problem, const BlockGrid& grid, Block block) {
    std::vector<double> counts(problem.n_states, 0.0);
    for (Block rest = block; rest != 0; rest ^= first_cell(rest)) {
        const std::span<const double> row = problem.row(grid.number(first_cell(rest)));
        for (std::size_t state = 0; state < counts.size(); ++state) counts[state] += row[state];
    }
    const ClassScore class_score(problem.n_states, grid.n_cells(), problem.equivalent_sample_size, 0,
                                 problem.per_class);
    return class_score(counts, static_cast<double>(std::popcount(block)));
}

FamilyResult result_of(const FamilyProblem& problem, const BlockGrid& grid, std::vector<Block> blocks) {
    // The first cell is the highest bit: in decreasing order, classes are numbered by first appearance.
    std::sort(blocks.begin(), blocks.end(), std::greater<>());
    FamilyResult result;
    result.classes.resize(grid.n_cells());
    result.n_classes = blocks.size();
    for (std::size_t number = 0; number < blocks.size(); ++number) {
        for (Block rest = blocks[number]; rest != 0; rest ^= first_cell(rest)) {
            result.classes[grid.number(first_cell(rest))] = static_cast<std::int32_t>(number);
        }
        result.log_marginal_likelihood += log_marginal_likelihood(problem, grid, blocks[number]);
    }
    const auto lost = static_cast<double>(grid.n_cells() - blocks.size());
    result.score = result.log_marginal_likelihood + problem.class_lost * lost;
    result.is_exact = true;
    return result;
}

}  // namespace

double log_of_singletons(const FamilyProblem& problem, const BlockGrid& grid) {
    double sum = 0.0;
    for (std::size_t cell = 0; cell < grid.n_cells(); ++cell)
        sum += log_marginal_likelihood(problem, grid, grid.cell(cell));
    return sum;
}

FamilyResult exact_partition(const FamilyProblem& problem, const Structure& structure) {
    check_exact(problem);
    const BlockGrid grid(problem.grid);
    std::vector<Block> allowed = structure.allowed_blocks(grid);
    std::vector<double> gains = block_gains(problem, grid, allowed);
    if (!problem.fixed.empty()) keep_fixed_labels(problem, grid, allowed, gains);
    return result_of(problem, grid,
                     structure.recursion == Recursion::boxes
                         ? best_block_tree(grid, gains, problem.regular)
                         : best_blocks(grid, allowed, gains, problem.regular));
}

double log_sum_partitions(const FamilyProblem& problem, const Structure& structure) {
    if (structure.recursion == Recursion::subsets) return FamilyPosterior(problem, structure).log_sum();
    check_exact(problem);
    if (!problem.fixed.empty()) throw std::invalid_argument("the sum over trees takes no fixed labels");
    const BlockGrid grid(problem.grid);
    const std::vector<double> gains = block_gains(problem, grid, structure.allowed_blocks(grid));
    return log_of_singletons(problem, grid) + log_sum_trees(grid, gains, problem.regular);
}

std::vector<double> log_sums_partitions(FamilyProblem problem, const Structure& structure,
                                        std::span<const PartitionPrior> priors) {
    check_exact(problem);
    if (structure.recursion != Recursion::subsets)
        throw std::invalid_argument("trees are summed over one prior at a time");
    const BlockGrid grid(problem.grid);
    const std::vector<Block> all_allowed = structure.allowed_blocks(grid);
    std::vector<Block> allowed = all_allowed;
    std::vector<double> singletons;
    std::vector<std::vector<double>> gains;
    for (std::size_t i = 0; i < priors.size(); ++i) {
        const auto& [size, class_lost] = priors[i];
        if (i > 0 && size == priors[i - 1].equivalent_sample_size) {
            const double more = class_lost - priors[i - 1].class_lost;
            gains.push_back(gains.back());
            singletons.push_back(singletons.back());
            for (const Block block : allowed) gains.back()[block] += more * (std::popcount(block) - 1);
            continue;
        }
        problem.equivalent_sample_size = size;
        problem.class_lost = class_lost;
        gains.push_back(block_gains(problem, grid, all_allowed));
        allowed = all_allowed;
        if (!problem.fixed.empty()) keep_fixed_labels(problem, grid, allowed, gains.back());
        singletons.push_back(log_of_singletons(problem, grid));
    }
    std::vector<double> sums = log_sums_blocks(grid, allowed, gains, problem.regular);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += singletons[i];
    return sums;
}

}  // namespace ldag
