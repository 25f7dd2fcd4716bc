// How well the families of one data set predict another: what cross-validation compares.
#pragma once

#include <span>
#include <vector>

#include "counting/columns.hpp"
#include "scoring/scorer.hpp"

namespace ldag {

// The observations that a prior over parameters counts for: in all, spread evenly over the configurations of
// the parents, or for every class.
struct Smoothing {
    double size;
    bool per_class = false;
};

// The log posterior predictive of new rows (equation 11), for every smoothing: each family has the best
// partition that the scorer finds, and both data sets are counted once. The new rows have the variables of
// the scorer, and both have whole counts.
std::vector<double> log_predictives(const FamilyScorer& scorer, std::span<const FamilyKey> families,
                                    const Columns& fresh, std::span<const Smoothing> smoothings);

}  // namespace ldag
