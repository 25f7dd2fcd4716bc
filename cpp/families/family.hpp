// One family (a node and its parents) as a partition of the grid of parent configurations, and the searches
// over such partitions. A score is a sum over classes: the marginal likelihood of each (equation 6) plus a
// constant per class that the prior over structures amounts to (equation 9 or 8).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "families/dirichlet.hpp"
#include "families/fixed_labels.hpp"
#include "support/grid.hpp"

namespace ldag {

// Which partitions are allowed, and how they are looked for: a row of families/structures.hpp.
struct Structure;

// How the best allowed partition is looked for.
enum class LabelSearch : std::uint8_t { greedy, refined, exact };

// The counts of a node by parent configuration, and how partitions of these configurations are scored.
struct FamilyProblem {
    Grid grid;
    std::size_t n_states;            // r, of the node
    std::span<const double> counts;  // q rows of r counts
    double equivalent_sample_size;   // N
    double class_lost;       // what every merge adds to the score per class it loses: (r - 1) ln kappa
                             // under the prior on labels, its negative under the other, 0 if uniform
    bool regular;            // whether every parent must keep making a difference somewhere
    FixedLabels fixed = {};  // labels that are given, if the structure takes them
    bool per_class = false;  // whether N is that of every class, however large (structures with leaves)

    std::span<const double> row(std::size_t cell) const { return counts.subspan(cell * n_states, n_states); }
};

// One step of a greedy search and what it gained. From singletons (all but trees), or the finest classes that
// fixed labels leave, the gains add up to the score less that of the start; from a single leaf (trees) to the
// score less that of one class.
//   ldag, partial: the line that was joined, or that holds the pair that was; `axis` is the parent whose
//                  label grew and `line` the configuration of the other parents.
//   graph:         a merge has axis -1 and the first cell of the later class as `line`; a split loses -1
//                  classes and has the axis it went by (-1 if by a single cell) and the first cell of the
//                  part split off.
//   tree:          a leaf, by its first cell as `line`, was split by `axis`: it loses 1 - r classes.
struct Step {
    std::int32_t axis;
    std::int64_t line;
    std::int32_t classes_lost;
    double gain;
};

// A partition with its score. The score is relative to the singletons' prior: marginal likelihood of all
// classes plus class_lost for every class fewer than configurations.
struct FamilyResult {
    std::vector<std::int32_t> classes;  // by configuration, numbered by first appearance
    std::size_t n_classes = 0;
    double log_marginal_likelihood = 0.0;
    double score = 0.0;
    std::vector<Step> steps;  // of the greedy part
    bool is_exact = false;    // whether this is proven to be the best allowed partition
};

struct RefineOptions {
    std::uint64_t seed = 0;
    std::size_t n_restarts = 10;
};

// Scores closer than this are equal: a step must gain more, and ties go to the lowest number.
inline constexpr double kTie = 1e-9;

// Largest grid on which `exact` enumerates subsets.
inline constexpr std::size_t kMaxExactCells = 16;

// Whether the search `exact` finds a partition of such a family that is proven to be the best; counts do not
// matter.
bool is_solved_exactly(const FamilyProblem& problem, const Structure& structure);

// Scores a given partition.
FamilyResult score_partition(const FamilyProblem& problem, std::span<const std::int32_t> classes);

// No partition scores more than this; for whole counts. Infinite where lost classes gain something, or where
// the sample size is that of every class.
double bound_score(const FamilyProblem& problem);

// The same with each of these in place of class_lost.
void bound_scores(const FamilyProblem& problem, std::span<const double> class_lost, std::span<double> bounds);

// The same for the rows of counts of the configurations that occur, in a family of so many.
struct Bounded {
    std::size_t n_states;  // of the node
    std::size_t n_cells;
    double equivalent_sample_size;
};
void bound_scores(const Bounded& family, std::span<const double> rows, std::span<const double> class_lost,
                  std::span<double> bounds);

// The best partition a search finds. Grids too large for `exact` are refined; is_exact tells. A parent with
// one state can make no difference, so regularity does not ask it to. If no partition has the fixed labels,
// the score is minus infinity.
FamilyResult optimise_family(const FamilyProblem& problem, const Structure& structure, LabelSearch search,
                             const RefineOptions& options);

// The configurations that occur, in any order, and their rows of counts.
struct ObservedCells {
    std::vector<std::uint32_t> cells;
    std::vector<double> counts;
};

ObservedCells observed_cells(const FamilyProblem& problem);

// Fixed labels that some partition has, if any.
FamilyResult exact_partition(const FamilyProblem& problem, const Structure& structure);

// log of the sum of exp(score) over all allowed partitions (problem.regular asks for regular ones only); more
// about them is in families/posterior.hpp.
double log_sum_partitions(const FamilyProblem& problem, const Structure& structure);

// What is assumed of parameters and of the number of classes.
struct PartitionPrior {
    double equivalent_sample_size;
    double class_lost;
};

// The same under each of some priors, which stand in place of those of the problem; for structures whose
// partitions are any allowed blocks. Priors of one sample size next to each other share most of the work.
std::vector<double> log_sums_partitions(FamilyProblem problem, const Structure& structure,
                                        std::span<const PartitionPrior> priors);

}  // namespace ldag
