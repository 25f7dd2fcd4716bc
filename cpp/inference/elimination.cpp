#include "inference/elimination.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>

#include "support/random.hpp"

namespace ldag {
namespace {

enum class Rule { kFill, kWeightedFill, kTable };

// Larger tables all cost the same: sums of costs stay finite.
constexpr double kMaxLogTable = 900.0;
// Beyond this, only the size of tables counts: it takes less to work out.
constexpr double kManyLogTable = 200.0;
// How many words of neighbours are looked at, at least, before the next poll.
constexpr std::size_t kPollEvery = std::size_t{1} << 20;
// So many are looked at for all orders, at most; as many as the tables have cells, if these are fewer.
constexpr double kMostWords = 0x1p27;

// The graph of who stands in a table with whom, while nodes are eliminated. Neighbours are rows of bits:
// where tables are large, sets of neighbours are compared a word at a time.
class TableGraph {
  public:
    explicit TableGraph(const EliminationTask& task)
        : n_words_((task.n_states.size() + 63) / 64),
          log_states_(task.n_states.size()),
          joined_(task.n_states.size() * n_words_) {
        for (std::size_t node = 0; node < task.n_states.size(); ++node)
            log_states_[node] = std::log2(task.n_states[node]);
        for (const std::vector<std::uint32_t>& scope : task.scopes) {
            std::vector<std::uint32_t> present;
            for (const std::uint32_t node : scope)
                if (task.stages[node] != EliminationTask::kAbsent) present.push_back(node);
            std::vector<std::uint64_t> bits(n_words_);
            for (const std::uint32_t node : present) bits[node / 64] |= bit(node);
            join(present, bits);
        }
    }

    std::size_t n_words() const { return n_words_; }

    // Ascending.
    std::vector<std::uint32_t> neighbours(std::uint32_t node) const {
        std::vector<std::uint32_t> neighbours;
        for (std::size_t w = 0; w < n_words_; ++w)
            for_each_bit(w, row(node)[w], [&](std::uint32_t other) { neighbours.push_back(other); });
        return neighbours;
    }

    double log_table(std::uint32_t node, std::span<const std::uint32_t> around) const {
        double sum = log_states_[node];
        for (const std::uint32_t other : around) sum += log_states_[other];
        return sum;
    }

