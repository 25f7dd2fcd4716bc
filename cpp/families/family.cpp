#include "families/family.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "families/classes.hpp"

namespace ldag {

FamilyResult score_partition(const FamilyProblem& problem, std::span<const std::int32_t> classes) {
    const ClassScore score(problem.n_states, problem.grid.size(), problem.equivalent_sample_size);
    return Classes(problem, score, classes).result({});
}

namespace {

// An ordinary table: every configuration by itself.
FamilyResult singletons(const FamilyProblem& problem) {
    const ClassScore score(problem.n_states, problem.grid.size(), problem.equivalent_sample_size, 1);
    FamilyResult result = Classes(problem, score).result({});
    result.is_exact = true;
    return result;
}

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

FamilyResult greedy(const FamilyProblem& problem, StructureKind structure) {
    switch (structure) {
        case StructureKind::table:
            return singletons(problem);
        case StructureKind::tree:
            return grow_tree(problem);
        case StructureKind::ldag:
            return merge_lines(problem);
        case StructureKind::partial:
            return merge_neighbours(problem);
        case StructureKind::graph:
            return merge_classes(problem);
    }
    return singletons(problem);
}

}  // namespace

bool is_solved_exactly(const FamilyProblem& problem, StructureKind structure) {
    if (structure == StructureKind::table || problem.grid.size() <= kMaxExactCells) return true;
    return structure == StructureKind::tree && can_find_best_tree(problem);
}

FamilyResult optimise_family(const FamilyProblem& problem, StructureKind structure, LabelSearch search,
                             const RefineOptions& options) {
    if (!problem.fixed.empty()) {
        if (structure != StructureKind::ldag)
            throw std::invalid_argument("fixed labels are for the structure ldag");
        FamilyResult start = finest(problem);
        if (std::isinf(start.score)) return start;
    }
    if (structure == StructureKind::table) return singletons(problem);
    const bool has_exact = problem.grid.size() <= kMaxExactCells;
    if (search == LabelSearch::exact && has_exact) return exact_partition(problem, structure);
    FamilyResult start = greedy(problem, structure);
    if (search == LabelSearch::greedy) return start;
    return refine(problem, structure, std::move(start), options);
}

}  // namespace ldag
