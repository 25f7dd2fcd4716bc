#include "families/family.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "families/classes.hpp"
#include "families/structures.hpp"

namespace ldag {

FamilyResult score_partition(const FamilyProblem& problem, std::span<const std::int32_t> classes) {
    const ClassScore score(problem.n_states, problem.grid.size(), problem.equivalent_sample_size);
    return Classes(problem, score, classes).result({});
}

namespace {

// The finest partition that fixed labels leave, with a score of minus infinity if it has not exactly these
// labels or is not regular.
FamilyResult finest(const FamilyProblem& problem) {
    const ClassScore score(problem.n_states, problem.grid.size(), problem.equivalent_sample_size);
    const Classes classes(problem, score, finest_classes(problem.fixed, problem.grid));
    FamilyResult result = classes.result({});
    if (!LabelGuard(problem).holds(classes) || (problem.regular && !Regularity(problem.grid).holds(classes)))
        result.score = -std::numeric_limits<double>::infinity();
    return result;
}

}  // namespace

// An ordinary table: every configuration by itself.
FamilyResult make_table(const FamilyProblem& problem) {
    const ClassScore score(problem.n_states, problem.grid.size(), problem.equivalent_sample_size, 1);
    FamilyResult result = Classes(problem, score).result({});
    result.is_exact = true;
    return result;
}

bool is_solved_exactly(const FamilyProblem& problem, const Structure& structure) {
    return problem.grid.size() <= kMaxExactCells || structure.is_proven_by_refining(problem);
}

FamilyResult optimise_family(const FamilyProblem& problem, const Structure& structure, LabelSearch search,
                             const RefineOptions& options) {
    if (!problem.fixed.empty()) {
        if (!structure.takes_fixed_labels)
            throw std::invalid_argument("fixed labels are for the structure ldag");
        FamilyResult start = finest(problem);
        if (std::isinf(start.score)) return start;
    }
    if (structure.is_table) return structure.search(problem);
    const bool has_exact = problem.grid.size() <= kMaxExactCells;
    if (search == LabelSearch::exact && has_exact) return exact_partition(problem, structure);
    FamilyResult start = structure.search(problem);
    if (search == LabelSearch::greedy) return start;
    return structure.refine(problem, std::move(start), options);
}

}  // namespace ldag
