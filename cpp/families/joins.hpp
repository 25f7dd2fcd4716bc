// Sets of cells that one greedy step joins: the lines (Algorithm 1) or the pairs of neighbours, numbered by
// axis, then line, then states.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/grid.hpp"

namespace ldag {

// A configuration; also a class, by one of its configurations.
using Cell = std::uint32_t;

struct Join {
    Cell first;
    Cell step;
    Cell n_cells;
    std::uint32_t axis;
    std::uint32_t line;
    std::uint32_t number;

    Cell cell(std::size_t k) const { return first + static_cast<Cell>(k) * step; }
};

enum class JoinKind : std::uint8_t { line, pair };

class Joins {
  public:
    Joins() = default;
    Joins(const Grid& grid, JoinKind kind) { reset(grid, kind); }

    void reset(const Grid& grid, JoinKind kind);
    std::size_t size() const { return size_; }  // numbers are below

    // Calls visit(join) for all of at least two cells, by number.
    template <class Visit>
    void for_each(Visit visit) const {
        for (const Axis& axis : axes_)
            for (Cell line = 0; line < axis.n_lines; ++line) {
                const Cell first = line / axis.stride * axis.stride * axis.n_states + line % axis.stride;
                if (kind_ == JoinKind::line) {
                    visit(along(axis, first, line));
                    continue;
                }
                for (Cell a = 0; a + 1 < axis.n_states; ++a)
                    for (Cell b = a + 1; b < (axis.is_ordered ? a + 2 : axis.n_states); ++b)
                        visit(pair(axis, first, line, a, b));
            }
    }

    Join operator[](std::uint32_t number) const;

    // The same for those that hold a cell.
    template <class Visit>
    void for_each_through(Cell cell, Visit visit) const {
        for (const Axis& axis : axes_) {
            const Cell above = cell / axis.stride;
            const Cell state = above % axis.n_states;
            const Cell first = cell - state * axis.stride;
            const Cell line = above / axis.n_states * axis.stride + (cell - above * axis.stride);
            if (kind_ == JoinKind::line) {
                visit(along(axis, first, line));
                continue;
            }
            const Cell begin = !axis.is_ordered || state == 0 ? 0 : state - 1;
            const Cell end = !axis.is_ordered || state + 2 > axis.n_states ? axis.n_states : state + 2;
            for (Cell other = begin; other < state; ++other) visit(pair(axis, first, line, other, state));
            for (Cell other = state + 1; other < end; ++other) visit(pair(axis, first, line, state, other));
        }
    }

  private:
    struct Axis {
        std::uint32_t number;
        Cell stride;
        Cell n_states;  // at least 2
        Cell n_lines;
        bool is_ordered;
        std::uint32_t first_join;
        std::uint32_t per_line;
    };

    static Join along(const Axis& axis, Cell first, Cell line) {
        return {first, axis.stride, axis.n_states, axis.number, line, axis.first_join + line};
    }
    static Join pair(const Axis& axis, Cell first, Cell line, Cell a, Cell b) {
        const Cell rank = axis.is_ordered ? a : a * axis.n_states - a * (a + 1) / 2 + (b - a - 1);
        return {first + a * axis.stride,
                (b - a) * axis.stride,
                2,
                axis.number,
                line,
                axis.first_join + line * axis.per_line + rank};
    }

    JoinKind kind_ = JoinKind::line;
    std::vector<Axis> axes_;
    std::size_t size_ = 0;
};

}  // namespace ldag
