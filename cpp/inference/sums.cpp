#include "inference/sums.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

#include "inference/sums_tables.hpp"
#include "support/random.hpp"

namespace ldag {
namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();
constexpr std::uint8_t kSummed = 1;
constexpr std::uint8_t kMaximised = 2;
constexpr std::uint8_t kKept = EliminationTask::kKept;

bool is_seen(const Findings& findings, std::uint32_t node) {
    return findings.seen[node] != Findings::kUnseen;
}

// The nodes and all above them.
std::vector<bool> ancestors(const SumsNetwork& network, std::vector<std::uint32_t> nodes) {
    std::vector<bool> is_ancestor(network.n_states.size(), false);
    while (!nodes.empty()) {
        const std::uint32_t node = nodes.back();
        nodes.pop_back();
        if (is_ancestor[node]) continue;
        is_ancestor[node] = true;
        for (const std::uint32_t parent : network.families[node].parents) nodes.push_back(parent);
    }
    return is_ancestor;
}

// Families that findings separate from the targets and that no finding can contradict, as they have no zeros:
// they do not matter.
class Separated {
  public:
    Separated(const SumsNetwork& network, const Findings& findings, const std::vector<bool>& relevant,
              std::span<const std::uint32_t> targets)
        : leader_(network.n_states.size()), matters_(network.n_states.size(), false) {
        std::iota(leader_.begin(), leader_.end(), 0);
        for (std::uint32_t node = 0; node < leader_.size(); ++node) {
            if (!relevant[node]) continue;
            const std::uint32_t group = first_free(network, findings, node);
            for (const std::uint32_t parent : network.families[node].parents)
                if (!is_seen(findings, parent)) leader_[leader_of(parent)] = leader_of(group);
        }
        for (const std::uint32_t target : targets) matters_[leader_of(target)] = true;
        for (std::uint32_t node = 0; node < leader_.size(); ++node)
            if (relevant[node] && std::ranges::count(network.families[node].probabilities, 0.0) > 0)
                matters_[leader_of(first_free(network, findings, node))] = true;
    }

    bool matters(const SumsNetwork& network, const Findings& findings, std::uint32_t node) {
        return matters_[leader_of(first_free(network, findings, node))];
    }

  private:
    // A member of the family that has not been seen, or the node itself.
    static std::uint32_t first_free(const SumsNetwork& network, const Findings& findings,
                                    std::uint32_t node) {
        if (!is_seen(findings, node)) return node;
        for (const std::uint32_t parent : network.families[node].parents)
            if (!is_seen(findings, parent)) return parent;
        return node;
    }

    std::uint32_t leader_of(std::uint32_t node) {
        while (leader_[node] != node) node = leader_[node] = leader_[leader_[node]];
        return node;
    }

    std::vector<std::uint32_t> leader_;
    std::vector<bool> matters_;
};

// What a question is about: the families that matter, and what happens to each node.
struct Task {
    const SumsNetwork& network;
    const Findings& findings;
    std::vector<std::uint32_t> families;
    EliminationTask elimination;
};

Task make_task(const SumsNetwork& network, const Findings& findings, std::span<const std::uint32_t> targets,
               std::uint8_t targets_stage, bool only_posterior) {
    Task task{network, findings, {}, {network.n_states, {}, {}}};
    std::vector<std::uint32_t> asked(targets.begin(), targets.end());
    for (std::uint32_t node = 0; node < network.n_states.size(); ++node)
        if (is_seen(findings, node)) asked.push_back(node);
    for (const auto& [node, weights] : findings.likelihoods) asked.push_back(node);
    const std::vector<bool> relevant = ancestors(network, std::move(asked));
    Separated separated(network, findings, relevant, targets);
    task.elimination.stages.assign(network.n_states.size(), EliminationTask::kAbsent);
    for (std::uint32_t node = 0; node < network.n_states.size(); ++node) {
        if (!relevant[node] || (only_posterior && !separated.matters(network, findings, node))) continue;
        task.families.push_back(node);
        std::vector<std::uint32_t> scope = network.families[node].parents;
        scope.push_back(node);
        for (const std::uint32_t member : scope)
            if (!is_seen(findings, member)) task.elimination.stages[member] = kSummed;
        task.elimination.scopes.push_back(std::move(scope));
    }
    for (const std::uint32_t target : targets) task.elimination.stages[target] = targets_stage;
    return task;
}

// An order that the tables of which fit.
Elimination plan(const Task& task, const SumsLimits& limits) {
    EliminationSearch search;
    search.n_tries = 1;
    search.poll = limits.poll;
    Elimination elimination = std::move(find_eliminations(task.elimination, search)[0]);
    double n_bytes = 0.0;
    for (std::size_t i = 0; i < elimination.order.size(); ++i)
        n_bytes += sizeof(double) *
                   count_cells(task.network.n_states, elimination.order[i], elimination.scopes[i]) /
                   task.network.n_states[elimination.order[i]];
    if (n_bytes > limits.max_bytes) {
        const std::size_t i = elimination.largest(task.network.n_states);
        throw SumsTooLarge(elimination.order[i], elimination.scopes[i],
                           count_cells(task.network.n_states, elimination.order[i], elimination.scopes[i]),
                           n_bytes);
    }
    return elimination;
}

// Sums or maximises the variables out in their order; `buckets` keeps what each was in, if asked to.
template <class Number>
class Buckets {
  public:
    Buckets(const Task& task, const Ranking& ranking, SumsEffort& effort)
        : task_(task), ranking_(ranking), effort_(effort), buckets_(ranking.node_at.size() + 1) {
        for (const std::uint32_t node : task.families)
            put(family_table<Number>(task.network, task.findings, ranking, node));
        for (const auto& [node, weights] : task.findings.likelihoods)
            if (ranking.rank_of[node] != kNoRank) put(likelihood_table<Number>(ranking, node, weights));
    }

