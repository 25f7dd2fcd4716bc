#include "uncertainty/chains.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "families/exact.hpp"
#include "support/infinity.hpp"
#include "support/random.hpp"

namespace ldag {

namespace {

// Rounds between two changes of the powers.
constexpr std::uint64_t kTuneEvery = 50;

using Mask = std::uint32_t;  // of candidates

// A node with the sums of its weights over all subsets of its candidates, by setting.
class ChainNode {
  public:
    explicit ChainNode(const CandidateSets& given) : given_(given) {
        for (const std::vector<double>& log_weights : given.log_weights) {
            std::vector<double> sums(std::size_t{1} << given.candidates.size(), kMinusInfinity);
            for (std::size_t i = 0; i < given.sets.size(); ++i) sums[given.sets[i]] = log_weights[i];
            for (std::size_t bit = 1; bit < sums.size(); bit <<= 1)
                for (std::size_t set = 0; set < sums.size(); ++set)
                    if ((set & bit) != 0) sums[set] = log_add(sums[set], sums[set ^ bit]);
            log_sums_.push_back(std::move(sums));
        }
    }

    const CandidateSets& given() const { return given_; }

    // What the best parents are worth more than the fewest.
    double range() const {
        double largest = 0.0;
        for (std::size_t s = 0; s < log_sums_.size(); ++s)
            largest = std::max(largest, log_sums_[s].back() - given_.log_weights[s].front());
        return largest;
    }

    // Whether a parent set may be chosen: inside `earlier`, with one of the layer just before if there is
    // one.
    static bool fits(Mask set, Mask earlier, Mask last, bool is_first) {
        return (set & ~earlier) == 0 && (is_first || (set & last) != 0);
    }

    // ln of the sum of the weights of the sets that fit.
    double log_sum(std::size_t setting, Mask earlier, Mask last, bool is_first) const {
        const std::vector<double>& sums = log_sums_[setting];
        const double whole = sums[earlier];
        if (is_first || whole == kMinusInfinity) return whole;
        if (last == 0) return kMinusInfinity;
        const double without = sums[earlier & ~last];
        const double share = std::exp(without - whole);
        if (share < 1.0 - 1e-8) return whole + std::log1p(-share);
        double sum = kMinusInfinity;  // almost all cancels: the sets themselves
        for (std::size_t i = 0; i < given_.sets.size(); ++i)
            if (fits(given_.sets[i], earlier, last, false))
                sum = log_add(sum, given_.log_weights[setting][i]);
        return sum;
    }

