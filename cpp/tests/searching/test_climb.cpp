#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "searching/climb_pace.hpp"
#include "searching/climb_pool.hpp"
#include "tests/check.hpp"

namespace {

using ldag::Node;
using ldag::Parents;
using ldag::Random;
using ldag::SearchSpace;
namespace climb = ldag::climb;

SearchSpace free_space(std::size_t n, std::size_t max_parents) {
    SearchSpace space{Parents(n), Parents(n), std::vector<std::size_t>(n, max_parents)};
    for (Node child = 0; child < n; ++child)
        for (Node parent = 0; parent < n; ++parent)
            if (parent != child) space.candidates[child].push_back(parent);
    return space;
}

// Few candidates, some required edges (from lower to higher numbers), few parents.
SearchSpace tight_space(std::size_t n, Random& random) {
    SearchSpace space = free_space(n, 2);
    for (Node child = 0; child < n; ++child) {
        std::erase_if(space.candidates[child], [&](Node) { return random.below(3) == 0; });
        for (const Node parent : space.candidates[child])
            if (parent < child && random.below(2 * n) == 0) space.required[child].push_back(parent);
        space.max_parents[child] = space.required[child].size() + random.below(3);
    }
    return space;
}

// Columns of 2 to 4 states, each a noisy copy of an earlier one.
std::shared_ptr<const ldag::Columns> columns_of(std::size_t n, std::size_t n_rows, Random& random) {
    std::vector<ldag::Code> codes(n * n_rows);
    std::vector<std::size_t> n_states;
    for (std::size_t i = 0; i < n; ++i) n_states.push_back(2 + random.below(3));
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t source = i == 0 ? 0 : random.below(i);
        for (std::size_t row = 0; row < n_rows; ++row) {
            const bool copies = i > 0 && random.below(3) != 0;
            const std::uint64_t code = copies ? codes[source * n_rows + row] : random.below(n_states[i]);
            codes[i * n_rows + row] = static_cast<ldag::Code>(code % n_states[i]);
        }
    }
    return std::make_shared<ldag::Columns>(codes, n_rows, n_states);
}

struct Search {
    Search(SearchSpace the_space, std::uint64_t seed, const ldag::Structure& structure)
        : random(seed), space(std::move(the_space)), scorer(make_scorer(structure)) {
        options.n_restarts = 30;
        options.tabu_length = 10;
        options.start = space.required;
    }

    ldag::SearchResult run() {
        ldag::Monitor monitor;
        return ldag::search_climb(scorer, space, options, monitor);
    }

    ldag::FamilyScorer make_scorer(const ldag::Structure& structure) {
        ldag::ScorerOptions scored;
        scored.parameter_saved = std::log(0.3);
        scored.structure = &structure;
        return {columns_of(space.n_nodes(), 200, random), scored, 1 << 20};
    }

    Random random;
    SearchSpace space;
    ldag::FamilyScorer scorer;
    ldag::ClimbOptions options;
};

constexpr const ldag::Structure& kTable = ldag::structure_named("table");
constexpr const ldag::Structure& kLdag = ldag::structure_named("ldag");

// The best score of an allowed graph one addition, removal or reversal away.
double best_neighbour(Search& search, const Parents& parents) {
    double best = climb::kNever;
    const auto consider = [&](const Parents& other) {
        if (ldag::is_allowed(search.space, other))
            best = std::max(best, ldag::score_dag(search.scorer, other));
    };
    for (Node child = 0; child < parents.size(); ++child)
        for (Node parent = 0; parent < parents.size(); ++parent) {
            if (parent == child) continue;
            Parents other = parents;
            if (std::erase(other[child], parent) == 0) {
                other[child].insert(std::ranges::lower_bound(other[child], parent), parent);
                consider(other);
                continue;
            }
            consider(other);
            other[parent].insert(std::ranges::lower_bound(other[parent], child), child);
            consider(other);
        }
    return best;
}

bool is_same(const ldag::SearchResult& a, const ldag::SearchResult& b) {
    return a.parents == b.parents && a.score == b.score && a.n_steps == b.n_steps &&
           std::ranges::equal(a.trace, b.trace, [](const ldag::TracePoint& p, const ldag::TracePoint& q) {
               return p.step == q.step && p.score == q.score;
           });
}

