#include "families/fixed_labels.hpp"

#include <algorithm>
#include <numeric>

#include "families/classes.hpp"

namespace ldag {

namespace {

constexpr std::size_t kMissing = static_cast<std::size_t>(-1);

std::size_t axis_of(std::span<const std::uint32_t> parents, std::uint32_t variable) {
    const auto place = std::ranges::lower_bound(parents, variable);
    if (place == parents.end() || *place != variable) return kMissing;
    return static_cast<std::size_t>(place - parents.begin());
}

// Whether a configuration of these parents agrees with a context.
bool agrees(const Context& context, std::span<const std::uint32_t> parents, const Grid& grid,
            std::size_t cell) {
    return std::ranges::all_of(context, [&](const Assignment& one) {
        const std::size_t axis = axis_of(parents, one.variable);
        return axis != kMissing && grid.state(cell, axis) == one.state;
    });
}

Cell find_root(std::vector<std::int32_t>& root, std::size_t cell) {
    while (root[cell] != static_cast<std::int32_t>(cell)) {
        root[cell] = root[static_cast<std::size_t>(root[cell])];
        cell = static_cast<std::size_t>(root[cell]);
    }
    return static_cast<Cell>(cell);
}

}  // namespace

FixedLabels fixed_labels(const LabelRules& rules, std::span<const std::uint32_t> parents, const Grid& grid) {
    FixedLabels fixed;
    for (const LabelRule& rule : rules) {
        const std::size_t axis = axis_of(parents, rule.parent);
        if (axis == kMissing) continue;
        fixed.resize(grid.n_axes());
        for (std::size_t line = 0; line < grid.n_lines(axis); ++line) {
            const std::size_t cell = grid.line_start(axis, line);
            fixed[axis].push_back(std::ranges::any_of(
                rule.contexts, [&](const Context& context) { return agrees(context, parents, grid, cell); }));
        }
    }
    return fixed;
}

std::vector<std::int32_t> finest_classes(const FixedLabels& fixed, const Grid& grid) {
    std::vector<std::int32_t> root(grid.size());
    std::iota(root.begin(), root.end(), 0);
    for (std::size_t axis = 0; axis < fixed.size(); ++axis) {
        for (std::size_t line = 0; line < fixed[axis].size(); ++line) {
            if (fixed[axis][line] == 0) continue;
            const std::size_t first = grid.line_start(axis, line);
            for (std::size_t k = 1; k < grid.n_states(axis); ++k) {
                const Cell a = find_root(root, first);
                const Cell b = find_root(root, first + k * grid.stride(axis));
                root[std::max(a, b)] = static_cast<std::int32_t>(std::min(a, b));
            }
        }
    }
    for (std::size_t cell = 0; cell < root.size(); ++cell)
        root[cell] = static_cast<std::int32_t>(find_root(root, cell));
    return root;
}

LabelGuard::LabelGuard(const FamilyProblem& problem) : grid_(&problem.grid), fixed_(&problem.fixed) {
    if (!fixed_->empty()) joined_.resize(grid_->size(), 0);
}

bool LabelGuard::is_inside(const Classes& classes, std::size_t axis, std::size_t first) const {
    const Cell c = classes.of(first);
    for (std::size_t k = 1; k < grid_->n_states(axis); ++k) {
        const Cell other = classes.of(first + k * grid_->stride(axis));
        if (other != c && !(joined_[other] != 0 && joined_[c] != 0)) return false;
    }
    return true;
}

bool LabelGuard::holds(const Classes& classes) const {
    for (std::size_t axis = 0; axis < fixed_->size(); ++axis)
        for (std::size_t line = 0; line < (*fixed_)[axis].size(); ++line)
            if (is_inside(classes, axis, grid_->line_start(axis, line)) != ((*fixed_)[axis][line] != 0))
                return false;
    return true;
}

// Whether no line that starts at a cell comes to lie inside a class against the rules.
bool LabelGuard::allows_lines_at(const Classes& classes, std::size_t cell) const {
    for (std::size_t axis = 0; axis < fixed_->size(); ++axis) {
        if ((*fixed_)[axis].empty() || grid_->state(cell, axis) != 0) continue;
        const std::size_t stride = grid_->stride(axis);
        const std::size_t line = cell / (stride * grid_->n_states(axis)) * stride + cell % stride;
        if ((*fixed_)[axis][line] == 0 && is_inside(classes, axis, cell)) return false;
    }
    return true;
}

bool LabelGuard::holds_after(const Classes& classes, std::span<const Cell> joined) {
    if (fixed_->empty()) return true;
    for (const Cell c : joined) joined_[c] = 1;
    bool holds_then = true;
    for (const Cell c : joined)
        classes.for_each_cell(c,
                              [&](Cell cell) { holds_then = holds_then && allows_lines_at(classes, cell); });
    for (const Cell c : joined) joined_[c] = 0;
    return holds_then;
}

}  // namespace ldag
