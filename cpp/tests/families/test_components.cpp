#include <algorithm>
#include <vector>

#include "families/components.hpp"
#include "support/random.hpp"
#include "tests/check.hpp"

namespace {

using ldag::Cell;

std::vector<std::vector<Cell>> as_lists(const ldag::Groups& groups) {
    std::vector<std::vector<Cell>> lists;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        lists.emplace_back(groups[i].begin(), groups[i].end());
        std::ranges::sort(lists.back());
    }
    std::ranges::sort(lists);
    return lists;
}

// Takes cells out of connected classes of random sets and compares with the list of all that is left.
void check_falling_off(const ldag::Grid& grid, ldag::JoinKind kind, ldag::Random& random) {
    const std::vector<double> counts(grid.size() * 2, 0.0);
    const ldag::FamilyProblem problem{grid, 2, counts, 1.0, 0.0, false};
    const ldag::ClassScore score(2, grid.size(), 1.0);
    const ldag::Digits digits(grid);
    ldag::Components components(grid, digits, kind);
    ldag::FallingOff falling_off(grid, digits, kind);
    ldag::Classes classes(problem, score);
    std::vector<Cell> some;
    for (Cell cell = 0; cell < grid.size(); ++cell)
        if (random.below(8) != 0) some.push_back(cell);
    ldag::Groups groups;
    components.append_to(groups, some);
    if (some.empty()) return;
    classes.regroup(groups);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const Cell c = classes.of(groups[i].front());
        const std::size_t rate = 2 + random.below(8);
        std::vector<Cell> out;
        std::vector<Cell> left;
        std::vector<std::uint8_t> is_out(grid.size(), 0);
        for (const Cell cell : groups[i]) {
            is_out[cell] = random.below(rate) == 0;
            (is_out[cell] != 0 ? out : left).push_back(cell);
        }
        ldag::Groups whole;
        components.append_to(whole, left);
        ldag::Groups parts;
        if (out.empty() || left.empty()) continue;
        falling_off.find(classes, c, out, is_out, parts);
        const auto expected = as_lists(whole);
        const auto falling = as_lists(parts);
        CHECK(falling.size() + 1 == expected.size());
        CHECK(std::ranges::includes(expected, falling));
    }
}

TEST(what_falls_off_a_class_is_all_that_is_left_but_one_part) {
    ldag::Random random(1);
    for (int i = 0; i < 300; ++i)
        for (const auto kind : {ldag::JoinKind::line, ldag::JoinKind::pair}) {
            check_falling_off(ldag::Grid({2, 2, 2, 2, 2}), kind, random);
            check_falling_off(ldag::Grid({3, 2, 3, 2}), kind, random);
            check_falling_off(ldag::Grid({4, 1, 3, 2}, {1, 0, 1, 0}), kind, random);
        }
}

}  // namespace
