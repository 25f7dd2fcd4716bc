// Greedy partitions of one family for several prices of a class at once.
#pragma once

#include <span>

#include "families/family.hpp"

namespace ldag {

// What optimise_family scores greedily, where the structure has greedy prices, with each of these in place of
// class_lost; the family has no fixed labels. Where every join loses one class (pairs, and lines of two
// cells), a price changes all gains alike: the joins are the same for all, and a high price only ends sooner.
void greedy_scores(const FamilyProblem& problem, const Structure& structure,
                   std::span<const double> class_lost, std::span<double> scores);

}  // namespace ldag
