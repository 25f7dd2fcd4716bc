#include "scoring/predictive.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "families/dirichlet.hpp"

namespace ldag {

namespace {

// Up to so many factors are multiplied; 16 of them fit a double as long as each is below 2^64.
constexpr double kFewFactors = 16.0;

// ln (x (x + 1) ... (x + n - 1)): what n more observations say.
double log_rising(double x, double n) {
    if (n > kFewFactors) return log_gamma(x + n) - log_gamma(x);
    double product = 1.0;
    for (double i = 0.0; i < n; ++i) product *= x + i;
    return std::log(product);
}

// A class that has new observations.
struct FreshClass {
    double size = 0.0;  // in configurations
    double trained = 0.0;
    double fresh = 0.0;
};

// One family: what was counted, by class.
class FreshCounts {
  public:
    FreshCounts(std::span<const std::int32_t> classes, std::size_t n_states, std::span<const double> trained,
                std::span<const double> fresh)
        : n_states_(n_states), n_configurations_(static_cast<double>(classes.size())) {
        for (std::size_t cell = 0; cell < classes.size(); ++cell) {
            const auto own = static_cast<std::size_t>(classes[cell]);
            if (own >= of_class_.size()) {  // numbered by first appearance
                of_class_.emplace_back();
                trained_.resize(trained_.size() + n_states, 0.0);
                fresh_.resize(fresh_.size() + n_states, 0.0);
            }
            of_class_[own].size += 1.0;
            for (std::size_t state = 0; state < n_states; ++state) {
                const double old = trained[cell * n_states + state];
                const double seen = fresh[cell * n_states + state];
                trained_[own * n_states + state] += old;
                fresh_[own * n_states + state] += seen;
                of_class_[own].trained += old;
                of_class_[own].fresh += seen;
            }
        }
    }

    double log_predictive(const Smoothing& smoothing) const {
        const auto r = static_cast<double>(n_states_);
        double sum = 0.0;
        for (std::size_t own = 0; own < of_class_.size(); ++own) {
            const FreshClass& facts = of_class_[own];
            if (facts.fresh == 0.0) continue;
            const double share = smoothing.per_class ? 1.0 : facts.size / n_configurations_;
            const double total = smoothing.size * share;
            for (std::size_t i = own * n_states_; i < (own + 1) * n_states_; ++i)
                if (fresh_[i] > 0.0) sum += log_rising(trained_[i] + total / r, fresh_[i]);
            sum -= log_rising(facts.trained + total, facts.fresh);
        }
        return sum;
    }

  private:
    std::size_t n_states_;
    double n_configurations_;
    std::vector<FreshClass> of_class_;
    std::vector<double> trained_;  // rows of counts by class
    std::vector<double> fresh_;
};

}  // namespace

std::vector<double> log_predictives(const FamilyScorer& scorer, std::span<const FamilyKey> families,
                                    const Columns& fresh, std::span<const Smoothing> smoothings) {
    std::vector<double> sums(smoothings.size(), 0.0);
    std::vector<double> trained_table;
    std::vector<double> fresh_table;
    for (const FamilyKey& family : families) {
        std::vector<std::size_t> variables(family.parents.begin(), family.parents.end());
        variables.push_back(family.node);
        scorer.columns().counts(variables, trained_table);
        fresh.counts(variables, fresh_table);
        const std::size_t n_states = scorer.columns().n_states()[family.node];
        const FreshCounts counts(scorer.classes(family, trained_table), n_states, trained_table, fresh_table);
        for (std::size_t i = 0; i < smoothings.size(); ++i) sums[i] += counts.log_predictive(smoothings[i]);
    }
    return sums;
}

}  // namespace ldag
