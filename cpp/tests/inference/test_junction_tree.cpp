// Junction trees: their shape, and the posteriors of all nodes against listing all rows of states.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

#include "inference/junction_tree.hpp"
#include "tests/check.hpp"
#include "tests/inference/sums_networks.hpp"

namespace {

using namespace sums;
using circuits::near;

const ldag::SumsLimits kAmple{1e9, {}};

ldag::JunctionTree tree_of(const Tables& tables) {
    ldag::EliminationTask task{tables.given.n_states, {}, std::vector<std::uint8_t>(tables.given.size(), 1)};
    for (std::uint32_t node = 0; node < tables.given.size(); ++node) {
        task.scopes.push_back(tables.given.parents[node]);
        task.scopes.back().push_back(node);
    }
    return {tables.network, ldag::find_eliminations(task, {})[0]};
}

std::vector<double> marginals(const ldag::JunctionTree& tree, const Tables& tables,
                              const ldag::Findings& findings, double& log_probability) {
    std::vector<double> posteriors(
        std::accumulate(tables.given.n_states.begin(), tables.given.n_states.end(), std::size_t{0}));
    log_probability = tree.marginals(tables.network, findings, posteriors, kAmple);
    return posteriors;
}

void check_shape(const Tables& tables) {
    const ldag::JunctionTree tree = tree_of(tables);
    const std::size_t n = tables.given.size();
    std::vector<int> n_trees(n);  // cliques that have a node, less the separators that do
    std::vector<int> n_homes(n);
    std::vector<int> n_answers(n);
    double n_cells = 0.0;
    for (std::uint32_t c = 0; c < tree.cliques().size(); ++c) {
        const ldag::JunctionTree::Clique& clique = tree.cliques()[c];
        double cells = 1.0;
        for (const ldag::Rank rank : clique.members) {
            ++n_trees[rank];
            cells *= tree.ranking().n_states[rank];
        }
        n_cells += cells;
        for (const ldag::Rank rank : clique.separator) --n_trees[rank];
        for (const ldag::Rank rank : clique.answers) ++n_answers[rank];
        if (clique.above == ldag::kNoRank) {
            CHECK(clique.separator.empty());
        } else {
            CHECK(clique.above < c);
            std::vector<ldag::Rank> shared;
            std::ranges::set_intersection(clique.members, tree.cliques()[clique.above].members,
                                          std::back_inserter(shared));
            CHECK(shared == clique.separator);
        }
        for (const std::uint32_t node : clique.families) {
            ++n_homes[node];
            std::vector<std::uint32_t> family = tables.given.parents[node];
            family.push_back(node);
            for (const std::uint32_t member : family)
                CHECK(std::ranges::binary_search(clique.members, tree.ranking().rank_of[member]));
        }
    }
    const std::vector<int> ones(n, 1);
    CHECK(n_trees == ones);  // the cliques of every node hang together
    CHECK(n_homes == ones && n_answers == ones);
    CHECK(near(tree.n_cells(), n_cells));
}

TEST(junction_trees_have_the_running_intersection) {
    for (std::uint64_t seed = 700; seed < 760; ++seed) check_shape(Tables(circuits::random_network(seed)));
    check_shape(Tables(circuits::grid(7)));
    check_shape(Tables(circuits::chain(40, 0.1)));
}

// A clique sends each of those below it what all others say, so there are never many.
TEST(a_node_with_many_children_has_a_deep_tree) {
    Network star;
    star.add(2, {}, {0}, {0.4, 0.6});
    for (int child = 0; child < 500; ++child) star.add(3, {0}, {0, 1}, {0.2, 0.3, 0.5, 0.1, 0.8, 0.1});
    const Tables tables(star);
    check_shape(tables);
    const ldag::JunctionTree tree = tree_of(tables);
    for (const ldag::JunctionTree::Clique& clique : tree.cliques()) CHECK(clique.below.size() <= 8);
    ldag::Findings findings = nothing(star);
    std::fill(findings.seen.begin() + 1, findings.seen.end(), 1);
    findings.seen[400] = ldag::Findings::kUnseen;
    double log_probability = 0.0;
    const std::vector<double> result = marginals(tree, tables, findings, log_probability);
    CHECK(near(log_probability, std::log(0.6) + 499 * std::log(0.8)));  // the other state's share is nothing
    CHECK(near(result[2 + 3 * 399 + 1], 0.8));
}

TEST(a_chain_has_small_cliques) {
    const Tables tables(circuits::chain(40, 0.1));
    const ldag::JunctionTree tree = tree_of(tables);
    CHECK(tree.largest().members.size() == 2 && tree.n_cells() == 39 * 9);
}

TEST(posteriors_of_all_nodes) {
    for (std::uint64_t seed = 700; seed < 800; ++seed) {
        const Tables tables(circuits::random_network(seed));
        const ldag::JunctionTree tree = tree_of(tables);
        for (const ldag::Findings& findings : {nothing(tables.given), random_findings(tables.given, seed)}) {
            double log_probability = 0.0;
            const std::vector<double> result = marginals(tree, tables, findings, log_probability);
            const double total = listed(tables.given, findings, {}).at({});
            CHECK(near(log_probability, std::log(total)));
            std::size_t i = 0;
            for (std::uint32_t node = 0; node < tables.given.size(); ++node)
                for (const auto& [state, weight] : listed(tables.given, findings, {node})) {
                    CHECK(total == 0 ? std::isnan(result[i]) : near(result[i], weight / total));
                    ++i;
                }
        }
    }
}

// A probability far below the smallest number, and the posterior of the one node that was not seen.
TEST(improbable_findings_do_not_underflow) {
    constexpr double kError = 1e-9;
    constexpr std::size_t kNodes = 401;
    const Tables tables(circuits::chain(kNodes, kError));
    ldag::Findings findings = nothing(tables.given);
    for (std::size_t node = 0; node < kNodes; ++node)
        findings.seen[node] = static_cast<std::int32_t>(node % 2);
    findings.seen[200] = ldag::Findings::kUnseen;  // its neighbours are both 1
    double log_probability = 0.0;
    const std::vector<double> result = marginals(tree_of(tables), tables, findings, log_probability);
    const double same = (1 - 2 * kError) * (1 - 2 * kError);
    const double sum = same + 2 * kError * kError;
    CHECK(near(log_probability, std::log(0.5) + (kNodes - 3) * std::log(kError) + std::log(sum)));
    CHECK(near(result[601], same / sum) && near(result[600] / (kError * kError / sum), 1.0, 1e-9));
}

}  // namespace
