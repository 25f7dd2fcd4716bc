// Circuits against listing all rows of states.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>
#include <vector>

#include "inference/circuit.hpp"
#include "inference/circuit_numbers.hpp"
#include "support/random.hpp"
#include "tests/check.hpp"
#include "tests/inference/circuit_networks.hpp"

namespace {

using namespace circuits;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool agrees(const Row& row, std::span<const std::uint8_t> evidence) {
    for (std::size_t node = 0; node < row.size(); ++node)
        if (evidence[node] != kUnobserved && evidence[node] != row[node]) return false;
    return true;
}

struct Listed {
    double probability = 0.0;
    double best = 0.0;
    std::vector<double> marginals;  // not divided by the probability
};

Listed listed(const Network& network, std::span<const std::uint8_t> evidence) {
    Listed result;
    std::vector<std::size_t> offsets = {0};
    for (const std::uint32_t n : network.n_states) offsets.push_back(offsets.back() + n);
    result.marginals.resize(offsets.back());
    for_each_row(network, [&](const Row& row) {
        if (!agrees(row, evidence)) return;
        const double p = network.joint(row);
        result.probability += p;
        result.best = std::max(result.best, p);
        for (std::size_t node = 0; node < row.size(); ++node)
            result.marginals[offsets[node] + row[node]] += p;
    });
    return result;
}

struct Answers {
    std::vector<double> logs;
    std::vector<double> marginals;
    std::vector<std::uint8_t> states;
    std::vector<double> best_logs;
};

Answers asked(const ldag::Evaluator& evaluator, std::span<const std::uint8_t> rows, std::size_t n_rows,
              std::size_t n_threads = 1) {
    const std::vector<std::uint32_t>& n_states = evaluator.circuit().n_states;
    const std::size_t width = std::accumulate(n_states.begin(), n_states.end(), std::size_t{0});
    Answers result{std::vector<double>(n_rows),
                   std::vector<double>(n_rows * width),
                   {rows.begin(), rows.end()},
                   std::vector<double>(n_rows)};
    const ldag::Running running{n_threads, {}};
    CHECK(!evaluator.marginals(rows, result.logs, result.marginals, running));
    CHECK(!evaluator.most_probable(rows, result.states, result.best_logs, running));
    std::vector<double> logs(n_rows);
    CHECK(!evaluator.log_probabilities(rows, logs, running));
    CHECK(logs == result.logs);
    return result;
}

void check_row(const Network& network, const Answers& result, std::size_t i,
               std::span<const std::uint8_t> evidence) {
    const Listed expected = listed(network, evidence);
    const std::size_t width = expected.marginals.size();
    CHECK(near(result.logs[i], std::log(expected.probability)));
    CHECK(near(result.best_logs[i], std::log(expected.best)));
    const Row states(result.states.begin() + static_cast<std::ptrdiff_t>(i * network.size()),
                     result.states.begin() + static_cast<std::ptrdiff_t>((i + 1) * network.size()));
    if (expected.probability > 0.0) {
        CHECK(agrees(states, evidence));
        CHECK(near(std::log(network.joint(states)), result.best_logs[i]));
    } else {
        CHECK(std::ranges::equal(states, evidence));
    }
    for (std::size_t k = 0; k < width; ++k) {
        const double own = result.marginals[i * width + k];
        CHECK(expected.probability > 0.0 ? near(own, expected.marginals[k] / expected.probability)
                                         : std::isnan(own));
    }
}

TEST(circuits_answer_as_listing_does) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const Network network = random_network(seed);
        const std::size_t n_rows = 11;  // a block and single rows
        const std::vector<std::uint8_t> rows = random_rows(network, n_rows, seed);
        const Answers result = asked(evaluator(network, {}, seed % 3), rows, n_rows);
        for (std::size_t i = 0; i < n_rows; ++i)
            check_row(network, result, i, std::span(rows).subspan(i * network.size(), network.size()));
    }
}

