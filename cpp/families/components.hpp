// The parts that a set of configurations falls into where classes must be connected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "families/classes.hpp"
#include "families/joins.hpp"

namespace ldag {

// Splits a set of cells into the classes that are allowed: connected through whole lines inside the set,
// through pairs of neighbours, or, without joins, anything.
class Components {
  public:
    Components(const Grid& grid, const Digits& digits, std::optional<JoinKind> kind)
        : grid_(grid), digits_(digits), kind_(kind), seen_(grid.size(), 0), root_(grid.size()) {}

    void append_to(Groups& groups, std::span<const Cell> cells);

  private:
    Cell find(Cell cell);
    void join(Cell a, Cell b);
    void join_line(Cell cell, std::size_t axis);
    void join_neighbour(Cell cell, std::size_t axis);

    const Grid& grid_;
    const Digits& digits_;
    std::optional<JoinKind> kind_;
    std::uint32_t now_ = 0;
    std::vector<std::uint32_t> seen_;  // equal to now_: in the set
    std::vector<Cell> root_;
    std::vector<std::pair<Cell, Cell>> by_root_;
};

// What falls off a connected class when some of its cells are taken out. Each part holds a cell next to one
// that was taken out, so it is looked for from these, from all at once, until all that go on have met.
class FallingOff {
  public:
    FallingOff(const Grid& grid, const Digits& digits, JoinKind kind)
        : grid_(grid), digits_(digits), kind_(kind), owner_(grid.size(), kNone) {}

    // Lists all parts but one of what is left of a class without these cells of it, for which is_out is not
    // 0.
    void find(const Classes& classes, Cell c, std::span<const Cell> out, std::span<const std::uint8_t> is_out,
              Groups& parts);

  private:
    static constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);

    struct Front {
        std::vector<Cell> done;
        std::vector<Cell> open;  // whose neighbours have not been looked at
        bool is_going = true;    // neither a whole part nor taken in by another front
    };

    template <class IsIn, class Visit>
    void for_each_neighbour(Cell cell, IsIn is_in, Visit visit) const;
    void start(Cell cell);
    template <class IsIn>
    void step(std::uint32_t front, IsIn is_in);
    std::uint32_t root(Cell cell);
    std::uint32_t unite(std::uint32_t a, std::uint32_t b);

    const Grid& grid_;
    const Digits& digits_;
    JoinKind kind_;
    std::vector<std::uint32_t> owner_;  // by cell, a front
    std::vector<std::uint32_t> taken_in_by_;
    std::vector<Front> fronts_;
    std::uint32_t n_fronts_ = 0;  // in use
    std::size_t n_going_ = 0;
};

}  // namespace ldag
