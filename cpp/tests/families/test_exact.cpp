#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "families/structures.hpp"
#include "tests/check.hpp"

namespace {

using ldag::FamilyProblem;
using ldag::Grid;
using ldag::Structure;
using ldag::structure_named;

bool is_close(double a, double b) { return std::abs(a - b) <= 1e-9 * (1.0 + std::abs(b)); }

// Without data every partition scores class_lost per class lost.
double log_sum_without_data(std::vector<std::size_t> n_states, const Structure& structure, bool regular,
                            double class_lost = 0.0) {
    const Grid grid(std::move(n_states));
    const std::vector<double> counts(2 * grid.size(), 0.0);
    return ldag::log_sum_partitions({grid, 2, counts, 1.0, class_lost, regular}, structure);
}

TEST(labelled_partitions_are_counted) {
    const auto log_number = [](std::size_t n_parents, bool regular) {
        return log_sum_without_data(std::vector<std::size_t>(n_parents, 2), structure_named("ldag"), regular);
    };
    CHECK(is_close(log_number(1, false), std::log(2.0)) && log_number(1, true) == 0.0);
    CHECK(is_close(log_number(2, false), std::log(12.0)) && is_close(log_number(2, true), std::log(9.0)));
    CHECK(is_close(log_number(3, false), std::log(958.0)) && is_close(log_number(3, true), std::log(927.0)));
}

TEST(all_partitions_are_counted_by_bell_numbers) {
    CHECK(is_close(log_sum_without_data({3, 3}, structure_named("graph"), false), std::log(21147.0)));
    CHECK(is_close(log_sum_without_data({4, 4}, structure_named("graph"), false), std::log(10480142147.0)));
}

TEST(sums_beyond_the_range_of_double_are_taken_in_logarithms) {
    // Four cells on one axis: one partition loses three classes (not regular), seven lose two.
    CHECK(is_close(log_sum_without_data({4}, structure_named("graph"), false, 1000.0), 3000.0));
    CHECK(
        is_close(log_sum_without_data({4}, structure_named("graph"), true, 1000.0), 2000.0 + std::log(7.0)));
    CHECK(is_close(log_sum_without_data({4}, structure_named("graph"), true, -1000.0), 0.0));
}

TEST(trees_that_make_the_same_partition_count_once) {
    // No split; one parent; one parent and the other in one of its states; both everywhere.
    CHECK(is_close(log_sum_without_data({2, 2}, structure_named("tree"), false),
                   std::log(1.0 + 2.0 + 4.0 + 1.0)));
    CHECK(is_close(log_sum_without_data({2, 2}, structure_named("tree"), true), std::log(4.0 + 1.0)));
}

TEST(the_best_partition_is_found_with_its_score) {
    // An OR: three of four configurations alike.
    const std::vector<double> counts{40, 2, 41, 2, 39, 1, 3, 44};
    const FamilyProblem problem{Grid({2, 2}), 2, counts, 1.0, std::log(0.5), true};
    const ldag::FamilyResult best = ldag::exact_partition(problem, structure_named("ldag"));
    CHECK((best.classes == std::vector<std::int32_t>{0, 0, 0, 1}));
    CHECK(best.n_classes == 2 && best.is_exact);
    const ldag::ClassScore class_score(2, 4, 1.0);
    const std::vector<double> merged{120, 5};
    const double likelihood = class_score(merged, 3.0) + class_score(problem.row(3), 1.0);
    CHECK(is_close(best.log_marginal_likelihood, likelihood));
    CHECK(is_close(best.score, likelihood + 2.0 * std::log(0.5)));
    // No tree has this partition.
    CHECK(ldag::exact_partition(problem, structure_named("tree")).score < best.score);
}

TEST(a_full_grid_of_equal_rows_merges_unless_it_must_stay_regular) {
    std::vector<double> counts;
    for (int cell = 0; cell < 16; ++cell) counts.insert(counts.end(), {30.0, 60.0, 10.0});
    FamilyProblem problem{Grid({2, 2, 2, 2}), 3, counts, 1.0, 0.0, false};
    for (const char* name : {"tree", "ldag", "graph"}) {
        const Structure& structure = *std::ranges::find(ldag::kStructures, name, &Structure::name);
        problem.regular = false;
        CHECK(ldag::exact_partition(problem, structure).n_classes == 1);
        problem.regular = true;
        CHECK(ldag::exact_partition(problem, structure).n_classes >= 2);
    }
}

TEST(a_parent_with_a_single_state_is_not_asked_to_matter) {
    const std::vector<double> counts(4, 1.0);
    const FamilyProblem with_it{Grid({2, 1}), 2, counts, 1.0, 0.0, true};
    const FamilyProblem without{Grid({2}), 2, counts, 1.0, 0.0, true};
    for (const char* name : {"tree", "ldag", "graph"}) {
        const Structure& structure = *std::ranges::find(ldag::kStructures, name, &Structure::name);
        CHECK(ldag::exact_partition(with_it, structure).n_classes == 2);
        CHECK(ldag::log_sum_partitions(with_it, structure) == ldag::log_sum_partitions(without, structure));
    }
}

TEST(log_gamma_of_many_values_is_that_of_each) {
    std::vector<double> values;
    for (double x = 1e-9; x < 1e15; x *= 1.37) values.push_back(x);
    std::vector<double> result(values.size());
    ldag::log_gamma(values, result);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double expected = ldag::log_gamma(values[i]);
        CHECK(std::abs(result[i] - expected) <= 1e-15 * std::max(1.0, std::abs(expected)));
    }
}

}  // namespace
