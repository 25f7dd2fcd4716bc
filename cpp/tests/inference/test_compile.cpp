// Orders of elimination, limits and stops of compiling.
#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "inference/compile.hpp"
#include "inference/elimination.hpp"
#include "inference/order_search.hpp"
#include "support/random.hpp"
#include "tests/check.hpp"
#include "tests/inference/circuit_networks.hpp"

namespace {

using namespace circuits;

TEST(orders_are_permutations_of_the_free_nodes) {
    for (std::uint64_t seed = 300; seed < 330; ++seed) {
        const Network network = random_network(seed);
        const std::vector<std::uint8_t> fixed = random_rows(network, 1, seed);
        std::vector<std::uint32_t> free;
        for (std::uint32_t node = 0; node < network.size(); ++node)
            if (fixed[node] == kUnobserved) free.push_back(node);
        const auto orders = ldag::elimination_orders(network.shape(fixed), 3, seed, 3);
        CHECK(!orders.empty() && orders.size() <= 3);  // one if nothing is free
        for (std::vector<std::uint32_t> order : orders) {
            std::ranges::sort(order);
            CHECK(order == free);
        }
    }
}

// 140 nodes of 255 states that are all in tables with each other: more cells than a double can count.
ldag::NetworkShape clique() {
    ldag::NetworkShape shape{std::vector<std::uint32_t>(140, 255), {}, Row(140, kUnobserved)};
    for (std::uint32_t node = 0; node < 140; ++node) {
        shape.families.emplace_back();
        for (std::uint32_t other = 0; other < node; ++other) shape.families.back().parents.push_back(other);
    }
    return shape;
}

TEST(orders_are_complete_whatever_the_tables) {
    for (const auto& order : ldag::elimination_orders(clique(), 2, 1, 3)) CHECK(order.size() == 140);
}

TEST(looking_for_orders_can_be_stopped) {
    ldag::NetworkShape shape{std::vector<std::uint32_t>(600, 2), {}, Row(600, kUnobserved)};
    ldag::Random random(5);
    for (std::uint32_t node = 0; node < 600; ++node) {
        shape.families.emplace_back();
        for (std::uint32_t k = 0; k < 4 && node > 8; ++k)
            shape.families.back().parents.push_back(static_cast<std::uint32_t>(random.below(node)));
    }
    int n_polls = 0;
    bool stopped = false;
    try {
        ldag::elimination_orders(shape, 10, 1, 3, [&] { return ++n_polls == 2; });
    } catch (const ldag::EliminationStopped&) {
        stopped = true;
    }
    CHECK(stopped && n_polls == 2);
}

TEST(a_circuit_too_large_says_where) {
    const Network network = grid(9);
    const ldag::NetworkShape shape = network.shape();
    const auto order = ldag::elimination_orders(shape, 2, 1, 1).at(0);
    bool refused = false;
    try {
        ldag::compile(shape, order, {20000, {}});
    } catch (const ldag::CircuitTooLarge& error) {
        refused = true;
        CHECK(error.node < 81 && error.scope.size() >= 3 && error.scope.size() < 20);
        CHECK(std::ranges::find(error.scope, error.node) == error.scope.end());
        CHECK(error.scope == ldag::elimination_scope(shape, order, error.node));
    }
    CHECK(refused);
    const auto circuit = ldag::compile(shape, order, {std::numeric_limits<std::size_t>::max(), {}});
    CHECK(circuit.terms.size() > 20000 / 3);
}

TEST(a_chain_has_a_sum_for_every_state_of_the_one_before) {
    const Network network = chain(10, 0.1);
    std::vector<std::uint32_t> order;
    for (std::uint32_t node = 10; node-- > 0;) order.push_back(node);
    const auto shape = network.shape();
    const auto result = ldag::improve_orders(shape, {order}, {}).at(0);
    CHECK(near(result.n_products, 9 * 9 + 3) && result.node == 9 &&
          result.cut == std::vector<std::uint32_t>{8});
    CHECK(result.order == order);
}

// A node with parents of which only the number of ones counts: that many things can be left, not all their
// states. Where there are many states, contexts are drawn, and how many rare ones are missed is guessed.
TEST(classes_make_a_circuit_small) {
    for (const std::uint32_t n_parents : {10U, 15U}) {
        Network network;
        std::vector<std::uint32_t> order = {n_parents};
        for (std::uint32_t node = n_parents; node-- > 0;) order.push_back(node);
        for (std::uint32_t node = 0; node < n_parents; ++node) network.add(2, {}, {0}, {0.5, 0.5});
        std::vector<std::int32_t> classes;
        for (std::uint32_t cell = 0; cell < 1U << n_parents; ++cell) classes.push_back(std::popcount(cell));
        std::vector<double> table;
        for (std::uint32_t c = 0; c <= n_parents; ++c)
            table.insert(table.end(), {0.05 * (c + 1), 1 - 0.05 * (c + 1)});
        std::vector<std::uint32_t> above(order.rbegin(), order.rend() - 1);
        network.add(2, above, classes, table);
        const auto shape = network.shape();
        const auto result = ldag::improve_orders(shape, {order}, {}).at(0);
        double expected = 0.0;
        for (std::uint32_t n_above = 0; n_above <= n_parents; ++n_above)
            expected += 2 * std::min(1U << n_above, n_above + 1);
        if (n_parents == 10)
            CHECK(near(result.n_products, expected) && result.node == 10);
        else
            CHECK(result.n_products < 1.2 * expected && result.n_products > 0.8 * expected);
        const double counted = ldag::count_products(shape, order);
        CHECK(counted < 1.2 * expected && counted > 0.8 * expected);
    }
}

// Five nodes that copy five others, eliminated as if they were all one: each beside its own is best.
TEST(orders_get_better_and_stay_whole) {
    Network network;
    for (std::uint32_t node = 0; node < 10; ++node) {
        if (node < 5)
            network.add(2, {}, {0}, {0.3, 0.7});
        else
            network.add(2, {node - 5, (node - 4) % 5}, {0, 1, 2, 3},
                        {0.1, 0.9, 0.2, 0.8, 0.4, 0.6, 0.7, 0.3});
    }
    const auto shape = network.shape();
    std::vector<std::uint32_t> order = {0, 2, 4, 1, 3, 5, 6, 7, 8, 9};
    const auto before = ldag::improve_orders(shape, {order}, {}).at(0);
    const auto after = ldag::improve_orders(shape, {order}, {.per_product = 100.0}).at(0);
    CHECK(after.n_products < before.n_products);
    const auto again = ldag::improve_orders(shape, {after.order}, {}).at(0);
    CHECK(near(again.n_products, after.n_products));
    auto sorted = after.order;
    std::ranges::sort(sorted);
    std::ranges::sort(order);
    CHECK(sorted == order);
}

TEST(a_family_too_large_is_named) {
    const Network network = random_network(1);
    bool refused = false;
    try {
        compiled(network, {}, 0, 1);
    } catch (const ldag::CircuitTooLarge& error) {
        refused = true;
        CHECK(error.scope == network.parents[error.node]);
    }
    CHECK(refused);
}

TEST(compiling_can_be_stopped) {
    const Network network = grid(9);
    const ldag::NetworkShape shape = network.shape();
    const auto order = ldag::elimination_orders(shape, 1, 1, 1).at(0);
    int n_polls = 0;
    bool stopped = false;
    try {
        ldag::compile(shape, order, {100000000, [&] { return ++n_polls == 2; }});
    } catch (const ldag::CompileStopped&) {
        stopped = true;
    }
    CHECK(stopped && n_polls == 2);
}

}  // namespace
