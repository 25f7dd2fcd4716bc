#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "families/classes.hpp"
#include "families/structures.hpp"
#include "tests/check.hpp"

namespace {

using ldag::Cell;
using ldag::FamilyProblem;
using ldag::FamilyResult;
using ldag::LabelSearch;
using ldag::Structure;
using Numbers = std::vector<std::int32_t>;

// All but tables.
constexpr auto kSearched = std::span(ldag::kStructures).subspan<1>();

FamilyProblem problem_of(std::vector<std::size_t> n_states, const std::vector<double>& counts, double kappa,
                         bool regular = true) {
    return {ldag::Grid(std::move(n_states)), 2, counts, 1.0, std::log(kappa), regular};
}

// Counts that follow no pattern.
std::vector<double> mixed_counts(std::size_t n) {
    std::vector<double> counts(n);
    for (std::size_t i = 0; i < n; ++i) counts[i] = static_cast<double>((i * i * 7 + i * 3) % 23);
    return counts;
}

std::vector<ldag::Join> list(const ldag::Joins& joins) {
    std::vector<ldag::Join> all;
    joins.for_each([&](const ldag::Join& join) { all.push_back(join); });
    return all;
}

TEST(joins_are_numbered_by_axis_then_line) {
    const ldag::Grid grid({2, 3});
    const std::vector<ldag::Join> lines = list(ldag::Joins(grid, ldag::JoinKind::line));
    CHECK(lines.size() == 5);
    CHECK(lines[1].axis == 0 && lines[1].line == 1 && lines[1].cell(1) == 4);
    CHECK(lines[4].axis == 1 && lines[4].line == 1 && lines[4].cell(2) == 5);
    const std::vector<ldag::Join> pairs = list(ldag::Joins(grid, ldag::JoinKind::pair));
    CHECK(pairs.size() == 3 + 2 * 3);
    CHECK(pairs[4].first == 0 && pairs[4].cell(1) == 2);
}

TEST(joins_through_a_cell_are_those_that_hold_it) {
    const ldag::Grid grid({3, 1, 2, 4}, {0, 0, 0, 1});
    for (const auto kind : {ldag::JoinKind::line, ldag::JoinKind::pair}) {
        const ldag::Joins joins(grid, kind);
        const std::vector<ldag::Join> all = list(joins);
        CHECK(all.size() == joins.size());
        for (const ldag::Join& join : all) {
            const ldag::Join again = joins[join.number];
            CHECK(again.number == join.number && again.axis == join.axis && again.line == join.line);
            CHECK(again.first == join.first && again.step == join.step && again.n_cells == join.n_cells);
        }
        for (Cell cell = 0; cell < grid.size(); ++cell) {
            std::vector<std::uint32_t> expected;
            std::vector<std::uint32_t> result;
            for (const ldag::Join& join : all)
                for (std::size_t k = 0; k < join.n_cells; ++k)
                    if (join.cell(k) == cell) expected.push_back(join.number);
            joins.for_each_through(cell, [&](const ldag::Join& join) {
                CHECK(all[join.number].first == join.first && all[join.number].step == join.step);
                result.push_back(join.number);
            });
            CHECK(result == expected);
        }
    }
}

TEST(digits_are_the_states_of_every_cell) {
    const ldag::Grid grid({3, 1, 2, 4});
    const ldag::Digits digits(grid);
    for (std::size_t cell = 0; cell < grid.size(); ++cell)
        for (std::size_t axis = 0; axis < 4; ++axis)
            CHECK(digits.state(cell, axis) == grid.state(cell, axis));
}

TEST(classes_keep_their_books_through_merges_and_splits) {
    const std::vector<double> counts = mixed_counts(16);
    const FamilyProblem problem = problem_of({2, 2, 2}, counts, 0.5);
    const ldag::ClassScore score(2, 8, 1.0);
    ldag::Classes classes(problem, score);
    const Cell joined[] = {5, 1, 6};
    CHECK(classes.merge(joined) == 1);
    CHECK(classes.n_classes() == 6 && classes.size(1) == 3);
    CHECK((classes.numbered() == Numbers{0, 1, 2, 3, 4, 1, 1, 5}));
    CHECK(std::abs(classes.total() - ldag::score_partition(problem, classes.numbered()).score) < 1e-12);
    ldag::Groups groups;
    groups.cells = {6, 5, 1};
    groups.ends = {2, 3};
    classes.regroup(groups);
    CHECK((classes.numbered() == Numbers{0, 1, 2, 3, 4, 5, 5, 6}));
    CHECK(std::abs(classes.total() - ldag::score_partition(problem, classes.numbered()).score) < 1e-12);
}

TEST(regularity_sees_the_label_that_a_merge_would_fill) {
    const std::vector<double> counts(8, 1.0);
    const FamilyProblem problem = problem_of({2, 2}, counts, 0.5);
    const ldag::ClassScore score(2, 4, 1.0);
    ldag::Classes classes(problem, score);
    ldag::Regularity regularity(problem.grid);
    const Cell first_line[] = {0, 1};
    const Cell second_line[] = {2, 3};
    CHECK(regularity.holds_after(classes, first_line));
    classes.merge(first_line);
    CHECK(!regularity.holds_after(classes, second_line));  // the second parent would make no difference
    CHECK(regularity.holds(classes));
}

TEST(every_search_scores_what_it_says_and_refining_never_loses) {
    const std::vector<double> counts = mixed_counts(2 * 48);
    for (const bool regular : {true, false}) {
        const FamilyProblem problem = problem_of({3, 2, 4, 2}, counts, 0.3, regular);
        for (const Structure& structure : kSearched) {
            const FamilyResult greedy = optimise_family(problem, structure, LabelSearch::greedy, {});
            const FamilyResult refined = optimise_family(problem, structure, LabelSearch::refined, {7, 5});
            CHECK(refined.score >= greedy.score);
            for (const FamilyResult& result : {greedy, refined}) {
                const FamilyResult again = ldag::score_partition(problem, result.classes);
                CHECK(std::abs(again.score - result.score) < 1e-9);
                CHECK(again.n_classes == result.n_classes);
            }
        }
    }
}

TEST(the_same_seed_gives_the_same_answer) {
    const std::vector<double> counts = mixed_counts(2 * 64);
    const FamilyProblem problem = problem_of({2, 2, 2, 2, 2, 2}, counts, 0.5);
    for (const Structure& structure : kSearched) {
        const FamilyResult one = optimise_family(problem, structure, LabelSearch::refined, {42, 8});
        const FamilyResult two = optimise_family(problem, structure, LabelSearch::refined, {42, 8});
        CHECK(one.classes == two.classes);
    }
}

TEST(a_prior_that_forbids_merging_leaves_the_table) {
    const std::vector<double> counts = mixed_counts(2 * 12);
    const FamilyProblem problem = problem_of({2, 3, 2}, counts, 1e-300);
    for (const Structure& structure : kSearched.subspan<1>())  // trees are grown, not merged
        CHECK(optimise_family(problem, structure, LabelSearch::refined, {}).n_classes == 12);
}

TEST(without_parents_there_is_one_class) {
    const std::vector<double> counts{3.0, 4.0};
    const FamilyProblem problem = problem_of({}, counts, 0.5);
    for (const Structure& structure : kSearched)
        CHECK((optimise_family(problem, structure, LabelSearch::refined, {}).classes == Numbers{0}));
}

}  // namespace
