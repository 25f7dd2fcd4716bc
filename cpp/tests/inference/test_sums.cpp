// Sums over tables against listing all rows of states.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "inference/sums.hpp"
#include "inference/table.hpp"
#include "tests/check.hpp"
#include "tests/inference/sums_networks.hpp"

namespace {

using namespace sums;
using circuits::near;

const ldag::SumsLimits kAmple{1e9, {}};
constexpr std::uint64_t kFirstSeed = 500;
constexpr std::uint64_t kLastSeed = 600;

double total_of(const Network& network, const ldag::Findings& findings) {
    return listed(network, findings, {}).at({});
}

TEST(log_probabilities_of_findings) {
    for (std::uint64_t seed = kFirstSeed; seed < kLastSeed; ++seed) {
        const Tables tables(circuits::random_network(seed));
        const ldag::Findings findings = random_findings(tables.given, seed);
        const ldag::ProbabilityAnswer answer = ldag::log_probability(tables.network, findings, kAmple);
        CHECK(near(answer.log_probability, std::log(total_of(tables.given, findings))));
    }
}

TEST(joint_posteriors_of_targets) {
    for (std::uint64_t seed = kFirstSeed; seed < kLastSeed; ++seed) {
        const Tables tables(circuits::random_network(seed));
        const ldag::Findings findings = random_findings(tables.given, seed);
        const std::vector<std::uint32_t> targets = random_targets(findings, seed);
        if (targets.empty()) continue;
        const ldag::JointAnswer answer = ldag::joint_posterior(tables.network, findings, targets, kAmple);
        const auto expected = listed(tables.given, findings, targets);
        const double total = total_of(tables.given, findings);
        CHECK(answer.posterior.size() == expected.size());
        CHECK((answer.log_probability == -std::numeric_limits<double>::infinity()) == (total == 0));
        std::size_t i = 0;  // a map's keys ascend: the last target is fastest
        for (const auto& [states, weight] : expected) {
            const double result = answer.posterior[i++];
            CHECK(total == 0 ? std::isnan(result) : near(result, weight / total));
        }
    }
}

TEST(most_probable_states_of_targets) {
    for (std::uint64_t seed = kFirstSeed; seed < kLastSeed; ++seed) {
        const Tables tables(circuits::random_network(seed));
        const ldag::Findings findings = random_findings(tables.given, seed);
        const std::vector<std::uint32_t> targets = random_targets(findings, seed);
        const ldag::MostProbable answer = ldag::most_probable(tables.network, findings, targets, kAmple);
        const auto expected = listed(tables.given, findings, targets);
        double best = 0.0;
        for (const auto& [states, weight] : expected) best = std::max(best, weight);
        CHECK(near(answer.log_probability, std::log(best)));
        CHECK(answer.states.size() == (best > 0 ? targets.size() : 0));
        if (best > 0) CHECK(near(expected.at({answer.states.begin(), answer.states.end()}), best));
    }
}

TEST(rows_are_drawn_from_the_posterior) {
    constexpr std::size_t kRows = 2000;
    for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + 20; ++seed) {
        const Tables tables(circuits::random_network(seed));
        const ldag::Findings findings = random_findings(tables.given, seed);
        const std::size_t n = tables.given.size();
        std::vector<std::uint16_t> states(kRows * n);
        const double total = total_of(tables.given, findings);
        CHECK(ldag::draw_posterior(tables.network, findings, kRows, seed, states, kAmple) == (total > 0));
        if (total == 0) continue;
        std::map<Row, double> drawn;
        for (std::size_t i = 0; i < kRows; ++i) drawn[Row(&states[i * n], &states[i * n] + n)] += 1.0 / kRows;
        circuits::for_each_row(tables.given, [&](const Row& row) {
            const double p = weight_of(tables.given, findings, row) / total;
            CHECK(p > 0 || drawn[row] == 0);
            CHECK(std::abs(drawn[row] - p) <= 5 * std::sqrt(p * (1 - p) / kRows) + 3.0 / kRows);
        });
        std::vector<std::uint16_t> fewer(5 * n);
        ldag::draw_posterior(tables.network, findings, 5, seed, fewer, kAmple);
        CHECK(std::equal(fewer.begin(), fewer.end(), states.begin()));
    }
}

TEST(tables_too_large_are_named) {
    const Tables tables(circuits::grid(8));
    const ldag::Findings none = nothing(tables.given);
    std::vector<std::uint32_t> last = {63};
    bool refused = false;
    double needed = 0.0;
    try {
        ldag::joint_posterior(tables.network, none, last, {1000.0, {}});
    } catch (const ldag::SumsTooLarge& error) {
        refused = true;
        double cells = 2.0;
        for (const std::uint32_t other : error.others) cells *= tables.given.n_states[other];
        CHECK(error.node < 64 && error.others.size() >= 7 && error.n_cells == cells);
        needed = error.n_bytes;
    }
    CHECK(refused && needed > 1000.0);
    CHECK(ldag::joint_posterior(tables.network, none, last, {needed, {}}).posterior.size() == 2);
}

TEST(summing_can_be_stopped) {
    const Tables tables(circuits::grid(19));
    std::vector<std::uint32_t> last = {360};
    int n_polls = 0;
    bool stopped = false;
    try {
        ldag::joint_posterior(tables.network, nothing(tables.given), last, {1e12, [&] {
                                                                                ++n_polls;
                                                                                return true;
                                                                            }});
    } catch (const ldag::SumsStopped&) {
        stopped = true;
    } catch (const ldag::EliminationStopped&) {
        stopped = true;
    }
    CHECK(stopped && n_polls == 1);
}

TEST(what_does_not_matter_costs_nothing) {
    const Tables tables(circuits::grid(12));
    ldag::Findings findings = nothing(tables.given);
    const std::vector<std::uint32_t> corner = {0};
    CHECK(ldag::joint_posterior(tables.network, findings, corner, kAmple).n_cells <= 4);
    for (const std::uint32_t node : {1, 12}) findings.seen[node] = 0;  // they part it from a finding below
    const double alone = ldag::joint_posterior(tables.network, findings, corner, kAmple).n_cells;
    findings.seen[143] = 1;
    CHECK(ldag::joint_posterior(tables.network, findings, corner, kAmple).n_cells == alone);
}

}  // namespace
