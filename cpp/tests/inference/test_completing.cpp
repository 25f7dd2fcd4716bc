// Expected counts and draws of rows with gaps, by circuits and by tables, against listing all completions.
#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <vector>

#include "inference/completing.hpp"
#include "inference/counting_tables.hpp"
#include "tests/check.hpp"
#include "tests/inference/circuit_networks.hpp"
#include "tests/inference/sums_networks.hpp"

namespace {

using namespace circuits;

struct Counted {
    std::vector<double> logs;
    std::vector<double> counts;  // by number of a parameter
};

std::span<const std::uint8_t> row_of(const std::vector<std::uint8_t>& rows, std::size_t row, std::size_t n) {
    return std::span(rows).subspan(row * n, n);
}

bool agrees(const Row& row, std::span<const std::uint8_t> given) {
    for (std::size_t node = 0; node < row.size(); ++node)
        if (given[node] != kUnobserved && given[node] != row[node]) return false;
    return true;
}

std::int32_t parameter_of(const Network& network, const Row& row, std::size_t node) {
    std::size_t cell = 0;
    for (const std::uint32_t parent : network.parents[node])
        cell = cell * network.n_states[parent] + row[parent];
    const auto line = static_cast<std::size_t>(network.classes[node][cell]) * network.n_states[node];
    return network.numbers[node][line + row[node]];
}

Counted listed(const Network& network, const std::vector<std::uint8_t>& rows,
               std::span<const double> weights) {
    Counted result{{}, std::vector<double>(network.values.size())};
    for (std::size_t row = 0; row < weights.size(); ++row) {
        const std::span<const std::uint8_t> given = row_of(rows, row, network.size());
        double total = 0.0;
        for_each_row(network,
                     [&](const Row& full) { total += agrees(full, given) ? network.joint(full) : 0.0; });
        result.logs.push_back(std::log(total));
        for_each_row(network, [&](const Row& full) {
            const double joint = agrees(full, given) ? network.joint(full) : 0.0;
            for (std::size_t node = 0; joint > 0.0 && node < full.size(); ++node)
                result.counts[static_cast<std::size_t>(parameter_of(network, full, node))] +=
                    weights[row] * joint / total;
        });
    }
    return result;
}

Counted counted(const Network& network, const std::vector<std::uint8_t>& rows,
                std::span<const double> weights, std::size_t n_threads) {
    Counted result{std::vector<double>(weights.size()), std::vector<double>(network.values.size())};
    CHECK(!ldag::expected_counts(*compiled(network), network.values, {rows, weights}, result.logs,
                                 result.counts, {n_threads, {}}));
    return result;
}

Counted by_tables(const Network& network, const std::vector<std::uint8_t>& rows,
                  std::span<const double> weights, bool is_normalised) {
    sums::Tables tables(network);
    tables.network.is_normalised = is_normalised;
    ldag::EliminationTask task{network.n_states, {}, std::vector<std::uint8_t>(network.size(), 1)};
    std::size_t n_cells = 0;
    for (std::uint32_t node = 0; node < network.size(); ++node) {
        task.scopes.push_back(network.parents[node]);
        task.scopes.back().push_back(node);
        n_cells += network.numbers[node].size();
    }
    const ldag::JunctionTree tree(tables.network, ldag::find_eliminations(task, {})[0]);
    std::vector<double> cells(n_cells);
    Counted result{std::vector<double>(weights.size()), std::vector<double>(network.values.size())};
    CHECK(!ldag::expected_counts(tree, tables.network, {rows, weights}, result.logs, cells, 1e9, {2, {}}));
    std::size_t cell = 0;
    for (const auto& numbers : network.numbers)
        for (const std::int32_t number : numbers) {
            if (number >= 0) result.counts[static_cast<std::size_t>(number)] = cells[cell];
            ++cell;
        }
    return result;
}

void check_equal(const Counted& a, const Counted& b) {
    CHECK(std::ranges::equal(a.logs, b.logs, [](double x, double y) { return near(x, y); }));
    CHECK(std::ranges::equal(a.counts, b.counts, [](double x, double y) { return near(x, y, 1e-11); }));
}

TEST(expected_counts_equal_listing) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Network network = random_network(seed);
        const bool is_normalised = seed % 2 == 0;
        if (!is_normalised)
            for (std::size_t i = 0; i < network.values.size(); ++i)
                network.values[i] *= 0.3 + 0.1 * static_cast<double>(i % 5);
        const std::vector<std::uint8_t> rows = random_rows(network, 21, seed);
        std::vector<double> weights(21);
        for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 0.5 * static_cast<double>(i % 4);
        const Counted expected = listed(network, rows, weights);
        check_equal(counted(network, rows, weights, 1), expected);
        check_equal(by_tables(network, rows, weights, is_normalised), expected);
    }
}

