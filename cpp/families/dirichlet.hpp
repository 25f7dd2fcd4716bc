// The marginal likelihood of one class of a family under the paper's Dirichlet prior (equations 6 and 7).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ldag {

// ln Gamma(x) for x > 0; safe in threads, unlike std::lgamma.
double log_gamma(double x);

// ln Gamma(n + a) - n ln(total) for n + a > 0, where n is at most about the total: without the digits that
// the difference loses.
double log_gamma_of_share(double n, double a, double total);

// The same numbers as log_gamma for many values at once, some three times faster. The two spans may be the
// same.
void log_gamma(std::span<const double> values, std::span<double> log_gammas);

// One class's factor of equation 6, as a logarithm, where every state has an alpha of its own.
double score_class(std::span<const double> counts, std::span<const double> alphas);

// Classes of so many counts and prior observations together lose digits when their terms are added up
// plainly.
inline constexpr double kLargeClass = 0x1p24;

// Scores classes of one family: a class S of |S| configurations has alpha = N |S| / (r q) per state, or N / r
// however large it is.
class ClassScore {
  public:
    // r states of the node, q configurations of its parents, equivalent sample size N. What depends on
    // |S| alone is tabulated up to `largest` configurations and further as they come up (0: up to all of
    // them, within reason, and no further).
    // With `per_class`, N is that of every class.
    ClassScore(std::size_t n_states, std::size_t n_configurations, double equivalent_sample_size,
               std::size_t largest = 0, bool per_class = false);

    std::size_t n_states() const { return n_states_; }

    // Per-state alpha of a class of that many configurations (equation 7).
    double alpha(double size) const { return alpha_ * weight(size); }

    // One class's factor of equation 6, as a logarithm; `counts` has one number per state of the node and
    // `size` is a whole number of configurations.
    double operator()(std::span<const double> counts, double size) const;

    // Whether a class is so large that its score takes more care.
    bool is_large(double total, double size) const;

  private:
    friend class ScoreBatch;

    struct Terms {
        double state;  // -ln Gamma(alpha), for every state that occurs
        double sum;    // ln Gamma(r alpha)
    };

    Terms terms(double size) const;
    double weight(double size) const { return per_class_ ? 1.0 : size; }

    std::size_t n_states_;
    bool per_class_;
    double alpha_;
    void tabulate(std::size_t n) const;

    std::size_t most_tabulated_;
    mutable std::vector<Terms> by_size_;
};

// Equation 6 for an ordinary table, every configuration a class by itself: rows of `n_states` counts.
double score_table(std::span<const double> counts, std::size_t n_states, double equivalent_sample_size);

// Many classes of one family scored together, which lets the logarithms run in vector registers.
class ScoreBatch {
  public:
    using Ticket = std::uint32_t;

    ScoreBatch() = default;
    explicit ScoreBatch(const ClassScore& score) { reset(score); }

    // From now on, classes of this family; those added before are forgotten.
    void reset(const ClassScore& score);
    void clear();

    // Adds a class; its score is at the ticket after run().
    Ticket add(std::span<const double> counts, double size);
    void run();
    double operator[](Ticket ticket) const { return scores_[ticket]; }

  private:
    struct Entry {
        std::uint32_t n_values;
        ClassScore::Terms terms;
    };

    const ClassScore* score_ = nullptr;
    std::size_t n_values_ = 0;
    std::vector<double> values_;  // arguments of ln Gamma, then their values; the first n_values_ count
    std::vector<Entry> entries_;  // classes not yet scored
    std::vector<double> scores_;
};

}  // namespace ldag
