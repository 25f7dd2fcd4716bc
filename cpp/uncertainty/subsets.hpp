// All subsets of what can be added to a set of nodes at once, with products of one number per node.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "uncertainty/dags.hpp"

namespace ldag {

// A term of a sum that is smaller than this, as a logarithm relative to the sum, is left out: there are at
// most 3^kMaxDagNodes terms.
inline constexpr double kNegligible = -50.0;

class DagPosterior::Subsets {
  public:
    // Prepares the subsets of `free`, with the sums of log_factors over each. Returns the nodes of `free`.
    const std::vector<std::size_t>& sums(DagSet free, const double* log_factors) {
        nodes_.clear();
        for (DagSet rest = free; rest != 0; rest &= rest - 1)
            nodes_.push_back(static_cast<std::size_t>(std::countr_zero(rest)));
        const std::size_t n_subsets = std::size_t{1} << nodes_.size();
        if (sums_.size() < n_subsets) {
            sums_.resize(n_subsets);
            sets_.resize(n_subsets);
        }
        sums_[0] = 0.0;
        sets_[0] = 0;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const std::size_t half = std::size_t{1} << i;
            const double log_factor = log_factors[nodes_[i]];
            for (std::size_t k = 0; k < half; ++k) {
                sums_[half + k] = sums_[k] + log_factor;
                sets_[half + k] = sets_[k] | DagSet{1} << nodes_[i];
            }
        }
        return nodes_;
    }

    // Calls visit(subset, sum, sign) for all but the empty one; the sign is that of inclusion and exclusion.
    template <class Visit>
    void for_each(Visit visit) const {
        const std::size_t n_subsets = std::size_t{1} << nodes_.size();
        for (std::size_t k = 1; k < n_subsets; ++k)
            visit(sets_[k], sums_[k], std::popcount(k) % 2 == 1 ? 1.0 : -1.0);
    }

    // Room for a number per subset; the first is that of the empty one.
    std::vector<double>& terms() {
        terms_.assign(1, 0.0);
        return terms_;
    }

    // Calls visit(i, j, sum of the terms of the subsets that hold nodes i and j), i > j.
    template <class Visit>
    void for_each_pair(Visit visit) {
        whole_ = terms_;
        for (std::size_t i = nodes_.size(); i-- > 0;) {
            const std::size_t half = std::size_t{1} << i;
            half_.assign(whole_.begin() + static_cast<std::ptrdiff_t>(half),
                         whole_.begin() + static_cast<std::ptrdiff_t>(2 * half));
            fold(half_, i, [&](std::size_t j, double sum) { visit(i, j, sum); });
            for (std::size_t k = 0; k < half; ++k) whole_[k] += whole_[half + k];
        }
    }

    // Calls visit(i, sum of the terms of the subsets that hold node i); the terms are used up.
    template <class Visit>
    void for_each_single(Visit visit) {
        fold(terms_, nodes_.size(), visit);
    }

  private:
    template <class Visit>
    static void fold(std::vector<double>& terms, std::size_t n_nodes, Visit visit) {
        for (std::size_t i = n_nodes; i-- > 0;) {
            const std::size_t half = std::size_t{1} << i;
            double sum = 0.0;
            for (std::size_t k = 0; k < half; ++k) {
                sum += terms[half + k];
                terms[k] += terms[half + k];
            }
            visit(i, sum);
        }
    }

    std::vector<std::size_t> nodes_;
    std::vector<double> sums_;
    std::vector<DagSet> sets_;
    std::vector<double> terms_, whole_, half_;
};

}  // namespace ldag
