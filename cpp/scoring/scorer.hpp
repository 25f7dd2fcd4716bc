// Scores of families on one data set: counted, optimised, and remembered. What every search over graphs
// calls.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "counting/columns.hpp"
#include "families/family.hpp"
#include "families/prior_sums.hpp"
#include "families/structures.hpp"
#include "scoring/cache.hpp"
#include "scoring/set_scores.hpp"
#include "support/parallel.hpp"

namespace ldag {

class SharedCounts;

struct ScorerOptions {
    double equivalent_sample_size = 1.0;
    double parameter_saved = 0.0;     // added to the log prior for every parameter that classes save
    double parameter_of_table = 0.0;  // and for every parameter of the full table
    bool normalised = false;  // whether that is divided by its sum over all partitions (where that is known)
    const Structure* structure = &structure_named("ldag");
    LabelSearch search = LabelSearch::greedy;
    bool regular = true;
    RefineOptions refine = {};
    std::vector<LabelRules> label_rules = {};  // by node; empty if there are none at all
    std::vector<std::uint8_t> ordered = {};    // by node, whether its states have an order; empty if none has
    bool per_class = false;                    // whether the sample size is that of every class (leaves only)
    std::size_t max_cells = 1 << 16;  // a family with a larger table scores minus infinity: never chosen
};

// A node and its parents in increasing order.
struct FamilyKey {
    std::uint32_t node;
    std::span<const std::uint32_t> parents;
};

// Where the data have gaps, a family is scored by the rows in which it is seen: what it gains there over no
// parents, scaled up to all rows, less half a log of their number for every parameter and the share of rows
// that do not show it. That is no likelihood, but a start for searches, and fair to families seen in
// different rows.
class FamilyScorer {
  public:
    FamilyScorer(std::shared_ptr<const Columns> columns, const ScorerOptions& options,
                 std::size_t cache_bytes);

    // Log marginal likelihood plus log prior of the best partition found; safe from many threads.
    double score(const FamilyKey& family);

    // The same, not remembered but for what full tables over the same variables share: for families that are
    // asked for once only.
    double score_uncached(const FamilyKey& family) const;

    // The same, but a family that provably scores at most `floor` need not have its partition looked for:
    // then an upper bound of at most that.
    double score_above(const FamilyKey& family, double floor) const;

    // The same with each of these in place of parameter_saved, counted once; minus infinity leaves no labels.
    // For greedy search of structures that have greedy prices, without label rules and not normalised.
    void scores_by_price(const FamilyKey& family, std::span<const double> prices,
                         std::span<const double> floors, std::span<double> scores) const;

    // The same scorer with another parameter_saved, which remembers nothing; minus infinity leaves tables.
    FamilyScorer at_price(double price) const;

    // The scores of many families; stopped early, the rest are not a number.
    std::vector<double> scores(std::span<const FamilyKey> families, std::size_t n_threads,
                               const StopPoll& poll = {});

    // The scores of a family with each of some further parents, none of which it has; equal to score() of
    // each to the last bit. What is common to all is counted once. Returns whether it came to the end before
    // `stop` was set.
    bool scores_of_additions(const FamilyKey& family, std::span<const std::uint32_t> further,
                             std::span<double> scores, const std::atomic<bool>* stop = nullptr) {
        return score_additions(family, further, {scores, {}, 0.0}, stop);
    }

    // The same, but a family that provably scores at most `floor` need not have its partition looked for:
    // then its score is an upper bound of at most that, and is_bound, 0 before, tells so.
    bool bounds_of_additions(const FamilyKey& family, std::span<const std::uint32_t> further, double floor,
                             std::span<double> scores, std::span<std::uint8_t> is_bound,
                             const std::atomic<bool>* stop = nullptr) {
        return score_additions(family, further, {scores, is_bound, floor}, stop);
    }

    // The same for families that can be estimated; one whose table has more cells than `open_from` is not
    // scored unless it provably scores at most `floor`: then is_bound is kOpen, and its score a bound.
    static constexpr std::uint8_t kOpen = 2;
    bool bounds_of_small_additions(const FamilyKey& family, std::span<const std::uint32_t> further,
                                   double floor, std::size_t open_from, std::span<double> scores,
                                   std::span<std::uint8_t> is_bound,
                                   const std::atomic<bool>* stop = nullptr) {
        return score_additions(family, further, {scores, is_bound, floor, open_from}, stop);
    }

    // Makes of bounds estimates of what a family scores with each of some further parents, for little more
    // work than one of these scores takes: to choose which of them to ask for.
    bool estimate_additions(const FamilyKey& family, std::span<const std::uint32_t> further,
                            std::span<double> scores, const std::atomic<bool>* stop = nullptr) const;
    bool can_estimate(const FamilyKey& family) const;

    // The classes of the best partition found, by configuration of the parents and numbered by first
    // appearance; `table` holds the counts of the family.
    std::vector<std::int32_t> classes(const FamilyKey& family, std::span<const double> table) const;

    const Columns& columns() const { return *columns_; }
    const ScorerOptions& options() const { return options_; }

    // Whether a family with so many parents of two states or more can only have a full table (or, under label
    // rules, none at all).
    bool is_table(std::size_t n_parents) const;

    // About how many times as long as one of a small family the score of one with so many cells takes, a
    // whole number: tables and trees take hardly longer, labels do.
    std::size_t work(std::size_t n_cells) const;

    CacheStatistics cache_statistics() const { return sets_ ? sets_->statistics() : cache_.statistics(); }

  private:
    struct AdditionScores {
        std::span<double> scores;
        std::span<std::uint8_t> is_bound;  // empty: bounds are of no use
        double floor;
        std::size_t open_from = std::numeric_limits<std::size_t>::max();
    };

    bool score_additions(const FamilyKey& family, std::span<const std::uint32_t> further,
                         const AdditionScores& wanted, const std::atomic<bool>* stop);
    double bound_addition(const FamilyKey& family, std::uint32_t further, std::size_t stride,
                          SharedCounts& shared) const;
    void share(const FamilyKey& family, SharedCounts& shared) const;
    bool score_tables(const FamilyKey& family, std::span<const std::uint32_t> further,
                      std::span<double> scores, const std::atomic<bool>* stop) const;
    double table_prior(const FamilyKey& family, std::size_t n_further) const;  // with so many times the cells
    bool fits(const FamilyKey& family) const;
    std::vector<std::size_t> count(const FamilyKey& family, std::vector<double>& table) const;
    FamilyProblem problem_of(const FamilyKey& family, std::vector<std::size_t> parent_states,
                             std::span<const double> table) const;
    bool has_rules(std::uint32_t node) const;
    bool can_bound(std::span<const std::size_t> parent_states) const;
    double gain(const FamilyKey& family, std::vector<std::size_t> parent_states,
                std::span<const double> table) const;
    double bound(const FamilyKey& family, std::vector<std::size_t> parent_states,
                 std::span<const double> table) const;
    double optimise(const FamilyKey& family, std::vector<std::size_t> parent_states,
                    std::span<const double> table, const ObservedCells* observed = nullptr) const;
    bool scores_observed() const;  // whether the configurations that occur are all a score looks at
    bool counts_observed(std::size_t n_cells) const;
    static bool has_many_cells(std::size_t n_cells);

    std::shared_ptr<const Columns> columns_;
    ScorerOptions options_;
    mutable PriorSums prior_sums_;
    std::unique_ptr<SetScores> sets_;  // where all families have full tables
    FamilyCache<double> cache_;
};

}  // namespace ldag
