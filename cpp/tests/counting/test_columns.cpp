#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include "counting/columns.hpp"
#include "support/parallel.hpp"
#include "tests/check.hpp"

namespace {

using ldag::Code;
using ldag::Columns;
using Whole = std::vector<std::int64_t>;
using Real = std::vector<double>;
using Numbers = std::vector<std::size_t>;

// Two variables of 2 and 3 states.
const std::vector<Code> kCodes{0, 0, 1, 1,  //
                               2, 2, 0, 1};

template <class Sum>
std::vector<Sum> counts(const Columns& columns, const Numbers& variables) {
    std::vector<Sum> table{99, 99};  // what a caller's vector held before does not matter
    columns.counts(variables, table);
    return table;
}

template <class Error, class Body>
bool throws(const Body& body) {
    try {
        body();
    } catch (const Error&) {
        return true;
    }
    return false;
}

TEST(columns_count_any_variables_in_any_order) {
    const Columns columns(kCodes, 4, {2, 3});
    CHECK(columns.is_whole());
    CHECK(columns.n_columns() == 2);
    CHECK((counts<std::int64_t>(columns, {1, 0}) == Whole{0, 1, 0, 1, 2, 0}));
    CHECK((counts<double>(columns, {0, 1}) == Real{0, 0, 2, 1, 1, 0}));
    CHECK((counts<std::int64_t>(columns, {1}) == Whole{1, 1, 2}));
    CHECK((counts<std::int64_t>(columns, {}) == Whole{4}));
    CHECK((counts<std::int64_t>(columns, {0, 0}) == Whole{2, 0, 0, 2}));
}

TEST(columns_need_not_keep_their_arguments) {
    std::vector<Code> codes = kCodes;
    const Columns columns(codes, 4, {2, 3});
    codes.assign(8, 0);
    CHECK((counts<std::int64_t>(columns, {1}) == Whole{1, 1, 2}));
}

TEST(variables_of_one_state_change_nothing) {
    const std::vector<Code> codes{0, 0, 0, 0, 1, 0};
    const Columns columns(codes, 2, {1, 1, 2});
    const Numbers many(200, 0);
    Numbers family = many;
    family.push_back(2);
    CHECK((counts<std::int64_t>(columns, family) == Whole{1, 1}));
    CHECK((counts<std::int64_t>(columns, many) == Whole{2}));
}

TEST(weights_of_every_size_are_added) {
    const Whole weights{0, 3, 1, 1'000'000'000'000};
    const Columns columns(kCodes, 4, {2, 3}, std::span(weights));
    CHECK(columns.is_whole());
    CHECK((counts<std::int64_t>(columns, {1}) == Whole{1, 1'000'000'000'000, 3}));
    CHECK((counts<double>(columns, {0}) == Real{3, 1'000'000'000'001}));
}

TEST(whole_sums_up_to_2_to_the_62_are_exact) {
    const std::int64_t large = std::int64_t{1} << 61;
    const Whole weights{large - 1, large, 1, 2};
    const Columns columns(kCodes, 4, {2, 3}, std::span(weights));
    CHECK((counts<std::int64_t>(columns, {0}) == Whole{2 * large - 1, 3}));
    CHECK((counts<double>(columns, {0}) == Real{0x1p62, 3}));  // rounded once
}

TEST(available_cases_are_counted) {
    const std::vector<Code> codes{0, 255, 1, 1,  //
                                  2, 2,   0, 255};
    const Columns columns(codes, 4, {2, 3}, {}, ldag::Gaps::available);
    CHECK(!columns.is_whole());
    CHECK(columns.n_states()[0] == 2);
    CHECK((counts<double>(columns, {0, 1}) == Real{0, 0, 1, 1, 0, 0}));
    CHECK((counts<double>(columns, {0}) == Real{1, 2}));
    CHECK((counts<double>(columns, {}) == Real{4}));
    CHECK(throws<std::invalid_argument>([&] { Columns(codes, 4, {2, 3}); }));
}

TEST(real_weights_have_no_whole_counts) {
    const Real weights{0.5, 0.25, 2.0, 0.0};
    const Columns columns(kCodes, 4, {2, 3}, std::span(weights));
    CHECK(!columns.is_whole());
    CHECK((counts<double>(columns, {0}) == Real{0.75, 2.0}));
    CHECK(throws<std::logic_error>([&] { counts<std::int64_t>(columns, {0}); }));
}

TEST(columns_check_what_they_are_made_of) {
    const Whole weights{1};
    CHECK(throws<std::invalid_argument>([] { Columns(kCodes, 4, {2, 2}); }));  // code 2
    CHECK(throws<std::invalid_argument>([] { Columns(kCodes, 4, {2}); }));
    CHECK(throws<std::invalid_argument>([] { Columns({}, 0, {0}); }));
    CHECK(throws<std::invalid_argument>([] { Columns({}, 0, {257}); }));
    CHECK(throws<std::invalid_argument>([&] { Columns(kCodes, 4, {2, 3}, std::span(weights)); }));
}

TEST(unknown_variables_and_tables_beyond_memory_are_refused) {
    const Columns columns(kCodes, 4, {2, 3});
    CHECK(throws<std::out_of_range>([&] { counts<double>(columns, {0, 2}); }));
    CHECK(throws<std::length_error>([&] { counts<double>(columns, Numbers(64, 0)); }));
}

TEST(threads_may_count_at_once) {
    const std::size_t n_rows = 3000, n_columns = 8;
    std::mt19937 rng(4);
    std::vector<Code> codes(n_rows * n_columns);
    for (Code& code : codes) code = static_cast<Code>(rng() % 3);
    const Columns alone(codes, n_rows, Numbers(n_columns, 3));
    const Columns shared(codes, n_rows, Numbers(n_columns, 3));  // its planes are made by many threads
    std::vector<Real> tables(400);
    const auto family = [](std::size_t item) { return Numbers{item % 8, item / 8 % 8, item / 64 % 8}; };
    ldag::parallel_for(4, tables.size(),
                       [&](std::size_t item, std::size_t) { shared.counts(family(item), tables[item]); });
    for (std::size_t item = 0; item < tables.size(); ++item)
        CHECK(tables[item] == counts<double>(alone, family(item)));
}

}  // namespace
