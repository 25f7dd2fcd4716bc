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

}  // namespace ldag
