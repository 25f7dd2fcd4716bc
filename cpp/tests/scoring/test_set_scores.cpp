#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "counting/set_counts.hpp"
#include "families/dirichlet.hpp"
#include "scoring/set_scores.hpp"
#include "support/parallel.hpp"
#include "tests/check.hpp"

namespace {

using ldag::Columns;
using ldag::SetScores;
using Nodes = std::vector<std::uint32_t>;

constexpr std::size_t kMaxCells = std::size_t{1} << 16;

// Variables of 1 to 4 states and one of 20; each depends a little on the one before it.
Columns columns_of(std::size_t n_rows, bool is_weighted, std::uint_fast32_t seed, std::int64_t scale = 1) {
    std::mt19937 rng(seed);
    const std::vector<std::size_t> n_states{2, 3, 2, 4, 1, 2, 3, 20, 2, 4};
    std::vector<ldag::Code> codes;
    for (std::size_t variable = 0; variable < n_states.size(); ++variable)
        for (std::size_t row = 0; row < n_rows; ++row) {
            const std::size_t before = variable == 0 ? 0 : codes[(variable - 1) * n_rows + row];
            const std::size_t drawn = rng() % 3 == 0 ? rng() : before;
            codes.push_back(static_cast<ldag::Code>(drawn % n_states[variable]));
        }
    std::vector<std::int64_t> weights;
    for (std::size_t row = 0; row < n_rows; ++row)
        weights.push_back(rng() % 4 == 0 ? scale * (10 + static_cast<std::int64_t>(rng() % 90)) : rng() % 4);
    if (!is_weighted) return Columns(codes, n_rows, n_states);
    return Columns(codes, n_rows, n_states, std::span<const std::int64_t>(weights));
}

// A node with some parents, and all others.
struct Family {
    std::uint32_t node;
    Nodes parents;
    Nodes others;
};

Family draw(const Columns& columns, std::mt19937& rng) {
    Family family{static_cast<std::uint32_t>(rng() % columns.n_columns()), {}, {}};
    for (std::uint32_t variable = 0; variable < columns.n_columns(); ++variable) {
        if (variable == family.node) continue;
        (rng() % 3 == 0 && family.parents.size() < 4 ? family.parents : family.others).push_back(variable);
    }
    return family;
}

Nodes with(Nodes parents, std::uint32_t further) {
    parents.insert(std::ranges::lower_bound(parents, further), further);
    return parents;
}

std::size_t count_cells(const Columns& columns, const Nodes& variables) {
    std::size_t n = 1;
    for (const std::uint32_t variable : variables) n *= columns.n_states()[variable];
    return n;
}

TEST(counts_of_sets_are_those_of_tables_without_what_never_occurs) {
    std::mt19937 rng(5);
    for (const std::size_t n_rows : {0, 1, 40, 700, 20'000}) {
        for (const bool is_weighted : {false, true}) {
            const Columns columns = columns_of(n_rows, is_weighted, rng());
            ldag::SetCounts counts;
            for (int repeat = 0; repeat < 8; ++repeat) {
                const Family family = draw(columns, rng);
                if (count_cells(columns, family.parents) * columns.n_states()[family.node] > kMaxCells)
                    continue;
                counts.share(columns, family.parents, family.node);
                std::size_t n_visits = 0;
                counts.for_each(family.others, [&](std::size_t i, std::span<const std::uint32_t> rows) {
                    ++n_visits;
                    std::vector<std::size_t> variables(family.parents.begin(), family.parents.end());
                    variables.push_back(family.node);
                    variables.push_back(family.others[i]);
                    std::vector<std::int64_t> table;
                    columns.counts(variables, table);
                    // The rows in their order are those of the table; rows of either without counts do not
                    // matter.
                    const std::size_t n_states = columns.n_states()[family.others[i]];
                    const auto occurring = [&](const auto& all) {
                        std::vector<std::vector<std::int64_t>> kept;
                        for (std::size_t first = 0; first < all.size(); first += n_states) {
                            std::vector<std::int64_t> row(&all[first], &all[first] + n_states);
                            if (std::ranges::any_of(row, [](auto count) { return count != 0; }))
                                kept.push_back(row);
                        }
                        return kept;
                    };
                    CHECK(occurring(rows) == occurring(table));
                    const std::size_t n_table_rows = rows.size() / n_states;
                    CHECK(n_table_rows == (counts.ends().empty() ? 0 : counts.ends().back()));
                });
                CHECK(n_visits == family.others.size());
            }
        }
    }
}

TEST(sets_are_remembered_unless_400_further_parents_are_asked_for_at_once) {
    const std::size_t n = 402;
    const std::size_t n_rows = 30;
    std::mt19937 rng(7);
    std::vector<ldag::Code> codes(n * n_rows);
    for (ldag::Code& code : codes) code = static_cast<ldag::Code>(rng() % 2);
    const Columns columns(codes, n_rows, std::vector<std::size_t>(n, 2));
    for (const std::size_t n_further : {399, 400}) {
        SetScores scores(columns, 1.0, kMaxCells, 1 << 22);
        Nodes further(n_further);
        std::iota(further.begin(), further.end(), 2u);
        std::vector<double> result(n_further);
        CHECK(scores.score_additions(0, Nodes{1}, further, result, nullptr));
        const std::size_t n_remembered = scores.statistics().entries;
        CHECK(n_further == 399 ? n_remembered >= n_further : n_remembered < 10);
    }
}

TEST(sets_score_families_as_their_tables_do) {
    std::mt19937 rng(6);
    for (const std::size_t n_rows : {0, 1, 60, 900, 20'000}) {
        for (const bool is_weighted : {false, true}) {
            const Columns columns = columns_of(n_rows, is_weighted, rng());
            for (const double sample_size : {1e-3, 1.0, 50.0}) {
                CHECK(SetScores::are_for(columns, sample_size, kMaxCells));
                SetScores scores(columns, sample_size, kMaxCells, 1 << 20);
                SetScores forgetful(columns, sample_size, kMaxCells, 0);
                for (int repeat = 0; repeat < 4; ++repeat) {
                    const Family family = draw(columns, rng);
                    const std::size_t r = columns.n_states()[family.node];
                    Nodes others;
                    for (const std::uint32_t other : family.others)
                        if (count_cells(columns, with(family.parents, other)) * r <= kMaxCells)
                            others.push_back(other);
                    std::vector<double> result(others.size());
                    CHECK(scores.score_additions(family.node, family.parents, others, result, nullptr));
                    for (std::size_t i = 0; i < others.size(); ++i) {
                        const Nodes parents = with(family.parents, others[i]);
                        std::vector<std::size_t> variables(parents.begin(), parents.end());
                        variables.push_back(family.node);
                        std::vector<double> table;
                        columns.counts(variables, table);
                        const double expected = ldag::score_table(table, r, sample_size);
                        CHECK(std::abs(result[i] - expected) <= 1e-8 + 1e-12 * columns.total());
                        CHECK(scores.score(family.node, parents) == result[i]);
                        CHECK(forgetful.score(family.node, parents) == result[i]);
                    }
                }
            }
        }
    }
}

TEST(very_many_rows_are_scored_to_the_digits_of_large_classes) {
    std::mt19937 rng(8);
    for (const std::int64_t scale : {1'000, 100'000, 400'000}) {  // about a million rows to a billion
        const Columns columns = columns_of(200, true, rng(), scale);
        SetScores scores(columns, 1.0, kMaxCells, 1 << 20);
        CHECK(SetScores::are_for(columns, 1.0, kMaxCells));
        for (int repeat = 0; repeat < 12; ++repeat) {
            const Family family = draw(columns, rng);
            const std::size_t r = columns.n_states()[family.node];
            if (count_cells(columns, family.parents) * r > kMaxCells) continue;
            std::vector<std::size_t> variables(family.parents.begin(), family.parents.end());
            variables.push_back(family.node);
            std::vector<double> table;
            columns.counts(variables, table);
            double expected = 0.0;  // the classes one by one, which have another formula where they are large
            const double alpha = 1.0 / static_cast<double>(table.size());
            for (std::size_t first = 0; first < table.size(); first += r) {
                std::vector<double> counts(&table[first], &table[first] + r);
                expected += ldag::score_class(counts, std::vector<double>(r, alpha));
            }
            CHECK(std::abs(scores.score(family.node, family.parents) - expected) <=
                  1e-7 + 1e-14 * columns.total());
        }
    }
}

TEST(scores_of_sets_depend_neither_on_threads_nor_on_what_came_before) {
    const Columns columns = columns_of(800, true, 7);
    const auto additions = [&](SetScores& scores, std::uint32_t node) {
        Nodes others;
        for (std::uint32_t other = 0; other < columns.n_columns(); ++other)
            if (other != node && other != (node + 1) % columns.n_columns()) others.push_back(other);
        std::vector<double> result(others.size());
        scores.score_additions(node, Nodes{static_cast<std::uint32_t>((node + 1) % columns.n_columns())},
                               others, result, nullptr);
        return result;
    };
    std::vector<std::vector<double>> expected;
    for (std::uint32_t node = 0; node < columns.n_columns(); ++node) {
        SetScores fresh(columns, 1.0, kMaxCells, 0);
        expected.push_back(additions(fresh, node));
    }
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1} << 12, std::size_t{1} << 20}) {
        SetScores shared(columns, 1.0, kMaxCells, bytes);
        std::vector<std::vector<double>> result(4 * columns.n_columns());
        ldag::parallel_for(4, result.size(), [&](std::size_t item, std::size_t) {
            result[item] = additions(shared, static_cast<std::uint32_t>(item % columns.n_columns()));
        });
        for (std::size_t item = 0; item < result.size(); ++item)
            CHECK(result[item] == expected[item % columns.n_columns()]);
    }
}

TEST(a_cache_of_sets_finds_what_it_holds_and_keeps_its_limit) {
    ldag::SetCache cache(std::size_t{1} << 14);
    for (std::uint32_t variable = 0; variable < 5000; ++variable) {
        cache.insert(ldag::SetKey::of(variable), variable);
        CHECK(cache.find(ldag::SetKey::of(variable)) == variable);
        cache.insert(ldag::SetKey::of(variable), -1);
        CHECK(cache.find(ldag::SetKey::of(variable)) == variable);
    }
    CHECK(!cache.find(ldag::SetKey::of(1) ^ ldag::SetKey::of(2)));
    const ldag::CacheStatistics statistics = cache.statistics();
    CHECK(statistics.bytes <= std::size_t{1} << 14);
    CHECK(statistics.evictions + statistics.entries == 5000);
    CHECK(statistics.hits == 10'000 && statistics.misses == 1);
}

TEST(counts_too_large_for_sums_of_units_are_left_to_others) {
    const std::vector<ldag::Code> codes{0, 1};
    const std::vector<std::int64_t> heavy{std::int64_t{1} << 31, std::int64_t{1} << 31};
    const std::vector<double> real{0.5, 1.0};
    CHECK(!SetScores::are_for(Columns(codes, 2, {2}, std::span<const std::int64_t>(heavy)), 1.0, kMaxCells));
    CHECK(!SetScores::are_for(Columns(codes, 2, {2}, std::span<const double>(real)), 1.0, kMaxCells));
    CHECK(!SetScores::are_for(Columns(codes, 2, {2}), 1e7, kMaxCells));
    CHECK(!SetScores::are_for(Columns(codes, 2, {2}), 1.0, 2 * kMaxCells));
    CHECK(SetScores::are_for(Columns(codes, 2, {2}), 1.0, kMaxCells));
}

}  // namespace
