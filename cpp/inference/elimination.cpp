// Orders of elimination on the moral graph.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <utility>

#include "inference/compile.hpp"
#include "support/random.hpp"

namespace ldag {
namespace {

enum class Rule { kFill, kTable, kWeightedFill };

// Larger tables all cost the same: sums of costs stay finite.
constexpr double kMaxLogTable = 900.0;
// Beyond this, only the size of tables counts: it takes less to work out.
constexpr double kManyLogTable = 200.0;
// How many words of neighbours are looked at, at least, before the next poll.
constexpr std::size_t kPollEvery = std::size_t{1} << 20;
// How many, for all orders, before no further ties are broken in another way.
constexpr std::size_t kEnough = std::size_t{1} << 28;

// The graph of who stands in a table with whom, while nodes are eliminated. Neighbours are rows of bits:
// where tables are large, sets of neighbours are compared a word at a time.
class MoralGraph {
  public:
    explicit MoralGraph(const NetworkShape& network)
        : n_words_((network.n_states.size() + 63) / 64),
          log_states_(network.n_states.size()),
          joined_(network.n_states.size() * n_words_),
          alive_(network.n_states.size()) {
        const auto n = static_cast<std::uint32_t>(network.n_states.size());
        for (std::uint32_t node = 0; node < n; ++node) {
            alive_[node] = network.fixed[node] == kUnobserved;
            log_states_[node] = std::log2(network.n_states[node]);
            std::vector<std::uint32_t> family = network.families[node].parents;
            family.push_back(node);
            std::erase_if(family, [&](std::uint32_t member) { return network.fixed[member] != kUnobserved; });
            std::vector<std::uint64_t> bits(n_words_);
            for (const std::uint32_t member : family) bits[member / 64] |= bit(member);
            join(family, bits);
        }
    }

    bool is_alive(std::uint32_t node) const { return alive_[node]; }
    std::size_t size() const { return alive_.size(); }
    std::size_t n_words() const { return n_words_; }

    // Ascending.
    std::vector<std::uint32_t> neighbours(std::uint32_t node) const {
        std::vector<std::uint32_t> found;
        for (std::size_t w = 0; w < n_words_; ++w)
            for_each_bit(w, row(node)[w], [&](std::uint32_t other) { found.push_back(other); });
        return found;
    }

    double log_table(std::uint32_t node) const {
        double sum = log_states_[node];
        for (const std::uint32_t other : neighbours(node)) sum += log_states_[other];
        return sum;
    }

    // What it costs to eliminate a node now.
    double cost(std::uint32_t node, Rule rule) const {
        if (rule == Rule::kTable) return log_table(node);
        double sum = 0.0;
        const std::span<const std::uint64_t> around = row(node);
        for (const std::uint32_t a : neighbours(node))
            for (std::size_t w = a / 64; w < n_words_; ++w) {
                std::uint64_t missing = around[w] & ~row(a)[w];
                if (w == a / 64) missing &= ~(bit(a) | (bit(a) - 1));  // each pair once
                if (rule == Rule::kFill)
                    sum += std::popcount(missing);
                else
                    for_each_bit(w, missing,
                                 [&](std::uint32_t b) { sum += log_states_[a] * log_states_[b]; });
            }
        return sum;
    }

    // Tells whether this joined any two nodes.
    bool eliminate(std::uint32_t node) {
        const std::vector<std::uint32_t> around = neighbours(node);
        const std::vector<std::uint64_t> bits(row(node).begin(), row(node).end());
        alive_[node] = false;
        std::ranges::fill(row(node), 0);
        for (const std::uint32_t other : around) row(other)[node / 64] &= ~bit(node);
        return join(around, bits);
    }

  private:
    static std::uint64_t bit(std::uint32_t node) { return std::uint64_t{1} << (node % 64); }

    template <class Use>
    static void for_each_bit(std::size_t word, std::uint64_t bits, Use use) {
        for (; bits != 0; bits &= bits - 1)
            use(static_cast<std::uint32_t>(64 * word + static_cast<std::size_t>(std::countr_zero(bits))));
    }

    std::span<const std::uint64_t> row(std::uint32_t node) const {
        return {joined_.data() + node * n_words_, n_words_};
    }
    std::span<std::uint64_t> row(std::uint32_t node) { return {joined_.data() + node * n_words_, n_words_}; }

    // Joins all of the nodes, which `bits` are too; tells whether any two were not.
    bool join(const std::vector<std::uint32_t>& nodes, std::span<const std::uint64_t> bits) {
        bool is_new = false;
        for (const std::uint32_t node : nodes)
            for (std::size_t w = 0; w < n_words_; ++w) {
                const std::uint64_t others = w == node / 64 ? bits[w] & ~bit(node) : bits[w];
                is_new = is_new || (others & ~row(node)[w]) != 0;
                row(node)[w] |= others;
            }
        return is_new;
    }

    std::size_t n_words_;
    std::vector<double> log_states_;
    std::vector<std::uint64_t> joined_;
    std::vector<bool> alive_;
};

// Counts work, and asks now and then whether to go on.
struct Effort {
    const std::function<bool()>& poll;
    std::size_t n_words = 0;

    void add(std::size_t more) {
        const std::size_t before = n_words;
        n_words += more;
        if (n_words / kPollEvery != before / kPollEvery && poll && poll()) throw CompileStopped();
    }
};

struct Ordering {
    std::vector<std::uint32_t> order;
    double cost = 0.0;  // all cells of all tables
};

// Eliminates a node and returns those whose cost may differ now.
std::vector<std::uint32_t> eliminated(MoralGraph& graph, std::uint32_t node) {
    std::vector<std::uint32_t> changed = graph.neighbours(node);
    if (!graph.eliminate(node)) return changed;
    for (const std::uint32_t other : std::vector(changed)) {
        const std::vector<std::uint32_t> around = graph.neighbours(other);
        changed.insert(changed.end(), around.begin(), around.end());
    }
    std::ranges::sort(changed);
    changed.erase(std::ranges::unique(changed).begin(), changed.end());
    return changed;
}

std::vector<double> all_costs(const MoralGraph& graph, Rule rule) {
    std::vector<double> costs(graph.size());
    for (std::uint32_t node = 0; node < graph.size(); ++node)
        if (graph.is_alive(node)) costs[node] = graph.cost(node, rule);
    return costs;
}

// Takes a node of least cost each time, of equal ones a random one; gives up when it gets dearer than
// `limit`.
Ordering greedy_order(MoralGraph graph, Rule rule, Random random, double limit, Effort& effort) {
    Ordering found;
    std::vector<double> costs = all_costs(graph, rule);
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
        const bool is_large = rule != Rule::kTable && graph.log_table(chosen) > kManyLogTable;
        const std::vector<std::uint32_t> changed = eliminated(graph, chosen);
        if (is_large) costs = all_costs(graph, rule = Rule::kTable);
        for (const std::uint32_t node : changed) {
            costs[node] = graph.cost(node, rule);
            effort.add(graph.n_words() * (rule == Rule::kTable ? 1 : graph.neighbours(node).size()));
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
    Effort effort{poll};
    for (const Rule rule : {Rule::kFill, Rule::kWeightedFill, Rule::kTable}) {
        Ordering best{{}, std::numeric_limits<double>::infinity()};
        for (std::size_t i = 0; i == 0 || (i < n_tries && effort.n_words < kEnough); ++i) {
            const std::uint64_t stream = found.size() * n_tries + i;
            Ordering next = greedy_order(graph, rule, Random(seed, stream), best.cost, effort);
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