TEST(expected_counts_are_the_same_for_any_number_of_threads) {
    const Network network = grid(4);
    const std::vector<std::uint8_t> rows = random_rows(network, 5000, 3);
    const std::vector<double> weights(5000, 0.1);
    const Counted one = counted(network, rows, weights, 1);
    const Counted three = counted(network, rows, weights, 3);
    CHECK(one.logs == three.logs && one.counts == three.counts);
}

TEST(rows_that_underflow_are_counted_with_scaled_numbers) {
    const Network network = chain(200, 1e-4);
    std::vector<std::uint8_t> rows(200);
    for (std::size_t node = 0; node < 200; ++node) rows[node] = static_cast<std::uint8_t>(node % 3);
    rows[0] = kUnobserved;
    const std::vector<double> weights = {2.0};
    const Counted result = counted(network, rows, weights, 1);
    CHECK(result.logs[0] < -1700.0);
    for (std::size_t state = 0; state < 3; ++state) CHECK(result.counts[state] > 0.0);
    CHECK(near(result.counts[0] + result.counts[1] + result.counts[2], 2.0));
}

TEST(counting_can_be_stopped) {
    const Network network = grid(5);
    const std::vector<std::uint8_t> rows(25 * 200000, kUnobserved);
    const std::vector<double> weights(200000, 1.0);
    std::vector<double> logs(200000);
    std::vector<double> counts(network.values.size());
    CHECK(ldag::expected_counts(*compiled(network), network.values, {rows, weights}, logs, counts,
                                {2, [] { return true; }}));
}

std::map<Row, double> shares_of(const Network& network, std::span<const std::uint8_t> given) {
    std::map<Row, double> shares;
    double total = 0.0;
    for_each_row(network, [&](const Row& full) {
        if (agrees(full, given) && network.joint(full) > 0.0) total += shares[full] = network.joint(full);
    });
    for (auto& [full, share] : shares) share /= total;
    return shares;
}

TEST(draws_have_the_shares_of_completions) {
    constexpr std::size_t n_copies = 4000;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        const Network network = random_network(seed);
        const std::vector<std::uint8_t> given = random_rows(network, 1, seed);
        const std::map<Row, double> shares = shares_of(network, given);
        for (const bool is_systematic : {false, true}) {
            std::vector<std::uint8_t> drawn(n_copies * network.size());
            CHECK(!ldag::draw_completions(*compiled(network), network.values, given,
                                          {n_copies, seed, is_systematic, {}}, drawn, {1, {}}));
            std::map<Row, double> seen;
            for (std::size_t copy = 0; copy < n_copies; ++copy) {
                const std::span<const std::uint8_t> full = row_of(drawn, copy, network.size());
                ++seen[Row(full.begin(), full.end())];
            }
            if (shares.empty()) {
                CHECK(seen.size() == 1 && seen.begin()->first == given);
                continue;
            }
            for (const auto& [full, n] : seen) CHECK(shares.contains(full));
            const double within = is_systematic ? 2.0 : 5.0 * std::sqrt(0.25 * n_copies);
            for (const auto& [full, share] : shares) CHECK(std::abs(seen[full] - n_copies * share) < within);
        }
    }
}

TEST(draws_depend_on_the_row_and_its_number_among_equal_ones) {
    const Network network = grid(3);
    std::vector<std::uint8_t> rows(3 * 9, kUnobserved);
    rows[9] = 1;
    const std::vector<std::uint32_t> repeats = {0, 0, 1};
    const auto draw = [&](std::size_t n_threads) {
        std::vector<std::uint8_t> drawn(20 * rows.size());
        CHECK(!ldag::draw_completions(*compiled(network), network.values, rows, {20, 5, false, repeats},
                                      drawn, {n_threads, {}}));
        return drawn;
    };
    const std::vector<std::uint8_t> drawn = draw(1);
    CHECK(drawn == draw(3));
    bool is_same = true;
    for (std::size_t copy = 0; copy < 20; ++copy)
        is_same = is_same && std::ranges::equal(row_of(drawn, 3 * copy, 9), row_of(drawn, 3 * copy + 2, 9));
    CHECK(!is_same);
    std::vector<std::uint8_t> alone(20 * 9);
    CHECK(!ldag::draw_completions(*compiled(network), network.values, row_of(rows, 1, 9), {20, 5, false, {}},
                                  alone, {1, {}}));
    for (std::size_t copy = 0; copy < 20; ++copy)
        CHECK(std::ranges::equal(row_of(alone, copy, 9), row_of(drawn, 3 * copy + 1, 9)));
}

}  // namespace
