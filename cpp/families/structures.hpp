// The structures: which partitions of a family's grid are allowed, and how they are looked for. A structure
// is its row below; everybody else asks the row, and nobody compares structures. A field without a value does
// not compile.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "families/exact.hpp"
#include "families/family.hpp"
#include "families/joins.hpp"

namespace ldag {

// How the best partition into allowed blocks, and the sum over all, are computed.
enum class Recursion : std::uint8_t {
    subsets,  // any allowed blocks make a partition
    boxes,    // those of a tree do
};

// About how long something takes that grows with a number of configurations.
struct Cost {
    double factor;
    double power;

    double microseconds(double n) const { return factor * std::pow(n, power); }
};

struct Structure {
    std::string_view name;
    std::string_view classes;  // what makes its classes, in a word

    // Whether no configurations share a distribution: there is nothing to search for.
    bool is_table;
    // What one step of the greedy search joins, if it does nothing but join.
    std::optional<JoinKind> joins;
    // The greedy search. Steps must gain more than kTie; ties go to the lowest axis, then line (ldag,
    // partial), the lowest classes (graph), the lowest leaf, then axis (tree).
    FamilyResult (*search)(const FamilyProblem&);
    // What it scores, to the last bit, from the configurations that occur alone; null if it looks at all.
    double (*score_observed)(const FamilyProblem&, const ObservedCells&);
    // Local search from a start with seeded restarts, never worse than it.
    FamilyResult (*refine)(const FamilyProblem&, FamilyResult start, const RefineOptions&);
    // Whether `refine` proves its result the best, on a grid beyond kMaxExactCells.
    bool (*is_proven_by_refining)(const FamilyProblem&);

    // The blocks that may be a class, in increasing order, and how to choose from them.
    std::vector<Block> (*allowed_blocks)(const BlockGrid&);
    Recursion recursion;

    // Whether labels may be given (FamilyProblem::fixed), the prior may be divided by its sum over all
    // partitions, every class may have a sample size of its own, and the order of states matters.
    bool takes_fixed_labels;
    bool has_normalised_prior;
    bool has_leaf_prior;
    bool uses_order;

    // The greedy search for a node of two states, as measured: for configurations, and for those of them that
    // no row visits.
    Cost cost;
    Cost unvisited_cost;

