#include <cstdint>
#include <random>
#include <vector>

#include "counting/counts.hpp"
#include "tests/check.hpp"

namespace {

using ldag::BitPlanes;
using ldag::Code;
using ldag::Column;
using Whole = std::vector<std::int64_t>;

template <class Weight, class Sum>
std::vector<Sum> by_index(const std::vector<Column>& columns, std::size_t n_rows,
                          const std::vector<Weight>& weights, std::size_t size) {
    std::vector<Sum> table(size);
    ldag::add_counts<Weight, Sum>(columns, n_rows, weights, table);
    return table;
}

Whole by_planes(const std::vector<Column>& columns, std::size_t n_rows, std::size_t size) {
    std::vector<BitPlanes> planes;
    for (const Column& column : columns) planes.emplace_back(column, n_rows);
    std::vector<const BitPlanes*> pointers;
    for (const BitPlanes& each : planes) pointers.push_back(&each);
    Whole table(size, -1);  // to be overwritten
    ldag::count_planes(pointers, n_rows, table);
    return table;
}

TEST(counts_every_row_once_without_weights) {
    const std::vector<Code> parent{0, 1, 2, 2};
    const std::vector<Code> node{0, 1, 1, 1};
    const std::vector<Column> columns{{parent.data(), 3}, {node.data(), 2}};
    CHECK((by_index<std::int64_t, std::int64_t>(columns, 4, {}, 6) == Whole{1, 0, 0, 1, 0, 2}));
    CHECK((by_planes(columns, 4, 6) == Whole{1, 0, 0, 1, 0, 2}));
}

TEST(adds_weights_beyond_32_bits) {
    const std::vector<Code> node{1, 1};
    const Whole weights{4'000'000'000, 5'000'000'000};
    CHECK((by_index<std::int64_t, std::int64_t>({{node.data(), 2}}, 2, weights, 2)[1] == 9'000'000'000));
}

TEST(adds_real_weights) {
    const std::vector<Code> node{0, 1, 0};
    const std::vector<double> weights{0.5, 2.0, 0.25};
    CHECK((by_index<double, double>({{node.data(), 2}}, 3, weights, 2) == std::vector<double>{0.75, 2.0}));
}

TEST(adds_to_what_the_table_holds) {
    const std::vector<Code> node(100, 1);
    const std::vector<Column> columns{{node.data(), 2}};
    std::vector<double> table{0.5, 7.0};
    ldag::add_counts<std::int64_t, double>(columns, 100, {}, table);
    CHECK((table == std::vector<double>{0.5, 107.0}));
}

TEST(no_rows_give_an_empty_table) {
    CHECK((by_index<std::int64_t, std::int64_t>({{nullptr, 3}}, 0, {}, 3) == Whole{0, 0, 0}));
    CHECK((by_planes({{nullptr, 3}}, 0, 3) == Whole{0, 0, 0}));
}

TEST(no_columns_count_the_rows) {
    CHECK((by_index<std::int64_t, std::int64_t>({}, 70, {}, 1) == Whole{70}));
    CHECK((by_planes({}, 70, 1) == Whole{70}));
}

// Rows one by one, the cell by Horner's rule.
Whole slowly(const std::vector<std::vector<Code>>& data, const std::vector<std::size_t>& n_states,
             std::size_t n_rows, const Whole& weights, std::size_t size) {
    Whole table(size);
    for (std::size_t row = 0; row < n_rows; ++row) {
        std::size_t cell = 0;
        for (std::size_t i = 0; i < data.size(); ++i) cell = cell * n_states[i] + data[i][row];
        table[cell] += weights.empty() ? 1 : weights[row];
    }
    return table;
}

// Both ways of counting on random rows, weighted and not.
void compare(const std::vector<std::size_t>& n_states, std::size_t n_rows, std::mt19937& rng) {
    std::vector<std::vector<Code>> data;
    std::vector<Column> columns;
    std::size_t size = 1;
    for (const std::size_t n : n_states) {
        std::vector<Code> codes(n_rows);
        for (Code& code : codes) code = static_cast<Code>(std::min(rng() % n, rng() % n));
        data.push_back(codes);
        size *= n;
    }
    for (std::size_t i = 0; i < data.size(); ++i) columns.push_back({data[i].data(), n_states[i]});
    Whole weights(n_rows);
    for (std::int64_t& weight : weights) weight = rng() % 1000;
    const Whole expected = slowly(data, n_states, n_rows, {}, size);
    CHECK(by_planes(columns, n_rows, size) == expected);
    CHECK((by_index<std::int64_t, std::int64_t>(columns, n_rows, {}, size) == expected));
    const Whole weighted = slowly(data, n_states, n_rows, weights, size);
    CHECK((by_index<std::int64_t, std::int64_t>(columns, n_rows, weights, size) == weighted));
    CHECK((by_index<std::int64_t, double>(columns, n_rows, weights, size) ==
           std::vector<double>(weighted.begin(), weighted.end())));
}

TEST(both_ways_agree_around_the_ends_of_words_and_blocks) {
    std::mt19937 rng(1);
    for (const std::size_t n_rows : {1, 2, 63, 64, 65, 127, 128, 129, 511, 512, 513, 2047, 2048, 2049, 4097})
        for (const std::vector<std::size_t>& n_states :
             {std::vector<std::size_t>{2}, {5}, {2, 3}, {4, 4}, {5, 7}, {3, 2, 4}, {2, 6, 3, 2}})
            compare(n_states, n_rows, rng);
}

TEST(both_ways_agree_over_several_blocks_of_planes) {
    std::mt19937 rng(2);
    const std::size_t block = 512 * 64;
    for (const std::size_t n_rows : {block - 1, block, block + 1, 2 * block + 65})
        compare({3, 2, 4}, n_rows, rng);
}

TEST(both_ways_agree_on_wide_columns_and_large_tables) {
    std::mt19937 rng(3);
    compare({60, 2}, 3000, rng);
    compare({2, 60}, 3000, rng);
    compare({256}, 3000, rng);
    compare({40, 60}, 700, rng);
    compare({4, 4, 4, 4, 4, 4}, 5000, rng);
    compare({60, 60, 30}, 5000, rng);  // more cells than 16 bits number
}

}  // namespace
