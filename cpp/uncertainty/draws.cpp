// DAGs drawn from the posterior, layer by layer: the first layer has no parents, and every node of a later
// one has a parent in the layer before it. Each DAG has exactly one such list of layers.
#include <algorithm>
#include <bit>
#include <cmath>

#include "families/exact.hpp"
#include "support/infinity.hpp"
#include "uncertainty/dags.hpp"
#include "uncertainty/subsets.hpp"

namespace ldag {

namespace {

// Numbers kept for further draws, at most.
constexpr std::size_t kMostKept = std::size_t{1} << 25;

// Whether a parent set lies inside a set and meets the layer last added to it, if there is one.
bool fits(DagSet parents, DagSet set, DagSet last) {
    return (parents & ~set) == 0 && (last == 0 || (parents & last) != 0);
}

}  // namespace

// For every T outside a set S, relative to log_outside of S + T: the sum over all ways to add the nodes
// outside S + T such that each has an ancestor in T or another of them, and none fits S alone: sum over Q of
// (-1)^|Q| G(S + T + Q) prod over q in Q of A_q(S), for all T at once.
const std::vector<double>& DagPosterior::completions(DagSet set) {
    if (const auto known = completions_.find(set); known != completions_.end()) return known->second;
    Subsets subsets;
    const std::vector<std::size_t> nodes = subsets.sums(all() ^ set, row(set));
    std::vector<DagSet> unions{set};
    subsets.for_each([&](DagSet added, double, double) { unions.push_back(set | added); });
    std::vector<double> sums(unions.size());
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] = outside_[unions[k]];
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const std::size_t bit = std::size_t{1} << i;
        for (std::size_t k = 0; k < sums.size(); ++k) {
            if ((k & bit) != 0) continue;
            const double log_factor =
                row(set)[nodes[i]] + log_outside_[unions[k | bit]] - log_outside_[unions[k]];
            if (log_factor > kNegligible) sums[k] -= std::exp(log_factor) * sums[k | bit];
        }
    }
    n_kept_ += sums.size();
    return completions_.emplace(set, std::move(sums)).first->second;
}

// ln of A_t(S) - A_t(S \ R), as a sum over the sets themselves.
double DagPosterior::log_weight_meeting(std::size_t node, DagSet set, DagSet last) const {
    const WeightedSets& own = nodes_[node];
    double largest = kMinusInfinity;
    for (std::size_t i = 0; i < own.sets.size(); ++i)
        if (fits(own.sets[i], set, last)) largest = std::max(largest, own.log_weights[i]);
    if (largest == kMinusInfinity) return largest;
    double sum = 0.0;
    for (std::size_t i = 0; i < own.sets.size(); ++i)
        if (fits(own.sets[i], set, last)) sum += std::exp(own.log_weights[i] - largest);
    return largest + std::log(sum);
}

const DagPosterior::Layer& DagPosterior::next_layer(DagSet set, DagSet last) {
    if (const auto known = layers_.find({set, last}); known != layers_.end()) return known->second;
    std::vector<double> log_weights(n_nodes(), kMinusInfinity);
    for (std::size_t node = 0; node < n_nodes(); ++node)
        if ((set >> node & 1U) == 0) log_weights[node] = log_weight_meeting(node, set, last);
    const std::vector<double>& rest = completions(set);
    Subsets subsets;
    subsets.sums(all() ^ set, log_weights.data());
    double largest = kMinusInfinity;
    subsets.for_each([&](DagSet added, double log_product, double) {
        largest = std::max(largest, log_product + log_outside_[set | added]);
    });
    Layer layer;
    double sum = 0.0;
    std::size_t k = 0;
    subsets.for_each([&](DagSet added, double log_product, double) {
        ++k;
        const double log_term = log_product + log_outside_[set | added] - largest;
        if (!(log_term > kNegligible) || rest[k] <= 0.0) return;
        sum += std::exp(log_term) * rest[k];
        layer.sets.push_back(added);
        layer.sums.push_back(sum);
    });
    n_kept_ += 2 * layer.sets.size();
    return layers_.emplace(std::pair{set, last}, std::move(layer)).first->second;
}

std::vector<std::uint32_t> DagPosterior::draw(Random& random) {
    if (n_kept_ > kMostKept) {
        completions_.clear();
        layers_.clear();
        n_kept_ = 0;
    }
    std::vector<std::uint32_t> chosen(n_nodes());
    DagSet last = 0;
    for (DagSet set = 0; set != all();) {
        const Layer& layer = next_layer(set, last);
        const double target = random.uniform() * layer.sums.back();
        const auto place = std::ranges::upper_bound(layer.sums, target) - layer.sums.begin();
        const DagSet added = layer.sets[std::min(static_cast<std::size_t>(place), layer.sets.size() - 1)];
        for (DagSet left = added; left != 0; left &= left - 1) {
            const auto node = static_cast<std::size_t>(std::countr_zero(left));
            const WeightedSets& own = nodes_[node];
            const double whole = log_weight_meeting(node, set, last);
            double rest = random.uniform();
            for (std::size_t i = 0; i < own.sets.size() && rest >= 0.0; ++i) {
                if (!fits(own.sets[i], set, last)) continue;
                const double share = std::exp(own.log_weights[i] - whole);
                if (share <= 0.0) continue;
                chosen[node] = static_cast<std::uint32_t>(i);
                rest -= share;
            }
        }
        set |= added;
        last = added;
    }
    return chosen;
}

}  // namespace ldag