    // Tells whether the result can be relied on.
    bool run(std::size_t n_eliminated, bool keep) {
        for (Rank rank = 0; rank < n_eliminated; ++rank) {
            std::vector<TableRef<Number>>& bucket = buckets_[rank];
            if (!bucket.empty()) eliminate(rank, bucket);
            if (!keep) bucket.clear();
        }
        return is_sure_;
    }

    // The product of what is left.
    Table<Number> rest(std::size_t n_eliminated) {
        std::vector<TableRef<Number>> factors;
        std::vector<Rank> kept;
        for (std::size_t rank = n_eliminated; rank < buckets_.size(); ++rank) {
            factors.insert(factors.end(), buckets_[rank].begin(), buckets_[rank].end());
            if (rank + 1 < buckets_.size()) kept.push_back(static_cast<Rank>(rank));
        }
        Table<Number> result = product<Number>(factors, kept, ranking_.n_states, Joining::kSum, effort_);
        is_sure_ =
            is_sure_ && result.values[0] >= 0 && is_sure<Number>(result.exponent) && has_positive(result);
        return result;
    }
    bool is_reliable() const { return is_sure_ || sizeof(Number) > sizeof(double); }

    // The weights of a variable's states, given those of the later ones.
    void weights(Rank rank, std::span<const std::uint32_t> states, std::vector<long double>& out) const {
        out.assign(ranking_.n_states[rank], 1.0L);
        for (const TableRef<Number>& table : buckets_[rank]) {
            std::size_t offset = 0;
            std::size_t stride = 1;
            for (std::size_t axis = table->scope.size(); axis-- > 1;) {
                offset += stride * states[table->scope[axis]];
                stride *= ranking_.n_states[table->scope[axis]];
            }
            for (std::size_t s = 0; s < out.size(); ++s) out[s] *= table->values[offset + s * stride];
        }
    }

  private:
    static bool has_positive(const Table<Number>& table) {
        return std::ranges::any_of(table.values, [](Number value) { return value > 0; });
    }

    void put(TableRef<Number> table) {
        const std::size_t place = table->scope.empty() ? buckets_.size() - 1 : table->scope[0];
        buckets_[place].push_back(std::move(table));
    }

    void eliminate(Rank rank, const std::vector<TableRef<Number>>& bucket) {
        const bool is_sum = task_.elimination.stages[ranking_.node_at[rank]] == kSummed;
        if (is_sum && bucket.size() == 1 && bucket[0]->heads.size() == 1 && bucket[0]->heads[0] == rank)
            return;
        std::vector<Rank> kept = joint_scope<Number>(bucket);
        std::erase(kept, rank);
        auto made = std::make_shared<Table<Number>>(product<Number>(
            bucket, kept, ranking_.n_states, is_sum ? Joining::kSum : Joining::kMax, effort_));
        is_sure_ = is_sure_ && is_sure<Number>(made->exponent) && has_positive(*made);
        put(std::move(made));
    }

    const Task& task_;
    const Ranking& ranking_;
    SumsEffort& effort_;
    std::vector<std::vector<TableRef<Number>>> buckets_;  // by rank; the last is of tables without variables
    bool is_sure_ = true;
};

// Runs with plain numbers, and again with longer ones if those were too short.
template <class Use>
void run_buckets(const Task& task, const Ranking& ranking, std::size_t n_eliminated, bool keep,
                 SumsEffort& effort, Use use) {
    {
        Buckets<double> buckets(task, ranking, effort);
        if (buckets.run(n_eliminated, keep)) {
            const Table<double> rest = buckets.rest(n_eliminated);
            if (buckets.is_reliable()) return use(buckets, rest);
        }
    }
    Buckets<long double> buckets(task, ranking, effort);
    buckets.run(n_eliminated, keep);
    use(buckets, buckets.rest(n_eliminated));
}

std::vector<std::uint32_t> with_targets(const Elimination& elimination,
                                        std::span<const std::uint32_t> targets) {
    std::vector<std::uint32_t> order = elimination.order;
    order.insert(order.end(), targets.begin(), targets.end());
    return order;
}

// States from the last variable to the first, each chosen by its weights.
template <class Buckets, class Choose>
void choose_states(const Buckets& buckets, Rank from, Rank to, std::vector<std::uint32_t>& states,
                   Choose choose) {
    std::vector<long double> weights;
    for (Rank rank = to; rank-- > from;) {
        buckets.weights(rank, states, weights);
        states[rank] = choose(weights);
    }
}

}  // namespace

