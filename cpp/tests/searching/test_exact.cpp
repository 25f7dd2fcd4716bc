#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "searching/exact_component.hpp"
#include "tests/check.hpp"

namespace {

using ldag::Node;
using ldag::NodeSet;
using ldag::Parents;

ldag::SearchSpace all_dags(std::size_t n, std::size_t max_parents) {
    ldag::SearchSpace space{Parents(n), Parents(n), std::vector<std::size_t>(n, max_parents)};
    for (Node node = 0; node < n; ++node)
        for (Node other = 0; other < n; ++other)
            if (other != node) space.candidates[node].push_back(other);
    return space;
}

// Random parent sets with random scores, best first, among the candidates of each node; the worst is empty.
std::vector<ldag::RankedSets> random_sets(const ldag::SearchSpace& space, std::size_t n_sets,
                                          std::mt19937& rng) {
    std::vector<ldag::RankedSets> all(space.n_nodes());
    for (std::size_t node = 0; node < all.size(); ++node) {
        const NodeSet possible = (NodeSet{1} << space.candidates[node].size()) - 1;
        for (std::size_t i = 0; i < n_sets; ++i) all[node].sets.push_back(rng() & rng() & possible);
        all[node].sets.push_back(0);
        for (std::size_t i = 0; i <= n_sets; ++i)
            all[node].scores.push_back(static_cast<double>(rng() % 1000) / 8.0);
        std::ranges::sort(all[node].scores, std::greater<>());
        all[node].scores.push_back(-std::numeric_limits<double>::infinity());
    }
    return all;
}

// The parents of a node as bits of all nodes.
NodeSet node_bits(const ldag::SearchSpace& space, std::size_t node, NodeSet set) {
    NodeSet bits = 0;
    for (; set != 0; set &= set - 1)
        bits |= NodeSet{1} << space.candidates[node][static_cast<std::size_t>(std::countr_zero(set))];
    return bits;
}

// best(W) for the whole set, looking through all parent sets each time.
double slow_best(const ldag::SearchSpace& space, const std::vector<ldag::RankedSets>& ranked) {
    const std::size_t n = space.n_nodes();
    std::vector<double> best(std::size_t{1} << n, -std::numeric_limits<double>::infinity());
    best[0] = 0.0;
    for (NodeSet nodes = 1; nodes < best.size(); ++nodes)
        for (NodeSet rest = nodes; rest != 0; rest &= rest - 1) {
            const auto node = static_cast<std::size_t>(std::countr_zero(rest));
            const NodeSet others = nodes & ~(NodeSet{1} << node);
            for (std::size_t i = 0; i < ranked[node].sets.size(); ++i)
                if ((node_bits(space, node, ranked[node].sets[i]) & ~others) == 0) {
                    best[nodes] = std::max(best[nodes], best[others] + ranked[node].scores[i]);
                    break;
                }
        }
    return best.back();
}

std::vector<Node> first_nodes(std::size_t n) {
    std::vector<Node> nodes(n);
    for (Node node = 0; node < n; ++node) nodes[node] = node;
    return nodes;
}

using Best = decltype(ldag::best_in_component)*;

void check_component(const ldag::SearchSpace& space, const std::vector<ldag::RankedSets>& ranked,
                     Best best = ldag::best_in_component) {
    const std::size_t n = space.n_nodes();
    std::vector<std::vector<std::size_t>> result;
    for (const std::size_t n_threads : {1, 3}) {
        ldag::Monitor monitor;
        double slack = 1e-9;
        const auto ranks = best(space, ranked, first_nodes(n), slack, n_threads, monitor);
        CHECK(ranks.has_value());
        CHECK(slack >= 0.0);
        if (!ranks) return;
        result.push_back(*ranks);
    }
    CHECK(result[0] == result[1]);
    double score = 0.0;
    Parents parents(n);
    for (std::size_t node = 0; node < n; ++node) {
        score += ranked[node].scores[result[0][node]];
        for (NodeSet set = ranked[node].sets[result[0][node]]; set != 0; set &= set - 1)
            parents[node].push_back(space.candidates[node][static_cast<std::size_t>(std::countr_zero(set))]);
    }
    CHECK(ldag::is_allowed(space, parents));
    CHECK(std::abs(score - slow_best(space, ranked)) < 1e-8);
}

TEST(the_best_order_is_found_in_small_components) {
    std::mt19937 rng(1);
    for (int repeat = 0; repeat < 200; ++repeat) {
        const std::size_t n = 1 + rng() % 9;
        const ldag::SearchSpace space = all_dags(n, n);
        check_component(space, random_sets(space, rng() % 20, rng));
    }
}

TEST(the_best_order_is_found_with_few_candidates) {
    std::mt19937 rng(2);
    for (int repeat = 0; repeat < 200; ++repeat) {
        ldag::SearchSpace space = all_dags(2 + rng() % 9, 20);
        for (std::vector<Node>& candidates : space.candidates)
            std::erase_if(candidates, [&](Node) { return rng() % 3 == 0; });
        check_component(space, random_sets(space, rng() % 20, rng));
    }
}

// Random required edges along a random order, in every parent set.
void require_some(const ldag::SearchSpace& space, std::vector<ldag::RankedSets>& ranked, std::mt19937& rng) {
    std::vector<Node> order = first_nodes(space.n_nodes());
    std::shuffle(order.begin(), order.end(), rng);
    for (std::size_t node = 0; node < ranked.size(); ++node) {
        NodeSet needed = 0;
        for (std::size_t i = 0; i < space.candidates[node].size(); ++i)
            if (order[space.candidates[node][i]] < order[node] && rng() % 3 == 0) needed |= NodeSet{1} << i;
        for (NodeSet& set : ranked[node].sets) set |= needed;
    }
}

TEST(the_best_order_is_found_with_required_parents) {
    std::mt19937 rng(4);
    for (int repeat = 0; repeat < 300; ++repeat) {
        const std::size_t n = repeat < 298 ? 1 + rng() % 10 : 17;
        ldag::SearchSpace space = all_dags(n, n);
        if (rng() % 2 == 0)
            for (std::vector<Node>& candidates : space.candidates)
                std::erase_if(candidates, [&](Node) { return rng() % 3 == 0; });
        std::vector<ldag::RankedSets> ranked = random_sets(space, rng() % 20, rng);
        require_some(space, ranked, rng);
        check_component(space, ranked);
    }
}

TEST(the_best_order_is_found_layer_by_layer) {
    std::mt19937 rng(5);
    for (int repeat = 0; repeat < 40; ++repeat) {
        ldag::SearchSpace space = all_dags(2 + rng() % 8, 20);
        if (rng() % 2 == 0)
            for (std::vector<Node>& candidates : space.candidates)
                std::erase_if(candidates, [&](Node) { return rng() % 3 == 0; });
        // More sets than are tested 64 at a time, in one of the cases.
        std::vector<ldag::RankedSets> ranked = random_sets(space, repeat == 0 ? 3000 : rng() % 100, rng);
        if (rng() % 2 == 0) require_some(space, ranked, rng);
        check_component(space, ranked, ldag::best_by_layers);
    }
}

TEST(sets_of_many_nodes_are_found_layer_by_layer) {
    // Eleven triples of nodes, each of which scores most on a cycle and loses one edge.
    const ldag::SearchSpace space = all_dags(33, 1);
    const double none = -std::numeric_limits<double>::infinity();
    std::vector<ldag::RankedSets> ranked;
    for (Node node = 0; node < 33; ++node) {
        const Node parent = node / 3 * 3 + (node + 1) % 3;
        const auto place = static_cast<std::size_t>(parent < node ? parent : parent - 1);
        ranked.push_back({{NodeSet{1} << place, 0}, {0.0, -1.0 - node % 3, none}});
    }
    ldag::Monitor monitor;
    double slack = 1e-9;
    const auto ranks = ldag::best_by_layers(space, ranked, first_nodes(33), slack, 2, monitor);
    for (std::size_t node = 0; node < 33; ++node) CHECK((*ranks)[node] == (node % 3 == 0 ? 1 : 0));
}

// The least that a search for larger components must know about smaller ones.
TEST(bounds_hold_and_orders_are_orders) {
    std::mt19937 rng(6);
    for (int repeat = 0; repeat < 20; ++repeat) {
        const std::size_t n = 2 + rng() % 7;
        const ldag::SearchSpace space = all_dags(n, n);
        const std::vector<ldag::RankedSets> ranked = random_sets(space, rng() % 100, rng);
        std::vector<ldag::NodeFamilies> families;
        double best_of_all = 0.0;
        for (Node node = 0; node < n; ++node) {
            families.emplace_back(ranked[node], ldag::places_of(space.candidates[node], first_nodes(n)), n);
            best_of_all += ranked[node].scores[0];
        }
        const double best = slow_best(space, ranked) - best_of_all;
        ldag::Monitor monitor;
        const ldag::OrderBound bound(families, best, 1, monitor);
        CHECK(bound.may_exceed(best - 1e-6, 0.0, (NodeSet{1} << n) - 1));
        CHECK(!bound.may_exceed(0.0, 0.0, (NodeSet{1} << n) - 1));
        ldag::NodeOrder order = ldag::climb_orders(families, monitor.stop);
        CHECK(order.score <= best + 1e-6);
        std::ranges::sort(order.nodes);
        for (std::size_t node = 0; node < n; ++node) CHECK(order.nodes[node] == node);
    }
}

TEST(the_best_order_is_found_in_large_components) {
    std::mt19937 rng(3);
    for (const std::size_t n : {17, 18}) {
        ldag::SearchSpace space = all_dags(n, n);
        check_component(space, random_sets(space, 30, rng));
        for (std::vector<Node>& candidates : space.candidates)
            std::erase_if(candidates, [&](Node) { return rng() % 3 == 0; });
        check_component(space, random_sets(space, 30, rng));
    }
}

TEST(ties_go_to_early_nodes_and_small_sets) {
    // Two nodes, all four parent sets worth the same: no edge. Without the empty set of node 1: 0 -> 1.
    const ldag::SearchSpace space = all_dags(2, 1);
    const double none = -std::numeric_limits<double>::infinity();
    std::vector<ldag::RankedSets> ranked{{{1, 0}, {2.0, 2.0, none}}, {{1, 0}, {2.0, 2.0, none}}};
    ldag::Monitor monitor;
    double slack = 1e-9;
    auto ranks = ldag::best_in_component(space, ranked, first_nodes(2), slack, 1, monitor);
    CHECK((*ranks == std::vector<std::size_t>{1, 1}));
    ranked[0].scores = ranked[1].scores = {2.0, 1.0, none};  // one edge, either way
    ranks = ldag::best_in_component(space, ranked, first_nodes(2), slack, 1, monitor);
    CHECK((*ranks == std::vector<std::size_t>{1, 0}));
    CHECK(ldag::comes_first(0b100, 0b011));
    CHECK(ldag::comes_first(0b101, 0b110));
    CHECK(ldag::comes_first(0b1001, 0b0110));
    CHECK(!ldag::comes_first(0b110, 0b101));
}

TEST(components_are_strongly_connected) {
    const Parents parents{{1}, {2}, {0, 5}, {2, 4}, {3}, {}, {5}};
    Parents result = ldag::components(parents);
    std::ranges::sort(result);
    CHECK((result == Parents{{0, 1, 2}, {3, 4}, {5}, {6}}));
    CHECK(ldag::components({}).empty());
}

TEST(parent_sets_are_counted) {
    ldag::SearchSpace space = all_dags(20, 4);
    CHECK(ldag::n_parent_sets(space, 3) == 1 + 19 + 171 + 969 + 3876);
    space.required[3] = {0, 7};
    CHECK(ldag::n_parent_sets(space, 3) == 1 + 17 + 136);
    CHECK(ldag::n_parent_sets(all_dags(30, 100), 0) == std::uint64_t{1} << 29);
    CHECK(ldag::n_parent_sets(all_dags(100, 100), 0) == std::numeric_limits<std::uint64_t>::max());
}

TEST(costs_count_what_constraints_leave) {
    const ldag::ExactCost free = ldag::exact_cost(all_dags(20, 4));
    CHECK(free.n_families == 20 * 5036);
    CHECK(free.bytes == free.n_families * 24 + 20 * (2u << 19) + (8u << 20));
    ldag::SearchSpace tiers = all_dags(20, 4);  // nodes 10 and above only after those below
    for (Node node = 0; node < 10; ++node)
        std::erase_if(tiers.candidates[node], [](Node n) { return n >= 10; });
    CHECK(ldag::exact_cost(tiers).bytes < free.bytes / 10);
    CHECK(ldag::exact_cost(all_dags(200, 200)).bytes == std::numeric_limits<std::uint64_t>::max());
}

struct Data {
    std::shared_ptr<const ldag::Columns> columns;
    ldag::FamilyScorer scorer;