    // What it costs to eliminate a node now.
    double cost(std::uint32_t node, std::span<const std::uint32_t> neighbours, Rule rule) const {
        if (rule == Rule::kTable) return log_table(node, neighbours);
        double sum = 0.0;
        const std::span<const std::uint64_t> around = row(node);
        for (const std::uint32_t a : neighbours)
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
    bool eliminate(std::uint32_t node, const std::vector<std::uint32_t>& around) {
        const std::vector<std::uint64_t> bits(row(node).begin(), row(node).end());
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
};

// Counts work, and asks now and then whether to go on.
struct Effort {
    const std::function<bool()>& poll;
    std::size_t n_words = 0;

    void add(std::size_t more) {
        const std::size_t before = n_words;
        n_words += more;
        if (n_words / kPollEvery != before / kPollEvery && poll && poll()) throw EliminationStopped();
    }
};

// Takes a node of least cost each time, of equal ones a random one; gives up when it gets dearer than
// `limit`. Entries of the queue are out of date once a node's cost has been worked out again.
class GreedyOrder {
  public:
    GreedyOrder(const TableGraph& graph, const EliminationTask& task, Rule rule, Random random,
                Effort& effort)
        : graph_(graph),
          task_(task),
          rule_(rule),
          random_(random),
          effort_(effort),
          versions_(task.stages.size()) {
        for (std::uint32_t node = 0; node < task.stages.size(); ++node) enqueue(node);
    }

    Elimination run(double limit) {
        Elimination result;
        while (!queue_.empty()) {
            const auto [stage, cost, tie, node, version] = queue_.top();
            queue_.pop();
            if (version != versions_[node]) continue;
            std::vector<std::uint32_t> around = graph_.neighbours(node);
            const double log_table = graph_.log_table(node, around);
            result.n_cells += std::exp2(std::min(log_table, kMaxLogTable));
            if (!(result.n_cells < limit)) {
                result.n_cells = std::numeric_limits<double>::infinity();
                return result;
            }
            versions_[node] = kGone;
            const bool is_new = graph_.eliminate(node, around);
            result.order.push_back(node);
            update(around, is_new, log_table);
            result.scopes.push_back(std::move(around));
        }
        return result;
    }

  private:
    using Entry = std::tuple<std::uint8_t, double, std::uint32_t, std::uint32_t, std::uint32_t>;
    static constexpr std::uint32_t kGone = 0xffffffff;

    void enqueue(std::uint32_t node) {
        const std::uint8_t stage = task_.stages[node];
        if (stage == EliminationTask::kAbsent || stage == EliminationTask::kKept || versions_[node] == kGone)
            return;
        const std::vector<std::uint32_t> around = graph_.neighbours(node);
        effort_.add(graph_.n_words() * (rule_ == Rule::kTable ? 1 : around.size() + 1));
        queue_.emplace(stage, graph_.cost(node, around, rule_), static_cast<std::uint32_t>(random_.next()),
                       node, ++versions_[node]);
    }

    // Works out again what the cost of nodes is that it may have changed for.
    void update(const std::vector<std::uint32_t>& around, bool is_new, double log_table) {
        if (rule_ != Rule::kTable && log_table > kManyLogTable) {
            rule_ = Rule::kTable;
            for (std::uint32_t node = 0; node < versions_.size(); ++node) enqueue(node);
            return;
        }
        std::vector<std::uint32_t> changed = around;
        for (const std::uint32_t other : around) {
            if (!is_new || rule_ == Rule::kTable) break;
            const std::vector<std::uint32_t> more = graph_.neighbours(other);
            changed.insert(changed.end(), more.begin(), more.end());
        }
        std::ranges::sort(changed);
        changed.erase(std::ranges::unique(changed).begin(), changed.end());
        for (const std::uint32_t node : changed) enqueue(node);
    }

    TableGraph graph_;
    const EliminationTask& task_;
    Rule rule_;
    Random random_;
    Effort& effort_;
    std::vector<std::uint32_t> versions_;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

}  // namespace

std::size_t Elimination::largest(std::span<const std::uint32_t> n_states) const {
    std::size_t best = 0;
    double most = -1.0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const double cells = count_cells(n_states, order[i], scopes[i]);
        if (cells > most) best = i;
        most = std::max(most, cells);
    }
    return best;
}

double count_cells(std::span<const std::uint32_t> n_states, std::uint32_t node,
                   std::span<const std::uint32_t> others) {
    double cells = n_states[node];
    for (const std::uint32_t other : others) cells *= n_states[other];
    return cells;
}

Elimination follow_order(const EliminationTask& task, std::span<const std::uint32_t> order) {
    TableGraph graph(task);
    Elimination result;
    for (const std::uint32_t node : order) {
        std::vector<std::uint32_t> around = graph.neighbours(node);
        result.n_cells += std::exp2(std::min(graph.log_table(node, around), kMaxLogTable));
        graph.eliminate(node, around);
        result.order.push_back(node);
        result.scopes.push_back(std::move(around));
    }
    return result;
}

std::vector<Elimination> find_eliminations(const EliminationTask& task, const EliminationSearch& search) {
    constexpr std::array kRules = {Rule::kFill, Rule::kWeightedFill, Rule::kTable};
    const TableGraph graph(task);
    std::vector<Elimination> eliminations(kRules.size());
    for (Elimination& best : eliminations) best.n_cells = std::numeric_limits<double>::infinity();
    Effort effort{search.poll};
    double fewest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < search.n_tries; ++i)
        for (std::size_t rule = 0; rule < kRules.size(); ++rule) {
            const double enough = std::clamp(fewest, search.least_words, kMostWords);
            const bool is_first = i == 0 && rule == 0;
            if (!is_first && static_cast<double>(effort.n_words) > (i == 0 ? 2 * enough : enough)) continue;
            const Random random(search.seed, rule * search.n_tries + i);
            Elimination next =
                GreedyOrder(graph, task, kRules[rule], random, effort).run(eliminations[rule].n_cells);
            if (next.n_cells < eliminations[rule].n_cells) eliminations[rule] = std::move(next);
            fewest = std::min(fewest, eliminations[rule].n_cells);
        }
    const auto is_empty = [](const Elimination& best) { return best.order.empty(); };  // or was not tried
    eliminations.erase(std::remove_if(eliminations.begin() + 1, eliminations.end(), is_empty),
                       eliminations.end());
    std::ranges::stable_sort(eliminations, {}, &Elimination::n_cells);
    eliminations.resize(std::min(search.n_best, eliminations.size()));
    return eliminations;
}

}  // namespace ldag
