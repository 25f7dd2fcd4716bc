#include "inference/sums.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>

#include "inference/class_sums.hpp"
#include "inference/question.hpp"
#include "inference/sums_tables.hpp"
#include "support/parallel.hpp"
#include "support/random.hpp"

namespace ldag {
namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();

// P(state | parents) of a family that was seen.
double settled_probability(const SumsNetwork& network, const Findings& findings, std::uint32_t node) {
    const SumsFamily& family = network.families[node];
    const auto state = [&](std::size_t axis) {
        return static_cast<std::size_t>(findings.seen[family.parents[axis]]);
    };
    std::size_t configuration = 0;
    for (std::size_t axis = 0; axis < family.parents.size(); ++axis)
        configuration = configuration * network.n_states[family.parents[axis]] + state(axis);
    const std::size_t own = static_cast<std::size_t>(findings.seen[node]);
    return family.probabilities[family.classes.find(configuration, state) * network.n_states[node] + own];
}

// Sums or maximises the variables out in their order; `buckets` keeps what each was in, if asked to.
template <class Number>
class Buckets {
  public:
    Buckets(const SumsNetwork& network, const Findings& findings, const Question& question,
            const Ranking& ranking, SumsEffort& effort)
        : stages_(question.stages), ranking_(ranking), effort_(effort), buckets_(ranking.node_at.size() + 1) {
        for (const std::uint32_t node : question.settled)
            multiply(static_cast<Number>(settled_probability(network, findings, node)), 0);
        for (const std::uint32_t node : question.families)
            put(family_table<Number>(network, findings, ranking, node));
        for (const auto& [node, weights] : findings.likelihoods)
            if (ranking.rank_of[node] != kNoRank) put(likelihood_table<Number>(ranking, node, weights));
    }

    // Tells whether the result can be relied on.
    bool run(std::size_t n_eliminated, bool keep) {
        for (Rank rank = 0; rank < n_eliminated; ++rank) {
            std::vector<TableRef<Number>>& bucket = buckets_[rank];
            if (!bucket.empty() && (keep || !eliminate_classes(rank, n_eliminated))) eliminate(rank, bucket);
            if (!keep) bucket.clear();
        }
        return is_sure_;
    }

