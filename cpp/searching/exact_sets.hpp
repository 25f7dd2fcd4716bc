// Scores of full tables by sets of variables: that of a node with some parents is the difference of two.
#pragma once

#include <cstddef>
#include <vector>

#include "searching/search.hpp"

namespace ldag {

// A set of variables S with q configurations scores the sum over these of
//     ln Gamma(n + N / q) - ln Gamma(N / q)
// for n rows, and a family of v with parents P, under the paper's prior, scores that of P with v less that of
// P: all families share 2^n scores.
class JointScores {
  public:
    // Whether scores of families are differences of these, and whether that pays for the space.
    static bool are_for(const FamilyScorer& scorer, const SearchSpace& space);

    // Stopped early, it is of no use.
    JointScores(const FamilyScorer& scorer, const SearchSpace& space, std::size_t n_threads,
                Monitor& monitor);

    // About what the scorer says; anything for a family that it refuses as too large.
    double family(Node node, NodeSet parents) const;

    // The most by which it may differ from that.
    double tolerance() const { return tolerance_; }

  private:
    const FamilyScorer& scorer_;
    std::vector<double> scores_;  // by variables
    double tolerance_ = 0.0;
};

}  // namespace ldag
