#include "families/components.hpp"

#include <algorithm>

namespace ldag {

Cell Components::find(Cell cell) {
    while (root_[cell] != cell) cell = root_[cell] = root_[root_[cell]];
    return cell;
}

void Components::join(Cell a, Cell b) {
    a = find(a);
    b = find(b);
    root_[std::max(a, b)] = std::min(a, b);
}

// Joins the line that starts at a cell if all of it is in the set.
void Components::join_line(Cell cell, std::size_t axis) {
    if (digits_.state(cell, axis) != 0) return;
    const auto stride = static_cast<Cell>(grid_.stride(axis));
    const auto end = cell + static_cast<Cell>(grid_.n_states(axis)) * stride;
    for (Cell other = cell + stride; other < end; other += stride)
        if (seen_[other] != now_) return;
    for (Cell other = cell + stride; other < end; other += stride) join(cell, other);
}

// Joins a cell with the nearest lower one of its line in the set; along an order, with the very next only.
void Components::join_neighbour(Cell cell, std::size_t axis) {
    const auto stride = static_cast<Cell>(grid_.stride(axis));
    for (std::size_t k = digits_.state(cell, axis); k > 0; --k) {
        const Cell other = cell - static_cast<Cell>(digits_.state(cell, axis) - k + 1) * stride;
        if (seen_[other] == now_) return join(cell, other);
        if (grid_.is_ordered(axis)) return;
    }
}

void Components::append_to(Groups& groups, std::span<const Cell> cells) {
    if (cells.empty()) return;
    if (!kind_ || cells.size() == 1) {
        groups.cells.insert(groups.cells.end(), cells.begin(), cells.end());
        groups.close();
        return;
    }
    ++now_;
    for (const Cell cell : cells) {
        seen_[cell] = now_;
        root_[cell] = cell;
    }
    for (const Cell cell : cells)
        for (std::size_t axis = 0; axis < grid_.n_axes(); ++axis) switch (*kind_) {
                case JoinKind::line:
                    join_line(cell, axis);
                    break;
                case JoinKind::pair:
                    join_neighbour(cell, axis);
                    break;
            }
    by_root_.clear();
    for (const Cell cell : cells) by_root_.emplace_back(find(cell), cell);
    std::sort(by_root_.begin(), by_root_.end());
    for (std::size_t i = 0; i < by_root_.size(); ++i) {
        groups.cells.push_back(by_root_[i].second);
        if (i + 1 == by_root_.size() || by_root_[i + 1].first != by_root_[i].first) groups.close();
    }
}

// Calls visit(other) for the cells of the set that a cell of it, or one taken out of it, is joined to
// directly.
template <class IsIn, class Visit>
void FallingOff::for_each_neighbour(Cell cell, IsIn is_in, Visit visit) const {
    for (std::size_t axis = 0; axis < grid_.n_axes(); ++axis) {
        const auto stride = static_cast<Cell>(grid_.stride(axis));
        const auto n = static_cast<Cell>(grid_.n_states(axis));
        const auto state = static_cast<Cell>(digits_.state(cell, axis));
        const Cell first = cell - state * stride;
        const bool has_order = kind_ == JoinKind::pair && grid_.is_ordered(axis);
        const Cell begin = has_order && state > 0 ? state - 1 : 0;
        const Cell end = has_order ? std::min(state + 2, n) : n;
        bool is_whole = true;
        for (Cell k = 0; k < n && is_whole && kind_ == JoinKind::line; ++k)
            is_whole = k == state || is_in(first + k * stride);
        for (Cell k = begin; k < end && is_whole; ++k)
            if (k != state && is_in(first + k * stride)) visit(first + k * stride);
    }
}

std::uint32_t FallingOff::root(Cell cell) {
    std::uint32_t front = owner_[cell];
    while (taken_in_by_[front] != front) front = taken_in_by_[front] = taken_in_by_[taken_in_by_[front]];
    return front;
}

std::uint32_t FallingOff::unite(std::uint32_t a, std::uint32_t b) {
    const auto n_cells = [&](std::uint32_t front) {
        return fronts_[front].done.size() + fronts_[front].open.size();
    };
    if (n_cells(a) < n_cells(b)) std::swap(a, b);
    Front& into = fronts_[a];
    Front& from = fronts_[b];
    into.done.insert(into.done.end(), from.done.begin(), from.done.end());
    into.open.insert(into.open.end(), from.open.begin(), from.open.end());
    from.done.clear();
    from.open.clear();
    from.is_going = false;
    taken_in_by_[b] = a;
    --n_going_;
    return a;
}

void FallingOff::start(Cell cell) {
    if (owner_[cell] != kNone) return;
    if (n_fronts_ == fronts_.size()) {
        fronts_.emplace_back();
        taken_in_by_.push_back(0);
    }
    fronts_[n_fronts_].open.push_back(cell);
    fronts_[n_fronts_].is_going = true;
    taken_in_by_[n_fronts_] = n_fronts_;
    owner_[cell] = n_fronts_++;
    ++n_going_;
}

template <class IsIn>
void FallingOff::step(std::uint32_t front, IsIn is_in) {
    const Cell cell = fronts_[front].open.back();
    fronts_[front].open.pop_back();
    fronts_[front].done.push_back(cell);
    for_each_neighbour(cell, is_in, [&](Cell other) {
        if (owner_[other] == kNone) {
            owner_[other] = front;
            fronts_[front].open.push_back(other);
        } else if (const std::uint32_t met = root(other); met != front) {
            front = unite(front, met);
        }
    });
    if (!fronts_[front].open.empty()) return;
    fronts_[front].is_going = false;
    --n_going_;
}

void FallingOff::find(const Classes& classes, Cell c, std::span<const Cell> out,
                      std::span<const std::uint8_t> is_out, Groups& parts) {
    parts.clear();
    const auto is_in = [&](Cell cell) { return classes.of(cell) == c; };
    const auto stays = [&](Cell cell) { return classes.of(cell) == c && is_out[cell] == 0; };
    for (const Cell cell : out)
        for_each_neighbour(cell, is_in, [&](Cell other) {
            if (is_out[other] == 0) start(other);
        });
    while (n_going_ > 1)
        for (std::uint32_t front = 0; front < n_fronts_ && n_going_ > 1; ++front)
            if (fronts_[front].is_going) step(front, stays);
    for (std::uint32_t i = 0; i < n_fronts_; ++i) {
        Front& front = fronts_[i];
        for (const auto* cells : {&front.done, &front.open})
            for (const Cell cell : *cells) owner_[cell] = kNone;
        if (!front.is_going && !front.done.empty()) {
            parts.cells.insert(parts.cells.end(), front.done.begin(), front.done.end());
            parts.close();
        }
        front.done.clear();
        front.open.clear();
    }
    n_fronts_ = 0;
    n_going_ = 0;
}

}  // namespace ldag
