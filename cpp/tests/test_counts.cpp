#include <cstdint>
#include <limits>
#include <vector>

#include "check.hpp"
#include "ldag/counts.hpp"

namespace {

using ldag::Code;
using ldag::Column;

TEST(counts_every_row_once_without_weights) {
    const std::vector<Code> parent{0, 1, 2, 2};
    const std::vector<Code> node{0, 1, 1, 1};
    const std::vector<Column> columns{{parent.data(), 3}, {node.data(), 2}};
    std::vector<std::int64_t> table(6);
    ldag::add_counts<std::int64_t>(columns, 4, {}, table);
    CHECK((table == std::vector<std::int64_t>{1, 0, 0, 1, 0, 2}));
}

TEST(adds_weights_beyond_32_bits) {
    const std::vector<Code> node{1, 1};
    const std::vector<std::int64_t> weights{4'000'000'000, 5'000'000'000};
    const std::vector<Column> columns{{node.data(), 2}};
    std::vector<std::int64_t> table(2);
    ldag::add_counts<std::int64_t>(columns, 2, weights, table);
    CHECK(table[1] == 9'000'000'000);
}

TEST(adds_real_weights) {
    const std::vector<Code> node{0, 1, 0};
    const std::vector<double> weights{0.5, 2.0, 0.25};
    const std::vector<Column> columns{{node.data(), 2}};
    std::vector<double> table(2);
    ldag::add_counts<double>(columns, 3, weights, table);
    CHECK(table[0] == 0.75 && table[1] == 2.0);
}

TEST(rows_beyond_one_block_are_all_counted) {
    const std::size_t n_rows = 5000;
    std::vector<Code> node(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) node[row] = static_cast<Code>(row % 4);
    const std::vector<Column> columns{{node.data(), 4}};
    std::vector<std::int64_t> table(4);
    ldag::add_counts<std::int64_t>(columns, n_rows, {}, table);
    CHECK((table == std::vector<std::int64_t>{1250, 1250, 1250, 1250}));
}

TEST(no_rows_give_an_empty_table) {
    const std::vector<Column> columns{{nullptr, 3}};
    std::vector<std::int64_t> table(3);
    ldag::add_counts<std::int64_t>(columns, 0, {}, table);
    CHECK((table == std::vector<std::int64_t>{0, 0, 0}));
}

TEST(table_size_reports_overflow_as_zero) {
    const std::vector<Column> wide(9, Column{nullptr, 256});
    CHECK(ldag::table_size(wide) == 0);
    const std::vector<Column> narrow(3, Column{nullptr, 256});
    CHECK(ldag::table_size(narrow) == 256u * 256u * 256u);
    CHECK(ldag::table_size({}) == 1);
}

}  // namespace
