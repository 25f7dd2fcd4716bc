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

Cell Classes::merge(std::span<const Cell> joined) {
    const Cell c = *std::min_element(joined.begin(), joined.end());
    double* sums = counts_.data() + c * n_states_;
    for (const Cell other : joined) {
        if (other == c) continue;
        for_each_cell(other, [&](Cell cell) { of_[cell] = c; });
        std::swap(next_[c], next_[other]);
        size_[c] += size_[other];
        observed_[c] |= observed_[other];
        for (std::size_t state = 0; state < n_states_; ++state) sums[state] += counts(other)[state];
    }
    score_of_[c] = (*score_)(counts(c), static_cast<double>(size_[c]));
    n_classes_ -= joined.size() - 1;
    return c;
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
    std::vector<std::int32_t> numbers(of_.size());
    std::int32_t n = 0;
    for (std::size_t cell = 0; cell < of_.size(); ++cell)
        numbers[cell] = of_[cell] == cell ? n++ : numbers[of_[cell]];
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

namespace {

// Calls visit(axis, line, first cell) for every line, by axis and then by line.
template <class Visit>
void for_each_line(const Grid& grid, Visit visit) {
    for (std::size_t axis = 0; axis < grid.n_axes(); ++axis) {
        const std::size_t stride = grid.stride(axis);
        std::size_t line = 0;
        for (std::size_t block = 0; block < grid.size(); block += stride * grid.n_states(axis))
            for (std::size_t first = block; first < block + stride; ++first) visit(axis, line++, first);
    }
}

Joins::Join join(std::size_t first, std::size_t step, std::size_t n_cells, std::size_t axis,
                 std::size_t line) {
    return {static_cast<Cell>(first), static_cast<Cell>(step), static_cast<Cell>(n_cells),
            static_cast<std::uint32_t>(axis), static_cast<std::uint32_t>(line)};
}

}  // namespace

Joins Joins::lines(const Grid& grid) {
    Joins joins;
    std::size_t n = 0;
    for (std::size_t axis = 0; axis < grid.n_axes(); ++axis) n += grid.n_lines(axis);
    joins.all.reserve(n);
    for_each_line(grid, [&](std::size_t axis, std::size_t line, std::size_t first) {
        joins.all.push_back(join(first, grid.stride(axis), grid.n_states(axis), axis, line));
    });
    return joins;
}

Joins Joins::neighbours(const Grid& grid) {
    Joins joins;
    for_each_line(grid, [&](std::size_t axis, std::size_t line, std::size_t first) {
        const std::size_t stride = grid.stride(axis);
        for (std::size_t a = 0; a < grid.n_states(axis); ++a)
            for (std::size_t b = a + 1;
                 b < (grid.is_ordered(axis) ? std::min(a + 2, grid.n_states(axis)) : grid.n_states(axis));
                 ++b)
                joins.all.push_back(join(first + a * stride, (b - a) * stride, 2, axis, line));
    });
    return joins;
}

Regularity::Regularity(const Grid& grid)
    : grid_(&grid), witness_(grid.n_axes(), 0), joined_(grid.size(), 0) {}

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
