// What chains know of each node: the weights of its parent sets, and their sums over what is possible.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "searching/search.hpp"
#include "support/random.hpp"

namespace ldag {

using CandidateMask = std::uint32_t;  // a set of candidates

// The candidate parents of a node, and its parent sets as bit masks over them with ln w of each, by setting:
// what is assumed of labels and parameters, of which there can be several.
struct CandidateSets {
    std::vector<Node> candidates;
    std::vector<CandidateMask> sets;
    std::vector<std::vector<double>> log_weights;
};

// Which parents a node may have: some of `earlier` and, unless it `is_free`, at least one of `needed`, which
// are among these.
struct Room {
    CandidateMask earlier = 0;
    CandidateMask needed = 0;
    bool is_free = true;

    bool fits(CandidateMask set) const { return (set & ~earlier) == 0 && (is_free || (set & needed) != 0); }
};

// A node with the sums of its weights over all subsets of its candidates, by setting.
class ChainNode {
  public:
    explicit ChainNode(const CandidateSets& given);

    const CandidateSets& given() const { return given_; }

    // What the best parents are worth more than the fewest.
    double range() const;

    // ln of the sum of the weights of the sets that fit.
    double log_sum(std::size_t setting, const Room& room) const;

    // Calls visit(set, its number, its share of a sum) for the sets that fit, the likeliest first, until it
    // returns false or what is left is negligible.
    template <class Visit>
    void for_each_likely(std::size_t setting, const Room& room, double log_sum, Visit visit) const {
        for (const Weighed& one : by_weight_[setting]) {
            if (one.log_weight < log_sum + kNegligibleShare) return;
            if (!room.fits(one.set)) continue;
            if (!visit(one.set, one.number, std::exp(one.log_weight - log_sum))) return;
        }
    }

    // The number of a set that fits, drawn as it is likely.
    std::uint32_t draw(std::size_t setting, const Room& room, Random& random) const;

  private:
    // Sets of a smaller share, as a logarithm, are not visited: all of them together are less than rounding.
    static constexpr double kNegligibleShare = -45.0;

    struct Weighed {
        CandidateMask set;
        std::uint32_t number;
        double log_weight;
    };

    double log_sum_of_few(std::size_t setting, const Room& room) const;

    const CandidateSets& given_;
    std::vector<std::vector<double>> log_sums_;    // by setting, over the subsets of a set
    std::vector<std::vector<Weighed>> by_weight_;  // by setting, the likeliest first
};

// What every chain of every run looks at.
struct ChainProblem {
    ChainProblem(const std::vector<CandidateSets>& given, std::vector<double> log_priors);

    std::vector<ChainNode> nodes;
    std::vector<double> log_priors;  // by setting
    std::vector<std::vector<std::pair<std::size_t, CandidateMask>>>
        children;  // by node: who may have it, as which bit
};

}  // namespace ldag