TEST(of_the_large_families_of_a_column_the_most_promising_are_scored) {
    constexpr std::size_t kNodes = 17;
    ldag::Random random(3);
    std::vector<ldag::Code> codes(kNodes * 300);
    for (ldag::Code& code : codes) code = static_cast<ldag::Code>(random.below(2));
    const auto columns = std::make_shared<ldag::Columns>(codes, 300, std::vector<std::size_t>(kNodes, 2));
    const SearchSpace space = free_space(kNodes, kNodes - 1);
    const climb::Candidates candidates(space, space.candidates);
    std::atomic<bool> stop = false;
    for (const double kappa : {0.6, 0.99}) {
        ldag::ScorerOptions scored;
        scored.parameter_saved = std::log(kappa);
        ldag::FamilyScorer scorer(columns, scored, 1 << 20);
        climb::ColumnStore store(scorer, space, candidates, 1, stop);
        const auto small = store.find(16, {0, 1, 2, 3});  // 32 configurations with one more
        for (const std::uint32_t place : small->additions) {
            const bool is_guess = !small->is_bound.empty() && small->is_bound[place] != 0;
            CHECK(!is_guess || store.gain(16, *small, place) <= small->gains[place] + 1e-9);
        }
        const auto large = store.find(16, {0, 1, 2, 3, 4});  // 64
        std::size_t n_scored = 0;
        bool gains = false;
        for (const std::uint32_t place : large->additions) {
            if (!large->is_bound.empty() && large->is_bound[place] != 0) {
                CHECK(large->gains[place] <= 0.0);
                continue;
            }
            ++n_scored;
            gains |= large->gains[place] > 0.0;
            CHECK(large->gains[place] == store.gain(16, *large, place));
        }
        CHECK(n_scored == 8 || (n_scored == 4 && gains));
    }
}

TEST(a_climb_ends_where_no_allowed_change_improves) {
    Random random(1);
    for (int repeat = 0; repeat < 12; ++repeat) {
        const std::size_t n = 2 + random.below(6);
        SearchSpace space = repeat % 2 == 0 ? free_space(n, n - 1) : tight_space(n, random);
        Search search(std::move(space), random.next(), repeat % 3 == 0 ? kLdag : kTable);
        for (const std::size_t n_restarts : {0, 30}) {
            search.options.n_restarts = n_restarts;
            const ldag::SearchResult result = search.run();
            CHECK(ldag::is_allowed(search.space, result.parents));
            CHECK(std::abs(result.score - ldag::score_dag(search.scorer, result.parents)) < 1e-7);
            CHECK(best_neighbour(search, result.parents) <= result.score + 1e-7);
            CHECK(!result.stopped && result.trace.back().score == result.score);
        }
    }
}

TEST(restarts_are_the_same_for_any_number_of_threads_and_prolong_each_other) {
    for (const auto structure : {kTable, kLdag}) {
        Search search(free_space(9, 3), 2, structure);
        search.options.n_restarts = 47;  // whole rounds
        const ldag::SearchResult expected = search.run();
        for (const std::size_t n_threads : {2, 3}) {
            Search other(free_space(9, 3), 2, structure);
            other.options.n_restarts = 47;
            other.options.n_threads = n_threads;
            CHECK(is_same(other.run(), expected));
        }
        search.options.n_restarts = 95;
        const ldag::SearchResult longer = search.run();
        CHECK(longer.score >= expected.score && longer.n_steps > expected.n_steps);
        CHECK(std::ranges::equal(expected.trace, std::span(longer.trace).first(expected.trace.size()), {},
                                 &ldag::TracePoint::step, &ldag::TracePoint::step));
    }
}

// Columns of a search's space, and a graph without other edges than those required.
struct Graphs {
    explicit Graphs(Search& search)
        : candidates(search.space, climb::select_candidates(search.scorer, search.space, search.options,
                                                            search.space.required, stop)),
          store(search.scorer, search.space, candidates, 1, stop),
          graph(store, store.find_all(search.space.required)) {}

    std::atomic<bool> stop{false};
    climb::Candidates candidates;
    climb::ColumnStore store;
    climb::Graph graph;
};

// Whether the kept ancestors are what the parents say.
bool has_right_ancestors(const climb::Graph& graph) {
    const std::size_t n = graph.n_nodes();
    std::vector<std::vector<bool>> above(n, std::vector<bool>(n));
    for (std::size_t round = 0; round < n; ++round)
        for (Node child = 0; child < n; ++child)
            for (const Node parent : graph.column(child).parents) {
                above[child][parent] = true;
                for (Node node = 0; node < n; ++node)
                    if (above[parent][node]) above[child][node] = true;
            }
    for (Node node = 0; node < n; ++node)
        for (Node other = 0; other < n; ++other)
            if (graph.is_above(other, node) != above[node][other]) return false;
    return true;
}

