// Merging on grids that are too large for the slow twin in Python: classes large enough to be watched, and
// bundles of many joins.
#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "families/bundles.hpp"
#include "families/classes.hpp"
#include "families/structures.hpp"
#include "tests/check.hpp"

namespace {

using ldag::Cell;
using ldag::FamilyProblem;
using ldag::FamilyResult;
using ldag::JoinKind;

// Every gain from scratch, at every step.
FamilyResult merge_plainly(const FamilyProblem& problem, JoinKind kind) {
    const ldag::ClassScore score(problem.n_states, problem.grid.size(), problem.equivalent_sample_size);
    ldag::Classes classes(problem, score);
    const ldag::Joins joins(problem.grid, kind);
    ldag::Regularity regularity(problem.grid);
    std::vector<ldag::Step> steps;
    for (;;) {
        std::vector<std::pair<double, ldag::Join>> options;
        double best = ldag::kTie;
        joins.for_each([&](const ldag::Join& join) {
            std::set<Cell> touched;
            for (std::size_t k = 0; k < join.n_cells; ++k) touched.insert(classes.of(join.cell(k)));
            const std::vector<Cell> joined(touched.begin(), touched.end());
            if (joined.size() < 2) return;
            std::vector<double> sums(problem.n_states);
            double size = 0.0;
            double gain = problem.class_lost * static_cast<double>(joined.size() - 1);
            for (const Cell c : joined) {
                gain -= classes.score(c);
                size += static_cast<double>(classes.size(c));
                for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += classes.counts(c)[i];
            }
            gain += score(sums, size);
            if (gain <= ldag::kTie || (problem.regular && !regularity.holds_after(classes, joined))) return;
            options.emplace_back(gain, join);
            best = std::max(best, gain);
        });
        if (options.empty()) return classes.result(steps);
        const auto& [gain, join] =
            *std::ranges::find_if(options, [&](const auto& one) { return one.first >= best - ldag::kTie; });
        std::set<Cell> touched;
        for (std::size_t k = 0; k < join.n_cells; ++k) touched.insert(classes.of(join.cell(k)));
        const std::vector<Cell> joined(touched.begin(), touched.end());
        classes.merge(joined);
        steps.push_back({static_cast<std::int32_t>(join.axis), join.line,
                         static_cast<std::int32_t>(joined.size() - 1), gain});
    }
}

struct Setting {
    std::vector<std::size_t> n_states;
    std::size_t r;
    std::size_t n_rows;
    double kappa;
    double sample_size;
    JoinKind kind;
    bool is_ordered;
};

// The last state is rare, the others depend on the first parent a little.
std::vector<double> draw_counts(const Setting& setting, std::size_t n_cells, std::mt19937& random) {
    std::vector<double> counts(n_cells * setting.r);
    for (std::size_t row = 0; row < setting.n_rows; ++row) {
        const std::size_t cell = random() % n_cells;
        const std::size_t state = random() % 16 == 0  ? setting.r - 1
                                  : random() % 3 == 0 ? cell * 5 / n_cells
                                                      : random();
        counts[cell * setting.r + state % setting.r] += 1.0;
    }
    return counts;
}

TEST(large_grids_are_merged_as_by_scoring_all_joins_at_every_step) {
    const std::vector<Setting> settings{
        {{4, 4, 4, 4}, 2, 700, 0.1, 1.0, JoinKind::line, false},
        {{4, 4, 4, 4}, 4, 700, 1.0, 1.0, JoinKind::line, false},
        {{3, 3, 3, 3, 2}, 3, 3000, 0.5, 1.0, JoinKind::line, false},
        {{2, 2, 2, 2, 2, 2, 2, 2}, 2, 400, 1.0, 10.0, JoinKind::line, false},
        {{2, 2, 2, 2, 2, 2, 2}, 3, 200, 0.9, 500.0, JoinKind::line, false},
        {{2, 3, 4, 5}, 4, 150, 1.0, 1.0, JoinKind::line, false},
        {{4, 4, 4, 2}, 2, 500, 0.3, 1.0, JoinKind::pair, false},
        {{4, 4, 4, 2}, 3, 100, 1.0, 1.0, JoinKind::pair, true},
        {{3, 3, 3, 3}, 2, 60, 2.0, 1.0, JoinKind::line, false},  // lost classes gain something
    };
    std::mt19937 random(7);
    for (const Setting& setting : settings) {
        const ldag::Grid grid(setting.n_states,
                              std::vector<std::uint8_t>(setting.n_states.size(), setting.is_ordered ? 1 : 0));
        const std::vector<double> counts = draw_counts(setting, grid.size(), random);
        const FamilyProblem problem{grid,
                                    setting.r,
                                    counts,
                                    setting.sample_size,
                                    static_cast<double>(setting.r - 1) * std::log(setting.kappa),
                                    true};
        const FamilyResult result =
            setting.kind == JoinKind::line ? ldag::merge_lines(problem) : ldag::merge_neighbours(problem);
        const FamilyResult expected = merge_plainly(problem, setting.kind);
        CHECK(result.classes == expected.classes);
        CHECK(result.steps.size() == expected.steps.size());
        CHECK(std::ranges::equal(result.steps, expected.steps, [](const ldag::Step& a, const ldag::Step& b) {
            return a.axis == b.axis && a.line == b.line && std::abs(a.gain - b.gain) < 1e-8;
        }));
    }
}

TEST(bundles_know_their_joins_and_the_best_of_them) {
    constexpr std::uint32_t kJoins = 3000;
    ldag::Bundles bundles;
    std::mt19937 random(3);
    for (int round = 0; round < 2; ++round) {
        bundles.clear(kJoins);
        std::vector<std::set<std::uint32_t>> expected(40);
        std::vector<double> gains(expected.size(), ldag::Bundles::kNever);
        std::vector<std::size_t> of(kJoins, expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) bundles.make();
        for (int step = 0; step < 20000; ++step) {
            const auto bundle = random() % (step < 10000 ? 5 : expected.size());
            const auto number = static_cast<std::uint32_t>(random() % kJoins);
            if (of[number] < expected.size()) expected[of[number]].erase(number);
            of[number] = random() % 4 == 0 ? expected.size() : bundle;
            if (of[number] < expected.size()) {
                bundles.put(static_cast<std::uint32_t>(bundle), number);
                expected[bundle].insert(number);
            } else {
                bundles.remove(number);
            }
            gains[bundle] = static_cast<double>(random() % 1000);
            bundles.set_gain(static_cast<std::uint32_t>(bundle), gains[bundle]);
            if (step % 500 == 499) {
                const std::size_t other = (bundle + 1 + random() % (expected.size() - 1)) % expected.size();
                bundles.unite(static_cast<std::uint32_t>(bundle), static_cast<std::uint32_t>(other));
                for (const std::uint32_t moved : expected[other]) of[moved] = bundle;
                expected[bundle].merge(expected[other]);
                expected[other].clear();
                gains[other] = ldag::Bundles::kNever;
            }
            const std::size_t looked_at = random() % expected.size();
            const std::uint32_t first = bundles.first(static_cast<std::uint32_t>(looked_at));
            CHECK(first ==
                  (expected[looked_at].empty() ? ldag::Bundles::kNone : *expected[looked_at].begin()));
            const std::uint32_t any = bundles.any(static_cast<std::uint32_t>(bundle));
            CHECK(expected[bundle].empty() ? any == ldag::Bundles::kNone : expected[bundle].contains(any));
            CHECK(bundles.best() ==
                  static_cast<std::size_t>(std::ranges::max_element(gains) - gains.begin()));
        }
    }
}

}  // namespace
