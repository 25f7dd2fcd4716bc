#include <cmath>
#include <vector>

#include "families/classes.hpp"
#include "families/structures.hpp"
#include "tests/check.hpp"

namespace {

using ldag::FamilyProblem;
using ldag::FamilyResult;
using ldag::FixedLabels;
using ldag::LabelSearch;
using Numbers = std::vector<std::int32_t>;

TEST(rules_become_lines_of_the_axes) {
    // Parents 1, 4 and 7; the label of 4 where 7 is in state 2, or 1 in state 0 and 7 in state 1.
    const ldag::LabelRules rules{{4, {{{7, 2}}, {{1, 0}, {7, 1}}}}, {9, {}}, {1, {}}};
    const ldag::Grid grid({2, 2, 3});
    const std::vector<std::uint32_t> parents{1, 4, 7};
    const FixedLabels fixed = ldag::fixed_labels(rules, parents, grid);
    CHECK((fixed == FixedLabels{{0, 0, 0, 0, 0, 0}, {0, 1, 1, 0, 0, 1}, {}}));
    CHECK((ldag::finest_classes(fixed, grid) == Numbers{0, 1, 2, 3, 1, 2, 6, 7, 8, 9, 10, 8}));
    const std::vector<std::uint32_t> others{2, 3, 5};
    CHECK(ldag::fixed_labels(rules, others, grid).empty());
}

TEST(every_search_keeps_fixed_labels) {
    const std::vector<double> counts{9, 1, 8, 2, 1, 9, 2, 8, 9, 1, 8, 2, 1, 9, 2, 8};
    FamilyProblem problem{ldag::Grid({2, 2, 2}), 2, counts, 1.0, std::log(0.5), true};
    problem.fixed = {{}, {0, 1, 0, 0}, {0, 0, 0, 0}};
    for (const LabelSearch search : {LabelSearch::greedy, LabelSearch::refined, LabelSearch::exact}) {
        const FamilyResult result =
            ldag::optimise_family(problem, ldag::structure_named("ldag"), search, {1, 5});
        const ldag::ClassScore score(2, 8, 1.0);
        const ldag::Classes classes(problem, score, result.classes);
        CHECK(ldag::LabelGuard(problem).holds(classes));
        CHECK(classes.of(1) == classes.of(3) && classes.of(0) != classes.of(2));
        CHECK(classes.of(0) != classes.of(1) && classes.of(4) != classes.of(6));
    }
}

TEST(labels_that_cannot_be_score_minus_infinity) {
    const std::vector<double> counts(8, 1.0);
    FamilyProblem problem{ldag::Grid({2, 2}), 2, counts, 1.0, std::log(0.5), true};
    for (const FixedLabels& fixed : {FixedLabels{{1, 1}, {}}, FixedLabels{{1, 0}, {1, 1}}}) {
        problem.fixed = fixed;
        for (const LabelSearch search : {LabelSearch::greedy, LabelSearch::refined, LabelSearch::exact})
            CHECK(ldag::optimise_family(problem, ldag::structure_named("ldag"), search, {1, 5}).score ==
                  -INFINITY);
    }
}

}  // namespace
