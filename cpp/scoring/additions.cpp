// One family with each of many further parents.
#include <algorithm>
#include <limits>
#include <utility>

#include "counting/shared_counts.hpp"
#include "families/division.hpp"
#include "scoring/scorer.hpp"

namespace ldag {

namespace {

// A family with room for one more parent.
class Grown {
  public:
    Grown(const FamilyKey& family, std::span<const std::size_t> n_states)
        : family_(family), n_states_(n_states) {}

    // Takes one more parent in place of the one taken before.
    void take(std::uint32_t parent) {
        const auto own = family_.parents;
        place_ = static_cast<std::size_t>(std::ranges::lower_bound(own, parent) - own.begin());
        parents_.assign(own.begin(), own.end());
        parents_.insert(parents_.begin() + static_cast<std::ptrdiff_t>(place_), parent);
    }

    FamilyKey key() const { return {family_.node, parents_}; }

    // The number of configurations of what comes after it, the node last.
    std::size_t stride() const {
        std::size_t stride = n_states_[family_.node];
        for (std::size_t i = place_ + 1; i < parents_.size(); ++i) stride *= n_states_[parents_[i]];
        return stride;
    }

    std::size_t n_cells() const {
        std::size_t n = n_states_[family_.node];
        for (const std::uint32_t parent : parents_) n *= n_states_[parent];
        return n;
    }

    std::vector<std::size_t> parent_states() const {
        std::vector<std::size_t> states;
        for (const std::uint32_t parent : parents_) states.push_back(n_states_[parent]);
        return states;
    }

  private:
    FamilyKey family_;
    std::span<const std::size_t> n_states_;
    std::vector<std::uint32_t> parents_;
    std::size_t place_ = 0;
};

// Whether bounds still pay: they do not where few of the first ones have shown anything.
class BoundsPay {
  public:
    bool looks() const { return n_ < kFirst || kShare * n_low_ >= n_; }
    void note(bool is_low) {
        ++n_;
        n_low_ += is_low ? 1 : 0;
    }

  private:
    static constexpr std::size_t kFirst = 64;
    static constexpr std::size_t kShare = 16;

