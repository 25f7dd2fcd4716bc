// Moves of chains leave what is as probable as it is: all DAGs of four nodes are gone through, layers are
// drawn as they are probable, and are so again after a move.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <vector>

#include "support/infinity.hpp"
#include "tests/check.hpp"
#include "uncertainty/dag_moves.hpp"
#include "uncertainty/layers.hpp"

namespace {

using namespace ldag;

constexpr std::size_t kDraws = 40'000;

// Four nodes, of which two have all others as candidates, one must have a parent, and one can have the first
// two. Weights differ by orders of magnitude, and by setting.
std::vector<CandidateSets> make_nodes() {
    const Parents candidates{{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1}};
    Random random(7);
    std::vector<CandidateSets> nodes;
    for (std::size_t t = 0; t < candidates.size(); ++t) {
        CandidateSets& own = nodes.emplace_back(CandidateSets{candidates[t], {}, {{}, {}}});
        for (CandidateMask set = 0; set < 1U << candidates[t].size(); ++set) {
            own.sets.push_back(set);
            for (std::vector<double>& log_weights : own.log_weights)
                log_weights.push_back(t == 2 && set == 0 ? kMinusInfinity : 6.0 * random.uniform());
        }
    }
    return nodes;
}

const std::vector<double> kLogPriors{std::log(0.25), std::log(0.75)};

// The layers of a choice of sets; none if it has a cycle.
std::vector<std::size_t> layers_of(const std::vector<CandidateSets>& nodes,
                                   const std::vector<std::size_t>& chosen) {
    std::vector<std::size_t> of(nodes.size(), 0);
    for (std::size_t pass = 0; pass <= nodes.size(); ++pass)
        for (std::size_t t = 0; t < nodes.size(); ++t)
            for (CandidateMask set = nodes[t].sets[chosen[t]]; set != 0; set &= set - 1)
                of[t] = std::max(
                    of[t], of[nodes[t].candidates[static_cast<std::size_t>(std::countr_zero(set))]] + 1);
    return std::ranges::max(of) < nodes.size() ? of : std::vector<std::size_t>{};
}

using Weights = std::map<std::vector<std::size_t>, double>;

// The weight of each list of layers under a setting, by going through all DAGs.
Weights weigh_all(const std::vector<CandidateSets>& nodes, std::size_t setting) {
    Weights weights;
    std::vector<std::size_t> chosen(nodes.size(), 0);
    for (;;) {
        double log_weight = kLogPriors[setting];
        for (std::size_t t = 0; t < nodes.size(); ++t) log_weight += nodes[t].log_weights[setting][chosen[t]];
        const std::vector<std::size_t> of = layers_of(nodes, chosen);
        if (!of.empty() && log_weight > kMinusInfinity) weights[of] += std::exp(log_weight);
        std::size_t t = 0;
        while (t < nodes.size() && ++chosen[t] == nodes[t].sets.size()) chosen[t++] = 0;
        if (t == nodes.size()) return weights;
    }
}

void normalise(Weights& weights, double power) {
    double total = 0.0;
    for (auto& [of, weight] : weights) total += weight = std::pow(weight, power);
    for (auto& [of, weight] : weights) weight /= total;
}

Layers start_at(const ChainProblem& problem, const std::vector<std::size_t>& of, std::size_t setting) {
    Layers layers{of, std::ranges::max(of) + 1, setting, 0.0, {}, {}};
    layers.sum(problem);
    return layers;
}

// Draws layers as they are probable, moves them, and compares how often each comes with its probability.
template <class Move>
void check_stays(double power, Move move) {
    const std::vector<CandidateSets> nodes = make_nodes();
    const ChainProblem problem(nodes, kLogPriors);
    Weights probable = weigh_all(nodes, 1);
    normalise(probable, power);
    Random random(11);
    Weights shares;
    bool is_consistent = true;
    for (std::size_t i = 0; i < kDraws; ++i) {
        double left = random.uniform();
        auto drawn = probable.begin();
        while (std::next(drawn) != probable.end() && left >= drawn->second) left -= (drawn++)->second;
        Layers layers = start_at(problem, drawn->first, 1);
        move(problem, layers, random);
        shares[layers.of] += 1.0 / kDraws;
        const Layers anew = start_at(problem, layers.of, 1);
        is_consistent &= layers.n == anew.n && std::abs(layers.log_weight - anew.log_weight) < 1e-9;
        for (std::size_t t = 0; t < nodes.size(); ++t)
            is_consistent &= layers.rooms[t].earlier == anew.rooms[t].earlier &&
                             layers.rooms[t].needed == anew.rooms[t].needed &&
                             std::abs(layers.log_sums[t] - anew.log_sums[t]) < 1e-9;
    }
    CHECK(is_consistent);
    CHECK(std::ranges::all_of(shares, [&](const auto& share) { return probable.contains(share.first); }));
    for (const auto& [of, probability] : probable)
        CHECK(std::abs(shares[of] - probability) < 4.5 * std::sqrt(probability / kDraws) + 1e-9);
}

}  // namespace

