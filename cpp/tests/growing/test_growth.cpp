#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "growing/growth.hpp"
#include "tests/check.hpp"

namespace {

using ldag::Code;
using Numbers = std::vector<std::int32_t>;

// A table whose last column is what a function makes of the others, drawn evenly.
template <class Function>
std::vector<Code> table(std::size_t n_rows, const std::vector<std::size_t>& n_states, Function function) {
    std::mt19937 rng(1);
    std::vector<Code> codes(n_rows * n_states.size());
    std::vector<std::size_t> row(n_states.size() - 1);
    for (std::size_t i = 0; i < n_rows; ++i) {
        for (std::size_t v = 0; v < row.size(); ++v) {
            row[v] = rng() % n_states[v];
            codes[v * n_rows + i] = static_cast<Code>(row[v]);
        }
        codes[row.size() * n_rows + i] = static_cast<Code>(function(row));
    }
    return codes;
}

ldag::GrowthOptions options_for(std::size_t n) {
    ldag::GrowthOptions options;
    options.log_kappa = -1.0;
    options.ordered.assign(n, 0);
    options.choice_prices.assign(n, 0.0);
    options.max_leaves.assign(n, 1'000'000);
    return options;
}

// The last variable may ask about all others.
ldag::SearchSpace space_of_last(std::size_t n) {
    ldag::SearchSpace space{ldag::Parents(n), ldag::Parents(n), std::vector<std::size_t>(n, n)};
    for (ldag::Node v = 0; v + 1 < n; ++v) space.candidates[n - 1].push_back(v);
    return space;
}

ldag::Growth grow(const std::vector<Code>& codes, const std::vector<std::size_t>& n_states,
                  const ldag::SearchSpace& space, const ldag::GrowthOptions& options, bool stop = false) {
    const ldag::Columns columns(codes, codes.size() / n_states.size(), n_states);
    const ldag::PackedRows rows(columns);
    ldag::Monitor monitor;
    monitor.stop = stop;
    return ldag::grow_trees(rows, space, options, monitor);
}

TEST(a_list_over_forty_parents_asks_about_every_second_one) {
    const std::vector<std::size_t> n_states(41, 2);
    const auto first_set = [](const std::vector<std::size_t>& row) {
        std::size_t v = 0;
        while (v < row.size() && row[v] == 0) ++v;
        return v % 2;
    };
    // Rows in which no more than one variable is set: those in odd places lead to the other state.
    const std::size_t n_rows = 41 * 50;
    std::vector<Code> codes(41 * n_rows);
    for (std::size_t i = 0; i < n_rows; ++i) {
        std::vector<std::size_t> row(40, 0);
        if (i % 41 < 40) row[i % 41] = 1;
        for (std::size_t v = 0; v < 40; ++v) codes[v * n_rows + i] = static_cast<Code>(row[v]);
        codes[40 * n_rows + i] = static_cast<Code>(first_set(row));
    }
    const ldag::Growth growth = grow(codes, n_states, space_of_last(41), options_for(41));
    const ldag::GrownTree& tree = growth.trees.back();
    std::size_t n_leaves = 0;
    bool is_pure = true;
    for (std::size_t place = 0; place < tree.axes.size(); ++place) {
        if (tree.axes[place] >= 0) continue;
        ++n_leaves;
        is_pure &= tree.counts[2 * place] == 0.0 || tree.counts[2 * place + 1] == 0.0;
    }
    CHECK(n_leaves == 21);
    CHECK(is_pure);
    CHECK(growth.trees.front().axes == Numbers{-1});
}

TEST(levels_see_what_single_leaves_pay_too_much_for) {
    const std::vector<std::size_t> n_states{3, 2, 4};
    const auto codes = table(400, n_states, [](const auto& row) { return (row[0] + row[1]) % 4; });
    ldag::GrowthOptions options = options_for(3);
    options.is_complete = true;
    options.levels = true;
    const ldag::GrownTree tree = grow(codes, n_states, space_of_last(3), options).trees.back();
    CHECK((tree.axes == Numbers{0, 1, -1, -1, 1, -1, -1, 1, -1, -1}));
    CHECK((tree.targets == Numbers{1, 4, 7, 2, 3, 5, 6, 8, 9}));
    CHECK((tree.asked == Numbers{0, 1, 4, 7}));
    CHECK((tree.steps == Numbers{0, 1, 1, 1}));
}

TEST(thresholds_cut_neighbours_and_come_again) {
    const std::vector<std::size_t> n_states{4, 3};
    const auto codes = table(600, n_states, [](const auto& row) {
        return row[0] < 1 ? 0 : row[0] < 3 ? 1 : 2;
    });
    ldag::GrowthOptions options = options_for(2);
    options.ordered[0] = 1;
    const ldag::GrownTree tree = grow(codes, n_states, space_of_last(2), options).trees.back();
    CHECK((std::ranges::count(tree.axes, 0) == 2));
    CHECK((std::ranges::count(tree.axes, -1) == 3));
}

TEST(what_is_required_is_asked_even_when_growth_is_stopped) {
    const std::vector<std::size_t> n_states{2, 3, 2};
    const auto codes = table(100, n_states, [](const auto& row) { return row[0]; });
    ldag::SearchSpace space = space_of_last(3);
    space.required[2] = {1};
    for (const bool stop : {false, true}) {
        const ldag::Growth growth = grow(codes, n_states, space, options_for(3), stop);
        CHECK(std::ranges::count(growth.trees.back().axes, 1) == 1);
        CHECK(std::ranges::count(growth.trees.back().axes, 0) == (stop ? 0 : 1));
        CHECK(growth.stopped == stop);
    }
}

TEST(no_cycle_is_closed) {
    const std::vector<std::size_t> n_states{2, 2, 2};
    const auto codes = table(300, n_states, [](const auto& row) { return row[0] & row[1]; });
    ldag::SearchSpace space{{{1, 2}, {0, 2}, {0, 1}}, ldag::Parents(3), {2, 2, 2}};
    const ldag::Growth growth = grow(codes, n_states, space, options_for(3));
    ldag::Parents parents(3);
    for (std::size_t node = 0; node < 3; ++node)
        for (ldag::Node v = 0; v < 3; ++v)
            if (std::ranges::count(growth.trees[node].axes, static_cast<std::int32_t>(v)) > 0)
                parents[node].push_back(v);
    CHECK(ldag::is_acyclic(parents));
    CHECK(parents[0].size() + parents[1].size() + parents[2].size() >= 2);
    CHECK(growth.n_steps >= 2);
}

TEST(no_rows_and_no_candidates_leave_a_leaf) {
    const ldag::Growth growth = grow({}, {2, 3}, space_of_last(2), options_for(2));
    CHECK(growth.trees.back().axes == Numbers{-1});
    CHECK(growth.trees.back().counts == std::vector<double>(3, 0.0));
    CHECK(growth.trees.back().log_marginal_likelihood == 0.0);
    CHECK(growth.trees.back().log_prior == -2.0);
}

}  // namespace
