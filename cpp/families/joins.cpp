#include "families/joins.hpp"

namespace ldag {

void Joins::reset(const Grid& grid, JoinKind kind) {
    kind_ = kind;
    axes_.clear();
    size_ = 0;
    for (std::size_t axis = 0; axis < grid.n_axes(); ++axis) {
        const std::size_t n = grid.n_states(axis);
        if (n < 2) continue;
        const std::size_t n_pairs = grid.is_ordered(axis) ? n - 1 : n * (n - 1) / 2;
        const std::size_t per_line = kind == JoinKind::line ? 1 : n_pairs;
        axes_.push_back({static_cast<std::uint32_t>(axis), static_cast<Cell>(grid.stride(axis)),
                         static_cast<Cell>(n), static_cast<Cell>(grid.n_lines(axis)), grid.is_ordered(axis),
                         static_cast<std::uint32_t>(size_), static_cast<std::uint32_t>(per_line)});
        size_ += grid.n_lines(axis) * per_line;
    }
}

Join Joins::operator[](std::uint32_t number) const {
    const Axis* axis = axes_.data();
    while (axis + 1 < axes_.data() + axes_.size() && (axis + 1)->first_join <= number) ++axis;
    const Cell line = (number - axis->first_join) / axis->per_line;
    const Cell first = line / axis->stride * axis->stride * axis->n_states + line % axis->stride;
    if (kind_ == JoinKind::line) return along(*axis, first, line);
    Cell rank = number - axis->first_join - line * axis->per_line;
    Cell a = 0;
    if (axis->is_ordered) return pair(*axis, first, line, rank, rank + 1);
    for (; rank >= axis->n_states - 1 - a; ++a) rank -= axis->n_states - 1 - a;
    return pair(*axis, first, line, a, a + 1 + rank);
}

}  // namespace ldag