    // The product of what is left. Parts without variables have nothing to do with each other: however small
    // their product is, no digits were lost.
    Table<Number> rest(std::size_t n_eliminated) {
        std::vector<TableRef<Number>> factors;
        std::vector<Rank> kept;
        for (std::size_t rank = n_eliminated; rank + 1 < buckets_.size(); ++rank) {
            factors.insert(factors.end(), buckets_[rank].begin(), buckets_[rank].end());
            kept.push_back(static_cast<Rank>(rank));
        }
        Table<Number> result = product<Number>(factors, kept, ranking_.n_states, Joining::kSum, effort_);
        is_sure_ = is_sure_ && is_sure<Number>(result.exponent) && has_positive(result);
        for (const TableRef<Number>& scalar : buckets_.back()) multiply(scalar->values[0], scalar->exponent);
        for (Number& value : result.values) value *= scalar_;
        result.exponent += exponent_;
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

    void multiply(Number value, std::int64_t exponent) {
        int shift = 0;
        scalar_ = std::frexp(scalar_ * value, &shift);
        exponent_ += exponent + shift;
    }

    void put(TableRef<Number> table) {
        const std::size_t place = table->scope.empty() ? buckets_.size() - 1 : table->scope[0];
        buckets_[place].push_back(std::move(table));
    }

    void eliminate(Rank rank, const std::vector<TableRef<Number>>& bucket) {
        const bool is_sum = stages_[ranking_.node_at[rank]] == kSummed;
        if (is_sum && bucket.size() == 1 && bucket[0]->heads.size() == 1 && bucket[0]->heads[0] == rank)
            return;
        std::vector<Rank> kept = joint_scope<Number>(bucket);
        std::erase(kept, rank);
        auto made = std::make_shared<Table<Number>>(product<Number>(
            bucket, kept, ranking_.n_states, is_sum ? Joining::kSum : Joining::kMax, effort_));
        is_sure_ = is_sure_ && is_sure<Number>(made->exponent) && has_positive(*made);
        put(std::move(made));
    }

    // Sums out a variable and others by classes, if that is cheap.
    bool eliminate_classes(Rank rank, std::size_t n_eliminated) {
        if (stages_[ranking_.node_at[rank]] != kSummed || buckets_[rank].size() < 2) return false;
        if (std::ranges::none_of(buckets_[rank], [](const auto& table) { return table->repeats; }))
            return false;
        std::vector<TableRef<Number>> tables = buckets_[rank];
        std::vector<Rank> candidates;
        for (const Rank other : joint_scope<Number>(tables)) {
            if (other == rank || other >= n_eliminated || stages_[ranking_.node_at[other]] != kSummed)
                continue;
            candidates.push_back(other);
        }
        for (Rank other = rank + 1; !candidates.empty() && other <= candidates.back(); ++other)
            tables.insert(tables.end(), buckets_[other].begin(), buckets_[other].end());
        const std::vector<Rank> out = summed_together<Number>(tables, rank, candidates, ranking_.n_states);
        if (out.size() < 2) return false;
        const auto has_some = [&](const TableRef<Number>& table) {
            return std::ranges::any_of(out,
                                       [&](Rank r) { return std::ranges::binary_search(table->scope, r); });
        };
        std::erase_if(tables, [&](const auto& table) { return !has_some(table); });
        std::optional<Table<Number>> made = sum_classes<Number>(tables, out, ranking_.n_states, effort_);
        if (!made) return false;
        for (Rank other = rank; other <= out.back(); ++other) std::erase_if(buckets_[other], has_some);
        is_sure_ = is_sure_ && is_sure<Number>(made->exponent) && has_positive(*made);
        put(std::make_shared<Table<Number>>(std::move(*made)));
        return true;
    }

    std::span<const std::uint8_t> stages_;
    const Ranking& ranking_;
    SumsEffort& effort_;
    std::vector<std::vector<TableRef<Number>>> buckets_;  // by rank; the last is of tables without variables
    Number scalar_ = 1;                                   // times 2^exponent_: what has no variables
    std::int64_t exponent_ = 0;
    bool is_sure_ = true;
};

// Runs with plain numbers, and again with longer ones if those were too short.
template <class Use>
void run_buckets(const SumsNetwork& network, const Findings& findings, const Question& question,
                 const Ranking& ranking, bool keep, SumsEffort& effort, Use use) {
    const std::size_t n_eliminated = question.elimination.order.size();
    {
        Buckets<double> buckets(network, findings, question, ranking, effort);
        if (buckets.run(n_eliminated, keep)) {
            const Table<double> rest = buckets.rest(n_eliminated);
            if (buckets.is_reliable()) return use(buckets, rest);
        }
    }
    Buckets<long double> buckets(network, findings, question, ranking, effort);
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
    const Question question = make_question(network, findings, targets, kKept, true, limits);
    const Ranking ranking(network.n_states, with_targets(question.elimination, targets));
    SumsEffort effort{limits.poll};
    JointAnswer answer{};
    run_buckets(network, findings, question, ranking, false, effort, [&](const auto&, const auto& rest) {
        const auto sum = std::accumulate(rest.values.begin(), rest.values.end(), rest.values[0] * 0);
        answer.log_probability =
            static_cast<double>(std::log(sum)) + static_cast<double>(rest.exponent) * 0.69314718055994530942;
        for (const auto value : rest.values) answer.posterior.push_back(static_cast<double>(value / sum));
    });
    answer.n_cells = static_cast<double>(effort.n_cells);
    return answer;
}

namespace {

// Rows of findings, one after the other; what does not depend on states is worked out once for rows in which
// the same nodes were seen.
class RowAsking {
  public:
    RowAsking(const SumsNetwork& network, std::uint32_t target, const SumsLimits& limits)
        : network_(network),
          target_(target),
          limits_(limits),
          findings_{std::vector<std::int32_t>(network.n_states.size()), {}} {}

    // The posterior of the target; returns the cells that it took, infinite where they would be too many.
    double ask(std::span<const std::uint8_t> row, std::span<double> posterior) {
        bool is_same = question_.has_value();
        for (std::size_t node = 0; node < row.size(); ++node) {
            const std::int32_t state =
                row[node] == kUnobserved ? Findings::kUnseen : static_cast<std::int32_t>(row[node]);
            is_same = is_same && (state == Findings::kUnseen) == (findings_.seen[node] == Findings::kUnseen);
            findings_.seen[node] = state;
        }
        if (!is_same && !prepare()) return std::numeric_limits<double>::infinity();
        SumsEffort effort{limits_.poll};
        run_buckets(network_, findings_, *question_, *ranking_, false, effort,
                    [&](const auto&, const auto& rest) { write(rest, posterior); });
        return static_cast<double>(effort.n_cells);
    }

  private:
    bool prepare() {
        question_.reset();
        const std::span<const std::uint32_t> targets(&target_, 1);
        try {
            question_ = make_question(network_, findings_, targets, kKept, true, limits_);
        } catch (const SumsTooLarge&) {
            return false;
        }
        ranking_.emplace(network_.n_states, with_targets(question_->elimination, targets));
        return true;
    }

