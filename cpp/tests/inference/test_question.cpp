// What a question to sums is about, and rows of findings against one question after the other.
#include <cmath>
#include <vector>

#include "inference/question.hpp"
#include "tests/check.hpp"
#include "tests/inference/sums_networks.hpp"

namespace {

using namespace sums;
using Nodes = std::vector<std::uint32_t>;

const ldag::SumsLimits kAmple{1e9, {}};

// 0 -> 1 -> 2, and 3 -> 4 beside it, whose last family may have zeros.
Network two_parts(bool zeros) {
    Network network;
    network.add(2, {}, {0}, {0.5, 0.5});
    network.add(2, {0}, {0, 1}, {0.25, 0.75, 0.5, 0.5});
    network.add(2, {1}, {0, 1}, {0.25, 0.75, 0.5, 0.5});
    network.add(2, {}, {0}, {0.5, 0.5});
    network.add(2, {3}, {0, 1}, {zeros ? 0.0 : 0.25, zeros ? 1.0 : 0.75, 0.5, 0.5});
    return network;
}

ldag::Question question_about(const Tables& tables, const ldag::Findings& findings, const Nodes& targets,
                              std::uint8_t stage, bool only_posterior) {
    return ldag::make_question(tables.network, findings, targets, stage, only_posterior, kAmple);
}

TEST(what_is_neither_asked_nor_above_a_finding_is_left_out) {
    const Tables tables(two_parts(false));
    const ldag::Question question = question_about(tables, nothing(tables.given), {1}, ldag::kKept, true);
    CHECK((question.families == Nodes{0, 1}));
    CHECK(question.settled.empty());
    CHECK((question.elimination.order == Nodes{0}));
    CHECK((question.elimination.scopes == std::vector<Nodes>{{1}}));
    CHECK(question.stages[0] == ldag::kSummed && question.stages[1] == ldag::kKept);
    CHECK(question.stages[2] == ldag::EliminationTask::kAbsent);
}

TEST(what_findings_separate_matters_only_if_it_can_be_impossible) {
    for (const bool zeros : {false, true}) {
        const Tables tables(two_parts(zeros));
        ldag::Findings findings = nothing(tables.given);
        findings.seen[4] = 0;
        const Nodes all = {0, 3, 4};
        const ldag::Question posterior = question_about(tables, findings, {0}, ldag::kKept, true);
        CHECK(posterior.families == (zeros ? all : Nodes{0}));
        CHECK(question_about(tables, findings, {0}, ldag::kKept, false).families == all);
        findings.seen[3] = 0;
        CHECK((question_about(tables, findings, {0}, ldag::kKept, true).settled ==
               (zeros ? Nodes{4} : Nodes{})));
        CHECK((question_about(tables, findings, {0}, ldag::kKept, false).settled == Nodes{3, 4}));
    }
}

TEST(targets_are_maximised_after_all_others_whatever_part_they_are_in) {
    const Tables tables(two_parts(false));
    ldag::Findings findings = nothing(tables.given);
    findings.seen[2] = findings.seen[4] = 0;
    const Nodes order = question_about(tables, findings, {0}, ldag::kMaximised, false).elimination.order;
    CHECK(order.size() == 3);
    CHECK(order.back() == 0);
}

TEST(a_question_that_is_too_large_names_its_largest_table) {
    const Tables tables(two_parts(false));
    const std::vector<std::uint32_t> targets = {1};
    try {
        ldag::make_question(tables.network, nothing(tables.given), targets, ldag::kKept, true, {15.0, {}});
        CHECK(false);
    } catch (const ldag::SumsTooLarge& refused) {
        CHECK(refused.node == 0 && refused.others == Nodes{1});
        CHECK(refused.n_cells == 4.0 && refused.n_bytes == 16.0);
    }
    ldag::make_question(tables.network, nothing(tables.given), targets, ldag::kKept, true, {16.0, {}});
}

TEST(rows_get_what_one_question_after_the_other_gets) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const Tables tables(circuits::random_network(seed));
        ldag::Random random(seed, 3);
        const std::size_t n = tables.given.size();
        std::vector<std::uint8_t> rows;
        const std::size_t n_rows = seed % 2 == 0 ? 9 : 18;  // for one thread, and for two
        for (std::size_t row = 0; row < n_rows; ++row)
            for (std::size_t node = 0; node < n; ++node)
                rows.push_back(node == 0 || random.below(2) == 0
                                   ? ldag::kUnobserved
                                   : static_cast<std::uint8_t>(random.below(tables.given.n_states[node])));
        const std::size_t n_states = tables.given.n_states[0];
        std::vector<double> posteriors(n_rows * n_states);
        std::vector<double> n_cells(n_rows);
        CHECK(!ldag::row_posteriors(tables.network, 0, rows, posteriors, n_cells, 1e9, {2, {}}));
        for (std::size_t row = 0; row < n_rows; ++row) {
            ldag::Findings findings = nothing(tables.given);
            for (std::size_t node = 0; node < n; ++node)
                if (rows[row * n + node] != ldag::kUnobserved) findings.seen[node] = rows[row * n + node];
            const std::vector<std::uint32_t> targets = {0};
            const ldag::JointAnswer expected =
                ldag::joint_posterior(tables.network, findings, targets, kAmple);
            CHECK(n_cells[row] == expected.n_cells);
            for (std::size_t state = 0; state < n_states; ++state) {
                const double own = posteriors[row * n_states + state];
                CHECK(std::isnan(expected.posterior[state]) ? std::isnan(own)
                                                            : own == expected.posterior[state]);
            }
        }
    }
}

}  // namespace
