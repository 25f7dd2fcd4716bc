#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "inference/class_map.hpp"
#include "tests/check.hpp"
#include "tests/inference/circuit_networks.hpp"
#include "tests/inference/question_trees.hpp"

namespace {

using circuits::Network;
using circuits::Row;

std::vector<std::uint32_t> states_above(const Network& network, std::size_t node) {
    std::vector<std::uint32_t> above;
    for (const std::uint32_t parent : network.parents[node]) above.push_back(network.n_states[parent]);
    return above;
}

// The same network, with a tree for each family.
ldag::NetworkShape with_trees(const Network& network, const Row& fixed, ldag::Random& random) {
    ldag::NetworkShape shape = network.shape(fixed);
    for (std::size_t node = 0; node < network.size(); ++node)
        shape.families[node].classes =
            trees::Growth(network.classes[node], states_above(network, node), random).grow();
    return shape;
}

// A list of questions about parents with two states: the class is the place of the first that is 1.
ldag::ClassMap decision_list(std::uint32_t n) {
    std::vector<ldag::TreeNode> nodes;
    std::vector<std::uint32_t> targets;
    for (std::uint32_t i = 0; i < n; ++i) {
        nodes.push_back({static_cast<std::int32_t>(i), 2 * i});
        nodes.push_back({ldag::TreeNode::kLeaf, i});
        targets.insert(targets.end(), {2 * i + 2, 2 * i + 1});
    }
    nodes.push_back({ldag::TreeNode::kLeaf, n});
    return {nodes, targets};
}

TEST(trees_have_the_classes_that_they_were_made_for) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const Network network = circuits::random_network(seed);
        ldag::Random random(seed, 1);
        const auto shape = with_trees(network, {}, random);
        for (std::size_t node = 0; node < network.size(); ++node)
            CHECK(ldag::list_classes(shape.families[node].classes, states_above(network, node)) ==
                  network.classes[node]);
    }
}

TEST(rows_find_the_classes_of_their_configurations) {
    ldag::Random random(3);
    std::vector<std::int32_t> classes(2 * 3 * 4);
    for (std::int32_t& c : classes) c = static_cast<std::int32_t>(random.below(5));
    const ldag::ClassMap tree = trees::Growth(classes, {2, 3, 4}, random).grow();
    const std::size_t n_rows = 40'000;
    std::vector<std::vector<std::uint8_t>> codes(3);
    for (std::uint32_t axis = 0; axis < 3; ++axis)
        for (std::size_t row = 0; row < n_rows; ++row)
            codes[axis].push_back(static_cast<std::uint8_t>(random.below(axis + 2)));
    const std::vector<const std::uint8_t*> columns = {codes[0].data(), codes[1].data(), codes[2].data()};
    for (const std::size_t n_threads : {1U, 3U}) {
        std::vector<std::int32_t> numbers(n_rows, -1);
        ldag::find_classes(tree, columns, numbers, n_threads);
        for (std::size_t row = 0; row < n_rows; ++row)
            CHECK(numbers[row] == classes[(codes[0][row] * 3U + codes[1][row]) * 4U + codes[2][row]]);
    }
}

TEST(circuits_of_trees_are_those_of_their_classes) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const Network network = circuits::random_network(seed);
        ldag::Random random(seed, 2);
        Row fixed(network.size(), ldag::kUnobserved);
        for (std::size_t node = 0; node < network.size(); ++node)
            if (random.below(4) == 0)
                fixed[node] = static_cast<std::uint8_t>(random.below(network.n_states[node]));
        std::vector<std::uint32_t> order;
        for (std::uint32_t node = 0; node < network.size(); ++node)
            if (fixed[node] == ldag::kUnobserved)
                order.insert(order.begin() + static_cast<std::ptrdiff_t>(random.below(order.size() + 1)),
                             node);
        const ldag::CompileLimits limits{std::numeric_limits<std::size_t>::max(), {}};
        std::vector<double> logs;
        for (const auto& shape : {network.shape(fixed), with_trees(network, fixed, random)}) {
            const ldag::Evaluator evaluator(
                std::make_shared<ldag::Circuit>(ldag::compile(shape, order, limits)), network.values);
            logs.emplace_back();
            evaluator.log_probabilities(fixed, {&logs.back(), 1}, {});
        }
        CHECK(logs[0] == logs[1] || std::abs(logs[0] - logs[1]) < 1e-12);
    }
}

TEST(a_decision_list_is_small_in_any_order) {
    constexpr std::uint32_t kParents = 40;
    Network network;
    std::vector<std::uint32_t> above;
    for (std::uint32_t node = 0; node < kParents; ++node) {
        network.add(2, {}, {0}, {0.75, 0.25});
        above.push_back(node);
    }
    std::vector<double> table;
    for (std::uint32_t c = 0; c <= kParents; ++c)
        table.insert(table.end(), {1.0 / (c + 2), 1.0 - 1.0 / (c + 2)});
    network.add(2, above, {}, table);
    double expected = 0.0;
    for (std::uint32_t c = 0; c < kParents; ++c) expected += std::pow(0.75, c) * 0.25 / (c + 2);
    expected += std::pow(0.75, kParents) / (kParents + 2);
    ldag::NetworkShape shape = network.shape();
    shape.families.back().classes = decision_list(kParents);
    std::vector<std::uint32_t> order(kParents + 1);
    std::iota(order.begin(), order.end(), 0);
    Row row(kParents + 1, ldag::kUnobserved);
    row.back() = 0;
    for (const bool backwards : {false, true}) {
        if (backwards) std::ranges::reverse(order);
        const auto circuit = std::make_shared<ldag::Circuit>(ldag::compile(shape, order, {100'000, {}}));
        CHECK(circuit->terms.size() < 100 * kParents);
        double log = 0.0;
        ldag::Evaluator(circuit, network.values).log_probabilities(row, {&log, 1}, {});
        CHECK(std::abs(std::exp(log) - expected) < 1e-12);
    }
}

}  // namespace
