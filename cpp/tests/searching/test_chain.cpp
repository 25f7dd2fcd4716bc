#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "searching/chain_moves.hpp"
#include "searching/search.hpp"
#include "tests/check.hpp"

namespace {

using ldag::MovingGraph;
using ldag::Node;
using ldag::Parents;
using ldag::Random;
using ldag::SearchSpace;

SearchSpace free_space(std::size_t n) {
    SearchSpace space{Parents(n), Parents(n), std::vector<std::size_t>(n, n)};
    for (Node child = 0; child < n; ++child)
        for (Node parent = 0; parent < n; ++parent)
            if (parent != child) space.candidates[child].push_back(parent);
    return space;
}

// A few candidates of each of many nodes, some edges required, some nodes with little room.
SearchSpace tight_space(std::size_t n, Random& random) {
    SearchSpace space{Parents(n), Parents(n), std::vector<std::size_t>(n)};
    for (Node child = 0; child < n; ++child) {
        for (Node parent = 0; parent < n; ++parent)
            if (parent != child && (n <= 6 ? random.below(4) != 0 : random.below(n) < 6))
                space.candidates[child].push_back(parent);
        for (const Node parent : space.candidates[child])
            if (parent < child && random.below(6) == 0) space.required[child].push_back(parent);
        space.max_parents[child] = space.required[child].size() + random.below(3);
    }
    return space;
}

void toggle(std::vector<Node>& nodes, Node node) {
    const auto place = std::ranges::lower_bound(nodes, node);
    if (place != nodes.end() && *place == node)
        nodes.erase(place);
    else
        nodes.insert(place, node);
}

// The distinct allowed graphs one addition, removal or reversal away, by trying every pair of nodes.
std::set<Parents> neighbours(const SearchSpace& space, const Parents& parents) {
    std::set<Parents> result;
    for (Node a = 0; a < parents.size(); ++a)
        for (Node b = 0; b < parents.size(); ++b) {
            if (a == b) continue;
            Parents toggled = parents;
            toggle(toggled[b], a);
            if (ldag::is_allowed(space, toggled)) result.insert(toggled);
            if (!std::ranges::binary_search(parents[b], a)) continue;
            Parents reversed = toggled;
            toggle(reversed[a], b);
            if (ldag::is_allowed(space, reversed)) result.insert(reversed);
        }
    return result;
}

Parents after(const SearchSpace& space, const Parents& parents, const ldag::Move& move) {
    MovingGraph graph(space, parents);
    graph.apply(move);
    return graph.all_parents();
}

// Pearson's statistic of many draws against equal chances, in standard deviations above its mean; infinite
// if a graph was drawn that is no neighbour.
double deviation(const SearchSpace& space, const Parents& parents, std::size_t n_per_graph, Random& random) {
    std::map<Parents, std::size_t> n_drawn;
    for (const Parents& graph : neighbours(space, parents)) n_drawn[graph] = 0;
    const std::size_t n_graphs = n_drawn.size();
    const MovingGraph graph(space, parents);
    for (std::size_t i = 0; i < n_per_graph * n_graphs; ++i)
        ++n_drawn[after(space, parents, *graph.draw(random))];
    if (n_drawn.size() != n_graphs) return HUGE_VAL;
    if (n_graphs == 1) return 0.0;
    const double expected = static_cast<double>(n_per_graph);
    double statistic = 0.0;
    for (const auto& [drawn, n] : n_drawn)
        statistic += std::pow(static_cast<double>(n) - expected, 2) / expected;
    const double freedom = static_cast<double>(n_graphs - 1);
    return (statistic - freedom) / std::sqrt(2.0 * freedom);
}

TEST(draws_are_uniform_among_the_distinct_neighbours) {
    Random random(7);
    const Parents diamond{{}, {0}, {0}, {1, 2}};
    const Parents complete{{}, {0}, {0, 1}, {0, 1, 2}};
    for (const Parents& parents : {Parents(4), diamond, complete})
        CHECK(std::abs(deviation(free_space(4), parents, 2000, random)) < 4.5);
    CHECK(neighbours(free_space(4), Parents(4)).size() == 12);
    CHECK(neighbours(free_space(4), complete).size() == 6 + 3);  // each edge goes; neighbours in order swap
}

TEST(draws_are_uniform_within_constraints) {
    Random random(8);
    for (int repeat = 0; repeat < 20; ++repeat) {
        const SearchSpace space = tight_space(5, random);
        MovingGraph graph(space, space.required);
        for (int i = 0; i < 10; ++i)
            if (const auto move = graph.draw(random)) graph.apply(*move);
        if (!graph.moves().empty()) CHECK(std::abs(deviation(space, graph.all_parents(), 500, random)) < 4.5);
    }
}

TEST(draws_are_uniform_where_allowed_graphs_are_rare) {
    SearchSpace space = free_space(70);  // 3 of 4,764 candidates are allowed
    space.max_parents.assign(70, 0);
    space.max_parents[0] = 1;
    space.candidates[0] = {1, 2, 69};
    Random random(9);
    CHECK(std::abs(deviation(space, Parents(70), 700, random)) < 4.5);
    Parents full(70);
    full[0] = {69};
    CHECK((MovingGraph(space, full).draw(random) == ldag::Move{ldag::MoveKind::remove, 69, 0}));
}

// Walks at random and compares the moves with all pairs tried.
void check_walk(const SearchSpace& space, int n_moves, int check_every, Random& random) {
    MovingGraph graph(space, space.required);
    for (int i = 0; i < n_moves; ++i) {
        const auto move = graph.draw(random);
        if (move) graph.apply(*move);
        if (i % check_every != 0) continue;
        CHECK(ldag::is_allowed(space, graph.all_parents()));
        std::set<Parents> result;
        for (const ldag::Move& other : graph.moves()) result.insert(after(space, graph.all_parents(), other));
        CHECK(result.size() == graph.moves().size());
        CHECK(result == neighbours(space, graph.all_parents()));
        if (!move) break;
    }
}

TEST(moves_stay_right_along_a_walk) {
    Random random(10);
    for (const std::size_t n : {1, 2, 3, 5}) check_walk(free_space(n), 150, 1, random);
    for (int repeat = 0; repeat < 10; ++repeat) check_walk(tight_space(6, random), 60, 1, random);
    for (const std::size_t n : {64, 65, 70}) check_walk(tight_space(n, random), 241, 80, random);
}

std::shared_ptr<const ldag::Columns> columns_of(std::size_t n, std::size_t n_rows) {
    Random random(11);
    std::vector<ldag::Code> codes(n * n_rows);
    std::vector<std::size_t> n_states;
    for (std::size_t i = 0; i < n; ++i) n_states.push_back(2 + i % 3);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t row = 0; row < n_rows; ++row) {
            const bool copies = i > 0 && random.below(3) != 0;
            const std::uint64_t code = copies ? codes[(i - 1) * n_rows + row] : random.below(n_states[i]);
            codes[i * n_rows + row] = static_cast<ldag::Code>(code % n_states[i]);
        }
    return std::make_shared<ldag::Columns>(codes, n_rows, n_states);
}

