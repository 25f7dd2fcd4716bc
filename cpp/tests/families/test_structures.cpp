// A structure is its row: one that nobody has heard of is searched, refined, solved and summed by what its
// row says.
#include <cmath>
#include <memory>
#include <vector>

#include "families/structures.hpp"
#include "scoring/scorer.hpp"
#include "tests/check.hpp"

namespace {

using ldag::Block;
using ldag::BlockGrid;
using ldag::FamilyProblem;
using ldag::FamilyResult;
using ldag::LabelSearch;
using ldag::Structure;

// Configurations may share a distribution where the first parent has one state: all of these or none.
FamilyResult join_slices(const FamilyProblem& problem) {
    std::vector<std::int32_t> classes;
    for (std::size_t cell = 0; cell < problem.grid.size(); ++cell)
        classes.push_back(static_cast<std::int32_t>(problem.grid.state(cell, 0)));
    return ldag::score_partition(problem, classes);
}

std::vector<Block> slice_blocks(const BlockGrid& grid) {
    std::vector<Block> blocks = ldag::single_blocks(grid);
    for (std::size_t state = 0; state < grid.n_states(0); ++state) blocks.push_back(grid.slice(0, state));
    std::ranges::sort(blocks);
    return blocks;
}

constexpr Structure kSlices{.name = "slices",
                            .classes = "slices",
                            .is_table = false,
                            .joins = std::nullopt,
                            .search = join_slices,
                            .score_observed = nullptr,
                            .refine = ldag::keep_start,
                            .is_proven_by_refining = ldag::never,
                            .allowed_blocks = slice_blocks,
                            .recursion = ldag::Recursion::subsets,
                            .takes_fixed_labels = false,
                            .has_normalised_prior = false,
                            .has_leaf_prior = false,
                            .uses_order = false,
                            .cost = {0.1, 1.0},
                            .unvisited_cost = {0.0, 1.0}};

const std::vector<double> kCounts{9.0, 1.0, 8.0, 2.0, 1.0, 9.0, 9.0, 1.0};

FamilyProblem problem_of(std::span<const double> counts) {
    return {ldag::Grid({2, 2}), 2, counts, 1.0, 0.0, false};
}

TEST(every_search_goes_by_the_row) {
    const FamilyProblem problem = problem_of(kCounts);
    const std::vector<std::int32_t> both{0, 0, 1, 1};
    const std::vector<std::int32_t> first_only{0, 0, 1, 2};
    CHECK(optimise_family(problem, kSlices, LabelSearch::greedy, {}).classes == both);
    CHECK(optimise_family(problem, kSlices, LabelSearch::refined, {}).classes == both);
    const FamilyResult best = optimise_family(problem, kSlices, LabelSearch::exact, {});
    CHECK(best.classes == first_only && best.is_exact);
    CHECK(std::abs(best.score - ldag::score_partition(problem, first_only).score) < 1e-9);
}

TEST(its_partitions_are_those_of_its_blocks) {
    const std::vector<double> nothing(8, 0.0);
    CHECK(std::abs(ldag::log_sum_partitions(problem_of(nothing), kSlices) - std::log(4.0)) < 1e-9);
}

TEST(what_it_does_not_take_is_refused) {
    FamilyProblem problem = problem_of(kCounts);
    problem.fixed = {{1, 1}, {0, 0}};
    bool is_refused = false;
    try {
        optimise_family(problem, kSlices, LabelSearch::greedy, {});
    } catch (const std::invalid_argument&) {
        is_refused = true;
    }
    CHECK(is_refused);
}

TEST(a_scorer_scores_it) {
    ldag::ScorerOptions options;
    options.structure = &kSlices;
    const std::vector<ldag::Code> codes{0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1};  // three columns of four rows
    const std::vector<std::size_t> n_states{2, 2, 2};
    ldag::FamilyScorer scorer(std::make_shared<ldag::Columns>(codes, 4, n_states), options, 1 << 16);
    const std::vector<std::uint32_t> parents{0, 1};
    const std::vector<double> counts{1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0};
    CHECK(std::abs(scorer.score({2, parents}) - join_slices(problem_of(counts)).score) < 1e-9);
}

}  // namespace
