// Networks for tests of circuits, with tables of their own.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "inference/circuit.hpp"
#include "inference/compile.hpp"
#include "support/random.hpp"

namespace circuits {

using ldag::kUnobserved;
using Row = std::vector<std::uint8_t>;

// A network that owns its tables: a parameter for each class and state, -1 where it is zero.
struct Network {
    std::vector<std::uint32_t> n_states;
    std::vector<std::vector<std::uint32_t>> parents;
    std::vector<std::vector<std::int32_t>> classes;
    std::vector<std::vector<std::int32_t>> numbers;
    std::vector<double> values;

    std::size_t size() const { return n_states.size(); }

    void add(std::uint32_t states, std::vector<std::uint32_t> above, std::vector<std::int32_t> class_of,
             const std::vector<double>& table) {
        n_states.push_back(states);
        parents.push_back(std::move(above));
        classes.push_back(std::move(class_of));
        numbers.emplace_back();
        for (const double p : table) {
            numbers.back().push_back(p == 0.0 ? ldag::kImpossible : static_cast<std::int32_t>(values.size()));
            if (p > 0.0) values.push_back(p);
        }
    }

    ldag::NetworkShape shape(Row fixed = {}) const {
        fixed.resize(size(), kUnobserved);
        ldag::NetworkShape result{n_states, {}, fixed};
        for (std::size_t node = 0; node < size(); ++node)
            result.families.push_back({parents[node], classes[node], numbers[node]});
        return result;
    }

    double joint(const Row& row) const {
        double product = 1.0;
        for (std::size_t node = 0; node < size(); ++node) {
            std::size_t cell = 0;
            for (const std::uint32_t parent : parents[node]) cell = cell * n_states[parent] + row[parent];
            const auto line = static_cast<std::size_t>(classes[node][cell]) * n_states[node];
            const std::int32_t number = numbers[node][line + row[node]];
            product *= number < 0 ? 0.0 : values[static_cast<std::size_t>(number)];
        }
        return product;
    }
};

// Up to six nodes of 1 to 4 states with up to three parents each, classes at random, a quarter zeros.
inline Network random_network(std::uint64_t seed) {
    ldag::Random random(seed);
    Network network;
    const std::uint64_t n = 1 + random.below(6);
    for (std::uint32_t node = 0; node < n; ++node) {
        const auto states =
            static_cast<std::uint32_t>(seed % 5 == 0 ? 1 + random.below(4) : 2 + random.below(3));
        std::vector<std::uint32_t> above;
        for (std::uint32_t other = 0; other < node; ++other)
            if (above.size() < 3 && random.below(2) == 0) above.push_back(other);
        std::size_t n_cells = 1;
        for (const std::uint32_t parent : above) n_cells *= network.n_states[parent];
        const std::uint64_t n_classes = 1 + random.below(n_cells);
        std::vector<std::int32_t> class_of(n_cells);
        for (std::int32_t& c : class_of) c = static_cast<std::int32_t>(random.below(n_classes));
        std::vector<double> table;
        for (std::uint64_t c = 0; c < n_classes; ++c) {
            std::vector<double> line(states);
            for (double& p : line) p = static_cast<double>(random.below(4));
            if (std::ranges::count(line, 0.0) == states) line[0] = 1.0;
            const double sum = std::accumulate(line.begin(), line.end(), 0.0);
            for (const double p : line) table.push_back(p / sum);
        }
        network.add(states, above, class_of, table);
    }
    return network;
}

// Each node a copy of the one before, with three states, that fails with the probability `error`.
inline Network chain(std::size_t n, double error) {
    Network network;
    network.add(3, {}, {0}, {0.5, 0.25, 0.25});
    const double same = 1.0 - 2 * error;
    for (std::uint32_t node = 1; node < n; ++node)
        network.add(3, {node - 1}, {0, 1, 2}, {same, error, error, error, same, error, error, error, same});
    return network;
}

inline std::shared_ptr<const ldag::Circuit> compiled(const Network& network, const Row& fixed = {},
                                                     std::size_t which = 0, std::size_t max_size = 1000000) {
    const ldag::NetworkShape shape = network.shape(fixed);
    const auto order = ldag::elimination_orders(shape, 2, 1, 3).at(which);
    return std::make_shared<ldag::Circuit>(ldag::compile(shape, order, {max_size, {}}));
}

inline ldag::Evaluator evaluator(const Network& network, const Row& fixed = {}, std::size_t which = 0) {
    return {compiled(network, fixed, which), network.values};
}

// A grid: each node has the one above and the one to the left as parents.
inline Network grid(std::uint32_t side) {
    ldag::Random random(9);
    Network network;
    for (std::uint32_t node = 0; node < side * side; ++node) {
        std::vector<std::uint32_t> above;
        if (node >= side) above.push_back(node - side);
        if (node % side != 0) above.push_back(node - 1);
        std::vector<std::int32_t> classes(std::size_t{1} << above.size());
        std::iota(classes.begin(), classes.end(), 0);
        std::vector<double> table;
        for (std::size_t c = 0; c < classes.size(); ++c) {
            const double p = 0.1 + 0.8 * random.uniform();
            table.insert(table.end(), {p, 1.0 - p});
        }
        network.add(2, above, classes, table);
    }
    return network;
}

template <class Use>
void for_each_row(const Network& network, Use use) {
    Row row(network.size(), 0);
    for (;;) {
        use(row);
        std::size_t node = 0;
        while (node < row.size() && ++row[node] == network.n_states[node]) row[node++] = 0;
        if (node == row.size()) return;
    }
}

inline bool near(double a, double b, double tolerance = 1e-12) {
    return a == b || std::abs(a - b) <= tolerance * std::max({1.0, std::abs(a), std::abs(b)});
}

inline std::vector<std::uint8_t> random_rows(const Network& network, std::size_t n_rows, std::uint64_t seed) {
    ldag::Random random(seed, 1);
    std::vector<std::uint8_t> rows;
    for (std::size_t i = 0; i < n_rows; ++i)
        for (const std::uint32_t n : network.n_states)
            rows.push_back(random.below(5) < 3 ? kUnobserved : static_cast<std::uint8_t>(random.below(n)));
    return rows;
}

}  // namespace circuits