struct Search {
    explicit Search(std::size_t n, std::size_t n_rows = 200)
        : scorer(columns_of(n, n_rows), {1.0, std::log(0.3)}, 1 << 20), space(free_space(n)) {
        space.max_parents.assign(n, 3);
        options.n_chains = 6;
        options.n_iter = 300;
    }

    ldag::SearchResult run() {
        ldag::Monitor monitor;
        return ldag::search_chain(scorer, space, options, monitor);
    }

    std::vector<ldag::ChainResult> run_slice(std::size_t first, std::size_t n_chains) {
        ldag::Monitor monitor;
        options.first_chain = first;
        options.n_chains = n_chains;
        return ldag::run_chains(scorer, space, options, monitor);
    }

    ldag::FamilyScorer scorer;
    SearchSpace space;
    ldag::ChainOptions options;
};

bool is_same(const ldag::SearchResult& a, const ldag::SearchResult& b) {
    const auto same = [](const ldag::TracePoint& p, const ldag::TracePoint& q) {
        return p.step == q.step && p.score == q.score;
    };
    return a.parents == b.parents && a.score == b.score && a.n_steps == b.n_steps &&
           a.n_accepted == b.n_accepted && a.stopped == b.stopped &&
           std::ranges::equal(a.trace, b.trace, same);
}

