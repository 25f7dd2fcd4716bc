// All partitions of one family together, each in proportion to exp(score): the sum over them, how probable it
// is that a label entry holds or that two configurations share a distribution, how many classes there are,
// the distributions averaged over partitions, and partitions drawn at random.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "families/exact.hpp"
#include "support/random.hpp"

namespace ldag {

class BlockSums;

// A line of the grid: what one label entry makes equal.
struct GridLine {
    std::size_t axis;
    std::size_t line;
};

class FamilyPosterior {
  public:
    // Any structure of which all partitions into allowed blocks are; at most kMaxExactCells configurations.
    // Fixed labels must be those that some partition has.
    FamilyPosterior(const FamilyProblem& problem, const Structure& structure);
    ~FamilyPosterior();

    // The logarithm of the sum of exp(score) over all allowed partitions.
    double log_sum() const { return singletons_ + log_total_; }

    // The probability that every one of these lines lies inside a class.
    double all_inside(std::span<const GridLine> lines) const;

    // By pairs of configurations, the probability that they are in one class.
    std::vector<double> together();

    // For k = 0 .. q, the probability of k classes.
    std::vector<double> n_classes() const;

    // By configuration and state, the mean of the posterior over partitions and parameters.
    std::vector<double> mean_distributions();

    // A partition, as a class number per configuration by first appearance.
    std::vector<std::int32_t> draw(Random& random);

  private:
    const std::vector<double>& block_probabilities();

    FamilyProblem problem_;
    std::vector<double> counts_;  // a copy, which problem_ looks at
    BlockGrid grid_;
    std::vector<Block> allowed_;
    std::vector<double> gains_;
    double singletons_;
    double log_total_;
    std::unique_ptr<BlockSums> sums_;
    std::vector<double> probabilities_;  // of blocks to be a class
};

}  // namespace ldag
