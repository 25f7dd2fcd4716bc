// The posterior over all DAGs of a space, each weighing the product of the weights of its families: exact
// sums over DAGs (each once, not once per order of its nodes), and DAGs drawn independently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "searching/search.hpp"
#include "support/random.hpp"

namespace ldag {

using DagSet = std::uint32_t;  // a set of nodes

// Most nodes of an exact sum: 3^n steps.
inline constexpr std::size_t kMaxDagNodes = 26;

// The parent sets of one node that have any weight, and ln w of each.
struct WeightedSets {
    std::vector<DagSet> sets;
    std::vector<double> log_weights;
};

// Sums over DAGs. With A_t(U) the sum of w_t over the parent sets inside U,
//   R(S) = sum over 0 < T <= S of (-1)^(|T| + 1) R(S \ T) prod over t in T of A_t(S \ T)
//   G(D) = sum over 0 < T <= V \ D of (-1)^(|T| + 1) G(D + T) prod over t in T of A_t(D)
// are the sums over the DAGs on S, and over the ways to add all nodes outside D; R(V) = G(0) is the evidence
// (Tian & He 2009, by inclusion and exclusion over sinks and sources). Both are kept relative to the best
// order of nodes, max of prod of A: R(S) is between that and |S|! times that, so no term can overflow and
// those that underflow do not matter.
class DagPosterior {
  public:
    // The evidence, and what draws need: a third of all sums. Throws std::invalid_argument if there is no
    // DAG. Stopped early, `has_evidence` is false and nothing else may be asked. No result depends on the
    // number of threads.
    DagPosterior(std::vector<WeightedSets> nodes, std::size_t n_threads, Monitor& monitor);

    // The sums for parent sets and ancestors; stopped early, `is_complete` is false.
    void finish(std::size_t n_threads, Monitor& monitor);

    bool has_evidence() const { return has_evidence_; }
    bool is_complete() const { return is_complete_; }
    std::size_t n_nodes() const { return nodes_.size(); }
    double log_evidence() const { return log_evidence_; }

    // By node, the posterior probability of each of its parent sets.
    const std::vector<std::vector<double>>& parent_sets() const { return parent_sets_; }

    // By node i, then j: the probability that there is a path from i to j.
    const std::vector<double>& ancestors() const { return ancestors_; }

    // A DAG drawn from the posterior: by node, the number of its parent set.
    std::vector<std::uint32_t> draw(Random& random);

  private:
    class Subsets;
    // The layers that can come next in a draw, and the running sums of their weights.
    struct Layer {
        std::vector<DagSet> sets;
        std::vector<double> sums;
    };

    const double* row(DagSet set) const { return log_sums_.data() + std::size_t{set} * n_nodes(); }
    DagSet all() const { return static_cast<DagSet>((std::uint64_t{1} << n_nodes()) - 1); }

    bool sum_parent_sets(std::size_t n_threads, Monitor& monitor);
    void find_best_orders();
    bool sum_inside(std::size_t n_threads, Monitor& monitor);
    bool sum_outside(std::size_t n_threads, Monitor& monitor);
    bool sum_features(std::size_t n_threads, Monitor& monitor);
    void sum_features_of(DagSet set, Subsets& subsets, std::span<double> ancestors);
    bool sum_over_supersets(std::size_t n_threads, Monitor& monitor);
    const std::vector<double>& completions(DagSet set);
    const Layer& next_layer(DagSet set, DagSet last);
    double log_weight_meeting(std::size_t node, DagSet set, DagSet last) const;

    std::vector<WeightedSets> nodes_;
    bool has_evidence_ = false;
    bool is_complete_ = false;
    std::vector<double> log_sums_;                  // ln A_t(U), by U and then t
    std::vector<double> log_inside_, log_outside_;  // by set, the best order of it, and of what is outside
    std::vector<double> inside_, outside_;          // R and G relative to these
    double log_evidence_ = 0.0;
    std::vector<double> shares_;  // by U and t: the mass of DAGs in which t is added to U
    std::vector<std::vector<double>> parent_sets_;
    std::vector<double> ancestors_;

    std::map<DagSet, std::vector<double>> completions_;
    std::map<std::pair<DagSet, DagSet>, Layer> layers_;
    std::size_t n_kept_ = 0;
};

// Bytes that DagPosterior needs for so many nodes.
double dag_posterior_bytes(std::size_t n_nodes);

}  // namespace ldag