TEST(fixed_states_are_evidence_of_every_row) {
    for (std::uint64_t seed = 100; seed < 140; ++seed) {
        const Network network = random_network(seed);
        const std::vector<std::uint8_t> fixed = random_rows(network, 1, seed);
        const Answers result = asked(evaluator(network, fixed), fixed, 1);
        check_row(network, result, 0, fixed);
    }
}

TEST(all_nodes_may_be_fixed) {
    const Network network = random_network(7);
    for_each_row(network, [&](const Row& row) {
        const Answers result = asked(evaluator(network, row), row, 1);
        CHECK(near(result.logs[0], std::log(network.joint(row))));
        CHECK(result.states == row);
    });
}

TEST(a_network_may_be_empty) {
    const Network network;
    const Answers result = asked(evaluator(network), {}, 3);
    CHECK(result.logs == std::vector<double>({0.0, 0.0, 0.0}));
    CHECK(result.best_logs == result.logs);
}

TEST(no_rows_are_no_work) {
    const Network network = random_network(3);
    for (const std::size_t n_threads : {0, 1, 2})
        CHECK(asked(evaluator(network), {}, 0, n_threads).logs.empty());
}

TEST(a_variable_may_have_255_states) {
    Network network;
    std::vector<double> first(255);
    std::vector<double> second;
    std::vector<std::int32_t> classes(255);
    for (std::size_t s = 0; s < 255; ++s) {
        first[s] = static_cast<double>(s + 1) / (255.0 * 256.0 / 2.0);
        classes[s] = static_cast<std::int32_t>(s);
        second.insert(second.end(), {static_cast<double>(s) / 254.0, 1.0 - static_cast<double>(s) / 254.0});
    }
    network.add(255, {}, {0}, first);
    network.add(2, {0}, classes, second);
    const std::vector<std::uint8_t> rows = {kUnobserved, 0, 254, kUnobserved, 0, 0, kUnobserved, kUnobserved};
    const Answers result = asked(evaluator(network), rows, 4);
    for (std::size_t i = 0; i < 4; ++i) check_row(network, result, i, std::span(rows).subspan(2 * i, 2));
    CHECK(result.states[0] == 254 && std::isinf(result.logs[2]));
}

TEST(threads_give_identical_answers) {
    for (std::uint64_t seed = 200; seed < 210; ++seed) {
        const Network network = random_network(seed);
        const std::vector<std::uint8_t> rows = random_rows(network, 203, seed);
        const ldag::Evaluator own = evaluator(network);
        const Answers one = asked(own, rows, 203, 1);
        for (const std::size_t n_threads : {0, 2, 5}) {
            const Answers other = asked(own, rows, 203, n_threads);
            CHECK(other.logs == one.logs && other.states == one.states && other.best_logs == one.best_logs);
            CHECK(std::ranges::equal(other.marginals, one.marginals, [](double a, double b) {
                return a == b || (std::isnan(a) && std::isnan(b));
            }));
        }
    }
}