    // Whether the greedy search for several prices of a class is one search.
    constexpr bool has_greedy_prices() const { return joins.has_value(); }
    // Whether labels may be forbidden: where there are none, or each is a whole one.
    constexpr bool takes_unlabelled() const { return is_table || has_label_steps(); }
    // Whether each step adds an entry to a label: a whole line is joined. The single label of a single parent
    // would be full, and the edge no edge.
    constexpr bool has_label_steps() const { return joins == JoinKind::line; }
    // Whether cells that no row visits are work, and a bound pays: not where only observed ones are looked
    // at.
    constexpr bool joins_unvisited() const { return !is_table && score_observed == nullptr; }
};

// The parts, one file each: families/family.cpp (table), tree.cpp and best_tree.cpp, merge.cpp (ldag by
// Algorithm 1, and partial), graph.cpp; refine.cpp, exact_blocks.cpp.
FamilyResult make_table(const FamilyProblem& problem);
FamilyResult grow_tree(const FamilyProblem& problem);
FamilyResult merge_lines(const FamilyProblem& problem);
FamilyResult merge_neighbours(const FamilyProblem& problem);
FamilyResult merge_classes(const FamilyProblem& problem);

double score_tree(const FamilyProblem& problem, const ObservedCells& observed);

FamilyResult keep_start(const FamilyProblem& problem, FamilyResult start, const RefineOptions& options);
FamilyResult refine_tree(const FamilyProblem& problem, FamilyResult start, const RefineOptions& options);
FamilyResult refine_lines(const FamilyProblem& problem, FamilyResult start, const RefineOptions& options);
FamilyResult refine_neighbours(const FamilyProblem& problem, FamilyResult start,
                               const RefineOptions& options);
FamilyResult refine_classes(const FamilyProblem& problem, FamilyResult start, const RefineOptions& options);

bool can_find_best_tree(const FamilyProblem& problem);

std::vector<Block> single_blocks(const BlockGrid& grid);
std::vector<Block> box_blocks(const BlockGrid& grid);
std::vector<Block> line_blocks(const BlockGrid& grid);
std::vector<Block> neighbour_blocks(const BlockGrid& grid);
std::vector<Block> all_blocks(const BlockGrid& grid);

inline bool always(const FamilyProblem&) { return true; }
inline bool never(const FamilyProblem&) { return false; }

inline constexpr std::array kStructures{
    Structure{.name = "table",
              .classes = "classes",
              .is_table = true,
              .joins = std::nullopt,
              .search = make_table,
              .score_observed = nullptr,
              .refine = keep_start,
              .is_proven_by_refining = always,
              .allowed_blocks = single_blocks,
              .recursion = Recursion::subsets,
              .takes_fixed_labels = false,
              .has_normalised_prior = false,
              .has_leaf_prior = false,
              .uses_order = false,
              .cost = {0.0, 1.0},
              .unvisited_cost = {0.0, 1.0}},
    // A CPT-tree: classes are its leaves.
    Structure{.name = "tree",
              .classes = "tree",
              .is_table = false,
              .joins = std::nullopt,
              .search = grow_tree,
              .score_observed = score_tree,
              .refine = refine_tree,
              .is_proven_by_refining = can_find_best_tree,
              .allowed_blocks = box_blocks,
              .recursion = Recursion::boxes,
              .takes_fixed_labels = false,
              .has_normalised_prior = false,
              .has_leaf_prior = true,
              .uses_order = false,
              .cost = {0.1, 1.0},
              .unvisited_cost = {0.0, 1.0}},
    // Labels: classes are connected through whole lines.
    Structure{.name = "ldag",
              .classes = "labels",
              .is_table = false,
              .joins = JoinKind::line,
              .search = merge_lines,
              .score_observed = nullptr,
              .refine = refine_lines,
              .is_proven_by_refining = never,
              .allowed_blocks = line_blocks,
              .recursion = Recursion::subsets,
              .takes_fixed_labels = true,
              .has_normalised_prior = true,
              .has_leaf_prior = false,
              .uses_order = false,
              .cost = {0.15, 1.5},
              .unvisited_cost = {0.0, 1.0}},
    // Labels for some of a parent's states: classes are connected through pairs that differ in one parent.
    Structure{.name = "partial",
              .classes = "classes",
              .is_table = false,
              .joins = JoinKind::pair,
              .search = merge_neighbours,
              .score_observed = nullptr,
              .refine = refine_neighbours,
              .is_proven_by_refining = never,
              .allowed_blocks = neighbour_blocks,
              .recursion = Recursion::subsets,
              .takes_fixed_labels = false,
              .has_normalised_prior = false,
              .has_leaf_prior = false,
              .uses_order = true,
              .cost = {0.15, 1.5},
              .unvisited_cost = {0.0, 1.0}},
    // A decision graph: any configurations may share a distribution.
    Structure{.name = "graph",
              .classes = "classes",
              .is_table = false,
              .joins = std::nullopt,
              .search = merge_classes,
              .score_observed = nullptr,
              .refine = refine_classes,
              .is_proven_by_refining = never,
              .allowed_blocks = all_blocks,
              .recursion = Recursion::subsets,
              .takes_fixed_labels = false,
              .has_normalised_prior = false,
              .has_leaf_prior = false,
              .uses_order = false,
              .cost = {0.1, 2.0},
              .unvisited_cost = {2e-3, 2.0}},
};

// A row by its name, for those who choose one; a name that no row has does not compile.
consteval const Structure& structure_named(std::string_view name) {
    for (const Structure& structure : kStructures)
        if (structure.name == name) return structure;
    throw "no structure of this name";
}

}  // namespace ldag
