// Orders of elimination on the moral graph.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "ldag/compile.hpp"
#include "ldag/random.hpp"

namespace ldag {
namespace {

enum class Rule { kFill, kTable, kWeightedFill };

// Larger tables all cost the same: sums of costs stay finite.
constexpr double kMaxLogTable = 900.0;
// How many costs are worked out between two polls.
constexpr std::size_t kPollEvery = 1024;

// The graph of who stands in a table with whom, while nodes are eliminated.
class MoralGraph {
  public:
    explicit MoralGraph(const NetworkShape& network)
        : log_states_(network.n_states.size()),
          neighbours_(network.n_states.size()),
          alive_(network.n_states.size()) {
        const auto n = static_cast<std::uint32_t>(network.n_states.size());
        for (std::uint32_t node = 0; node < n; ++node) {
            alive_[node] = network.fixed[node] == kUnobserved;
            log_states_[node] = std::log2(network.n_states[node]);
            std::vector<std::uint32_t> family = network.families[node].parents;
            family.push_back(node);
            std::erase_if(family, [&](std::uint32_t member) { return network.fixed[member] != kUnobserved; });
            join(family);
        }
    }

    bool is_alive(std::uint32_t node) const { return alive_[node]; }
    std::size_t size() const { return alive_.size(); }
    const std::vector<std::uint32_t>& neighbours(std::uint32_t node) const { return neighbours_[node]; }

    double log_table(std::uint32_t node) const {
        double sum = log_states_[node];
        for (const std::uint32_t other : neighbours_[node]) sum += log_states_[other];
        return sum;
    }

    // What it costs to eliminate a node now.
    double cost(std::uint32_t node, Rule rule) const {
        if (rule == Rule::kTable) return log_table(node);
        double sum = 0.0;
        const std::vector<std::uint32_t>& around = neighbours_[node];
        for (std::size_t i = 0; i < around.size(); ++i)
            for (std::size_t k = i + 1; k < around.size(); ++k)
                if (!are_joined(around[i], around[k]))
                    sum += rule == Rule::kFill ? 1.0 : log_states_[around[i]] * log_states_[around[k]];
        return sum;
    }

    // Tells whether this joined any two nodes.
    bool eliminate(std::uint32_t node) {
        alive_[node] = false;
        const std::vector<std::uint32_t> around = std::exchange(neighbours_[node], {});
        for (const std::uint32_t other : around) std::erase(neighbours_[other], node);
        return join(around);
    }

  private:
    bool are_joined(std::uint32_t a, std::uint32_t b) const {
        return std::ranges::binary_search(neighbours_[a], b);
    }

    bool join(const std::vector<std::uint32_t>& nodes) {
        bool is_new = false;
        for (const std::uint32_t a : nodes)
            for (const std::uint32_t b : nodes) {
                const auto place = std::ranges::lower_bound(neighbours_[a], b);
                if (a == b || (place != neighbours_[a].end() && *place == b)) continue;
                neighbours_[a].insert(place, b);
                is_new = true;
            }
        return is_new;
    }

    std::vector<double> log_states_;
    std::vector<std::vector<std::uint32_t>> neighbours_;  // ascending
    std::vector<bool> alive_;
};

struct Ordering {
    std::vector<std::uint32_t> order;
    double cost = 0.0;  // all cells of all tables
};

// Eliminates a node and returns those whose cost may differ now.
std::vector<std::uint32_t> eliminated(MoralGraph& graph, std::uint32_t node) {
    std::vector<std::uint32_t> changed = graph.neighbours(node);
    if (!graph.eliminate(node)) return changed;
    for (const std::uint32_t other : std::vector(changed))
        changed.insert(changed.end(), graph.neighbours(other).begin(), graph.neighbours(other).end());
    std::ranges::sort(changed);
    changed.erase(std::ranges::unique(changed).begin(), changed.end());
    return changed;
}

// Takes a node of least cost each time, of equal ones a random one; gives up when it gets dearer than
// `limit`.
Ordering greedy_order(MoralGraph graph, Rule rule, Random random, double limit,
                      const std::function<bool()>& poll) {
    Ordering found;
    std::size_t n_costs = 0;
    std::vector<double> costs(graph.size());
    for (std::uint32_t node = 0; node < graph.size(); ++node)
        if (graph.is_alive(node)) costs[node] = graph.cost(node, rule);
    while (found.cost < limit) {
        double least = std::numeric_limits<double>::infinity();
        std::uint32_t chosen = 0;
        std::uint64_t n_equal = 0;
        for (std::uint32_t node = 0; node < graph.size(); ++node) {
            if (!graph.is_alive(node) || costs[node] > least) continue;
            n_equal = costs[node] < least ? 1 : n_equal + 1;
            least = costs[node];
            if (random.below(n_equal) == 0) chosen = node;
        }
        if (n_equal == 0) return found;
        found.cost += std::exp2(std::min(graph.log_table(chosen), kMaxLogTable));
        found.order.push_back(chosen);
        for (const std::uint32_t node : eliminated(graph, chosen)) {
            costs[node] = graph.cost(node, rule);
            if (++n_costs % kPollEvery == 0 && poll && poll()) throw CompileStopped();
        }
    }
    found.cost = std::numeric_limits<double>::infinity();
    return found;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> elimination_orders(const NetworkShape& network, std::size_t n_tries,
                                                           std::uint64_t seed, std::size_t n_best,
                                                           const std::function<bool()>& poll) {
    const MoralGraph graph(network);
    std::vector<Ordering> found;
    std::uint64_t stream = 0;
    for (const Rule rule : {Rule::kFill, Rule::kWeightedFill, Rule::kTable}) {
        Ordering best{{}, std::numeric_limits<double>::infinity()};
        for (std::size_t i = 0; i < std::max<std::size_t>(n_tries, 1); ++i) {
            Ordering next = greedy_order(graph, rule, Random(seed, stream++), best.cost, poll);
            if (next.cost < best.cost) best = std::move(next);
        }
        found.push_back(std::move(best));
    }
    std::ranges::stable_sort(found, {}, &Ordering::cost);
    found.resize(std::min(n_best, found.size()));
    std::vector<std::vector<std::uint32_t>> orders;
    for (Ordering& ordering : found) orders.push_back(std::move(ordering.order));
    return orders;
}

std::vector<std::uint32_t> elimination_scope(const NetworkShape& network,
                                             std::span<const std::uint32_t> order, std::uint32_t node) {
    MoralGraph graph(network);
    for (const std::uint32_t next : order) {
        if (next == node) return graph.neighbours(node);
        graph.eliminate(next);
    }
    return {};
}

}  // namespace ldag