TEST(an_evaluator_may_be_asked_from_several_threads) {
    const Network network = random_network(12);
    const std::vector<std::uint8_t> rows = random_rows(network, 50, 12);
    const ldag::Evaluator own = evaluator(network);
    const Answers expected = asked(own, rows, 50);
    std::atomic<int> n_equal{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int k = 0; k < 20; ++k) {
                std::vector<double> logs(50);
                own.log_probabilities(rows, logs, {2, {}});
                n_equal += logs == expected.logs;
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(n_equal == 80);
}

// Against logarithms: P(x0) times the steps, none of which stays.
TEST(rows_far_below_the_smallest_double_are_right) {
    const std::size_t n = 500;
    const double error = 1e-3;
    const Network network = chain(n, error);
    std::vector<std::uint8_t> row(n);
    for (std::size_t i = 0; i < n; ++i) row[i] = static_cast<std::uint8_t>(i % 3);
    row.back() = kUnobserved;
    const ldag::Evaluator own = evaluator(network);
    const Answers result = asked(own, row, 1);
    CHECK(near(result.logs[0], std::log(0.5) + static_cast<double>(n - 2) * std::log(error)));
    const std::size_t last = 3 * (n - 1);
    CHECK(near(result.marginals[last + row[n - 2]], 1 - 2 * error));
    CHECK(near(result.marginals[last + (row[n - 2] + 1U) % 3], error));
    CHECK(result.states.back() == row[n - 2]);
    std::vector<double> uses(network.values.size());
    own.expected_uses(row, uses);
    const double total = std::accumulate(uses.begin(), uses.end(), 0.0);
    CHECK(near(total, static_cast<double>(n), 1e-9));  // one parameter of each node
}

TEST(parameters_may_be_as_small_as_doubles_get) {
    const double tiny = std::numeric_limits<double>::denorm_min();
    Network network;
    for (std::uint32_t node = 0; node < 6; ++node) network.add(2, {}, {0}, {tiny, 1.0});
    const Answers result = asked(evaluator(network), std::vector<std::uint8_t>(6, 0), 1);
    CHECK(near(result.logs[0], 6 * std::log(tiny)));
    CHECK(result.marginals[0] == 1.0 && result.marginals[1] == 0.0);
}

TEST(scaled_numbers_are_long_doubles) {
    using ldag::Scaled;
    ldag::Random random(1);
    const auto draw = [&] {
        return std::ldexp(1.0 + random.uniform(), -static_cast<int>(random.below(1022)));
    };
    const auto is_normal = [](const ldag::ScaledNumber& a) {
        return a.mantissa >= 0x1p-256 && a.mantissa < 0x1p256;
    };
    for (int i = 0; i < 2000; ++i) {
        long double products[2] = {1.0L, 1.0L};  // down to 2^-5110: long doubles reach 2^-16445
        ldag::ScaledNumber numbers[2] = {Scaled::one(), Scaled::one()};
        for (int k = 0; k < 2; ++k)
            for (std::uint64_t n = 1 + random.below(5); n-- > 0;) {
                const double p = draw();
                products[k] *= p;
                numbers[k] = Scaled::multiply(numbers[k], Scaled::from(p));
                CHECK(is_normal(numbers[k]));
            }
        const ldag::ScaledNumber sum = Scaled::add(numbers[0], numbers[1]);
        CHECK(is_normal(sum));
        if constexpr (std::numeric_limits<long double>::min_exponent < -6000) {
            const auto log = static_cast<double>(std::log(products[0] + products[1]));
            CHECK(near(Scaled::log(sum), log, 1e-14));
            const auto ratio = static_cast<double>(products[0] / (products[0] + products[1]));
            CHECK(std::abs(Scaled::ratio(numbers[0], sum) - ratio) <= 1e-14 * ratio + 1e-300);
        }
    }
    CHECK(Scaled::log(Scaled::zero()) == -kInfinity);
    CHECK(Scaled::is_zero(Scaled::multiply(Scaled::zero(), Scaled::from(0.5))));
    CHECK(Scaled::ratio(Scaled::one(), Scaled::add(Scaled::zero(), Scaled::one())) == 1.0);
}

TEST(evaluation_can_be_stopped) {
    const Network network = grid(8);
    const ldag::Evaluator own = evaluator(network);
    const std::size_t n_rows = 200000;
    const std::vector<std::uint8_t> rows(n_rows * network.size(), kUnobserved);
    std::vector<double> logs(n_rows);
    CHECK(own.log_probabilities(rows, logs, {2, [] { return true; }}));
    CHECK(!own.log_probabilities(std::span(rows).first(64), std::span(logs).first(1),
                                 {2, [] { return true; }}));
    CHECK(near(logs[0], 0.0));  // and the memory is whole
}

TEST(a_chain_of_a_thousand_compiles) {
    const Network network = chain(1000, 0.01);
    const ldag::Evaluator own = evaluator(network);
    CHECK(own.circuit().terms.size() < 10000);
    const std::vector<std::uint8_t> nothing(1000, kUnobserved);
    CHECK(near(asked(own, nothing, 1).logs[0], 0.0, 1e-9));
}

}  // namespace
