// Networks and findings for tests of sums over tables, and what listing all rows of states says of them.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "inference/sums.hpp"
#include "support/random.hpp"
#include "tests/inference/circuit_networks.hpp"

namespace sums {

using circuits::Network;
using circuits::Row;

// A network for sums; it owns its tables.
struct Tables {
    explicit Tables(const Network& source) : given(source) {
        for (const auto& numbers : given.numbers) {
            probabilities.emplace_back();
            for (const std::int32_t number : numbers)
                probabilities.back().push_back(number < 0 ? 0.0
                                                          : given.values[static_cast<std::size_t>(number)]);
        }
        network.n_states = given.n_states;
        for (std::size_t node = 0; node < given.size(); ++node)
            network.families.push_back({given.parents[node], given.classes[node], probabilities[node]});
    }
    Tables(const Tables&) = delete;

    Network given;
    std::vector<std::vector<double>> probabilities;
    ldag::SumsNetwork network;
};

inline ldag::Findings nothing(const Network& network) {
    return {std::vector<std::int32_t>(network.size(), ldag::Findings::kUnseen), {}};
}

// States of some nodes, likelihoods (some of them zero) of others.
inline ldag::Findings random_findings(const Network& network, std::uint64_t seed) {
    ldag::Random random(seed, 2);
    ldag::Findings findings = nothing(network);
    for (std::uint32_t node = 0; node < network.size(); ++node) {
        const std::uint64_t kind = random.below(4);
        if (kind == 0) findings.seen[node] = static_cast<std::int32_t>(random.below(network.n_states[node]));
        if (kind != 1) continue;
        std::vector<double> weights(network.n_states[node]);
        for (double& weight : weights) weight = static_cast<double>(random.below(3)) / 2;
        weights[random.below(weights.size())] = 1.0;
        findings.likelihoods.emplace_back(node, std::move(weights));
    }
    return findings;
}

// P(row, findings).
inline double weight_of(const Network& network, const ldag::Findings& findings, const Row& row) {
    double product = network.joint(row);
    for (std::size_t node = 0; node < row.size(); ++node)
        if (findings.seen[node] != ldag::Findings::kUnseen && findings.seen[node] != row[node]) return 0.0;
    for (const auto& [node, weights] : findings.likelihoods) product *= weights[row[node]];
    return product;
}

// The weights of all rows, summed by the states of some nodes.
inline std::map<Row, double> listed(const Network& network, const ldag::Findings& findings,
                                    const std::vector<std::uint32_t>& nodes) {
    std::map<Row, double> result;
    circuits::for_each_row(network, [&](const Row& row) {
        Row part;
        for (const std::uint32_t node : nodes) part.push_back(row[node]);
        result[part] += weight_of(network, findings, row);
    });
    return result;
}

// Up to three nodes without a state, in any order.
inline std::vector<std::uint32_t> random_targets(const ldag::Findings& findings, std::uint64_t seed) {
    ldag::Random random(seed, 3);
    std::vector<std::uint32_t> targets;
    for (std::uint32_t node = 0; node < findings.seen.size(); ++node)
        if (findings.seen[node] == ldag::Findings::kUnseen) targets.push_back(node);
    while (targets.size() > 3)
        targets.erase(targets.begin() + static_cast<std::ptrdiff_t>(random.below(targets.size())));
    for (std::size_t i = targets.size(); i > 1; --i) std::swap(targets[i - 1], targets[random.below(i)]);
    return targets;
}

}  // namespace sums