TEST(every_disturbed_graph_is_allowed_and_knows_its_best_improvement) {
    Random random(3);
    for (const std::size_t n : {4, 7, 70}) {
        Search search(n == 4 ? free_space(n, 3) : tight_space(n, random), random.next(), kTable);
        Graphs graphs(search);
        climb::Graph& graph = graphs.graph;
        for (int i = 0; i < 60; ++i) {
            climb::disturb(graph, random);
            CHECK(ldag::is_allowed(search.space, graph.parents()));
            CHECK(has_right_ancestors(graph));
            if (n > 10 && i % 20 != 0) continue;
            const std::optional<climb::PlacedMove> move = graph.best_improvement();
            const double gain = best_neighbour(search, graph.parents()) - graph.score();
            CHECK(move ? std::abs(move->gain - gain) < 1e-7 : gain < 1e-7);
            if (move && random.below(2) == 0) CHECK(graph.make(*move));
        }
    }
}

TEST(of_more_than_512_additions_64_that_lose_are_kept) {
    for (const std::size_t n : {513, 514}) {
        Search search(free_space(n, 2), 4, kTable);
        climb::Candidates candidates(search.space, search.space.candidates);
        std::atomic<bool> stop{false};
        const climb::ColumnStore store(search.scorer, search.space, candidates, 1, stop);
        const climb::ColumnPointer column = store.make(0, {}, 1);
        const auto gains =
            std::ranges::count_if(column->gains, [](double gain) { return gain > ldag::kTie; });
        const std::size_t n_kept = n == 513 ? 512 : static_cast<std::size_t>(gains) + 64;
        CHECK(column->is_cut == (n == 514));
        CHECK(column->additions.size() == n_kept);
        double worst = std::numeric_limits<double>::infinity();
        for (const std::uint32_t place : column->additions) {
            CHECK(column->gains[place] <= worst);
            worst = column->gains[place];
        }
        CHECK(n_kept == 512 || std::ranges::count_if(column->gains, [&](double gain) {
                                   return gain > worst;
                               }) < static_cast<std::ptrdiff_t>(n_kept));
    }
}

TEST(bounds_of_additions_are_above_the_scores_and_below_the_floor) {
    std::size_t n_bounds = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Search search(free_space(8, 3), seed, kLdag);
        Search fresh(free_space(8, 3), seed, kLdag);
        const std::vector<Node> parents{0, 2};
        const std::vector<Node> further{1, 3, 4, 5, 6};
        const double floor = search.scorer.score({7, parents});
        std::vector<double> bounds(further.size());
        std::vector<double> scores(further.size());
        std::vector<std::uint8_t> is_bound(further.size(), 0);
        search.scorer.bounds_of_additions({7, parents}, further, floor, bounds, is_bound);
        fresh.scorer.scores_of_additions({7, parents}, further, scores);
        for (std::size_t i = 0; i < further.size(); ++i) {
            CHECK(is_bound[i] != 0 ? scores[i] <= bounds[i] && bounds[i] <= floor : scores[i] == bounds[i]);
            n_bounds += is_bound[i];
        }
    }
    CHECK(n_bounds > 0);
}

TEST(a_combination_takes_over_each_part_that_is_better) {
    Random random(9);
    int n_mixed = 0;
    for (int repeat = 0; repeat < 30; ++repeat) {
        Search search(free_space(8, 3), random.next(), kTable);
        Graphs graphs(search);
        Parents two[2];
        for (Parents& parents : two) {
            for (int i = 0; i < 6; ++i) climb::disturb(graphs.graph, random);
            parents = graphs.graph.parents();
        }
        const Parents both = climb::combine(search.scorer, two[0], two[1]);
        CHECK(ldag::is_allowed(search.space, both));
        CHECK(ldag::score_dag(search.scorer, both) >= ldag::score_dag(search.scorer, two[0]) - 1e-7);
        for (Node node = 0; node < 8; ++node) CHECK(both[node] == two[0][node] || both[node] == two[1][node]);
        n_mixed += both != two[0] && both != two[1] ? 1 : 0;
    }
    CHECK(n_mixed > 0);
}

TEST(fingerprints_tell_graphs_and_not_the_way_to_them) {
    Search search(free_space(5, 4), 4, kTable);
    Graphs graphs(search);
    climb::Graph& graph = graphs.graph;
    const std::uint64_t empty = graph.fingerprint();
    CHECK(graph.make(graph.move(1, graphs.candidates.place(1, 0), ldag::MoveKind::add)));
    CHECK(graph.make(graph.move(1, graphs.candidates.place(1, 3), ldag::MoveKind::add)));
    CHECK(graph.fingerprint() != empty && graph.children(0) == std::vector<Node>{1});
    CHECK(graph.clear(1));
    CHECK(graph.fingerprint() == empty && graph.parents() == Parents(5));
}

