#include "counting/row_groups.hpp"

#include <algorithm>
#include <numeric>

namespace ldag {

RowGroups::RowGroups(const Columns& columns)
    : n_states_(columns.n_states().begin(), columns.n_states().end()),
      codes_(n_states_.size()),
      levels_(n_states_.size() + 1),
      parts_(n_states_.empty() ? 0 : std::ranges::max(n_states_)) {
    const std::size_t n_single = columns.single_.n;
    const std::size_t n_rows = n_single + columns.weighted_.n;
    const auto code = [&](std::size_t row, std::size_t variable) {
        return row < n_single ? columns.column(columns.single_, variable).codes[row]
                              : columns.column(columns.weighted_, variable).codes[row - n_single];
    };
    const auto compare = [&](std::uint32_t a, std::uint32_t b) {
        for (std::size_t variable = 0; variable < n_states_.size(); ++variable)
            if (code(a, variable) != code(b, variable)) return code(a, variable) < code(b, variable) ? -1 : 1;
        return 0;
    };
    std::vector<std::uint32_t> order(n_rows);
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) { return compare(a, b) < 0; });
    for (std::size_t i = 0; i < n_rows; ++i) {
        const std::size_t row = order[i];
        const std::uint64_t weight =
            row < n_single ? 1
                           : static_cast<std::uint64_t>(
                                 std::get<std::vector<std::int64_t>>(columns.weights_)[row - n_single]);
        if (i > 0 && compare(order[i - 1], order[i]) == 0) {
            weights_.back() += weight;
            continue;
        }
        weights_.push_back(weight);
        for (std::size_t variable = 0; variable < n_states_.size(); ++variable)
            codes_[variable].push_back(code(row, variable));
    }
    Level& all = levels_[0];
    for (std::uint32_t row = 0; row < weights_.size(); ++row) all.rows.push_back(row);
    const std::uint64_t total = std::reduce(weights_.begin(), weights_.end());
    if (total > 0) all.groups.push_back({static_cast<std::uint32_t>(all.rows.size()), total});
}

void RowGroups::add_up(const Level& level, const Group& group, std::size_t variable) {
    std::fill_n(parts_.begin(), n_states_[variable], Part{0, 0, 0});
    const Code* const codes = codes_[variable].data();
    for (std::uint32_t i = begin_of(level, group); i < group.end; ++i) {
        const std::uint32_t row = level.rows[i];
        Part& part = parts_[codes[row]];
        ++part.n;
        part.count += weights_[row];
    }
}

void RowGroups::push(std::size_t variable) {
    const Level& level = levels_[depth_];
    Level& next = levels_[++depth_];
    next.rows.resize(level.rows.size());
    next.groups.clear();
    next.n_once = level.n_once;
    next.alone = level.alone;
    std::uint32_t end = 0;
    const Code* const codes = codes_[variable].data();
    for (const Group& group : level.groups) {
        add_up(level, group, variable);
        for (std::size_t state = 0; state < n_states_[variable]; ++state) {
            Part& part = parts_[state];
            part.place = end;
            if (part.n > 1) {
                end += part.n;
                next.groups.push_back({end, part.count});
            } else if (part.count == 1) {
                ++next.n_once;
            } else if (part.n == 1) {
                next.alone.push_back(part.count);
            }
        }
        for (std::uint32_t i = begin_of(level, group); i < group.end; ++i) {
            Part& part = parts_[codes[level.rows[i]]];
            if (part.n > 1) next.rows[part.place++] = level.rows[i];
        }
    }
    next.rows.resize(end);
}

}  // namespace ldag
