// What one more parent would bring to a family whose classes are known, if it did nothing but divide some of
// them: little work beside looking for the classes anew, and a good guess of what that would find.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "families/family.hpp"

namespace ldag {

class Division {
  public:
    // Takes a family and its classes, numbered from 0.
    Division(const FamilyProblem& problem, const Structure& structure, std::span<const std::int32_t> classes);

    // The score, with the lost classes but no other prior, if every class that rows visit stays whole, falls
    // into parts, one for each state of the further parent, or (where pairs can be joined) into one state and
    // the others. Each part has as many cells as serve it best, of those it may have. The parent has
    // n_states states; `stride` configurations are those of the parents after it. `observed` are the cells of
    // the family with it.
    double score(std::size_t n_states, std::size_t stride, const ObservedCells& observed);

  private:
    void add_up(std::size_t n_states, std::size_t stride, const ObservedCells& observed);
    void add(std::span<const double> counts, double n_visited, double most);
    double best_of(std::size_t n_states, const double* scores) const;

    std::size_t n_states_;  // of the node
    std::size_t n_cells_;
    double equivalent_sample_size_;
    double lambda_;
    bool divides_in_two_;
    std::vector<std::int32_t> class_of_;  // by cell, among those that rows visit
    std::vector<double> sizes_;           // of these
    std::vector<double> counts_;          // by class, state of the further parent, state of the node
    std::vector<double> visited_;         // by class, state of the further parent: how many cells
    std::vector<double> sums_;
    std::vector<double> rest_;
    ScoreBatch batch_;
    std::vector<double> lost_;  // by ticket, what its cells cost
    std::vector<double> values_;
};

}  // namespace ldag
