#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "searching/climb_pool.hpp"
#include "tests/check.hpp"

namespace {

using ldag::Node;
using ldag::Parents;
using ldag::PooledFamily;
using ldag::Random;
namespace climb = ldag::climb;

// Families of some nodes with random parents and scores; every node may be without parents.
std::vector<PooledFamily> random_families(std::size_t n, std::size_t n_each, Random& random) {
    std::vector<PooledFamily> families;
    for (Node node = 0; node < n; ++node) {
        families.push_back({node, {}, -10.0 * random.uniform()});
        for (std::size_t i = 0; i < n_each; ++i) {
            PooledFamily family{node, {}, -10.0 * random.uniform()};
            for (Node parent = 0; parent < n; ++parent)
                if (parent != node && random.below(3) == 0) family.parents.push_back(parent);
            families.push_back(std::move(family));
        }
    }
    return families;
}

climb::FamilyPool pool_of(std::size_t n, const std::vector<PooledFamily>& families) {
    climb::FamilyPool pool(n);
    for (const PooledFamily& family : families) pool.add(family);
    return pool;
}

// The best sum over all orders, each node with its best family among those before it.
double best_of_all_orders(std::size_t n, const std::vector<PooledFamily>& families) {
    std::vector<Node> order(n);
    std::iota(order.begin(), order.end(), Node{0});
    double best = climb::kNever;
    do {
        std::vector<double> scores(n, climb::kNever);
        for (const PooledFamily& family : families) {
            const auto place = [&](Node node) { return std::ranges::find(order, node); };
            if (std::ranges::all_of(family.parents, [&](Node p) { return place(p) < place(family.node); }))
                scores[family.node] = std::max(scores[family.node], family.score);
        }
        best = std::max(best, std::accumulate(scores.begin(), scores.end(), 0.0));
    } while (std::ranges::next_permutation(order).found);
    return best;
}

// The sum of a graph's families, which must be among those listed.
double total(const std::vector<PooledFamily>& families, const Parents& parents) {
    double sum = 0.0;
    for (Node node = 0; node < parents.size(); ++node) {
        double own = climb::kNever;
        for (const PooledFamily& family : families)
            if (family.node == node && family.parents == parents[node]) own = std::max(own, family.score);
        sum += own;
    }
    return sum;
}

TEST(a_pool_keeps_the_sets_that_beat_their_subsets_best_first) {
    Random random(1);
    for (int repeat = 0; repeat < 20; ++repeat) {
        const std::vector<PooledFamily> families = random_families(5, 30, random);
        const climb::FamilyPool pool = pool_of(5, families);
        for (Node node = 0; node < 5; ++node) {
            std::vector<double> expected;
            for (const PooledFamily& family : families) {
                const auto beats = [&](const PooledFamily& other) {
                    return other.node == node && other.score > family.score &&
                           std::ranges::includes(family.parents, other.parents);
                };
                if (family.node == node && std::ranges::none_of(families, beats))
                    expected.push_back(family.score);
            }
            std::ranges::sort(expected, std::greater());
            CHECK(std::ranges::equal(pool.of(node), expected, {}, &climb::FamilyPool::Set::score));
        }
        const std::vector<PooledFamily> listed = pool.list();
        const climb::FamilyPool again = pool_of(5, listed);
        CHECK(std::ranges::equal(again.list(), listed, [](const PooledFamily& a, const PooledFamily& b) {
            return a.node == b.node && a.parents == b.parents && a.score == b.score;
        }));
    }
}

TEST(a_search_over_orders_finds_the_best_of_all_orders) {
    Random random(2);
    const std::atomic<bool> stop{false};
    for (int repeat = 0; repeat < 30; ++repeat) {
        const std::size_t n = 2 + random.below(5);
        const std::vector<PooledFamily> families = random_families(n, 12, random);
        const climb::PoolIndex pool{pool_of(n, families)};
        const Parents none(n);
        const bool turns = repeat % 2 == 0;
        const Parents first = climb::search_orders(pool, none, 0, turns, random, stop);
        CHECK(ldag::is_acyclic(first) && total(families, first) >= total(families, none) - 1e-9);
        const Parents result = climb::search_orders(pool, first, 200, turns, random, stop);
        CHECK(ldag::is_acyclic(result));
        CHECK(std::abs(total(families, result) - best_of_all_orders(n, families)) < 1e-9);
    }
}

TEST(a_graph_with_a_node_that_no_set_of_the_pool_fits_is_returned_as_it_is) {
    Random random(3);
    const std::atomic<bool> stop{false};
    const climb::PoolIndex pool{pool_of(3, {{0, {1}, -1.0}, {1, {0}, -2.0}, {2, {1}, -3.0}})};
    const Parents start{{2}, {}, {}};
    CHECK(climb::search_orders(pool, start, 10, true, random, stop) == start);
}

}  // namespace