  private:
    const CandidateSets& given_;
    std::vector<std::vector<double>> log_sums_;
};

// What every chain of every run looks at.
struct Problem {
    std::vector<ChainNode> nodes;
    std::vector<double> log_priors;  // by setting
    std::vector<std::vector<std::pair<std::size_t, Mask>>>
        children;  // by node: who may have it, as which bit
};

struct Layers {
    std::vector<std::size_t> of;  // by node
    std::size_t n = 0;
    std::size_t setting = 0;
    double log_weight = 0.0;  // with the prior of the setting
};

// The candidates of a node that are in earlier layers than `layer`, and in the one just before.
std::pair<Mask, Mask> masks(const ChainNode& node, const std::vector<std::size_t>& of, std::size_t layer,
                            std::size_t left_out) {
    Mask earlier = 0;
    Mask last = 0;
    const std::vector<Node>& candidates = node.given().candidates;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (candidates[i] == left_out) continue;
        const std::size_t own = of[candidates[i]];
        earlier |= static_cast<Mask>(own < layer) << i;
        last |= static_cast<Mask>(own + 1 == layer) << i;
    }
    return {earlier, last};
}

constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();

// The weights of a partition, by setting.
std::vector<double> log_weights(const Problem& problem, const std::vector<std::size_t>& of) {
    std::vector<double> sums = problem.log_priors;
    for (std::size_t t = 0; t < of.size(); ++t) {
        const auto [earlier, last] = masks(problem.nodes[t], of, of[t], kNobody);
        for (std::size_t s = 0; s < sums.size(); ++s)
            sums[s] += problem.nodes[t].log_sum(s, earlier, last, of[t] == 0);
    }
    return sums;
}

// One of some options, in proportion to the exponentials of their logarithms times a power.
std::size_t draw_option(const std::vector<double>& logs, double power, Random& random) {
    const double largest = *std::ranges::max_element(logs);
    double whole = 0.0;
    for (const double log : logs) whole += std::exp(power * (log - largest));
    double left = random.uniform() * whole;
    std::size_t chosen = 0;
    for (std::size_t option = 0; option < logs.size() && left >= 0.0; ++option) {
        const double share = std::exp(power * (logs[option] - largest));
        if (share <= 0.0) continue;
        chosen = option;
        left -= share;
    }
    return chosen;
}

// Draws the setting of a chain anew, given its layers.
void draw_setting(const Problem& problem, Layers& layers, double power, Random& random) {
    if (problem.log_priors.size() == 1) return;
    const std::vector<double> logs = log_weights(problem, layers.of);
    layers.setting = draw_option(logs, power, random);
    layers.log_weight = logs[layers.setting];
}

// The layers of a random DAG: nodes in a random order, each with any of the parent sets that it can have.
Layers random_layers(const Problem& problem, Random& random) {
    const std::size_t n = problem.nodes.size();
    Layers layers{std::vector<std::size_t>(n, kNobody), 0, 0, 0.0};
    std::vector<std::size_t> waiting(n);
    std::iota(waiting.begin(), waiting.end(), std::size_t{0});
    std::vector<std::uint32_t> possible;
    while (!waiting.empty()) {
        const std::size_t place = random.below(waiting.size());
        const std::size_t node = waiting[place];
        const CandidateSets& given = problem.nodes[node].given();
        Mask placed = 0;
        for (std::size_t i = 0; i < given.candidates.size(); ++i)
            placed |= static_cast<Mask>(layers.of[given.candidates[i]] != kNobody) << i;
        possible.clear();
        for (std::size_t i = 0; i < given.sets.size(); ++i)
            if ((given.sets[i] & ~placed) == 0 && given.log_weights.front()[i] > kMinusInfinity)
                possible.push_back(given.sets[i]);
        if (possible.empty()) continue;  // a required parent is not placed yet
        std::size_t layer = 0;
        for (Mask set = possible[random.below(possible.size())]; set != 0; set &= set - 1) {
            const auto bit = static_cast<std::size_t>(std::countr_zero(set));
            layer = std::max(layer, layers.of[given.candidates[bit]] + 1);
        }
        layers.of[node] = layer;
        layers.n = std::max(layers.n, layer + 1);
        waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(place));
    }
    layers.log_weight = log_weights(problem, layers.of).front();
    return layers;
}

// Memory of one thread.
struct Scratch {
    std::vector<double> stays, joined, below, pushed;  // by layer, sums over its nodes
    std::vector<double> before, after;  // running sums of `stays` from below, `below` from above
    std::vector<double> totals;
};

// Takes a node out and puts it back: into any layer, or as a layer of its own anywhere, in proportion to the
// weight to some power. All weights come from one pass over the other nodes, as a node only notices whether
// `moved` is earlier than the layer before its own, in it, or neither.
void move_node(const Problem& problem, Layers& layers, std::size_t moved, double power, Random& random,
               Scratch& s) {
    std::vector<std::size_t>& of = layers.of;
    const std::size_t was = of[moved];
    of[moved] = kNobody;
    const bool is_empty = std::ranges::find(of, was) == of.end();
    if (is_empty) {
        for (std::size_t& layer : of)
            if (layer != kNobody && layer > was) --layer;
        --layers.n;
    }
    const std::size_t m = layers.n;
    for (auto* sums : {&s.stays, &s.joined, &s.below, &s.pushed}) sums->assign(m + 2, 0.0);
    const auto& children = problem.children[moved];
    std::size_t next_child = 0;
    for (std::size_t t = 0; t < of.size(); ++t) {
        if (t == moved) continue;
        Mask own = 0;
        if (next_child < children.size() && children[next_child].first == t)
            own = children[next_child++].second;
        const ChainNode& node = problem.nodes[t];
        const std::size_t layer = of[t];
        const auto [earlier, last] = masks(node, of, layer, moved);
        const double stays = node.log_sum(layers.setting, earlier, last, layer == 0);
        s.stays[layer] += stays;
        const auto with_moved = [&](Mask just_before) {
            return node.log_sum(layers.setting, earlier | own, just_before, false);
        };
        s.pushed[layer] += own == 0 ? kMinusInfinity : with_moved(own);
        if (layer == 0) continue;
        s.joined[layer] += own == 0 ? stays : with_moved(last | own);
        s.below[layer] += own == 0 ? stays : with_moved(last);
    }
    s.before.assign(m + 1, 0.0);
    for (std::size_t layer = 0; layer < m; ++layer) s.before[layer + 1] = s.before[layer] + s.stays[layer];
    s.after.assign(m + 3, 0.0);
    for (std::size_t layer = m; layer-- > 0;) s.after[layer] = s.after[layer + 1] + s.below[layer];
    // Option 2 k is a new layer before layer k, option 2 k + 1 is layer k itself.
    s.totals.assign(2 * m + 1, kMinusInfinity);
    for (std::size_t k = 0; k <= m; ++k) {
        const auto [earlier, last] = masks(problem.nodes[moved], of, k, moved);
        const double own = problem.nodes[moved].log_sum(layers.setting, earlier, last, k == 0);
        const double pushed = k < m ? s.pushed[k] : 0.0;
        s.totals[2 * k] = own + s.before[k] + pushed + s.after[std::min(k + 1, m)];
        if (k == m) continue;
        const double joined = k + 1 < m ? s.joined[k + 1] : 0.0;
        s.totals[2 * k + 1] = own + s.before[k + 1] + joined + s.after[std::min(k + 2, m)];
    }
    const std::size_t chosen = draw_option(s.totals, power, random);
    if (chosen % 2 == 0) {
        for (std::size_t& layer : of)
            if (layer != kNobody && layer >= chosen / 2) ++layer;
        ++layers.n;
    }
    of[moved] = chosen / 2;
    layers.log_weight = problem.log_priors[layers.setting] + s.totals[chosen];
}

