#include "families/dirichlet.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "support/cpu.hpp"

namespace ldag {

namespace {

// Classes larger than this are rare enough to compute their terms when they come up.
constexpr std::size_t kLargestTable = 4096;

// Values gathered before a batch is worked off: they stay in the first-level cache.
constexpr std::size_t kBatch = 1024;

// ln x for normal x > 0 without branches, so that loops over it vectorise: x = 2^k (1 + f) with 1 + f
// between sqrt(1/2) and sqrt(2), and ln(1 + f) by an odd polynomial in f / (2 + f) (Tang's method with
// the minimax coefficients of fdlibm; error below one unit in the last place).
[[gnu::always_inline]] inline double log_positive(double x) {
    constexpr std::uint64_t kOne = 0x3ff0000000000000;
    constexpr std::uint64_t kRootHalf = 0x3fe6a09e00000000;
    constexpr double kLn2High = 6.93147180369123816490e-01;
    constexpr double kLn2Low = 1.90821492927058770002e-10;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x) + (kOne - kRootHalf);
    // A number of at most 11 bits becomes a double by writing it behind the exponent of 2^52.
    const double k = std::bit_cast<double>((bits >> 52) | 0x4330000000000000) - (0x1p52 + 1023.0);
    const double f = std::bit_cast<double>((bits & 0x000fffffffffffff) + kRootHalf) - 1.0;
    const double half_square = 0.5 * f * f;
    const double s = f / (2.0 + f);
    const double z = s * s;
    const double w = z * z;
    const double even =
        w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
    const double odd =
        z * (6.666666666666735130e-01 +
             w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
    return s * (half_square + (odd + even)) + k * kLn2Low - half_square + f + k * kLn2High;
}

constexpr double kHalfLogTwoPi = 0.918938533204672741780329736406;

// What Stirling's formula (x - 1/2) ln x - x + ln(2 pi) / 2 leaves of ln Gamma(x), x >= 8: the next term of
// the series is below 4e-16 there.
[[gnu::always_inline]] inline double stirling_rest(double x) {
    const double inverse = 1.0 / x;
    const double square = inverse * inverse;
    return inverse *
           (1.0 / 12.0 -
            square * (1.0 / 360.0 -
                      square * (1.0 / 1260.0 -
                                square * (1.0 / 1680.0 -
                                          square * (1.0 / 1188.0 -
                                                    square * (691.0 / 360360.0 - square * (1.0 / 156.0)))))));
}

// ln Gamma(x), x >= 8.
[[gnu::always_inline]] inline double stirling(double x) {
    return (x - 0.5) * log_positive(x) - x + kHalfLogTwoPi + stirling_rest(x);
}

// x (x + 1) ... (x + 7) = Gamma(x + 8) / Gamma(x).
[[gnu::always_inline]] inline double rising_product(double x) {
    return ((x * (x + 1.0)) * ((x + 2.0) * (x + 3.0))) * (((x + 4.0) * (x + 5.0)) * ((x + 6.0) * (x + 7.0)));
}

// Where x < 8, ln Gamma(x) = ln Gamma(x + 8) - ln (x ... (x + 7)). Masks stand for the branch because the
// compiler vectorises no loop with one.
[[gnu::always_inline]] inline void log_gamma_loop(double* values, std::size_t n) {
    constexpr auto kOne = std::bit_cast<std::uint64_t>(1.0);
    constexpr auto kEight = std::bit_cast<std::uint64_t>(8.0);
    for (std::size_t i = 0; i < n; ++i) {
        const double x = values[i];
        const std::uint64_t is_small = 0 - ((std::bit_cast<std::uint64_t>(x) - kEight) >> 63);
        const auto product = std::bit_cast<std::uint64_t>(rising_product(x));
        const auto shift = std::bit_cast<double>(is_small & kEight);
        const auto divisor = std::bit_cast<double>((is_small & product) | (~is_small & kOne));
        values[i] = stirling(x + shift) - log_positive(divisor);
    }
}

// Two versions of the loop. Neither fuses multiplications with additions, so both give the same numbers.
using Loop = void (*)(double*, std::size_t);

void log_gammas_plain(double* values, std::size_t n) { log_gamma_loop(values, n); }

#ifdef LDAG_X86
[[gnu::target("avx2")]] void log_gammas_avx2(double* values, std::size_t n) { log_gamma_loop(values, n); }
#endif

Loop best_loop() {
#ifdef LDAG_X86
    if (cpu().avx2) return log_gammas_avx2;
#endif
    return log_gammas_plain;
}

// The same as stirling_rest for all x > 0.
double rest(double x) {
    return x >= 8.0 ? stirling_rest(x) : log_gamma(x) - ((x - 0.5) * std::log(x) - x + kHalfLogTwoPi);
}

// ln(part / whole) where part + others = whole.
double log_share(double part, double others, double whole) {
    return part > others ? std::log1p(-others / whole) : std::log(part) - std::log(whole);
}

// Equation 6 for a class of `total` counts whose state k has alpha a_k = alpha(k), A together, by Stirling's
// formula in every term: with T = N + A and x_k = n_k + a_k, what is linear in them and every ln T cancels,
// which leaves
//   (A - 1/2) ln(A / T) + sum of n_k ln(x_k / T) + (a_k - 1/2) ln(x_k / a_k)
// and the rests of the formula. Beyond kLargeClass the terms of equation 6 are so much larger than their sum
// that it would lose digits: 1e-8 there, everything at 1e15.
template <class Alpha>
double score_large(std::span<const double> counts, Alpha alpha, double prior, double total) {
    const double whole = total + prior;
    double score = (prior - 0.5) * log_share(prior, total, whole) + rest(prior) - rest(whole);
    for (std::size_t k = 0; k < counts.size(); ++k) {
        const double count = counts[k];
        if (count <= 0.0) continue;
        const double a = alpha(k);
        const double x = count + a;
        const double growth = count < a ? std::log1p(count / a) : std::log(x) - std::log(a);
        score += count * log_share(x, (total - count) + (prior - a), whole) + (a - 0.5) * growth;
        score += rest(x) - rest(a);
    }
    return score;
}

// The same for one alpha for all states.
double score_large(std::span<const double> counts, double a, double total) {
    return score_large(counts, [a](std::size_t) { return a; }, static_cast<double>(counts.size()) * a, total);
}

}  // namespace

double log_gamma(double x) {
    if (x >= 8.0) return stirling(x);
    return stirling(x + 8.0) - log_positive(rising_product(x));
}

double log_gamma_of_share(double n, double a, double total) {
    const double x = n + a;
    return n * std::log(x / total) + (a - 0.5) * std::log(x) - x + kHalfLogTwoPi + rest(x);
}

void log_gamma(std::span<const double> values, std::span<double> log_gammas) {
    assert(values.size() == log_gammas.size());
    if (values.data() != log_gammas.data()) std::copy(values.begin(), values.end(), log_gammas.begin());
    static const Loop loop = best_loop();
    loop(log_gammas.data(), log_gammas.size());
}

double score_class(std::span<const double> counts, std::span<const double> alphas) {
    const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
    const double prior = std::accumulate(alphas.begin(), alphas.end(), 0.0);
    if (total <= 0.0) return 0.0;
    if (total + prior >= kLargeClass)
        return score_large(counts, [&](std::size_t k) { return alphas[k]; }, prior, total);
    double score = log_gamma(prior) - log_gamma(total + prior);
    for (std::size_t k = 0; k < counts.size(); ++k)
        if (counts[k] > 0.0) score += log_gamma(counts[k] + alphas[k]) - log_gamma(alphas[k]);
    return score;
}

ClassScore::ClassScore(std::size_t n_states, std::size_t n_configurations, double equivalent_sample_size,
                       std::size_t largest, bool per_class)
    : n_states_(n_states),
      per_class_(per_class),
      alpha_(equivalent_sample_size /
             (static_cast<double>(n_states) * (per_class ? 1.0 : static_cast<double>(n_configurations)))) {
    most_tabulated_ = per_class ? 1 : largest == 0 ? 0 : n_configurations;
    tabulate(per_class ? 1
                       : std::min({largest == 0 ? kLargestTable : largest, n_configurations, kLargestTable}));
}

void ClassScore::tabulate(std::size_t n) const {
    const std::size_t first = by_size_.size();
    std::vector<double> values(2 * (n - first));
    for (std::size_t i = first; i < n; ++i) {
        const double a = alpha(static_cast<double>(i + 1));
        values[2 * (i - first)] = a;
        values[2 * (i - first) + 1] = static_cast<double>(n_states_) * a;
    }
    log_gamma(values, values);
    by_size_.reserve(n);
    for (std::size_t i = 0; i < n - first; ++i) by_size_.push_back({-values[2 * i], values[2 * i + 1]});
}

// Classes grow little by little: one that is much larger than all before is alone with that.
ClassScore::Terms ClassScore::terms(double size) const {
    const auto index = static_cast<std::size_t>(weight(size)) - 1;
    if (index < by_size_.size()) return by_size_[index];
    if (index < most_tabulated_ && index < 2 * by_size_.size()) {
        tabulate(std::min(2 * by_size_.size(), most_tabulated_));
        return by_size_[index];
    }
    const double a = alpha(size);
    return {-log_gamma(a), log_gamma(static_cast<double>(n_states_) * a)};
}

bool ClassScore::is_large(double total, double size) const {
    return total + static_cast<double>(n_states_) * alpha(size) >= kLargeClass;
}

double ClassScore::operator()(std::span<const double> counts, double size) const {
    const double a = alpha(size);
    const double n = std::accumulate(counts.begin(), counts.end(), 0.0);
    if (n > 0.0 && is_large(n, size)) return score_large(counts, a, n);
    const Terms constant = terms(size);
    double total = 0.0;
    double score = 0.0;
    for (const double count : counts) {
        if (count > 0.0) {
            total += count;
            score += log_gamma(count + a) + constant.state;
        }
    }
    if (total == 0.0) return 0.0;
    return score + constant.sum - log_gamma(total + static_cast<double>(n_states_) * a);
}

// Equation 6 for an ordinary table some of whose classes are large.
static double score_large_table(std::span<const double> counts, std::size_t n_states, double alpha) {
    double score = 0.0;
    for (std::size_t first = 0; first < counts.size(); first += n_states) {
        const std::span<const double> row = counts.subspan(first, n_states);
        const double total = std::accumulate(row.begin(), row.end(), 0.0);
        if (total > 0.0) score += score_large(row, alpha, total);
    }
    return score;
}

double score_table(std::span<const double> counts, std::size_t n_states, double equivalent_sample_size) {
    thread_local std::vector<double> values;
    const double n_cells = static_cast<double>(counts.size());
    const double alpha = equivalent_sample_size / n_cells;
    const double alpha_sum = equivalent_sample_size * static_cast<double>(n_states) / n_cells;
    // The arguments of ln Gamma: two constants, states that occur, configurations that occur.
    values.resize(2 + counts.size() + counts.size() / n_states);
    double* state = values.data();
    *state++ = alpha;
    *state++ = alpha_sum;
    double* configuration = values.data() + values.size();
    double largest = 0.0;
    for (auto count = counts.begin(); count != counts.end();) {
        double total = 0.0;
        for (const auto last = count + static_cast<std::ptrdiff_t>(n_states); count != last; ++count) {
            *state = *count + alpha;
            state += *count > 0.0 ? 1 : 0;
            total += *count;
        }
        if (total > 0.0) *--configuration = total + alpha_sum;
        largest = std::max(largest, total);
    }
    if (largest + alpha_sum >= kLargeClass) return score_large_table(counts, n_states, alpha);
    const auto n_states_seen = static_cast<std::size_t>(state - values.data()) - 2;
    const auto n_configurations_seen =
        static_cast<std::size_t>(values.data() + values.size() - configuration);
    for (const double* value = configuration; value != values.data() + values.size(); ++value)
        *state++ = *value;
    const std::span<double> all(values.data(), 2 + n_states_seen + n_configurations_seen);
    log_gamma(all, all);
    double sum = 0.0;
    for (const double value : all.subspan(2, n_states_seen)) sum += value;
    for (const double value : all.subspan(2 + n_states_seen)) sum -= value;
    return sum + static_cast<double>(n_configurations_seen) * all[1] -
           static_cast<double>(n_states_seen) * all[0];
}

void ScoreBatch::reset(const ClassScore& score) {
    score_ = &score;
    values_.resize(kBatch + score.n_states() + 1);
    clear();
}

void ScoreBatch::clear() {
    n_values_ = 0;
    entries_.clear();
    scores_.clear();
}

ScoreBatch::Ticket ScoreBatch::add(std::span<const double> counts, double size) {
    const double a = score_->alpha(size);
    double* const first = values_.data() + n_values_;
    double* next = first;
    double total = 0.0;
    for (const double count : counts) {
        *next = count + a;
        next += count > 0.0 ? 1 : 0;
        total += count;
    }
    const auto ticket = static_cast<Ticket>(scores_.size() + entries_.size());
    if (next == first || score_->is_large(total, size)) {  // 0, or worked out here
        entries_.push_back({0, {0.0, next == first ? 0.0 : score_large(counts, a, total)}});
        return ticket;
    }
    *next++ = total + static_cast<double>(score_->n_states()) * a;
    n_values_ += static_cast<std::size_t>(next - first);
    entries_.push_back({static_cast<std::uint32_t>(next - first), score_->terms(size)});
    if (n_values_ >= kBatch) run();
    return ticket;
}

void ScoreBatch::run() {
    const std::span<double> values(values_.data(), n_values_);
    log_gamma(values, values);
    const double* value = values.data();
    for (const Entry& entry : entries_) {
        double score = entry.terms.sum;
        if (entry.n_values > 0) {
            score = 0.0;
            for (const double* last = value + entry.n_values - 1; value < last; ++value)
                score += *value + entry.terms.state;
            score = score + entry.terms.sum - *value++;
        }
        scores_.push_back(score);
    }
    n_values_ = 0;
    entries_.clear();
}

}  // namespace ldag
