// What the prior on labels sums up to over all labels of a family, by which the normalised prior divides.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <span>
#include <vector>

namespace ldag {

// The logarithm of the sum of exp(class_lost * classes lost) over all regular labelled partitions of a grid:
// exact up to kMaxExactCells configurations, and beyond that an upper bound, so that what is divided by it
// sums to at most 1. A partition is given by the lines that lie inside its classes; those along one axis have
// no cell in common, so each of them loses all classes but one, and as few of the others as connect the same
// cells lose one class each at least. Or it is given by one axis for every cell but the first of each class:
// that of a line through which it hangs together with the others. The bound is the least of what these ways
// of writing a partition down come to.
double log_prior_sum(std::span<const std::size_t> parent_states, double class_lost);

// The sums of many families, each worked out once; safe from many threads.
class PriorSums {
  public:
    // What every parameter that labels save adds to the log prior.
    explicit PriorSums(double parameter_saved) : parameter_saved_(parameter_saved) {}

    // That of a node with so many states.
    double log_sum(std::size_t n_states, std::span<const std::size_t> parent_states);

  private:
    const double parameter_saved_;
    std::mutex mutex_;
    std::map<std::vector<std::size_t>, double> known_;  // the order of parents makes no difference
};

}  // namespace ldag
