#include "families/division.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "families/structures.hpp"

namespace ldag {

Division::Division(const FamilyProblem& problem, const Structure& structure,
                   std::span<const std::int32_t> classes)
    : n_states_(problem.n_states),
      n_cells_(problem.grid.size()),
      equivalent_sample_size_(problem.equivalent_sample_size),
      lambda_(-problem.class_lost),
      divides_in_two_(!structure.has_label_steps()),
      class_of_(classes.begin(), classes.end()) {
    constexpr std::int32_t kUnknown = -1;
    std::vector<double> all_sizes(classes.size(), 0.0);
    std::vector<std::int32_t> place(classes.size(), kUnknown);
    for (const std::int32_t c : classes) all_sizes[static_cast<std::size_t>(c)] += 1.0;
    for (std::size_t cell = 0; cell < classes.size(); ++cell) {
        const auto row = problem.row(cell);
        if (std::ranges::all_of(row, [](double count) { return count == 0.0; })) continue;
        const auto c = static_cast<std::size_t>(classes[cell]);
        if (place[c] == kUnknown) {
            place[c] = static_cast<std::int32_t>(sizes_.size());
            sizes_.push_back(all_sizes[c]);
        }
        class_of_[cell] = place[c];
    }
    sums_.resize(n_states_);
    rest_.resize(n_states_);
}

// The counts of every class in every state of the further parent.
void Division::add_up(std::size_t n_states, std::size_t stride, const ObservedCells& observed) {
    counts_.assign(sizes_.size() * n_states * n_states_, 0.0);
    visited_.assign(sizes_.size() * n_states, 0.0);
    const double* row = observed.counts.data();
    for (const std::size_t cell : observed.cells) {
        const std::size_t above = cell / stride;
        const std::size_t own = above / n_states * stride + cell % stride;
        const std::size_t part = static_cast<std::size_t>(class_of_[own]) * n_states + above % n_states;
        visited_[part] += 1.0;
        for (std::size_t state = 0; state < n_states_; ++state) counts_[part * n_states_ + state] += *row++;
    }
}

// Queues a class with some of the cells it may have: n ln s - lambda s, which is about what its score gains
// by the number s of its cells if n + 1 states occur, is largest for n / lambda of them.
void Division::add(std::span<const double> counts, double n_visited, double most) {
    const auto n =
        static_cast<double>(std::ranges::count_if(counts, [](double count) { return count > 0.0; })) - 1.0;
    if (n < 0.0) {
        batch_.add(counts, 1.0);
        lost_.push_back(0.0);
        return;
    }
    double size = n_visited;
    if (n > 0.0) size = n < lambda_ * most ? std::max(std::round(n / lambda_), size) : std::max(most, size);
    batch_.add(counts, size);
    lost_.push_back(lambda_ * (size - 1.0));
}

// Of a class: the score of the whole, of its parts, and of all but each part.
double Division::best_of(std::size_t n_states, const double* scores) const {
    const double* const parts = scores + 1;
    double best = std::max(scores[0], std::accumulate(parts, parts + n_states, 0.0));
    if (divides_in_two_ && n_states > 2)
        for (std::size_t state = 0; state < n_states; ++state)
            best = std::max(best, parts[state] + parts[n_states + state]);
    return best;
}

double Division::score(std::size_t n_states, std::size_t stride, const ObservedCells& observed) {
    add_up(n_states, stride, observed);
    const bool divides_in_two = divides_in_two_ && n_states > 2;
    const ClassScore score(n_states_, n_cells_ * n_states, equivalent_sample_size_, 1);
    batch_.reset(score);
    lost_.clear();
    for (std::size_t c = 0; c < sizes_.size(); ++c) {
        const std::size_t first = c * n_states;
        const auto part = [&](std::size_t state) {
            return std::span(counts_).subspan((first + state) * n_states_, n_states_);
        };
        const double* const visited = visited_.data() + first;
        const double n_visited = std::accumulate(visited, visited + n_states, 0.0);
        std::ranges::fill(sums_, 0.0);
        for (std::size_t state = 0; state < n_states; ++state)
            std::ranges::transform(sums_, part(state), sums_.begin(), std::plus());
        const auto n = static_cast<double>(n_states);
        add(sums_, n_visited, sizes_[c] * n);
        for (std::size_t state = 0; state < n_states; ++state) add(part(state), visited[state], sizes_[c]);
        if (!divides_in_two) continue;
        for (std::size_t state = 0; state < n_states; ++state) {
            std::ranges::transform(sums_, part(state), rest_.begin(), std::minus());
            add(rest_, n_visited - visited[state], sizes_[c] * (n - 1.0));
        }
    }
    batch_.run();
    values_.resize(lost_.size());
    for (ScoreBatch::Ticket i = 0; i < values_.size(); ++i) values_[i] = batch_[i] - lost_[i];
    const std::size_t n_each = 1 + n_states * (divides_in_two ? 2 : 1);
    double sum = 0.0;
    for (std::size_t c = 0; c < sizes_.size(); ++c) sum += best_of(n_states, values_.data() + c * n_each);
    return sum;
}

}  // namespace ldag
