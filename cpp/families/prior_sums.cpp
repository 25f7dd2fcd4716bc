#include "families/prior_sums.hpp"

#include <algorithm>
#include <cmath>

#include "families/structures.hpp"

namespace ldag {

namespace {

// Of at most kMaxExactCells configurations: without data every partition weighs what the prior gives it.
double exact_sum(std::span<const std::size_t> parent_states, std::size_t n_cells, double class_lost) {
    const std::vector<double> nothing(n_cells, 0.0);
    const Grid grid({parent_states.begin(), parent_states.end()});
    return log_sum_partitions({grid, 1, nothing, 1.0, class_lost, true}, structure_named("ldag"));
}

double bound_sum(std::span<const std::size_t> parent_states, double n_cells, double class_lost) {
    const double one_lost = std::log1p(std::exp(class_lost));
    double n_lines = 0.0;
    for (const std::size_t n : parent_states) n_lines += n_cells / static_cast<double>(n);
    const double by_axis =
        (n_cells - 1.0) * std::log1p(static_cast<double>(parent_states.size()) * std::exp(class_lost));
    double least = by_axis;
    for (const std::size_t n : parent_states) {
        const double own = n_cells / static_cast<double>(n);
        const double all_lost = std::log1p(std::exp(class_lost * static_cast<double>(n - 1)));
        least = std::min(least, own * all_lost + (n_lines - own) * one_lost);
    }
    return least;
}

}  // namespace

double log_prior_sum(std::span<const std::size_t> parent_states, double class_lost) {
    std::vector<std::size_t> matter;
    std::size_t n_cells = 1;
    for (const std::size_t n : parent_states) {
        if (n < 2) continue;  // makes no difference
        matter.push_back(n);
        n_cells *= n;
    }
    if (matter.size() < 2) return 0.0;  // a single label would be full: there is the table only
    std::sort(matter.begin(), matter.end());
    return n_cells <= kMaxExactCells ? exact_sum(matter, n_cells, class_lost)
                                     : bound_sum(matter, static_cast<double>(n_cells), class_lost);
}

double PriorSums::log_sum(std::size_t n_states, std::span<const std::size_t> parent_states) {
    std::vector<std::size_t> key(parent_states.begin(), parent_states.end());
    std::sort(key.begin(), key.end());
    key.push_back(n_states);
    {
        const std::lock_guard lock(mutex_);
        if (const auto known = known_.find(key); known != known_.end()) return known->second;
    }
    const double sum = log_prior_sum(parent_states, static_cast<double>(n_states - 1) * parameter_saved_);
    const std::lock_guard lock(mutex_);
    return known_.emplace(std::move(key), sum).first->second;
}

}  // namespace ldag
