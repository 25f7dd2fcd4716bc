// The sums of DagPosterior.
#include "uncertainty/dags.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

#include "families/exact.hpp"
#include "support/infinity.hpp"
#include "uncertainty/subsets.hpp"

namespace ldag {

namespace {

// Sums are split into so many parts, always in the same way, so that the threads change nothing.
constexpr std::size_t kParts = 8;

// The sets of nodes by their number of elements, in increasing order.
std::vector<std::vector<DagSet>> sets_by_size(std::size_t n_nodes) {
    std::vector<std::vector<DagSet>> sets(n_nodes + 1);
    for (std::uint64_t set = 0; set < std::uint64_t{1} << n_nodes; ++set)
        sets[static_cast<std::size_t>(std::popcount(set))].push_back(static_cast<DagSet>(set));
    return sets;
}

// Calls visit(node) for the nodes of a set.
template <class Visit>
void for_each_node(DagSet set, Visit visit) {
    for (; set != 0; set &= set - 1) visit(static_cast<std::size_t>(std::countr_zero(set)));
}

}  // namespace

DagPosterior::DagPosterior(std::vector<WeightedSets> nodes, std::size_t n_threads, Monitor& monitor)
    : nodes_(std::move(nodes)) {
    if (nodes_.empty() || nodes_.size() > kMaxDagNodes)
        throw std::invalid_argument("sums over DAGs take 1 to " + std::to_string(kMaxDagNodes) + " nodes");
    const std::size_t n_sets = std::size_t{1} << n_nodes();
    monitor.total = monitor.done + n_sets + n_nodes();
    log_sums_.assign(n_sets * n_nodes(), kMinusInfinity);
    if (sum_parent_sets(n_threads, monitor)) return;
    find_best_orders();
    if (log_inside_[all()] == kMinusInfinity) throw std::invalid_argument("no DAG has any weight");
    if (sum_outside(n_threads, monitor)) return;
    log_evidence_ = log_outside_[0] + std::log(outside_[0]);
    has_evidence_ = true;
}

void DagPosterior::finish(std::size_t n_threads, Monitor& monitor) {
    monitor.total = monitor.done + 2 * (std::size_t{1} << n_nodes()) + n_nodes();
    if (sum_inside(n_threads, monitor)) return;
    if (sum_features(n_threads, monitor)) return;
    if (sum_over_supersets(n_threads, monitor)) return;
    is_complete_ = true;
}

// A_t(U), from w by adding one possible parent after the other.
bool DagPosterior::sum_parent_sets(std::size_t n_threads, Monitor& monitor) {
    return parallel_for(
        n_threads, n_nodes(),
        [&](std::size_t node, std::size_t) {
            std::vector<double> sums(std::size_t{1} << n_nodes(), kMinusInfinity);
            for (std::size_t i = 0; i < nodes_[node].sets.size(); ++i)
                sums[nodes_[node].sets[i]] = nodes_[node].log_weights[i];
            const DagSet own = DagSet{1} << node;
            for (std::size_t parent = 0; parent < n_nodes(); ++parent) {
                const DagSet added = DagSet{1} << parent;
                if (parent == node) continue;
                for (DagSet set = 0; set < sums.size(); ++set)
                    if ((set & added) != 0 && (set & own) == 0)
                        sums[set] = log_add(sums[set], sums[set ^ added]);
                if (monitor.stop) return;
            }
            for (DagSet set = 0; set < sums.size(); ++set) log_sums_[set * n_nodes() + node] = sums[set];
            ++monitor.done;
        },
        &monitor.stop, monitor.poll);
}

void DagPosterior::find_best_orders() {
    const std::size_t n_sets = std::size_t{1} << n_nodes();
    log_inside_.assign(n_sets, kMinusInfinity);
    log_outside_.assign(n_sets, kMinusInfinity);
    log_inside_[0] = 0.0;
    log_outside_[all()] = 0.0;
    for (DagSet set = 1; set < n_sets; ++set)
        for_each_node(set, [&](std::size_t node) {
            const DagSet before = set ^ DagSet{1} << node;
            log_inside_[set] = std::max(log_inside_[set], log_inside_[before] + row(before)[node]);
        });
    for (DagSet set = all(); set-- > 0;)
        for_each_node(all() ^ set, [&](std::size_t node) {
            log_outside_[set] =
                std::max(log_outside_[set], row(set)[node] + log_outside_[set | DagSet{1} << node]);
        });
}

bool DagPosterior::sum_outside(std::size_t n_threads, Monitor& monitor) {
    outside_.assign(std::size_t{1} << n_nodes(), 0.0);
    outside_[all()] = 1.0;
    const auto by_size = sets_by_size(n_nodes());
    std::vector<Subsets> scratch(count_threads(n_threads));
    for (std::size_t size = n_nodes(); size-- > 0;) {
        const std::vector<DagSet>& sets = by_size[size];
        const auto one = [&](std::size_t item, std::size_t thread) {
            const DagSet set = sets[item];
            double sum = 0.0;
            scratch[thread].sums(all() ^ set, row(set));
            scratch[thread].for_each([&](DagSet added, double log_product, double sign) {
                const double log_term = log_product + log_outside_[set | added] - log_outside_[set];
                if (log_term > kNegligible) sum += sign * std::exp(log_term) * outside_[set | added];
            });
            outside_[set] = std::max(sum, 0.0);
            ++monitor.done;
        };
        if (parallel_for(n_threads, sets.size(), one, &monitor.stop, monitor.poll)) return true;
    }
    return false;
}

bool DagPosterior::sum_inside(std::size_t n_threads, Monitor& monitor) {
    const std::size_t n_sets = std::size_t{1} << n_nodes();
    inside_.assign(n_sets, 0.0);
    inside_[0] = 1.0;
    std::vector<std::vector<double>> parts(kParts, std::vector<double>(n_sets, 0.0));
    std::vector<Subsets> scratch(count_threads(n_threads));
    for (const std::vector<DagSet>& sets : sets_by_size(n_nodes())) {
        for (const DagSet set : sets) {
            if (set == 0) continue;
            for (const std::vector<double>& part : parts) inside_[set] += part[set];
            inside_[set] = std::max(inside_[set], 0.0);
        }
        const auto one = [&](std::size_t part, std::size_t thread) {
            for (std::size_t i = part; i < sets.size() && !monitor.stop; i += kParts) {
                const DagSet set = sets[i];
                ++monitor.done;
                if (inside_[set] == 0.0) continue;
                scratch[thread].sums(all() ^ set, row(set));
                scratch[thread].for_each([&](DagSet added, double log_product, double sign) {
                    const double log_term = log_inside_[set] + log_product - log_inside_[set | added];
                    if (log_term > kNegligible)
                        parts[part][set | added] += sign * std::exp(log_term) * inside_[set];
                });
            }
        };
        if (parallel_for(n_threads, kParts, one, &monitor.stop, monitor.poll) || monitor.stop) return true;
    }
    return false;
}

// With B(U, T) the term of T in R(U) G(U + T) / R(V): summed over the T that hold j it is the mass of the
// DAGs in which j is added to U, and summed also over the U with U + T = D, that of those in which D is j and
// its ancestors.
void DagPosterior::sum_features_of(DagSet set, Subsets& subsets, std::span<double> ancestors) {
    const std::size_t n = n_nodes();
    const std::vector<std::size_t>& nodes = subsets.sums(all() ^ set, row(set));
    std::vector<double>& terms = subsets.terms();
    const double log_set = log_inside_[set] - log_evidence_;
    subsets.for_each([&](DagSet added, double log_product, double sign) {
        const double log_term = log_set + log_product + log_outside_[set | added];
        terms.push_back(
            log_term > kNegligible ? sign * std::exp(log_term) * inside_[set] * outside_[set | added] : 0.0);
    });
    subsets.for_each_pair([&](std::size_t i, std::size_t j, double sum) {
        ancestors[nodes[i] * n + nodes[j]] += sum;
        ancestors[nodes[j] * n + nodes[i]] += sum;
    });
    subsets.for_each_single([&](std::size_t j, double sum) {
        shares_[std::size_t{set} * n + nodes[j]] = sum;
        for_each_node(set, [&](std::size_t i) { ancestors[i * n + nodes[j]] += sum; });
    });
}

bool DagPosterior::sum_features(std::size_t n_threads, Monitor& monitor) {
    const std::size_t n_sets = std::size_t{1} << n_nodes();
    const std::size_t n_pairs = n_nodes() * n_nodes();
    const std::size_t n_parts = std::min<std::size_t>(n_sets, 64);
    shares_.assign(n_sets * n_nodes(), 0.0);
    std::vector<std::vector<double>> parts(n_parts, std::vector<double>(n_pairs, 0.0));
    std::vector<Subsets> scratch(count_threads(n_threads));
    const auto one = [&](std::size_t part, std::size_t thread) {
        for (std::size_t set = part; set + 1 < n_sets && !monitor.stop; set += n_parts) {
            ++monitor.done;
            if (inside_[set] > 0.0) sum_features_of(static_cast<DagSet>(set), scratch[thread], parts[part]);
        }
    };
    if (parallel_for(n_threads, n_parts, one, &monitor.stop, monitor.poll) || monitor.stop) return true;
    ancestors_.assign(n_pairs, 0.0);
    for (const std::vector<double>& part : parts)
        for (std::size_t i = 0; i < n_pairs; ++i) ancestors_[i] += part[i];
    for (double& probability : ancestors_) probability = std::clamp(probability, 0.0, 1.0);
    return false;
}

// P(pa_j = Pi) = w_j(Pi) times the sum over U that hold Pi of the mass of j added to U, by A_j(U).
bool DagPosterior::sum_over_supersets(std::size_t n_threads, Monitor& monitor) {
    parent_sets_.resize(n_nodes());
    const bool stopped = parallel_for(
        n_threads, n_nodes(),
        [&](std::size_t node, std::size_t) {
            std::vector<double> sums(std::size_t{1} << n_nodes(), kMinusInfinity);
            const DagSet own = DagSet{1} << node;
            for (DagSet set = 0; set < sums.size(); ++set) {
                const double share = shares_[std::size_t{set} * n_nodes() + node];
                if ((set & own) == 0 && share > 0.0) sums[set] = std::log(share) - row(set)[node];
            }
            for (std::size_t parent = 0; parent < n_nodes(); ++parent) {
                const DagSet added = DagSet{1} << parent;
                if (parent == node || monitor.stop) continue;
                for (DagSet set = 0; set < sums.size(); ++set)
                    if ((set & added) == 0 && (set & own) == 0)
                        sums[set] = log_add(sums[set], sums[set | added]);
            }
            for (std::size_t i = 0; i < nodes_[node].sets.size(); ++i)
                parent_sets_[node].push_back(
                    std::exp(nodes_[node].log_weights[i] + sums[nodes_[node].sets[i]]));
            ++monitor.done;
        },
        &monitor.stop, monitor.poll);
    return stopped || monitor.stop;
}

double dag_posterior_bytes(std::size_t n_nodes) {
    const double n_sets = std::exp2(static_cast<double>(n_nodes));
    const double tables = 2.0 * static_cast<double>(n_nodes) + 4.0 + static_cast<double>(kParts) + 1.0;
    return n_sets * tables * sizeof(double);
}

}  // namespace ldag
