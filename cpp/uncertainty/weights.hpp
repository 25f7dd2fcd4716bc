// The weight of a parent set: the likelihood of a family summed over its labels, instead of that of the best.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "counting/columns.hpp"
#include "families/posterior.hpp"
#include "families/prior_sums.hpp"
#include "searching/search.hpp"

namespace ldag {

// What a DAG and its labels weigh before any data. labels: kappa for every parameter that labels save, so a
// DAG with more room for labels weighs more. normalised: the same divided by its sum over the labels of the
// family, so every DAG weighs the same. table: no labels at all.
enum class FamilyPrior : std::uint8_t { labels, normalised, table };

struct WeightOptions {
    double equivalent_sample_size = 1.0;
    double log_kappa = 0.0;
    FamilyPrior prior = FamilyPrior::normalised;
    std::vector<LabelRules> label_rules = {};  // by node; empty if there are none at all
};

class FamilyWeights {
  public:
    FamilyWeights(std::shared_ptr<const Columns> columns, WeightOptions options);

    // ln w_j(Pi); safe from many threads. With labels, throws std::invalid_argument beyond kMaxExactCells
    // configurations.
    double log_weight(const FamilyKey& family);

    // All labels of a family (regular ones only; a table if labels are ruled out), given its counts.
    FamilyPosterior posterior(const FamilyKey& family, std::span<const double> counts) const;

    // The weights of many families in threads; `done` of the monitor counts them. Stopped early, the rest are
    // not a number.
    std::vector<double> log_weights(std::span<const FamilyKey> families, std::size_t n_threads,
                                    Monitor& monitor);

    const Columns& columns() const { return *columns_; }

  private:
    FamilyProblem problem(const FamilyKey& family, std::span<const double> counts) const;
    bool is_table(const FamilyKey& family) const;
    double log_prior_sum(const FamilyKey& family);

    std::shared_ptr<const Columns> columns_;
    WeightOptions options_;
    PriorSums prior_sums_;
};

}  // namespace ldag