    static void write(const auto& rest, std::span<double> posterior) {
        const auto sum = std::accumulate(rest.values.begin(), rest.values.end(), rest.values[0] * 0);
        for (std::size_t state = 0; state < posterior.size(); ++state)
            posterior[state] = static_cast<double>(rest.values[state] / sum);
    }

    const SumsNetwork& network_;
    std::uint32_t target_;
    const SumsLimits& limits_;
    Findings findings_;
    std::optional<Question> question_;
    std::optional<Ranking> ranking_;
};

}  // namespace

bool row_posteriors(const SumsNetwork& network, std::uint32_t target, std::span<const std::uint8_t> rows,
                    std::span<double> posteriors, std::span<double> n_cells, double max_bytes,
                    const Running& running) {
    constexpr std::size_t kRows = 16;  // that a thread takes at once
    const std::size_t n_blocks = (n_cells.size() + kRows - 1) / kRows;
    const bool is_alone = n_blocks <= 1;  // then the caller's thread does it, and asks whether to stop itself
    const std::size_t n_threads = is_alone ? 1 : std::min(count_threads(running.n_threads), n_blocks);
    const std::size_t width = network.n_states.size();
    const std::size_t n_states = network.n_states[target];
    std::atomic<bool> stop = false;
    const SumsLimits limits{max_bytes / static_cast<double>(n_threads),
                            is_alone ? running.poll : [&stop] { return stop.load(); }};
    const auto work = [&](std::size_t block, std::size_t) {
        RowAsking asking(network, target, limits);
        const std::size_t end = std::min((block + 1) * kRows, n_cells.size());
        for (std::size_t row = block * kRows; row < end && !stop; ++row)
            n_cells[row] =
                asking.ask(rows.subspan(row * width, width), posteriors.subspan(row * n_states, n_states));
    };
    try {
        return parallel_for(n_threads, n_blocks, work, &stop, is_alone ? StopPoll{} : running.poll);
    } catch (const SumsStopped&) {
        return true;
    } catch (const EliminationStopped&) {
        return true;
    }
}

ProbabilityAnswer log_probability(const SumsNetwork& network, const Findings& findings,
                                  const SumsLimits& limits) {
    const Question question = make_question(network, findings, {}, kKept, false, limits);
    const Ranking ranking(network.n_states, question.elimination.order);
    SumsEffort effort{limits.poll};
    ProbabilityAnswer answer{};
    run_buckets(network, findings, question, ranking, false, effort,
                [&](const auto&, const auto& rest) { answer.log_probability = log_of(rest); });
    answer.n_cells = static_cast<double>(effort.n_cells);
    return answer;
}

MostProbable most_probable(const SumsNetwork& network, const Findings& findings,
                           std::span<const std::uint32_t> targets, const SumsLimits& limits) {
    const Question question = make_question(network, findings, targets, kMaximised, false, limits);
    const Ranking ranking(network.n_states, question.elimination.order);
    const auto n = static_cast<Rank>(ranking.node_at.size());
    SumsEffort effort{limits.poll};
    MostProbable answer{kNothing, {}};
    run_buckets(
        network, findings, question, ranking, true, effort, [&](const auto& buckets, const auto& rest) {
            answer.log_probability = log_of(rest);
            if (answer.log_probability == kNothing) return;
            std::vector<std::uint32_t> states(n);
            choose_states(buckets, n - static_cast<Rank>(targets.size()), n, states, [](const auto& weights) {
                return static_cast<std::uint32_t>(std::ranges::max_element(weights) - weights.begin());
            });
            for (const std::uint32_t target : targets)
                answer.states.push_back(states[ranking.rank_of[target]]);
        });
    return answer;
}

bool draw_posterior(const SumsNetwork& network, const Findings& findings, std::size_t n_rows,
                    std::uint64_t seed, std::span<std::uint16_t> states, const SumsLimits& limits) {
    std::vector<std::uint32_t> free;
    for (std::uint32_t node = 0; node < network.n_states.size(); ++node)
        if (!is_seen(findings, node)) free.push_back(node);
    const Question question = make_question(network, findings, free, kSummed, false, limits);
    const Ranking ranking(network.n_states, question.elimination.order);
    const auto n = static_cast<Rank>(ranking.node_at.size());
    SumsEffort effort{limits.poll};
    bool is_possible = false;
    run_buckets(network, findings, question, ranking, true, effort,
                [&](const auto& buckets, const auto& rest) {
                    is_possible = log_of(rest) > kNothing;
                    std::vector<std::uint32_t> drawn(n);
                    for (std::size_t row = 0; is_possible && row < n_rows; ++row) {
                        effort.add(std::size_t{64} * n);
                        Random random(seed, row);
                        choose_states(buckets, 0, n, drawn, [&](const auto& weights) {
                            long double left =
                                std::accumulate(weights.begin(), weights.end(), 0.0L) * random.uniform();
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
