#include "ldag/family.hpp"

#include <algorithm>
#include <utility>

#include "ldag/classes.hpp"

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

FamilyResult optimise_family(const FamilyProblem& problem, StructureKind structure, LabelSearch search,
                             const RefineOptions& options) {
    if (structure == StructureKind::table) return singletons(problem);
    const bool has_exact = problem.grid.size() <= kMaxExactCells;
    if (search == LabelSearch::exact && has_exact) return exact_partition(problem, structure);
    FamilyResult start = greedy(problem, structure);
    if (search == LabelSearch::greedy) return start;
    return refine(problem, structure, std::move(start), options);
}

}  // namespace ldag