    explicit Data(std::size_t n, std::size_t n_rows = 200)
        : columns(make(n, n_rows)),
          scorer(columns, {.parameter_saved = std::log(0.3), .regular = false}, 1 << 20) {}

    static std::shared_ptr<const ldag::Columns> make(std::size_t n, std::size_t n_rows) {
        std::mt19937 rng(7);
        std::vector<std::size_t> n_states;
        std::vector<ldag::Code> codes;
        for (std::size_t node = 0; node < n; ++node) {
            n_states.push_back(2 + node % 3);
            for (std::size_t row = 0; row < n_rows; ++row) {
                const unsigned before = node == 0 ? 0 : codes[codes.size() - n_rows];
                codes.push_back(static_cast<ldag::Code>((rng() % 3 == 0 ? rng() : before) % n_states[node]));
            }
        }
        return std::make_shared<ldag::Columns>(codes, n_rows, n_states);
    }
};

TEST(the_result_is_the_score_of_the_graph_for_any_threads) {
    Data data(8);
    ldag::SearchSpace space = all_dags(8, 3);
    space.required[2] = {4};
    std::erase(space.candidates[0], Node{1});
    ldag::SearchResult first;
    for (const std::size_t n_threads : {1, 2, 4}) {
        ldag::Monitor monitor;
        const ldag::SearchResult result = ldag::search_exact(data.scorer, space, {n_threads}, monitor);
        if (n_threads == 1) first = result;
        CHECK(!result.stopped);
        CHECK(ldag::is_allowed(space, result.parents));
        CHECK(result.score == ldag::score_dag(data.scorer, result.parents));
        CHECK(result.score == first.score && result.parents == first.parents);
        CHECK(result.n_steps == monitor.total && monitor.done == monitor.total);
        CHECK(result.trace.back().score == result.score && monitor.best == result.score);
    }
}

TEST(stopped_at_any_time_an_allowed_graph_comes_back) {
    Data data(9);
    ldag::SearchSpace space = all_dags(9, 3);
    space.required[1] = {6};
    space.required[0] = {1, 6};
    for (const int n_polls : {0, 1}) {
        ldag::Monitor monitor;
        int asked = 0;
        monitor.stop = n_polls == 0;
        monitor.poll = [&] { return ++asked >= n_polls; };
        const ldag::SearchResult result = ldag::search_exact(data.scorer, space, {1}, monitor);
        CHECK(result.stopped == monitor.stop);
        CHECK(ldag::is_allowed(space, result.parents));
        CHECK(result.score == ldag::score_dag(data.scorer, result.parents));
        if (n_polls == 0) CHECK(result.n_steps == 9);
    }
}

TEST(a_space_without_nodes_or_edges_is_solved) {
    Data data(3);
    ldag::Monitor monitor;
    ldag::SearchSpace space{Parents(3), Parents(3), {0, 0, 0}};
    const ldag::SearchResult result = ldag::search_exact(data.scorer, space, {2}, monitor);
    CHECK((result.parents == Parents(3)));
    CHECK(result.n_steps == 3);
}

}  // namespace
