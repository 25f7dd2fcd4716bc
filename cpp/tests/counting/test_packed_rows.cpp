#include <cstdint>
#include <random>
#include <vector>

#include "counting/packed_rows.hpp"
#include "tests/check.hpp"

namespace {

using ldag::Code;
using ldag::PackedRows;

// Counts of all variables among some rows, plainly, as PackedRows has them for columns without weights or
// with whole ones.
struct Table {
    std::vector<std::size_t> n_states;
    std::size_t n_rows;
    std::vector<Code> codes;
    std::vector<std::int64_t> weights;

    Table(std::vector<std::size_t> states, std::size_t n, std::mt19937& rng)
        : n_states(std::move(states)), n_rows(n) {
        for (const std::size_t k : n_states)
            for (std::size_t row = 0; row < n; ++row)
                codes.push_back(static_cast<Code>(std::min(rng() % k, rng() % k)));
    }
};

// Takes every `step`-th row of each kind, ascending by the node's state, and compares all counts.
void compare(const Table& table, std::size_t node, std::size_t step) {
    const ldag::Columns columns = table.weights.empty()
                                      ? ldag::Columns(table.codes, table.n_rows, table.n_states)
                                      : ldag::Columns(table.codes, table.n_rows, table.n_states,
                                                      std::span<const std::int64_t>(table.weights));
    const PackedRows packed(columns);
    std::vector<PackedRows::Row> single, weighted;
    for (std::size_t state = 0; state < table.n_states[node]; ++state)
        for (PackedRows::Row row = 0; row < packed.n_single(); row += static_cast<PackedRows::Row>(step))
            if (packed.single(node)[row] == state) single.push_back(row);
    for (PackedRows::Row row = 0; row < packed.n_weighted(); row += static_cast<PackedRows::Row>(step))
        weighted.push_back(row);
    PackedRows::Memory memory;
    std::vector<double> sums;
    packed.count({node, single, weighted}, memory, sums);
    bool is_same = true;
    for (std::size_t variable = 0; variable < table.n_states.size(); ++variable) {
        const std::size_t k = table.n_states[variable];
        std::vector<double> expected(table.n_states[node] * k);
        for (const auto row : single)
            expected[packed.single(node)[row] * k + packed.single(variable)[row]] += 1.0;
        for (const auto row : weighted)
            expected[packed.weighted(node)[row] * k + packed.weighted(variable)[row]] += packed.weight(row);
        for (std::size_t state = 0; state < table.n_states[node]; ++state)
            for (std::size_t code = 0; code + 1 < k; ++code)
                is_same &= sums[state * packed.n_places() + packed.place(variable) + code] ==
                           expected[state * k + code];
    }
    CHECK(is_same);
}

TEST(packed_rows_count_parts_of_any_size_alike) {
    std::mt19937 rng(1);
    const Table table({2, 3, 1, 4, 40, 2, 2, 17, 5}, 3000, rng);
    for (const std::size_t node : {0, 1, 4})
        for (const std::size_t step : {1, 2, 5, 7, 30, 5000}) compare(table, node, step);
}

TEST(packed_rows_count_hundreds_of_columns) {
    std::mt19937 rng(2);
    std::vector<std::size_t> n_states;
    for (std::size_t i = 0; i < 700; ++i) n_states.push_back(2 + i % 3);
    const Table table(n_states, 2000, rng);
    for (const std::size_t step : {1, 8, 60}) compare(table, 5, step);
}

TEST(packed_rows_add_weights) {
    std::mt19937 rng(3);
    Table table({3, 2, 20, 4}, 500, rng);
    for (std::size_t row = 0; row < table.n_rows; ++row) table.weights.push_back(rng() % 9);
    for (const std::size_t step : {1, 4, 20}) compare(table, 0, step);
}

TEST(packed_rows_may_be_none) {
    std::mt19937 rng(4);
    compare(Table({2, 3}, 0, rng), 1, 1);
}

TEST(packed_rows_have_no_gaps) {
    const std::vector<Code> codes{0, 255};
    const ldag::Columns columns(codes, 2, {2}, {}, ldag::Gaps::available);
    bool is_refused = false;
    try {
        const PackedRows packed(columns);
    } catch (const std::invalid_argument&) {
        is_refused = true;
    }
    CHECK(is_refused);
}

}  // namespace
