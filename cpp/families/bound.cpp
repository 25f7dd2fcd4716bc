// An upper bound on what any partition of a family scores, for little more than the time of scoring its
// table.
//
// Let f(n; s) be the marginal likelihood of a class of s cells with counts n, as a logarithm (equation 6):
// its alpha is s a per state, a = N / (r q). With k + 1 states that occur, and g(m, x) = ln(1 + x) + ... +
// ln(m - 1 + x),
//     f(n; s) = k ln(s a) - ln r + h(s a),   h(x) = [sum of g(n_i, x) over these states] - g(sum of n_i, r
//     x).
// h never rises: its slope is the sum of 1 / (i + x) over i = 1, ..., n_i - 1 for each of these states, less
// that of 1 / (j / r + x) over j = 1, ..., n - 1. Of the former numbers at most r are equal, so the j-th
// smallest is at least j / r, and there are no more of them than of the latter. Hence, for whole counts,
//     (1)   f(n; s') <= f(n; s) + k ln(s' / s)   if s' >= s.
//
// Let L(n) be the largest log likelihood of counts n. Given some of its counts, a class says of the others at
// most that. So for a class S of s cells, t of them observed, and any observed cell c in it, by (1)
//     (2)   f(n_S; s) <= [sum of L(n_d) over observed d in S] - R_c + k_c ln s,   R_c = L(n_c) - f(n_c; 1).
// The prior takes lambda = -class_lost for each of the s - 1 classes that S has cost. k ln s - lambda (s - 1)
// is concave in s, so for s >= t it is at most what it is at t, plus the most that it is for any s from 1 to
// q, which is e >= 0. The smallest of (2) over c is at most their mean, so S scores at most the sum over its
// observed cells of
//     (3)   L(n_c) - lambda + (b_c + k_c ln t) / t,   b_c = lambda - R_c + e_c,
// and at most the sum of L(n_c). For t >= 1, (b + k ln t) / t is largest where ln t = 1 - b / k, where it is
// k exp(b / k - 1), or at t = 1 if b >= k; without k, it is at most b or 0. The sum over all observed cells
// bounds all partitions.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "families/classes.hpp"

namespace ldag {

namespace {

// x ln x, tabulated for the counts of most cells.
double x_log_x(double x) {
    static const std::array<double, 1024> table = [] {
        std::array<double, 1024> made{};
        for (std::size_t i = 2; i < made.size(); ++i)
            made[i] = static_cast<double>(i) * std::log(static_cast<double>(i));
        return made;
    }();
    return x < static_cast<double>(table.size()) ? table[static_cast<std::size_t>(x)] : x * std::log(x);
}

// The most that k ln s - lambda (s - 1) is for s from 1 to q.
double largest_growth(double k, double lambda, double q) {
    if (k <= lambda) return 0.0;
    const double s = k < lambda * q ? k / lambda : q;
    return k * std::log(s) - lambda * (s - 1.0);
}

// The most that (b + k ln t) / t is for t from 1.
double largest_share(double b, double k) {
    if (k == 0.0) return std::max(b, 0.0);
    return b < k ? k * std::exp(b / k - 1.0) : b;
}

// Sums of this many times their largest term lose less than that of it.
constexpr double kRounding = 1e-12;

// An observed cell.
struct Likelihood {
    double most;  // L
    double k;
    double size;  // of the terms of L
};

Likelihood likelihood(std::span<const double> counts) {
    double total = 0.0;
    double sum = 0.0;
    double n_occurring = 0.0;
    for (const double count : counts) {
        total += count;
        sum += x_log_x(count);
        n_occurring += count > 0.0 ? 1.0 : 0.0;
    }
    const double of_total = x_log_x(total);
    return {std::min(sum - of_total, 0.0), n_occurring - 1.0, of_total};
}

}  // namespace

void bound_scores(const FamilyProblem& problem, std::span<const double> class_lost,
                  std::span<double> bounds) {
    const Bounded family{problem.n_states, problem.grid.size(), problem.equivalent_sample_size};
    bound_scores(family, problem.counts, class_lost, bounds);
    if (problem.per_class) std::ranges::fill(bounds, std::numeric_limits<double>::infinity());
}

void bound_scores(const Bounded& family, std::span<const double> rows, std::span<const double> class_lost,
                  std::span<double> bounds) {
    thread_local std::vector<Likelihood> cells;
    thread_local ScoreBatch batch;
    const ClassScore score(family.n_states, family.n_cells, family.equivalent_sample_size, 1);
    batch.reset(score);
    cells.clear();
    for (std::size_t first = 0; first < rows.size(); first += family.n_states) {
        const auto row = rows.subspan(first, family.n_states);
        const Likelihood own = likelihood(row);
        if (own.k < 0.0) continue;
        cells.push_back(own);
        batch.add(row, 1.0);
    }
    batch.run();
    const auto q = static_cast<double>(family.n_cells);
    for (std::size_t price = 0; price < bounds.size(); ++price) {
        const double lambda = -class_lost[price];
        bounds[price] = 0.0;
        for (ScoreBatch::Ticket i = 0; i < cells.size(); ++i) {
            const auto [most, k, size] = cells[i];
            const double b = lambda - (most - batch[i]) + largest_growth(k, lambda, q);
            bounds[price] +=
                most + std::min(0.0, largest_share(b, k) - lambda) + kRounding * (size + lambda + 1.0);
        }
        if (lambda < 0.0) bounds[price] = std::numeric_limits<double>::infinity();
    }
}

double bound_score(const FamilyProblem& problem) {
    double bound = 0.0;
    bound_scores(problem, {&problem.class_lost, 1}, {&bound, 1});
    return bound;
}

}  // namespace ldag