    std::size_t n_ = 0;
    std::size_t n_low_ = 0;
};

// Whether the family and its table fit the shared counts.
bool can_share(const Columns& columns, const FamilyKey& family) {
    if (!columns.has_whole_doubles() || columns.n_rows() > std::numeric_limits<std::uint32_t>::max())
        return false;
    std::size_t size = columns.n_states()[family.node];
    for (const std::uint32_t parent : family.parents) {
        size *= columns.n_states()[parent];
        if (size > std::numeric_limits<std::uint32_t>::max() / 256) return false;
    }
    return true;
}

}  // namespace

bool FamilyScorer::score_tables(const FamilyKey& family, std::span<const std::uint32_t> further,
                                std::span<double> scores, const std::atomic<bool>* stop) const {
    const std::span<const std::size_t> n_states = columns_->n_states();
    std::size_t n_cells = n_states[family.node];
    for (const std::uint32_t parent : family.parents)
        n_cells = std::min(n_cells * n_states[parent], options_.max_cells + 1);
    thread_local std::vector<std::uint32_t> fitting;
    thread_local std::vector<double> fitting_scores;
    fitting.clear();
    for (const std::uint32_t other : further)
        if (n_cells * n_states[other] <= options_.max_cells) fitting.push_back(other);
    fitting_scores.resize(fitting.size());
    if (!sets_->score_additions(family.node, family.parents, fitting, fitting_scores, stop)) return false;
    const double* next = fitting_scores.data();
    for (std::size_t i = 0; i < further.size(); ++i)
        scores[i] = n_cells * n_states[further[i]] <= options_.max_cells
                        ? *next++ + table_prior(family, n_states[further[i]])
                        : -std::numeric_limits<double>::infinity();
    return true;
}

// Where an estimate takes much less time than a search, and the counts are those of the bound.
bool FamilyScorer::can_estimate(const FamilyKey& family) const {
    return options_.structure->joins_unvisited() && options_.parameter_saved <= 0.0 && !options_.normalised &&
           options_.label_rules.empty() && columns_->n_states()[family.node] > 1 &&
           can_share(*columns_, family);
}

// What the best classes score is between what dividing those there are makes of them and a bound; what a
// search finds is about half way.
bool FamilyScorer::estimate_additions(const FamilyKey& family, std::span<const std::uint32_t> further,
                                      std::span<double> scores, const std::atomic<bool>* stop) const {
    thread_local SharedCounts shared;
    thread_local std::vector<double> table;
    thread_local ObservedCells observed;
    share(family, shared);
    std::vector<std::size_t> parent_states = count(family, table);
    const FamilyProblem problem = problem_of(family, std::move(parent_states), table);
    Division division(
        problem, *options_.structure,
        optimise_family(problem, *options_.structure, options_.search, options_.refine).classes);
    Grown grown(family, columns_->n_states());
    for (std::size_t i = 0; i < further.size(); ++i) {
        if (stop != nullptr && *stop) return false;
        grown.take(further[i]);
        const std::size_t n_states = columns_->n_states()[further[i]];
        shared.observed(further[i], grown.stride(), observed.cells, observed.counts);
        const double divided = division.score(n_states, grown.stride() / problem.n_states, observed);
        scores[i] = 0.5 * (divided + table_prior(family, n_states) + scores[i]);
    }
    return true;
}

// An upper bound of the score of a family with one more parent.
double FamilyScorer::bound_addition(const FamilyKey& family, std::uint32_t further, std::size_t stride,
                                    SharedCounts& shared) const {
    thread_local ObservedCells observed;
    const std::size_t r = columns_->n_states()[family.node];
    const std::size_t n_states = columns_->n_states()[further];
    std::size_t q = n_states;
    for (const std::uint32_t parent : family.parents) q *= columns_->n_states()[parent];
    if (has_many_cells(q * r))
        shared.observed(further, stride, observed.cells, observed.counts);
    else
        shared.counts(further, stride, observed.counts);
    const double lost = static_cast<double>(r - 1) * options_.parameter_saved;
    double most = 0.0;
    bound_scores({r, q, options_.equivalent_sample_size}, observed.counts, {&lost, 1}, {&most, 1});
    return most + table_prior(family, n_states);
}

void FamilyScorer::share(const FamilyKey& family, SharedCounts& shared) const {
    std::vector<std::size_t> variables(family.parents.begin(), family.parents.end());
    variables.push_back(family.node);
    shared.share(*columns_, variables);
}

bool FamilyScorer::score_additions(const FamilyKey& family, std::span<const std::uint32_t> further,
                                   const AdditionScores& wanted, const std::atomic<bool>* stop) {
    const std::span<double> scores = wanted.scores;
    if (sets_) return score_tables(family, further, scores, stop);
    thread_local SharedCounts shared;
    thread_local std::vector<double> table;
    thread_local ObservedCells observed;
    const bool shares = can_share(*columns_, family);
    if (shares) share(family, shared);
    Grown grown(family, columns_->n_states());
    BoundsPay pays;
    const bool varies = columns_->n_states()[family.node] > 1;
    const bool remembers = !shares || !is_table(family.parents.size() + 1);
    for (std::size_t i = 0; i < further.size(); ++i) {
        if (stop != nullptr && *stop) return false;
        grown.take(further[i]);
        if (!fits(grown.key())) {
            scores[i] = -std::numeric_limits<double>::infinity();
            continue;
        }
        if (grown.n_cells() > wanted.open_from) {
            scores[i] = bound_addition(family, further[i], grown.stride(), shared);
            wanted.is_bound[i] = scores[i] <= wanted.floor ? 1 : kOpen;
            continue;
        }
        if (remembers) {
            if (const auto known = cache_.find(family.node, grown.key().parents)) {
                scores[i] = *known;
                continue;
            }
        }
        if (shares && varies && counts_observed(grown.n_cells())) {
            shared.observed(further[i], grown.stride(), observed.cells, observed.counts);
            scores[i] = optimise(grown.key(), grown.parent_states(), {}, &observed);
        } else if (shares) {
            shared.counts(further[i], grown.stride(), table);
            if (!wanted.is_bound.empty() && pays.looks() && can_bound(grown.parent_states())) {
                scores[i] = bound(grown.key(), grown.parent_states(), table);
                wanted.is_bound[i] = scores[i] <= wanted.floor ? 1 : 0;
                pays.note(wanted.is_bound[i] != 0);
                if (wanted.is_bound[i] != 0) continue;
            }
            scores[i] = optimise(grown.key(), grown.parent_states(), table);
        } else {
            scores[i] = score_uncached(grown.key());
        }
        if (remembers) cache_.insert(family.node, grown.key().parents, scores[i]);
    }
    return true;
}

}  // namespace ldag
