// Let A be a class with counts n (N together) in s cells, B the others of a union, with counts m (M together)
// in t cells. The union gains by A only through
//     G(A) = f(n + m; s + t) - f(n; s)
// (f as in families/bound.cpp). With alpha = s a, tau = t a, x_i = n_i + alpha and X = N + r alpha, and for
// whole counts, G is the sum of
//     P = [sum over i, j < n_i of ln(1 + tau / (alpha + j))] - [sum over j < N of ln(1 + r tau / (r alpha +
//     j))] Q = [sum over i, j < m_i of ln(x_i + tau + j)] - [sum over j < M of ln(X + r tau + j)].
// Let A grow to n' >= n and s' >= s without a state that did not occur before. Then
//   * P = f(n; s + t) - f(n; s) is at most k ln(1 + t / s), where k + 1 states occur, before and after; and
//     before it is at least that less the terms j > 0 of its last sum, which are at most r tau (1 + ln N);
//   * in Q, a term of state i grows by at most ln(x'_i / x_i), and one of the last sum by at least
//     ln(X' / X) - (r tau + j) / X, because (X' + c) / (X + c) >= (X' / X) / (1 + c / X).
// So G grows by at most
//     [sum over i of m_i ln((x'_i / X') / (x_i / X))] + M (r tau + (M - 1) / 2) / X + r tau (1 + ln N):
// little, if the shares x_i / X of the states have not grown by much and A is large compared with B.
//
// A class that gets cells but no rows does so because it scores more then (unless lost classes gain
// something; they must not). The union of it with others scores at most k ln(s' / s) more with s' cells than
// with s, if k + 1 states occur in it (1), and gains no more than that, whatever the others are by then.
#include "families/drift.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ldag {

namespace {

// Smaller classes change by much whenever they get rows.
constexpr double kFewRows = 24.0;
constexpr std::size_t kSmallClass = 64;

// By how much (as a logarithm) the share of a state may grow; and that of one that does not occur, whose
// share is the prior's and grows with every cell.
const double kOccurring = std::log(1.05);
const double kNotOccurring = std::log(2.0);

// How many times its cells a small class may get.
constexpr double kGrowth = 1.5;

// Gains are sums of terms that are rounded; much more than that.
constexpr double kRoundedGain = 1e-8;

}  // namespace

void Drift::reset(const Classes& classes, const ClassScore& score, std::size_t n_cells) {
    classes_ = &classes;
    score_ = &score;
    n_states_ = score.n_states();
    facts_.assign(n_cells, {});
    if (limits_.size() < n_cells * n_states_) {
        limits_.resize(n_cells * n_states_);
        headroom_.resize(n_cells * n_states_);
    }
}

// Works out the shares of a class, and tells whether none has grown beyond its limit.
bool Drift::renew(Cell c) {
    Facts& facts = facts_[c];
    const auto counts = classes_->counts(c);
    const double alpha = score_->alpha(static_cast<double>(classes_->size(c)));
    facts.total = std::accumulate(counts.begin(), counts.end(), static_cast<double>(n_states_) * alpha);
    const double log_whole = std::log(facts.total);
    bool holds = true;
    for (std::size_t i = 0; i < n_states_; ++i) {
        double& headroom = headroom_[c * n_states_ + i];
        headroom = limits_[c * n_states_ + i] - (std::log(counts[i] + alpha) - log_whole);
        holds &= headroom >= 0.0;
    }
    return holds;
}

void Drift::note_size(Cell c, double n) {
    facts_[c].n = n;
    facts_[c].logs = 1.0 + std::log(n);
    facts_[c].most_cells = std::floor(kGrowth * static_cast<double>(classes_->size(c)));
}

Drift::Change Drift::change(Cell c) {
    const Facts& facts = facts_[c];
    if (!facts.is_watched) return Change::far;
    const auto counts = classes_->counts(c);
    const double n = std::accumulate(counts.begin(), counts.end(), 0.0);
    const bool is_by_cells = n == facts.n && static_cast<double>(classes_->size(c)) <= facts.most_cells;
    if (facts.is_small) return is_by_cells ? Change::cells : Change::far;
    if (std::ranges::count(counts, 0.0) != facts.n_missing || !renew(c)) return Change::far;
    if (is_by_cells) return Change::cells;
    note_size(c, n);
    return Change::near;
}

void Drift::watch(Cell c, bool is_by_cells) {
    Facts& facts = facts_[c];
    const auto counts = classes_->counts(c);
    const double n = std::accumulate(counts.begin(), counts.end(), 0.0);
    const auto is_whole = [](double count) { return count == std::floor(count); };
    facts.is_small = n < kFewRows || classes_->size(c) < kSmallClass;
    facts.is_watched = n > 0.0 && (is_by_cells || !facts.is_small) && std::ranges::all_of(counts, is_whole);
    if (!facts.is_watched) return;
    note_size(c, n);
    if (facts.is_small) return;
    facts.n_missing = static_cast<std::uint32_t>(std::ranges::count(counts, 0.0));
    std::fill_n(limits_.begin() + static_cast<std::ptrdiff_t>(c * n_states_), n_states_, 0.0);
    renew(c);
    for (std::size_t i = 0; i < n_states_; ++i) {
        const double most = counts[i] > 0.0 ? kOccurring : kNotOccurring;
        limits_[c * n_states_ + i] = most - headroom_[c * n_states_ + i];
        headroom_[c * n_states_ + i] = most;
    }
}

Drift::Slack Drift::slack(std::span<const Cell> joined, std::span<const double> sums, double size) const {
    Slack slack;
    double of_large = 0.0;  // in cells they may get
    double of_small = 0.0;
    for (const Cell c : joined) {
        if (!facts_[c].is_watched) continue;
        const double further = facts_[c].most_cells - static_cast<double>(classes_->size(c));
        (facts_[c].is_small ? of_small : of_large) += further;
        if (facts_[c].is_small) continue;
        slack.near = slack.near > 0.0 ? std::numeric_limits<double>::infinity()  // two large ones
                                      : slack_of_large(c, sums, size);
    }
    if (of_large + of_small == 0.0) return slack;
    const auto n_occurring =
        static_cast<double>(std::ranges::count_if(sums, [](double n) { return n > 0.0; }));
    slack.by_cells = (n_occurring - 1.0) * std::log1p((of_large + of_small) / size) + kRoundedGain;
    if (of_small > 0.0) slack.near += (n_occurring - 1.0) * std::log1p(of_small / size) + kRoundedGain;
    return slack;
}

double Drift::slack_of_large(Cell c, std::span<const double> sums, double size) const {
    const auto counts = classes_->counts(c);
    const double prior = static_cast<double>(n_states_) *
                         (score_->alpha(size) - score_->alpha(static_cast<double>(classes_->size(c))));
    double others = 0.0;
    double drift = 0.0;
    for (std::size_t i = 0; i < n_states_; ++i) {
        others += sums[i] - counts[i];
        drift += (sums[i] - counts[i]) * headroom_[c * n_states_ + i];
    }
    return drift + others * (prior + 0.5 * others) / facts_[c].total + prior * facts_[c].logs + kRoundedGain;
}

}  // namespace ldag
