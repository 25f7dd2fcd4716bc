#include "scoring/scorer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "families/prices.hpp"

namespace ldag {

namespace {

// Of a table with so many cells, only the configurations that occur are counted, if that is all it takes.
constexpr std::size_t kManyCells = 512;

// A family with at most so many cells is small, and so is one with so many rows for each of its cells.
constexpr double kSmall = 64.0;
constexpr double kRowsPerCell = 8.0;

// What one class fewer adds to the log prior of a node with r states.
double class_lost(const ScorerOptions& options, std::size_t n_states) {
    return static_cast<double>(n_states - 1) * options.parameter_saved;
}

double table_log_prior(const ScorerOptions& options, std::size_t n_states, std::size_t n_configurations) {
    return static_cast<double>((n_states - 1) * n_configurations) * options.parameter_of_table;
}

}  // namespace

FamilyScorer::FamilyScorer(std::shared_ptr<const Columns> columns, const ScorerOptions& options,
                           std::size_t cache_bytes)
    : columns_(std::move(columns)),
      options_(options),
      prior_sums_(options.parameter_saved),
      cache_(cache_bytes) {
    if (options_.normalised && !options_.structure->has_normalised_prior)
        throw std::invalid_argument("the normalised prior is for the structure ldag");
    if (options_.per_class && !options_.structure->has_leaf_prior)
        throw std::invalid_argument("a sample size for every class is for the structure tree");
    if (options_.structure->is_table && options_.label_rules.empty() &&
        SetScores::are_for(*columns_, options_.equivalent_sample_size, options_.max_cells))
        sets_ = std::make_unique<SetScores>(*columns_, options_.equivalent_sample_size, options_.max_cells,
                                            cache_bytes);
}

double FamilyScorer::score(const FamilyKey& family) {
    if (sets_) return score_uncached(family);
    if (const auto known = cache_.find(family.node, family.parents)) return *known;
    const double computed = score_uncached(family);
    cache_.insert(family.node, family.parents, computed);
    return computed;
}

double FamilyScorer::score_uncached(const FamilyKey& family) const {
    return score_above(family, -std::numeric_limits<double>::infinity());
}

double FamilyScorer::score_above(const FamilyKey& family, double floor) const {
    if (!fits(family)) return -std::numeric_limits<double>::infinity();
    if (sets_) return sets_->score(family.node, family.parents) + table_prior(family, 1);
    thread_local std::vector<double> table;
    std::vector<std::size_t> parent_states = count(family, table);
    if (columns_->has_gaps()) return gain(family, std::move(parent_states), table);
    if (std::isfinite(floor) && can_bound(parent_states)) {
        const double most = bound(family, parent_states, table);
        if (most <= floor) return most;
    }
    return optimise(family, std::move(parent_states), table);
}

void FamilyScorer::scores_by_price(const FamilyKey& family, std::span<const double> prices,
                                   std::span<const double> floors, std::span<double> scores) const {
    if (!fits(family)) {
        std::ranges::fill(scores, -std::numeric_limits<double>::infinity());
        return;
    }
    thread_local std::vector<double> table;
    std::vector<std::size_t> parent_states = count(family, table);
    const auto n_parents = std::ranges::count_if(parent_states, [](std::size_t n) { return n > 1; });
    const std::size_t r = columns_->n_states()[family.node];
    const double prior = table_log_prior(options_, r, table.size() / r);
    const double of_table = score_table(table, r, options_.equivalent_sample_size) + prior;
    std::ranges::fill(scores, of_table);
    if (is_table(static_cast<std::size_t>(n_parents))) return;
    std::vector<std::size_t> places;  // of the prices at which labels may pay
    std::vector<double> lost;
    for (std::size_t i = 0; i < prices.size(); ++i) {
        if (!std::isfinite(prices[i])) continue;
        places.push_back(i);
        lost.push_back(prices[i] * static_cast<double>(r - 1));
    }
    const bool has_bounds = can_bound(parent_states);
    const FamilyProblem problem = problem_of(family, std::move(parent_states), table);
    std::vector<double> by_price(lost.size());
    if (has_bounds) {
        bound_scores(problem, lost, by_price);
        std::size_t n_left = 0;
        for (std::size_t i = 0; i < places.size(); ++i) {
            scores[places[i]] = by_price[i] + prior;
            if (scores[places[i]] <= floors[places[i]]) continue;
            places[n_left] = places[i];
            lost[n_left++] = lost[i];
        }
        places.resize(n_left);
        lost.resize(n_left);
        by_price.resize(n_left);
    }
    if (places.empty()) return;
    greedy_scores(problem, *options_.structure, lost, by_price);
    for (std::size_t i = 0; i < places.size(); ++i) scores[places[i]] = by_price[i] + prior;
}

FamilyScorer FamilyScorer::at_price(double price) const {
    ScorerOptions options = options_;
    if (std::isfinite(price))
        options.parameter_saved = price;
    else
        options.structure = &structure_named("table");
    return {columns_, options, 0};
}

// Returns the numbers of states of the parents.
std::vector<std::size_t> FamilyScorer::count(const FamilyKey& family, std::vector<double>& table) const {
    thread_local std::vector<std::size_t> variables;
    std::vector<std::size_t> parent_states;
    variables.assign(family.parents.begin(), family.parents.end());
    for (const std::uint32_t parent : family.parents) parent_states.push_back(columns_->n_states()[parent]);
    variables.push_back(family.node);
    columns_->counts(variables, table);
    return parent_states;
}

double FamilyScorer::table_prior(const FamilyKey& family, std::size_t n_further) const {
    if (options_.parameter_of_table == 0.0) return 0.0;
    std::size_t q = n_further;
    for (const std::uint32_t parent : family.parents) q *= columns_->n_states()[parent];
    return table_log_prior(options_, columns_->n_states()[family.node], q);
}

bool FamilyScorer::is_table(std::size_t n_parents) const {
    if (options_.structure->is_table) return true;
    return options_.structure->has_label_steps() && options_.regular && n_parents < 2;
}

FamilyProblem FamilyScorer::problem_of(const FamilyKey& family, std::vector<std::size_t> parent_states,
                                       std::span<const double> table) const {
    const std::size_t r = columns_->n_states()[family.node];
    std::vector<std::uint8_t> ordered;
    if (!options_.ordered.empty())
        for (const std::uint32_t parent : family.parents) ordered.push_back(options_.ordered[parent]);
    FamilyProblem problem{Grid(std::move(parent_states), std::move(ordered)),
                          r,
                          table,
                          options_.equivalent_sample_size,
                          class_lost(options_, r),
                          options_.regular};
    if (has_rules(family.node))
        problem.fixed = fixed_labels(options_.label_rules[family.node], family.parents, problem.grid);
    problem.per_class = options_.per_class;
    return problem;
}

bool FamilyScorer::has_rules(std::uint32_t node) const {
    return !options_.label_rules.empty() && !options_.label_rules[node].empty();
}

std::vector<std::int32_t> FamilyScorer::classes(const FamilyKey& family,
                                                std::span<const double> table) const {
    std::vector<std::size_t> parent_states;
    for (const std::uint32_t parent : family.parents) parent_states.push_back(columns_->n_states()[parent]);
    const FamilyProblem problem = problem_of(family, std::move(parent_states), table);
    return optimise_family(problem, *options_.structure, options_.search, options_.refine).classes;
}

// Where unvisited cells are no work, a search takes little more time than a bound. Under rules a family may
// have no partition at all.
bool FamilyScorer::can_bound(std::span<const std::size_t> parent_states) const {
    const auto n_parents = std::ranges::count_if(parent_states, [](std::size_t n) { return n > 1; });
    return options_.structure->joins_unvisited() && !is_table(static_cast<std::size_t>(n_parents)) &&
           options_.parameter_saved <= 0.0 && options_.label_rules.empty() && columns_->is_whole();
}

double FamilyScorer::bound(const FamilyKey& family, std::vector<std::size_t> parent_states,
                           std::span<const double> table) const {
    const FamilyProblem problem = problem_of(family, std::move(parent_states), table);
    const double sum =
        options_.normalised ? prior_sums_.log_sum(problem.n_states, problem.grid.n_states()) : 0.0;
    return bound_score(problem) - sum + table_log_prior(options_, problem.n_states, problem.grid.size());
}

double FamilyScorer::gain(const FamilyKey& family, std::vector<std::size_t> parent_states,
                          std::span<const double> table) const {
    const std::size_t r = columns_->n_states()[family.node];
    std::vector<double> of_node(r, 0.0);
    double seen = 0.0;
    for (std::size_t cell = 0; cell < table.size(); ++cell) {
        of_node[cell % r] += table[cell];
        seen += table[cell];
    }
    if (seen == 0.0) return 0.0;
    const double share = seen / columns_->total();
    const auto n_parameters = static_cast<double>(table.size() - table.size() / r - (r - 1));
    const double unseen = 0.5 * std::log(std::max(columns_->total(), 1.0)) * n_parameters * (1.0 - share);
    const double alone = optimise({family.node, {}}, {}, of_node);
    return (optimise(family, std::move(parent_states), table) - alone) / share - unseen;
}

double FamilyScorer::optimise(const FamilyKey& family, std::vector<std::size_t> parent_states,
                              std::span<const double> table, const ObservedCells* observed) const {
    const std::size_t r = columns_->n_states()[family.node];
    const auto n_parents = std::ranges::count_if(parent_states, [](std::size_t n) { return n > 1; });
    if (!has_rules(family.node) && is_table(static_cast<std::size_t>(n_parents))) {
        const std::size_t q = table.size() / r;
        return score_table(table, r, options_.equivalent_sample_size) + table_log_prior(options_, r, q);
    }
    const FamilyProblem problem = problem_of(family, std::move(parent_states), table);
    const double best =
        scores_observed()
            ? options_.structure->score_observed(problem, observed ? *observed : observed_cells(problem))
            : optimise_family(problem, *options_.structure, options_.search, options_.refine).score;
    const double sum = options_.normalised ? prior_sums_.log_sum(r, problem.grid.n_states()) : 0.0;
    return best - sum + table_log_prior(options_, r, problem.grid.size());
}

bool FamilyScorer::scores_observed() const {
    return options_.structure->score_observed != nullptr && options_.search == LabelSearch::greedy;
}

bool FamilyScorer::has_many_cells(std::size_t n_cells) { return n_cells >= kManyCells; }

// Of a large table, what occurs is little.
bool FamilyScorer::counts_observed(std::size_t n_cells) const {
    return scores_observed() && has_many_cells(n_cells);
}

// Classes take in cells that no row visits as long as that gains more than it costs, which one more of s does
// while 1 / s is about that: joining is work for 1 / price times as many cells as are visited, or for all.
std::size_t FamilyScorer::work(std::size_t n_cells) const {
    if (!options_.structure->joins_unvisited() || n_cells > options_.max_cells) return 1;
    const double n_visited = static_cast<double>(columns_->n_rows()) / kRowsPerCell;
    const double price = std::max(0.0, -options_.parameter_saved);
    const double n_joined = std::min(static_cast<double>(n_cells), n_visited / price);
    return 1 + static_cast<std::size_t>(n_joined / std::max(kSmall, n_visited));
}

bool FamilyScorer::fits(const FamilyKey& family) const {
    std::size_t n_cells = columns_->n_states()[family.node];
    for (const std::uint32_t parent : family.parents) {
        n_cells *= columns_->n_states()[parent];
        if (n_cells > options_.max_cells) return false;
    }
    return true;
}

std::vector<double> FamilyScorer::scores(std::span<const FamilyKey> families, std::size_t n_threads,
                                         const StopPoll& poll) {
    std::vector<double> scores(families.size(), std::numeric_limits<double>::quiet_NaN());
    parallel_for(
        n_threads, families.size(),
        [&](std::size_t item, std::size_t) { scores[item] = score(families[item]); }, nullptr, poll);
    return scores;
}

}  // namespace ldag