TEST(chains_give_the_same_answer_for_any_number_of_threads) {
    for (const std::size_t n : {5, 70}) {
        Search search(n);
        const ldag::SearchResult expected = search.run();
        CHECK(ldag::is_allowed(search.space, expected.parents));
        CHECK(expected.score == ldag::score_dag(search.scorer, expected.parents));
        CHECK(!expected.stopped && expected.n_steps == 6 * 300);
        CHECK(expected.n_accepted > 0 && expected.n_accepted <= expected.n_steps);
        CHECK(expected.trace.front().step == 0 && expected.trace.back().score == expected.score);
        for (const std::size_t n_threads : {2, 5}) {
            Search other(n);
            other.options.n_threads = n_threads;
            CHECK(is_same(other.run(), expected));
        }
        search.options.seed = 1;
        CHECK(search.run().n_accepted != expected.n_accepted);
    }
}

TEST(slices_of_chains_merge_into_the_answer_of_one_run) {
    Search search(5);
    const ldag::SearchResult expected = search.run();
    std::vector<ldag::ChainResult> chains = search.run_slice(4, 2);
    for (const auto& [first, n] : {std::pair{0, 1}, {1, 3}})
        std::ranges::move(search.run_slice(static_cast<std::size_t>(first), static_cast<std::size_t>(n)),
                          std::back_inserter(chains));
    CHECK(is_same(ldag::merge_chains(chains, 6, 300), expected));
    chains.pop_back();
    CHECK(ldag::merge_chains(chains, 6, 300).stopped);
}

TEST(equal_scores_go_to_the_lowest_chain) {
    std::vector<ldag::ChainResult> chains(3);
    for (std::size_t i = 0; i < 3; ++i) chains[i] = {2 - i, {}, -1.0, {{i, -1.0}}, 10, 1};
    chains[0].score += 5e-10;
    CHECK(ldag::merge_chains(chains, 3, 10).trace[0].step == 2);
    chains[1].score += 2e-9;
    CHECK(ldag::merge_chains(chains, 3, 10).trace[0].step == 1);
}

TEST(chains_begin_where_told_and_stay_where_nothing_is_allowed) {
    Search search(4);
    search.options.start = {{}, {0}, {1}, {2}};
    search.options.n_iter = 0;
    CHECK(search.run().parents == search.options.start);
    search.options.start = {{1}, {0}, {}, {}};
    bool is_refused = false;
    try {
        search.run();
    } catch (const std::invalid_argument&) {
        is_refused = true;
    }
    CHECK(is_refused);
    Search stuck(3);
    stuck.space.required = stuck.space.candidates = {{}, {0}, {0, 1}};
    stuck.options.n_chains = 1;
    stuck.options.n_iter = 100'000;
    const ldag::SearchResult result = stuck.run();
    CHECK(result.parents == stuck.space.required);
    CHECK(!result.stopped && result.n_steps == 100'000 && result.n_accepted == 0);
}

TEST(a_stopped_search_returns_the_best_so_far) {
    using namespace std::chrono_literals;
    for (const std::size_t n_threads : {1, 2}) {
        Search search(6);
        search.options.n_iter = 1'000'000'000;
        search.options.n_threads = n_threads;
        ldag::Monitor monitor;
        const auto begun = std::chrono::steady_clock::now();
        int n_polls = 0;
        double last_best = -HUGE_VAL;
        monitor.poll = [&] {
            CHECK(monitor.total == 6'000'000'000 && monitor.accepted <= monitor.done);
            CHECK(monitor.best >= last_best);
            last_best = monitor.best;
            return ++n_polls == 3;
        };
        const ldag::SearchResult result =
            ldag::search_chain(search.scorer, search.space, search.options, monitor);
        CHECK(std::chrono::steady_clock::now() - begun < 10s);
        CHECK(result.stopped && result.n_steps == monitor.done && result.n_accepted == monitor.accepted);
        CHECK(result.score == ldag::score_dag(search.scorer, result.parents) && result.score >= last_best);
        CHECK(ldag::is_allowed(search.space, result.parents));
    }
    Search search(4);
    ldag::Monitor monitor;
    monitor.stop = true;
    const ldag::SearchResult result =
        ldag::search_chain(search.scorer, search.space, search.options, monitor);
    CHECK(result.stopped && result.n_steps == 0 && result.parents == Parents(4));
}

}  // namespace
