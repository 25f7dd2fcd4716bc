#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "counting/row_groups.hpp"
#include "tests/check.hpp"

namespace {

using Histogram = std::map<std::uint64_t, std::size_t>;  // how many configurations occur so often

Histogram by_table(const ldag::Columns& columns, const std::vector<std::size_t>& variables) {
    std::vector<std::int64_t> table;
    columns.counts(variables, table);
    Histogram histogram;
    for (const std::int64_t count : table)
        if (count > 0) ++histogram[static_cast<std::uint64_t>(count)];
    return histogram;
}

// Goes through all sets of variables, depth first.
void check_from(const ldag::Columns& columns, ldag::RowGroups& groups, std::vector<std::size_t>& variables,
                std::size_t next) {
    for (std::size_t variable = next; variable < columns.n_columns(); ++variable) {
        variables.push_back(variable);
        const Histogram expected = by_table(columns, variables);
        Histogram before;
        groups.for_each_with(variable, [&](std::uint64_t count, std::size_t n) { before[count] += n; });
        CHECK(before == expected);
        groups.push(variable);
        Histogram after;
        groups.for_each([&](std::uint64_t count, std::size_t n) { after[count] += n; });
        CHECK(after == expected);
        check_from(columns, groups, variables, variable + 1);
        groups.pop();
        variables.pop_back();
    }
}

TEST(rows_are_grouped_as_tables_count_them) {
    std::mt19937 rng(1);
    const std::vector<std::size_t> n_states{2, 3, 1, 4, 2};
    for (const std::size_t n_rows : {0, 1, 50}) {
        std::vector<ldag::Code> codes;
        for (const std::size_t n : n_states)
            for (std::size_t row = 0; row < n_rows; ++row)
                codes.push_back(static_cast<ldag::Code>(rng() % n));
        std::vector<std::int64_t> weights;
        for (std::size_t row = 0; row < n_rows; ++row) weights.push_back(rng() % 4 == 0 ? 1000 : rng() % 3);
        std::vector<std::size_t> variables;
        for (const ldag::RowWeights& given :
             {ldag::RowWeights{}, ldag::RowWeights{std::span<const std::int64_t>(weights)}}) {
            const ldag::Columns columns(codes, n_rows, n_states, given);
            ldag::RowGroups groups(columns);
            check_from(columns, groups, variables, 0);
        }
    }
}

}  // namespace
