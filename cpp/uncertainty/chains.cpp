#include "uncertainty/chains.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "support/random.hpp"
#include "uncertainty/dag_moves.hpp"
#include "uncertainty/layers.hpp"

namespace ldag {

namespace {

// How often, in every round, a DAG of the first chain is changed per node: on samples of alarm a quarter of
// that mixed worse, and more hardly better.
constexpr std::size_t kChangesPerNode = 4;

// Rounds between two changes of the powers.
constexpr std::uint64_t kTuneEvery = 50;

// A ladder of powers from 1 down, evenly spaced in logarithms at first.
std::vector<double> first_powers(const ChainProblem& problem) {
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
    Run(const ChainProblem& problem, const CoupledOptions& options, std::size_t number)
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
                layer_moves_.move(chains_[i], random_.below(problem_.nodes.size()), run_.powers[i], random_);
            if (i == 0) dag_moves_.move(chains_[i], kChangesPerNode * problem_.nodes.size(), random_);
            layer_moves_.draw_setting(chains_[i], run_.powers[i], random_);
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
            double left = random_.uniform();
            std::uint32_t drawn = 0;
            node.for_each_likely(
                layers.setting, layers.rooms[t], layers.log_sums[t],
                [&](CandidateMask set, std::uint32_t number, double share) {
                    run_.parent_sets[layers.setting][t][number] += share;
                    if (left >= 0.0) drawn = number;
                    left -= share;
                    for (; set != 0; set &= set - 1)
                        run_.edges[first + static_cast<std::size_t>(std::countr_zero(set))] += share;
                    return true;
                });
            run_.dags.push_back(drawn);
        }
        ++run_.n_samples;
    }

    const ChainProblem& problem_;
    const CoupledOptions& options_;
    Random random_;
    std::vector<Layers> chains_;
    std::vector<std::uint64_t> accepted_, tried_;
    LayerMoves layer_moves_{problem_};
    DagMoves dag_moves_{problem_};
    CoupledRun run_;
};

}  // namespace

std::vector<CoupledRun> run_coupled_chains(const std::vector<CandidateSets>& nodes,
                                           const std::vector<double>& log_priors,
                                           const CoupledOptions& options, Monitor& monitor) {
    const ChainProblem problem(nodes, log_priors);
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
