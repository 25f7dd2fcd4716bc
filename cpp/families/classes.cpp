#include "families/classes.hpp"

#include <algorithm>
#include <numeric>

namespace ldag {

void Groups::clear() {
    cells.clear();
    ends.clear();
}

std::span<const Cell> Groups::operator[](std::size_t i) const {
    const std::size_t first = i == 0 ? 0 : ends[i - 1];
    return std::span(cells).subspan(first, ends[i] - first);
}

Classes::Classes(const FamilyProblem& problem, const ClassScore& score)
    : problem_(&problem),
      score_(&score),
      n_states_(problem.n_states),
      n_classes_(problem.grid.size()),
      of_(n_classes_),
      next_(n_classes_),
      size_(n_classes_, 1),
      observed_(n_classes_),
      score_of_(n_classes_),
      counts_(problem.counts.begin(), problem.counts.end()) {
    std::iota(of_.begin(), of_.end(), Cell{0});
    std::iota(next_.begin(), next_.end(), Cell{0});
    ScoreBatch batch(score);
    std::vector<Cell> scored;
    for (Cell cell = 0; cell < n_classes_; ++cell) {
        const auto row = counts(cell);
        observed_[cell] = std::any_of(row.begin(), row.end(), [](double count) { return count > 0.0; });
        if (observed_[cell] == 0) continue;
        scored.push_back(cell);
        batch.add(row, 1.0);
    }
    batch.run();
    for (ScoreBatch::Ticket i = 0; i < scored.size(); ++i) score_of_[scored[i]] = batch[i];
}

Classes::Classes(const FamilyProblem& problem, const ClassScore& score, std::span<const std::int32_t> classes)
    : problem_(&problem),
      score_(&score),
      n_states_(problem.n_states),
      n_classes_(0),
      of_(classes.size()),
      next_(classes.size()),
      size_(classes.size()),
      observed_(classes.size()),
      score_of_(classes.size()),
      counts_(problem.counts.begin(), problem.counts.end()) {
    std::vector<Cell> order(classes.size());
    std::iota(order.begin(), order.end(), Cell{0});
    std::stable_sort(order.begin(), order.end(), [&](Cell a, Cell b) { return classes[a] < classes[b]; });
    for (std::size_t first = 0; first < order.size();) {
        std::size_t last = first;
        while (last < order.size() && classes[order[last]] == classes[order[first]]) ++last;
        form(std::span(order).subspan(first, last - first));
        ++n_classes_;
        first = last;
    }
}

// Makes one class of these cells.
void Classes::form(std::span<const Cell> cells) {
    const Cell c = *std::min_element(cells.begin(), cells.end());
    double* sums = counts_.data() + c * n_states_;
    std::fill_n(sums, n_states_, 0.0);
    double total = 0.0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        of_[cells[i]] = c;
        next_[cells[i]] = cells[i + 1 < cells.size() ? i + 1 : 0];
        const auto row = problem_->row(cells[i]);
        for (std::size_t state = 0; state < n_states_; ++state) {
            sums[state] += row[state];
            total += row[state];
        }
    }
    size_[c] = static_cast<Cell>(cells.size());
    observed_[c] = total > 0.0;
    score_of_[c] = (*score_)(counts(c), static_cast<double>(cells.size()));
}

Cell Classes::merge(std::span<const Cell> joined) { return merge_into(std::ranges::min(joined), joined); }

Cell Classes::merge_into(Cell kept, std::span<const Cell> joined) {
    double* sums = counts_.data() + kept * n_states_;
    for (const Cell other : joined) {
        if (other == kept) continue;
        for_each_cell(other, [&](Cell cell) { of_[cell] = kept; });
        std::swap(next_[kept], next_[other]);
        size_[kept] += size_[other];
        if (observed_[other] == 0) continue;
        observed_[kept] = 1;
        for (std::size_t state = 0; state < n_states_; ++state) sums[state] += counts(other)[state];
    }
    score_of_[kept] = (*score_)(counts(kept), static_cast<double>(size_[kept]));
    n_classes_ -= joined.size() - 1;
    return kept;
}

void Classes::regroup(const Groups& groups) {
    for (const Cell cell : groups.cells) n_classes_ -= of_[cell] == cell ? 1 : 0;
    for (std::size_t i = 0; i < groups.size(); ++i) form(groups[i]);
    n_classes_ += groups.size();
}

double Classes::total() const {
    double sum = problem_->class_lost * static_cast<double>(of_.size() - n_classes_);
    for (std::size_t cell = 0; cell < of_.size(); ++cell)
        if (of_[cell] == cell) sum += score_of_[cell];
    return sum;
}

std::vector<std::int32_t> Classes::numbered() const {
    std::vector<std::int32_t> of_class(of_.size(), -1);
    std::vector<std::int32_t> numbers(of_.size());
    std::int32_t n = 0;
    for (std::size_t cell = 0; cell < of_.size(); ++cell) {
        std::int32_t& number = of_class[of_[cell]];
        if (number < 0) number = n++;
        numbers[cell] = number;
    }
    return numbers;
}

FamilyResult Classes::result(std::vector<Step> steps) const {
    FamilyResult result;
    result.classes = numbered();
    result.n_classes = n_classes_;
    for (std::size_t cell = 0; cell < of_.size(); ++cell)
        if (of_[cell] == cell) result.log_marginal_likelihood += score_of_[cell];
    result.score =
        result.log_marginal_likelihood + problem_->class_lost * static_cast<double>(of_.size() - n_classes_);
    result.steps = std::move(steps);
    return result;
}

void Regularity::reset(const Grid& grid) {
    grid_ = &grid;
    witness_.assign(grid.n_axes(), 0);
    joined_.assign(grid.size(), 0);
}

bool Regularity::is_open(const Classes& classes, std::size_t axis, std::size_t first) const {
    const Cell c = classes.of(first);
    for (std::size_t k = 1; k < grid_->n_states(axis); ++k) {
        const Cell other = classes.of(first + k * grid_->stride(axis));
        if (other != c && !(joined_[other] != 0 && joined_[c] != 0)) return true;
    }
    return false;
}

bool Regularity::makes_difference(const Classes& classes, std::size_t axis) {
    if (grid_->n_states(axis) < 2 || is_open(classes, axis, witness_[axis])) return true;
    const std::size_t stride = grid_->stride(axis);
    for (std::size_t block = 0; block < grid_->size(); block += stride * grid_->n_states(axis)) {
        for (std::size_t first = block; first < block + stride; ++first) {
            if (!is_open(classes, axis, first)) continue;
            witness_[axis] = first;
            return true;
        }
    }
    return false;
}

bool Regularity::holds(const Classes& classes) {
    for (std::size_t axis = 0; axis < grid_->n_axes(); ++axis)
        if (!makes_difference(classes, axis)) return false;
    return true;
}

bool Regularity::holds_after(const Classes& classes, std::span<const Cell> joined) {
    for (const Cell c : joined) joined_[c] = 1;
    const bool holds_then = holds(classes);
    for (const Cell c : joined) joined_[c] = 0;
    return holds_then;
}

Digits::Digits(const Grid& grid) : n_axes_(grid.n_axes()), digits_(grid.size() * grid.n_axes()) {
    for (std::size_t cell = 1; cell < grid.size(); ++cell) {
        std::uint32_t* digits = digits_.data() + cell * n_axes_;
        std::copy_n(digits - n_axes_, n_axes_, digits);
        std::size_t axis = n_axes_ - 1;
        while (++digits[axis] == grid.n_states(axis)) digits[axis--] = 0;
    }
}

}  // namespace ldag
