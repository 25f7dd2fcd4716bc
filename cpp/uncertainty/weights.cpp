#include "uncertainty/weights.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace ldag {

FamilyWeights::FamilyWeights(std::shared_ptr<const Columns> columns, WeightOptions options)
    : columns_(std::move(columns)), options_(std::move(options)), prior_sums_(options_.log_kappa) {}

bool FamilyWeights::is_table(const FamilyKey& family) const {
    if (options_.prior == FamilyPrior::table) return true;
    if (!options_.label_rules.empty() && !options_.label_rules[family.node].empty()) return false;
    const auto matters = [&](std::uint32_t parent) { return columns_->n_states()[parent] > 1; };
    return std::ranges::count_if(family.parents, matters) < 2;  // a single label would be full
}

FamilyProblem FamilyWeights::problem(const FamilyKey& family, std::span<const double> counts) const {
    const std::span<const std::size_t> n_states = columns_->n_states();
    std::vector<std::size_t> parent_states;
    for (const std::uint32_t parent : family.parents) parent_states.push_back(n_states[parent]);
    const std::size_t r = n_states[family.node];
    const double class_lost = static_cast<double>(r - 1) * options_.log_kappa;
    FamilyProblem made{Grid(std::move(parent_states)),  r,          counts,
                       options_.equivalent_sample_size, class_lost, true};
    if (!options_.label_rules.empty())
        made.fixed = fixed_labels(options_.label_rules[family.node], family.parents, made.grid);
    return made;
}

FamilyPosterior FamilyWeights::posterior(const FamilyKey& family, std::span<const double> counts) const {
    return FamilyPosterior(problem(family, counts), options_.prior == FamilyPrior::table
                                                        ? structure_named("table")
                                                        : structure_named("ldag"));
}

double FamilyWeights::log_prior_sum(const FamilyKey& family) {
    const std::span<const std::size_t> n_states = columns_->n_states();
    std::vector<std::size_t> parent_states;
    for (const std::uint32_t parent : family.parents) parent_states.push_back(n_states[parent]);
    const std::size_t r = n_states[family.node];
    if (options_.label_rules.empty() || options_.label_rules[family.node].empty())
        return prior_sums_.log_sum(r, parent_states);
    // Only the labels that the rules allow. Without data every partition weighs kappa^saved.
    const std::vector<double> nothing(r * Grid(std::move(parent_states)).size(), 0.0);
    return posterior(family, nothing).log_sum();
}

double FamilyWeights::log_weight(const FamilyKey& family) {
    thread_local std::vector<double> table;
    thread_local std::vector<std::size_t> variables;
    variables.assign(family.parents.begin(), family.parents.end());
    variables.push_back(family.node);
    columns_->counts(variables, table);
    if (is_table(family))
        return score_table(table, columns_->n_states()[family.node], options_.equivalent_sample_size);
    const double sum = posterior(family, table).log_sum();
    return options_.prior == FamilyPrior::normalised ? sum - log_prior_sum(family) : sum;
}

std::vector<double> FamilyWeights::log_weights(std::span<const FamilyKey> families, std::size_t n_threads,
                                               Monitor& monitor) {
    std::vector<double> weights(families.size(), std::numeric_limits<double>::quiet_NaN());
    parallel_for(
        n_threads, families.size(),
        [&](std::size_t item, std::size_t) {
            weights[item] = log_weight(families[item]);
            ++monitor.done;
        },
        &monitor.stop, monitor.poll);
    return weights;
}

}  // namespace ldag
