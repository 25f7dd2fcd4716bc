#include <algorithm>
#include <cmath>
#include <vector>

#include "families/dirichlet.hpp"
#include "tests/check.hpp"

namespace {

bool near(double a, double b, double tolerance = 1e-13) {
    return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

TEST(log_gamma_knows_factorials_and_the_half) {
    CHECK(near(ldag::log_gamma(1.0), 0.0));
    CHECK(near(ldag::log_gamma(2.0), 0.0));
    CHECK(near(ldag::log_gamma(5.0), std::log(24.0)));
    CHECK(near(ldag::log_gamma(11.0), std::log(3628800.0)));
    CHECK(near(ldag::log_gamma(0.5), 0.5 * std::log(3.14159265358979323846)));
    CHECK(near(ldag::log_gamma(1e-300), 300.0 * std::log(10.0)));
}

TEST(log_gamma_follows_its_recurrence_across_the_switch_at_eight) {
    for (double x = 7.0; x < 9.0; x += 1.0 / 64.0)
        CHECK(near(ldag::log_gamma(x + 1.0), ldag::log_gamma(x) + std::log(x)));
}

TEST(many_log_gammas_at_once_are_the_same_numbers) {
    std::vector<double> values;
    for (double x = 1e-300; x < 1e12; x *= 1.7) values.push_back(x);
    std::vector<double> results(values.size());
    ldag::log_gamma(values, results);
    for (std::size_t i = 0; i < values.size(); ++i)
        CHECK(near(results[i], ldag::log_gamma(values[i]), 1e-15));
    ldag::log_gamma(values, values);
    CHECK(values == results);
}

TEST(a_class_scores_its_dirichlet_integral) {
    const ldag::ClassScore score(2, 4, 1.0);
    // One observation has the prior probability of its state, a half, whatever alpha is.
    CHECK(near(score(std::vector<double>{1.0, 0.0}, 1.0), -std::log(2.0)));
    CHECK(near(score(std::vector<double>{0.0, 1.0}, 4.0), -std::log(2.0)));
    // The second one has (1 + alpha) / (1 + 2 alpha), alpha = 1/8 for a single configuration.
    CHECK(near(score(std::vector<double>{2.0, 0.0}, 1.0), std::log(0.5 * 1.125 / 1.25)));
    CHECK(score(std::vector<double>{0.0, 0.0}, 2.0) == 0.0);
}

TEST(huge_priors_and_counts_lose_no_digits) {
    // With alpha beyond all counts the states are as good as known: r^-N. Exact to first order in N^2 /
    // alpha.
    const std::vector<double> counts{25.0, 15.0};
    for (const double prior : {1e10, 1e15, 1e300, 1e308}) {
        const ldag::ClassScore score(2, 1, prior);
        const double expected = -40.0 * std::log(2.0) + (2.0 * (300.0 + 105.0) - 780.0) / prior;
        CHECK(near(score(counts, 1.0), expected, 1e-13));
        CHECK(near(ldag::score_table(counts, 2, prior), expected, 1e-13));
        ldag::ScoreBatch batch(score);
        batch.add(counts, 1.0);
        batch.run();
        CHECK(near(batch[0], expected, 1e-13));
    }
    // N observations of one state, alpha = 1/2 of two: Gamma(N + 1/2) / (Gamma(1/2) Gamma(N + 1)).
    for (const double n : {1e10, 1e15})
        CHECK(near(ldag::ClassScore(2, 1, 1.0)(std::vector<double>{n, 0.0}, 1.0),
                   -0.5 * std::log(3.14159265358979323846 * n) - 0.125 / n, 1e-12));
    // Both ways agree where they meet.
    const double limit = 0x1p24;
    for (const double prior : {1.0, 1e3, limit - 50.0}) {
        const ldag::ClassScore score(3, 1, prior);
        const double before = score(std::vector<double>{30.0, 7.0, limit - prior - 38.0}, 1.0);
        const double after = score(std::vector<double>{30.0, 7.0, limit - prior - 36.0}, 1.0);
        const double middle = score(std::vector<double>{30.0, 7.0, limit - prior - 37.0}, 1.0);
        CHECK(std::abs(before - 2.0 * middle + after) < 1e-6);
    }
}

TEST(terms_beyond_the_table_are_computed) {
    const ldag::ClassScore tabulated(3, 100, 2.0);
    const ldag::ClassScore bare(3, 100, 2.0, 1);
    const std::vector<double> counts{5.0, 0.0, 2.0};
    for (const double size : {1.0, 2.0, 50.0, 100.0})
        CHECK(near(tabulated(counts, size), bare(counts, size)));
}

TEST(batches_score_as_single_classes_do) {
    const ldag::ClassScore score(3, 3000, 1.0);
    ldag::ScoreBatch batch(score);
    std::vector<std::vector<double>> classes;
    for (int i = 0; i < 3000; ++i)
        classes.push_back(
            {static_cast<double>(i % 3), static_cast<double>(i % 7) * 0.5, static_cast<double>(i % 2)});
    for (int repeat = 0; repeat < 2; ++repeat) {
        batch.clear();
        for (std::size_t i = 0; i < classes.size(); ++i)
            CHECK(batch.add(classes[i], static_cast<double>(i + 1)) == i);
        batch.run();
        for (std::size_t i = 0; i < classes.size(); ++i)
            CHECK(near(batch[static_cast<ldag::ScoreBatch::Ticket>(i)],
                       score(classes[i], static_cast<double>(i + 1)), 1e-14));
    }
}

}  // namespace
