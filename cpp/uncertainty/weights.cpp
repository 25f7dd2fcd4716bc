#include "uncertainty/weights.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "families/dirichlet.hpp"
#include "families/structures.hpp"

namespace ldag {

FamilyWeights::FamilyWeights(std::shared_ptr<const Columns> columns, std::vector<WeightSetting> settings,
                             std::vector<LabelRules> label_rules, std::size_t max_configurations)
    : columns_(std::move(columns)),
      settings_(std::move(settings)),
      label_rules_(std::move(label_rules)),
      max_configurations_(std::min(max_configurations, kMaxExactCells)) {
    for (std::size_t i = 0; i < settings_.size(); ++i) {
        if (settings_[i].prior == FamilyPrior::table) continue;
        labelled_.push_back(i);
        prior_sums_.push_back(std::make_unique<PriorSums>(settings_[i].log_kappa));
    }
}

bool FamilyWeights::has_rules(const FamilyKey& family) const {
    return !label_rules_.empty() && !label_rules_[family.node].empty();
}

// Whether a family has its full table under any setting.
bool FamilyWeights::is_table(const FamilyKey& family) const {
    std::size_t n_configurations = 1;
    std::size_t n_that_matter = 0;
    for (const std::uint32_t parent : family.parents) {
        const std::size_t n = columns_->n_states()[parent];
        n_configurations *= n;
        n_that_matter += n > 1 ? 1 : 0;
    }
    if (n_configurations > max_configurations_) return true;
    return !has_rules(family) && n_that_matter < 2;  // a single label would be full
}

FamilyProblem FamilyWeights::problem(const FamilyKey& family, std::span<const double> counts) const {
    const std::span<const std::size_t> n_states = columns_->n_states();
    std::vector<std::size_t> parent_states;
    for (const std::uint32_t parent : family.parents) parent_states.push_back(n_states[parent]);
    FamilyProblem made{Grid(std::move(parent_states)), n_states[family.node], counts, 1.0, 0.0, true};
    if (!label_rules_.empty())
        made.fixed = fixed_labels(label_rules_[family.node], family.parents, made.grid);
    return made;
}

// By setting with labels: what all labels of a family weigh together without data.
std::vector<double> FamilyWeights::log_prior_sums(const FamilyProblem& problem, bool has_rules,
                                                  std::span<const PartitionPrior> priors) {
    if (has_rules) {  // only the labels that the rules allow
        const std::vector<double> nothing(problem.counts.size(), 0.0);
        FamilyProblem empty = problem;
        empty.counts = nothing;
        return log_sums_partitions(std::move(empty), structure_named("ldag"), priors);
    }
    std::vector<std::size_t> parent_states;
    for (std::size_t axis = 0; axis < problem.grid.n_axes(); ++axis)
        parent_states.push_back(problem.grid.n_states(axis));
    std::vector<double> sums;
    for (const std::unique_ptr<PriorSums>& own : prior_sums_)
        sums.push_back(own->log_sum(problem.n_states, parent_states));
    return sums;
}

void FamilyWeights::log_weights(const FamilyKey& family, std::span<double> weights) {
    thread_local std::vector<double> table;
    thread_local std::vector<std::size_t> variables;
    variables.assign(family.parents.begin(), family.parents.end());
    variables.push_back(family.node);
    columns_->counts(variables, table);
    const std::size_t n_states = columns_->n_states()[family.node];
    const bool only_table = is_table(family);
    std::map<double, double> tables;  // by sample size
    for (std::size_t i = 0; i < settings_.size(); ++i) {
        if (!only_table && settings_[i].prior != FamilyPrior::table) continue;
        const double size = settings_[i].equivalent_sample_size;
        const auto [known, is_new] = tables.try_emplace(size, 0.0);
        if (is_new) known->second = score_table(table, n_states, size);
        weights[i] = known->second;
    }
    if (only_table || labelled_.empty()) return;
    std::vector<PartitionPrior> priors;
    for (const std::size_t i : labelled_)
        priors.push_back({settings_[i].equivalent_sample_size,
                          static_cast<double>(n_states - 1) * settings_[i].log_kappa});
    const FamilyProblem own = problem(family, table);
    const std::vector<double> sums = log_sums_partitions(own, structure_named("ldag"), priors);
    const std::vector<double> shares = log_prior_sums(own, has_rules(family), priors);
    for (std::size_t k = 0; k < labelled_.size(); ++k) {
        const bool is_divided = settings_[labelled_[k]].prior == FamilyPrior::normalised;
        weights[labelled_[k]] = is_divided ? sums[k] - shares[k] : sums[k];
    }
}

std::vector<double> FamilyWeights::log_weights(std::span<const FamilyKey> families, std::size_t n_threads,
                                               Monitor& monitor) {
    const std::size_t n = settings_.size();
    std::vector<double> weights(families.size() * n, std::numeric_limits<double>::quiet_NaN());
    parallel_for(
        n_threads, families.size(),
        [&](std::size_t item, std::size_t) {
            log_weights(families[item], std::span(weights).subspan(item * n, n));
            ++monitor.done;
        },
        &monitor.stop, monitor.poll);
    return weights;
}

}  // namespace ldag
