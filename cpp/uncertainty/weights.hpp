// The weight of a parent set: the likelihood of a family summed over its labels, instead of that of the best.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "counting/columns.hpp"
#include "families/family.hpp"
#include "families/fixed_labels.hpp"
#include "families/prior_sums.hpp"
#include "searching/search.hpp"

namespace ldag {

// What a DAG and its labels weigh before any data. labels: kappa for every parameter that labels save, so a
// DAG with more room for labels weighs more. normalised: the same divided by its sum over the labels of the
// family, so every DAG weighs the same. table: no labels at all.
enum class FamilyPrior : std::uint8_t { labels, normalised, table };

// One set of assumptions under which families are weighed.
struct WeightSetting {
    FamilyPrior prior = FamilyPrior::normalised;
    double log_kappa = 0.0;
    double equivalent_sample_size = 1.0;
};

// Weighs families under several settings, counting each once. Larger families than
// `max_configurations` weigh as their full table.
class FamilyWeights {
  public:
    // The rules are by node, and empty if there are none at all.
    FamilyWeights(std::shared_ptr<const Columns> columns, std::vector<WeightSetting> settings,
                  std::vector<LabelRules> label_rules, std::size_t max_configurations);

    // ln w_j(Pi) by setting; safe from many threads.
    void log_weights(const FamilyKey& family, std::span<double> weights);

    // Those of many families in threads, by family and then setting; `done` of the monitor counts families.
    // Stopped early, the rest are not a number.
    std::vector<double> log_weights(std::span<const FamilyKey> families, std::size_t n_threads,
                                    Monitor& monitor);

  private:
    bool has_rules(const FamilyKey& family) const;
    bool is_table(const FamilyKey& family) const;
    FamilyProblem problem(const FamilyKey& family, std::span<const double> counts) const;
    std::vector<double> log_prior_sums(const FamilyProblem& problem, bool has_rules,
                                       std::span<const PartitionPrior> priors);

    std::shared_ptr<const Columns> columns_;
    std::vector<WeightSetting> settings_;
    std::vector<LabelRules> label_rules_;
    std::size_t max_configurations_;
    std::vector<std::size_t> labelled_;                   // the settings with labels
    std::vector<std::unique_ptr<PriorSums>> prior_sums_;  // by setting with labels
};

}  // namespace ldag
