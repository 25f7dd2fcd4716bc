#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "searching/perfect.hpp"
#include "support/random.hpp"
#include "tests/check.hpp"

namespace {

using ldag::Node;
using ldag::Parents;

ldag::SearchSpace free_space(std::size_t n, std::size_t max_parents) {
    ldag::SearchSpace space{Parents(n), Parents(n), std::vector<std::size_t>(n, max_parents)};
    for (Node child = 0; child < n; ++child)
        for (Node parent = 0; parent < n; ++parent)
            if (parent != child) space.candidates[child].push_back(parent);
    return space;
}

// Columns of 2 to 4 states, each a noisy copy of an earlier one.
ldag::FamilyScorer make_scorer(std::size_t n, std::uint64_t seed) {
    constexpr std::size_t kRows = 150;
    ldag::Random random(seed);
    std::vector<ldag::Code> codes(n * kRows);
    std::vector<std::size_t> n_states;
    for (std::size_t i = 0; i < n; ++i) n_states.push_back(2 + random.below(3));
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t source = i == 0 ? 0 : random.below(i);
        for (std::size_t row = 0; row < kRows; ++row) {
            const bool copies = i > 0 && random.below(3) != 0;
            const std::uint64_t code = copies ? codes[source * kRows + row] : random.below(n_states[i]);
            codes[i * kRows + row] = static_cast<ldag::Code>(code % n_states[i]);
        }
    }
    ldag::ScorerOptions scored;
    scored.parameter_saved = std::log(0.3);
    return {std::make_shared<ldag::Columns>(codes, kRows, n_states), scored, 1 << 20};
}

// Goes through all perfect DAGs of a space: every node takes every set of candidates.
void for_each_perfect(const ldag::SearchSpace& space, const std::function<void(const Parents&)>& call) {
    Parents parents(space.n_nodes());
    const std::function<void(Node)> choose = [&](Node node) {
        if (node == space.n_nodes()) {
            if (ldag::is_perfect(parents)) call(parents);
            return;
        }
        const auto& possible = space.candidates[node];
        for (std::size_t set = 0; set < std::size_t{1} << possible.size(); ++set) {
            parents[node].clear();
            for (std::size_t i = 0; i < possible.size(); ++i)
                if ((set >> i & 1) != 0) parents[node].push_back(possible[i]);
            if (parents[node].size() <= space.max_parents[node]) choose(node + 1);
        }
        parents[node].clear();
    };
    choose(0);
}

double slow_best(ldag::FamilyScorer& scorer, const ldag::SearchSpace& space) {
    double best = -std::numeric_limits<double>::infinity();
    for_each_perfect(
        space, [&](const Parents& parents) { best = std::max(best, ldag::score_dag(scorer, parents)); });
    return best;
}

}  // namespace

TEST(perfect_dags_are_told) {
    CHECK(ldag::is_perfect({{}, {0}, {0, 1}}));
    CHECK(!ldag::is_perfect({{}, {}, {0, 1}}));
    CHECK(!ldag::is_perfect({{2}, {0}, {1}}));
    std::size_t n_dags = 0;
    for_each_perfect(free_space(3, 2), [&](const Parents&) { ++n_dags; });
    CHECK(n_dags == 22);  // of the 25 DAGs all but the three with two parents apart
}

TEST(perfect_exact_finds_the_best_of_all) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const std::size_t n = 1 + seed % 4;
        for (const std::size_t most : {1, 3}) {
            ldag::FamilyScorer scorer = make_scorer(n, seed);
            const ldag::SearchSpace space = free_space(n, most);
            for (const std::size_t n_threads : {1, 3}) {
                ldag::Monitor monitor;
                const ldag::SearchResult exact =
                    ldag::search_perfect_exact(scorer, space, n_threads, monitor);
                CHECK(ldag::is_perfect(exact.parents));
                CHECK(std::abs(exact.score - ldag::score_dag(scorer, exact.parents)) < 1e-9);
                CHECK(std::abs(exact.score - slow_best(scorer, space)) < 1e-9);
            }
        }
    }
}

TEST(perfect_climb_stays_chordal_and_never_beats_the_exact_search) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        const std::size_t n = 2 + seed % 5;
        ldag::FamilyScorer scorer = make_scorer(n, seed);
        const ldag::SearchSpace space = free_space(n, n - 1);
        std::size_t n_graphs = 0;
        ldag::PerfectClimbOptions options;
        options.n_restarts = 20;
        options.seed = seed;
        options.watch = [&](const Parents& parents) {
            CHECK(ldag::is_perfect(parents));
            ++n_graphs;
        };
        ldag::Monitor monitor;
        const ldag::SearchResult climbed = ldag::search_perfect_climb(scorer, space, options, monitor);
        const ldag::SearchResult best = ldag::search_perfect_exact(scorer, space, 1, monitor);
        CHECK(n_graphs > 0);
        CHECK(std::abs(climbed.score - ldag::score_dag(scorer, climbed.parents)) < 1e-9);
        CHECK(climbed.score <= best.score + 1e-9);
        if (n <= 4) CHECK(std::abs(climbed.score - best.score) < 1e-9);
    }
}

TEST(perfect_climb_of_more_nodes_than_a_word_has_bits) {
    const std::size_t n = 70;
    ldag::FamilyScorer scorer = make_scorer(n, 3);
    ldag::PerfectClimbOptions options;
    options.watch = [&](const Parents& parents) { CHECK(ldag::is_perfect(parents)); };
    ldag::Monitor monitor;
    const ldag::SearchResult climbed = ldag::search_perfect_climb(scorer, free_space(n, 2), options, monitor);
    CHECK(climbed.score > ldag::score_dag(scorer, Parents(n)));
}

TEST(perfect_searches_stop) {
    ldag::FamilyScorer scorer = make_scorer(8, 5);
    const ldag::SearchSpace space = free_space(8, 7);
    ldag::Monitor monitor;
    monitor.stop = true;
    ldag::PerfectClimbOptions options;
    options.n_restarts = 1000;
    const ldag::SearchResult climbed = ldag::search_perfect_climb(scorer, space, options, monitor);
    CHECK(climbed.stopped);
    CHECK(ldag::is_perfect(climbed.parents));
    CHECK(ldag::search_perfect_exact(scorer, space, 1, monitor).stopped);
}
