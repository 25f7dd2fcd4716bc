#include "families/prices.hpp"

#include <algorithm>

#include "families/structures.hpp"

namespace ldag {

namespace {

// Whether all joins are of two cells, and none gains by losing a class, so that unvisited cells are treated
// alike.
bool has_common_joins(const FamilyProblem& problem, const Structure& structure, double largest) {
    const auto is_binary = [](std::size_t n) { return n <= 2; };
    return largest <= 0.0 &&
           (structure.joins == JoinKind::pair || std::ranges::all_of(problem.grid.n_states(), is_binary));
}

}  // namespace

void greedy_scores(const FamilyProblem& problem, const Structure& structure,
                   std::span<const double> class_lost, std::span<double> scores) {
    FamilyProblem priced = problem;
    const double largest = std::ranges::max(class_lost);
    if (!has_common_joins(problem, structure, largest)) {
        for (std::size_t i = 0; i < class_lost.size(); ++i) {
            priced.class_lost = class_lost[i];
            scores[i] = optimise_family(priced, structure, LabelSearch::greedy, {}).score;
        }
        return;
    }
    priced.class_lost = largest;
    const FamilyResult longest = optimise_family(priced, structure, LabelSearch::greedy, {});
    double start = longest.score;
    for (const Step& step : longest.steps) start -= step.gain;
    for (std::size_t i = 0; i < class_lost.size(); ++i) {
        scores[i] = start;
        for (const Step& step : longest.steps) {
            const double gain = step.gain - (largest - class_lost[i]);
            if (!(gain > kTie)) break;
            scores[i] += gain;
        }
    }
}

}  // namespace ldag