JointAnswer joint_posterior(const SumsNetwork& network, const Findings& findings,
                            std::span<const std::uint32_t> targets, const SumsLimits& limits) {
    const Task task = make_task(network, findings, targets, kKept, true);
    const Elimination elimination = plan(task, limits);
    const Ranking ranking(network.n_states, with_targets(elimination, targets));
    SumsEffort effort{limits.poll};
    JointAnswer answer{};
    run_buckets(task, ranking, elimination.order.size(), false, effort, [&](const auto&, const auto& rest) {
        const auto sum = std::accumulate(rest.values.begin(), rest.values.end(), rest.values[0] * 0);
        answer.log_probability =
            static_cast<double>(std::log(sum)) + static_cast<double>(rest.exponent) * 0.69314718055994530942;
        for (const auto value : rest.values) answer.posterior.push_back(static_cast<double>(value / sum));
    });
    answer.n_cells = static_cast<double>(effort.n_cells);
    return answer;
}

double log_probability(const SumsNetwork& network, const Findings& findings, const SumsLimits& limits) {
    const Task task = make_task(network, findings, {}, kKept, false);
    const Elimination elimination = plan(task, limits);
    const Ranking ranking(network.n_states, elimination.order);
    SumsEffort effort{limits.poll};
    double result = 0.0;
    run_buckets(task, ranking, elimination.order.size(), false, effort,
                [&](const auto&, const auto& rest) { result = log_of(rest); });
    return result;
}

MostProbable most_probable(const SumsNetwork& network, const Findings& findings,
                           std::span<const std::uint32_t> targets, const SumsLimits& limits) {
    const Task task = make_task(network, findings, targets, kMaximised, false);
    const Elimination elimination = plan(task, limits);
    const Ranking ranking(network.n_states, elimination.order);
    const auto n = static_cast<Rank>(elimination.order.size());
    SumsEffort effort{limits.poll};
    MostProbable answer{kNothing, {}};
    run_buckets(task, ranking, n, true, effort, [&](const auto& buckets, const auto& rest) {
        answer.log_probability = log_of(rest);
        if (answer.log_probability == kNothing) return;
        std::vector<std::uint32_t> states(n);
        choose_states(buckets, n - static_cast<Rank>(targets.size()), n, states, [](const auto& weights) {
            return static_cast<std::uint32_t>(std::ranges::max_element(weights) - weights.begin());
        });
        for (const std::uint32_t target : targets) answer.states.push_back(states[ranking.rank_of[target]]);
    });
    return answer;
}

bool draw_posterior(const SumsNetwork& network, const Findings& findings, std::size_t n_rows,
                    std::uint64_t seed, std::span<std::uint16_t> states, const SumsLimits& limits) {
    std::vector<std::uint32_t> free;
    for (std::uint32_t node = 0; node < network.n_states.size(); ++node)
        if (!is_seen(findings, node)) free.push_back(node);
    const Task task = make_task(network, findings, free, kSummed, false);
    const Elimination elimination = plan(task, limits);
    const Ranking ranking(network.n_states, elimination.order);
    const auto n = static_cast<Rank>(elimination.order.size());
    SumsEffort effort{limits.poll};
    bool is_possible = false;
    run_buckets(task, ranking, n, true, effort, [&](const auto& buckets, const auto& rest) {
        is_possible = log_of(rest) > kNothing;
        std::vector<std::uint32_t> drawn(n);
        for (std::size_t row = 0; is_possible && row < n_rows; ++row) {
            effort.add(std::size_t{64} * n);
            Random random(seed, row);
            choose_states(buckets, 0, n, drawn, [&](const auto& weights) {
                long double left = std::accumulate(weights.begin(), weights.end(), 0.0L) * random.uniform();
                std::uint32_t last = 0;
                for (std::uint32_t s = 0; s < weights.size(); ++s) {
                    if (weights[s] == 0) continue;
                    last = s;
                    if ((left -= weights[s]) < 0) break;
                }
                return last;
            });
            for (std::uint32_t node = 0; node < network.n_states.size(); ++node)
                states[row * network.n_states.size() + node] = static_cast<std::uint16_t>(
                    is_seen(findings, node) ? static_cast<std::uint32_t>(findings.seen[node])
                                            : drawn[ranking.rank_of[node]]);
        }
    });
    return is_possible;
}

}  // namespace ldag
