// Orders of elimination, limits and stops of compiling.
#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "check.hpp"
#include "circuit_networks.hpp"
#include "inference/bound.hpp"
#include "inference/compile.hpp"
#include "inference/elimination.hpp"
#include "support/random.hpp"

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
    const ldag::CircuitBound bound = ldag::bound_circuit(network.shape(), order);
    CHECK(near(bound.n_terms, 9 * 9 + 3) && bound.node == 9);
}

// A node with ten parents of which only the number of ones counts: eleven things can be left, not 2^10.
TEST(classes_bound_a_circuit) {
    Network network;
    std::vector<std::uint32_t> above;
    for (std::uint32_t node = 0; node < 10; ++node) {
        network.add(2, {}, {0}, {0.5, 0.5});
        above.push_back(node);
    }
    std::vector<std::int32_t> classes;
    for (std::uint32_t cell = 0; cell < 1024; ++cell) classes.push_back(std::popcount(cell));
    std::vector<double> table;
    for (int c = 0; c <= 10; ++c) table.insert(table.end(), {0.05 * (c + 1), 1 - 0.05 * (c + 1)});
    network.add(2, above, classes, table);
    std::vector<std::uint32_t> order = {10};
    for (std::uint32_t node = 10; node-- > 0;) order.push_back(node);
    const ldag::CircuitBound bound = ldag::bound_circuit(network.shape(), order);
    double expected = 0.0;
    for (int n_above = 0; n_above <= 10; ++n_above) expected += 2 * std::min(1 << n_above, n_above + 1);
    CHECK(near(bound.n_terms, expected) && bound.node == 10);
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