// A ladder of powers from 1 down, evenly spaced in logarithms at first.
std::vector<double> first_powers(const Problem& problem) {
    double range = 0.0;
    for (const ChainNode& node : problem.nodes) range += std::max(0.0, node.range());
    const auto n = static_cast<double>(problem.nodes.size());
    const double smallest = std::clamp(3.0 * n / std::max(range, 1.0), 1e-4, 0.5);
    const double n_chains = std::clamp(0.55 * std::sqrt(n) * -std::log(smallest), 4.0, 32.0);
    std::vector<double> powers;
    for (double i = 0.0; i < std::ceil(n_chains); i += 1.0)
        powers.push_back(std::pow(smallest, i / (std::ceil(n_chains) - 1.0)));
    return powers;
}

class Run {
  public:
    Run(const Problem& problem, const CoupledOptions& options, std::size_t number)
        : problem_(problem), options_(options), random_(options.seed, number) {
        run_.powers = first_powers(problem);
        for (std::size_t i = 0; i < run_.powers.size(); ++i)
            chains_.push_back(random_layers(problem, random_));
        accepted_.assign(run_.powers.size() - 1, 0);
        tried_.assign(run_.powers.size() - 1, 0);
        run_.parent_sets.resize(problem.log_priors.size());
        for (std::vector<std::vector<double>>& of_setting : run_.parent_sets)
            for (const ChainNode& node : problem.nodes)
                of_setting.emplace_back(node.given().sets.size(), 0.0);
    }

    CoupledRun finish(Monitor& monitor) {
        const std::uint64_t n_first = std::max<std::uint64_t>(options_.n_rounds / 4, 1);
        for (std::uint64_t round = 0; round < n_first + options_.n_rounds && !monitor.stop; ++round) {
            do_round(round);
            ++monitor.done;
            if (round < n_first) {
                if (round % kTuneEvery == kTuneEvery - 1) tune();
                continue;
            }
            if (round == n_first) forget_rates();
            if ((round - n_first) % options_.thin == options_.thin - 1) sample();
        }
        run_.swap_rates = rates();
        return std::move(run_);
    }

  private:
    void do_round(std::uint64_t round) {
        for (std::size_t i = 0; i < chains_.size(); ++i) {
            for (std::uint64_t step = 0; step < options_.n_steps; ++step)
                move_node(problem_, chains_[i], random_.below(problem_.nodes.size()), run_.powers[i], random_,
                          scratch_);
            draw_setting(problem_, chains_[i], run_.powers[i], random_);
        }
        for (std::size_t i = round % 2; i + 1 < chains_.size(); i += 2) {
            const double log_ratio =
                (run_.powers[i] - run_.powers[i + 1]) * (chains_[i + 1].log_weight - chains_[i].log_weight);
            ++tried_[i];
            if (random_.uniform() >= std::exp(std::min(log_ratio, 0.0))) continue;
            ++accepted_[i];
            std::swap(chains_[i], chains_[i + 1]);
        }
    }