TEST(sums_of_layers_are_those_of_all_their_dags) {
    const std::vector<CandidateSets> nodes = make_nodes();
    const ChainProblem problem(nodes, kLogPriors);
    for (std::size_t setting = 0; setting < 2; ++setting)
        for (const auto& [of, weight] : weigh_all(nodes, setting))
            CHECK(std::abs(start_at(problem, of, setting).log_weight - std::log(weight)) < 1e-9);
}

TEST(a_node_that_is_moved_leaves_layers_as_probable_as_they_are) {
    for (const double power : {1.0, 0.3})
        check_stays(power, [power](const ChainProblem& problem, Layers& layers, Random& random) {
            LayerMoves(problem).move(layers, random.below(4), power, random);
        });
}

TEST(changes_of_a_dag_leave_layers_as_probable_as_they_are) {
    for (const std::size_t n_changes : {1, 5})
        check_stays(1.0, [n_changes](const ChainProblem& problem, Layers& layers, Random& random) {
            DagMoves(problem).move(layers, n_changes, random);
        });
}

TEST(settings_are_drawn_as_they_are_probable_given_the_layers) {
    const std::vector<CandidateSets> nodes = make_nodes();
    const ChainProblem problem(nodes, kLogPriors);
    const Weights first = weigh_all(nodes, 0);
    const Weights second = weigh_all(nodes, 1);
    const std::vector<std::size_t> of{0, 1, 1, 2};
    const double probability = second.at(of) / (first.at(of) + second.at(of));
    LayerMoves moves(problem);
    Random random(3);
    Layers layers = start_at(problem, of, 0);
    double share = 0.0;
    for (std::size_t i = 0; i < kDraws; ++i) {
        moves.draw_setting(layers, 1.0, random);
        share += layers.setting == 1 ? 1.0 / kDraws : 0.0;
    }
    CHECK(std::abs(share - probability) < 4.5 * std::sqrt(probability * (1 - probability) / kDraws));
}

// Where a needed parent hardly matters, sums come from the sets themselves: differences would be rounding.
TEST(small_sums_are_not_lost_beside_large_ones) {
    const std::vector<CandidateSets> nodes{
        {{1, 2}, {0, 1, 2, 3}, {{0.0, -30.0, -31.0, -60.0}}}, {{}, {0}, {{0.0}}}, {{}, {0}, {{0.0}}}};
    const ChainProblem problem(nodes, {0.0});
    const double sum = std::log(std::exp(-30.0) + std::exp(-31.0) + std::exp(-60.0));
    CHECK(std::abs(problem.nodes[0].log_sum(0, {3, 3, false}) - sum) < 1e-12);
    CHECK(std::abs(problem.nodes[0].log_sum(0, {3, 2, false}) - std::log(std::exp(-31.0) + std::exp(-60.0))) <
          1e-12);
    CHECK(problem.nodes[0].log_sum(0, {1, 0, false}) == kMinusInfinity);
}