TEST(a_required_family_that_does_not_fit_is_kept) {
    Search search(free_space(12, 11), 7, kTable);
    for (Node parent = 0; parent < 11; ++parent) search.space.required[11].push_back(parent);
    search.options.start = search.space.required;
    search.options.start[1] = {0};
    const ldag::SearchResult result = search.run();
    CHECK(result.score == climb::kNever && ldag::is_allowed(search.space, result.parents));
}

TEST(screened_candidates_keep_what_must_stay) {
    Search search(free_space(12, 3), 5, kTable);
    search.space.required[3] = {7};
    std::erase(search.space.candidates[7], 3);
    search.options.start = Parents(12);
    search.options.start[3] = {0, 7};
    search.options.max_candidates = 2;
    std::atomic<bool> stop{false};
    const climb::Candidates candidates(
        search.space,
        climb::select_candidates(search.scorer, search.space, search.options, search.options.start, stop));
    for (Node node = 0; node < 12; ++node)
        CHECK(candidates.of(node).size() <= (node == 3 ? 4u : node == 0 || node == 7 ? 3u : 2u));
    CHECK(candidates.place(3, 0) != climb::kNone && candidates.place(3, 7) != climb::kNone);
    CHECK(candidates.is_required(3, candidates.place(3, 7)));
    CHECK(ldag::is_allowed(search.space, search.run().parents));
}

TEST(a_stopped_climb_returns_the_best_so_far) {
    using namespace std::chrono_literals;
    Search search(free_space(12, 11), 6, kTable);
    search.options.n_restarts = 1'000'000'000;
    ldag::Monitor monitor;
    const auto begun = std::chrono::steady_clock::now();
    int n_polls = 0;
    monitor.poll = [&] { return ++n_polls == 3; };
    const ldag::SearchResult result =
        ldag::search_climb(search.scorer, search.space, search.options, monitor);
    CHECK(std::chrono::steady_clock::now() - begun < 10s);
    CHECK(result.stopped && result.n_steps >= monitor.done && result.score == monitor.best);
    CHECK(ldag::is_allowed(search.space, result.parents));
    CHECK(std::abs(result.score - ldag::score_dag(search.scorer, result.parents)) < 1e-7);
}

TEST(looking_around_ends_when_it_was_too_much_work) {
    Search search(free_space(8, 4), 5, kLdag);
    Parents chain(8);
    for (Node child = 1; child < 8; ++child) chain[child] = {child - 1};
    const climb::Candidates all(search.space, search.space.candidates);
    std::atomic<bool> stop{false};
    climb::ColumnStore store(search.scorer, search.space, all, 1, stop);
    const climb::Graph graph(store, store.find_all(chain));
    const auto look = [&](std::size_t most) {
        climb::FamilyPool pool(8);
        const std::size_t work = pool.look_around(7, {}, graph, store, most);
        return std::pair(work, pool.list().size());
    };
    const auto [all_work, n_all] = look(1 << 20);
    const auto [some_work, n_some] = look(1);
    CHECK(some_work > 1 && some_work < all_work);
    CHECK(n_some > 0 && n_some <= n_all);
    CHECK(look(all_work) == look(1 << 20));
}

TEST(few_rounds_follow_where_looking_around_took_long) {
    const SearchSpace space = free_space(10, 9);  // a usual first climb: 8 * 10 * 9 looks
    ldag::ClimbOptions options;
    options.n_restarts = 1'000'000;
    options.patience = 2;
    const climb::Pace pace(space, options);
    ldag::ClimbState state;
    state.best.parents = Parents(10);
    state.n_first = 500;
    const auto n_rounds = [&](std::uint64_t n_around) {
        state.n_around = n_around;
        return pace.n_restarts(state) / pace.per_round(state);
    };
    CHECK(n_rounds(5 * 720) == 1'000'000 / pace.per_round(state));
    CHECK(n_rounds(5 * 720 + 1) == 3);
    CHECK(n_rounds(8 * 720) == 2);
    CHECK(n_rounds(8 * 720 + 1) == 1);
    CHECK(n_rounds(1000 * 720) == 1);
    options.patience = 0;  // who says how many gets as many
    CHECK(climb::Pace(space, options).n_restarts(state) == 1'000'000);
}

TEST(sums_of_large_scores_in_another_order_do_not_beat_each_other) {
    CHECK(ldag::beats(-100.0, -100.0 - 2e-9));
    CHECK(!ldag::beats(-100.0, -100.0 - 5e-10));
    CHECK(!ldag::beats(-1e8, -1e8 - 1e-6));
    CHECK(ldag::beats(-1e8, -1e8 - 1e-5));
    CHECK(ldag::beats(-1e8, -std::numeric_limits<double>::infinity()));
}

}  // namespace