    std::vector<double> rates() const {
        std::vector<double> rates;
        for (std::size_t i = 0; i < tried_.size(); ++i)
            rates.push_back(static_cast<double>(accepted_[i]) /
                            static_cast<double>(std::max<std::uint64_t>(tried_[i], 1)));
        return rates;
    }

    void forget_rates() {
        std::ranges::fill(accepted_, 0);
        std::ranges::fill(tried_, 0);
    }

    // Widens the gaps between powers that are often swapped, and narrows the others; the ends stay.
    void tune() {
        const std::vector<double> now = rates();
        const double mean = std::accumulate(now.begin(), now.end(), 0.0) / static_cast<double>(now.size());
        std::vector<double> gaps;
        double total = 0.0;
        for (std::size_t i = 0; i < now.size(); ++i) {
            gaps.push_back(std::log(run_.powers[i] / run_.powers[i + 1]) * std::exp(now[i] - mean));
            total += gaps.back();
        }
        const double scale = -std::log(run_.powers.back()) / total;
        double log_power = 0.0;
        for (std::size_t i = 0; i + 1 < gaps.size(); ++i) {
            log_power -= gaps[i] * scale;
            run_.powers[i + 1] = std::exp(log_power);
        }
        forget_rates();
    }

    // Given the layers, parents are independent of each other: their probabilities are exact, and one set
    // each is drawn.
    void sample() {
        const Layers& layers = chains_.front();
        run_.settings.push_back(static_cast<std::uint32_t>(layers.setting));
        for (std::size_t t = 0; t < problem_.nodes.size(); ++t) {
            const ChainNode& node = problem_.nodes[t];
            const CandidateSets& given = node.given();
            const std::size_t first = run_.edges.size();
            run_.edges.resize(first + given.candidates.size(), 0.0);
            const auto [earlier, last] = masks(node, layers.of, layers.of[t], kNobody);
            const bool is_first = layers.of[t] == 0;
            const double whole = node.log_sum(layers.setting, earlier, last, is_first);
            const std::vector<double>& log_weights = given.log_weights[layers.setting];
            double left = random_.uniform();
            std::uint32_t drawn = 0;
            for (std::size_t i = 0; i < given.sets.size(); ++i) {
                if (!ChainNode::fits(given.sets[i], is_first ? 0 : earlier, last, is_first)) continue;
                const double share = std::exp(log_weights[i] - whole);
                run_.parent_sets[layers.setting][t][i] += share;
                if (left >= 0.0 && share > 0.0) drawn = static_cast<std::uint32_t>(i);
                left -= share;
                for (Mask set = given.sets[i]; set != 0; set &= set - 1)
                    run_.edges[first + static_cast<std::size_t>(std::countr_zero(set))] += share;
            }
            run_.dags.push_back(drawn);
        }
        ++run_.n_samples;
    }

    const Problem& problem_;
    const CoupledOptions& options_;
    Random random_;
    std::vector<Layers> chains_;
    std::vector<std::uint64_t> accepted_, tried_;
    Scratch scratch_;
    CoupledRun run_;
};

}  // namespace

std::vector<CoupledRun> run_coupled_chains(const std::vector<CandidateSets>& nodes,
                                           const std::vector<double>& log_priors,
                                           const CoupledOptions& options, Monitor& monitor) {
    Problem problem;
    problem.log_priors = log_priors;
    problem.children.resize(nodes.size());
    for (std::size_t t = 0; t < nodes.size(); ++t) {
        problem.nodes.emplace_back(nodes[t]);
        for (std::size_t i = 0; i < nodes[t].candidates.size(); ++i)
            problem.children[nodes[t].candidates[i]].emplace_back(t, Mask{1} << i);
    }
    monitor.total = options.n_runs * (options.n_rounds + std::max<std::uint64_t>(options.n_rounds / 4, 1));
    std::vector<CoupledRun> runs(options.n_runs);
    parallel_for(
        options.n_threads, options.n_runs,
        [&](std::size_t number, std::size_t) {
            runs[number] = Run(problem, options, number).finish(monitor);
        },
        &monitor.stop, monitor.poll);
    return runs;
}

}  // namespace ldag
