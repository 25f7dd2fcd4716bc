// Which sets of configurations a structure allows as classes, and what each is worth.
#include <algorithm>
#include <array>
#include <limits>

#include "families/structures.hpp"

namespace ldag {

namespace {

Grid without_single_states(const Grid& grid) {
    std::vector<std::size_t> n_states;
    std::vector<std::uint8_t> ordered;
    for (std::size_t axis = 0; axis < grid.n_axes(); ++axis) {
        if (grid.n_states(axis) == 1) continue;
        n_states.push_back(grid.n_states(axis));
        ordered.push_back(grid.is_ordered(axis) ? 1 : 0);
    }
    return Grid(std::move(n_states), std::move(ordered));
}

}  // namespace

BlockGrid::BlockGrid(const Grid& grid) : grid_(without_single_states(grid)) {}

Block BlockGrid::line(std::size_t axis, std::size_t line) const {
    Block cells = 0;
    for (std::size_t state = 0; state < n_states(axis); ++state) {
        cells |= cell(grid_.line_start(axis, line) + state * grid_.stride(axis));
    }
    return cells;
}

Block BlockGrid::slice(std::size_t axis, std::size_t state) const {
    Block cells = 0;
    for (std::size_t number = 0; number < n_cells(); ++number) {
        if (grid_.state(number, axis) == state) cells |= cell(number);
    }
    return cells;
}

namespace {

std::vector<Block> lines_along(const BlockGrid& grid, std::size_t axis) {
    std::vector<Block> lines;
    for (std::size_t line = 0; line < grid.n_lines(axis); ++line) lines.push_back(grid.line(axis, line));
    return lines;
}

// What joins the cells of a block: pairs, and lines that do so only when the block holds them whole.
struct BlockJoins {
    // By a cell's bit number: the earlier-numbered bits it is joined to by a pair.
    std::array<Block, kMaxExactCells> pairs{};
    // Lines of three cells or more, by the number of their highest bit.
    std::array<std::vector<Block>, kMaxExactCells> lines;

    void add_pairs(Block cells) {
        for (Block rest = cells; rest != 0; rest ^= first_cell(rest)) {
            pairs[static_cast<std::size_t>(std::bit_width(rest)) - 1] |= rest ^ first_cell(rest);
        }
    }
    // Each cell with the next one only.
    void add_chain(Block cells) {
        for (Block rest = cells; rest != 0; rest ^= first_cell(rest)) {
            pairs[static_cast<std::size_t>(std::bit_width(rest)) - 1] |= first_cell(rest ^ first_cell(rest));
        }
    }
    void add_line(Block cells) {
        if (std::popcount(cells) == 2) return add_pairs(cells);
        lines[static_cast<std::size_t>(std::bit_width(cells)) - 1].push_back(cells);
    }
};

// The connected blocks. components[W] is the component of W that holds its first cell c: c itself and those
// components of W without c that are joined to c by a pair or by a line inside W.
std::vector<Block> connected_blocks(const BlockGrid& grid, const BlockJoins& joins) {
    std::vector<Block> connected;
    std::vector<std::uint16_t> components(std::size_t{grid.all()} + 1);
    for (Block block = 1; block <= grid.all(); ++block) {
        const Block first = first_cell(block);
        const auto bit = static_cast<std::size_t>(std::bit_width(block)) - 1;
        Block reached = joins.pairs[bit] & block;
        for (const Block line : joins.lines[bit]) {
            if ((line & ~block) == 0) reached |= line;
        }
        Block component = first;
        for (Block rest = block ^ first; rest != 0;) {
            const Block part = components[rest];
            if ((part & reached) != 0) component |= part;
            rest ^= part;
        }
        components[block] = static_cast<std::uint16_t>(component);
        if (component == block) connected.push_back(block);
    }
    return connected;
}

// A sum over the cells of a block, for all blocks: one addition of the sums over its low and its high half.
class CellSums {
  public:
    // value(bit) is the summand of the cell with that bit number.
    template <class Value>
    CellSums(std::size_t n_cells, Value value) {
        for (std::size_t bit = 0; bit < n_cells; ++bit) {
            std::array<double, 256>& half = bit < 8 ? low_ : high_;
            const std::size_t size = std::size_t{1} << (bit % 8);
            const double added = value(bit);
            for (std::size_t mask = 0; mask < size; ++mask) half[size + mask] = half[mask] + added;
        }
    }
    double operator()(Block block) const { return low_[block & 255] + high_[block >> 8]; }

  private:
    std::array<double, 256> low_{};
    std::array<double, 256> high_{};
};

// The allowed blocks as columns, for loops over all of them.
struct ScoredBlocks {
    explicit ScoredBlocks(std::span<const Block> allowed)
        : cells(allowed), sizes(allowed.size()), scores(allowed.size(), 0.0) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            sizes[i] = static_cast<std::uint8_t>(std::popcount(cells[i]));
        }
    }

    // Adds sign * (ln Gamma(n_S + a) - ln Gamma(a)) to every score, where a is so many times the alpha of the
    // block: one factor of equation 6, exactly 0 where n_S is 0.
    void add_log_gamma_ratios(const CellSums& counts, const ClassScore& class_score, double times,
                              double sign) {
        std::array<double, kMaxExactCells + 1> alphas;
        std::array<double, kMaxExactCells + 1> denominators{};
        for (std::size_t size = 0; size < alphas.size(); ++size) {
            alphas[size] = times * class_score.alpha(static_cast<double>(std::max(size, std::size_t{1})));
        }
        log_gamma(alphas, denominators);
        constexpr std::size_t kChunk = 512;
        std::array<double, kChunk> values;
        std::array<double, kChunk> numerators;
        for (std::size_t begin = 0; begin < cells.size(); begin += kChunk) {
            const std::size_t n = std::min(kChunk, cells.size() - begin);
            for (std::size_t i = 0; i < n; ++i) {
                values[i] = counts(cells[begin + i]) + alphas[sizes[begin + i]];
            }
            log_gamma({values.data(), n}, {numerators.data(), n});
            for (std::size_t i = 0; i < n; ++i) {
                scores[begin + i] += sign * (numerators[i] - denominators[sizes[begin + i]]);
            }
        }
    }

    // The same for classes that take more care, one by one.
    void score_large(std::span<const CellSums> by_state, const ClassScore& class_score) {
        std::vector<double> counts(by_state.size());
        for (std::size_t i = 0; i < cells.size(); ++i) {
            for (std::size_t state = 0; state < counts.size(); ++state)
                counts[state] = by_state[state](cells[i]);
            scores[i] = class_score(counts, std::max<double>(sizes[i], 1.0));
        }
    }

    std::span<const Block> cells;
    std::vector<std::uint8_t> sizes;
    std::vector<double> scores;
};

}  // namespace

std::vector<Block> single_blocks(const BlockGrid& grid) { return connected_blocks(grid, {}); }

// Every sub-box: some parents fixed at a state each, the others free.
std::vector<Block> box_blocks(const BlockGrid& grid) {
    std::vector<Block> boxes{grid.all()};
    for (std::size_t axis = 0; axis < grid.n_axes(); ++axis) {
        const std::size_t n_wider = boxes.size();
        for (std::size_t wider = 0; wider < n_wider; ++wider) {
            for (std::size_t state = 0; state < grid.n_states(axis); ++state) {
                boxes.push_back(boxes[wider] & grid.slice(axis, state));
            }
        }
    }
    std::sort(boxes.begin(), boxes.end());
    return boxes;
}

std::vector<Block> line_blocks(const BlockGrid& grid) {
    BlockJoins joins;
    for (std::size_t axis = 0; axis < grid.n_axes(); ++axis)
        for (const Block line : lines_along(grid, axis)) joins.add_line(line);
    return connected_blocks(grid, joins);
}

std::vector<Block> neighbour_blocks(const BlockGrid& grid) {
    BlockJoins joins;
    for (std::size_t axis = 0; axis < grid.n_axes(); ++axis)
        for (const Block line : lines_along(grid, axis))
            grid.is_ordered(axis) ? joins.add_chain(line) : joins.add_pairs(line);
    return connected_blocks(grid, joins);
}

std::vector<Block> all_blocks(const BlockGrid& grid) {
    BlockJoins joins;
    joins.add_pairs(grid.all());
    return connected_blocks(grid, joins);
}

std::vector<std::uint8_t> cut_axes(const BlockGrid& grid) {
    std::vector<std::uint8_t> cut(std::size_t{grid.all()} + 1, static_cast<std::uint8_t>(grid.axes()));
    for (std::size_t axis = 0; axis < grid.n_axes(); ++axis) {
        std::vector<Block> unions{0};
        for (const Block line : lines_along(grid, axis)) {
            const std::size_t n_without = unions.size();
            for (std::size_t i = 0; i < n_without; ++i) unions.push_back(unions[i] | line);
        }
        for (const Block block : unions) {
            cut[block] = static_cast<std::uint8_t>(cut[block] & ~(Axes{1} << axis));
        }
    }
    return cut;
}

std::vector<double> block_gains(const FamilyProblem& problem, const BlockGrid& grid,
                                std::span<const Block> allowed) {
    const ClassScore class_score(problem.n_states, grid.n_cells(), problem.equivalent_sample_size, 0,
                                 problem.per_class);
    ScoredBlocks blocks(allowed);
    const auto count = [&](std::size_t bit, std::size_t state) {
        return problem.row(grid.number(Block{1} << bit))[state];
    };
    std::vector<CellSums> by_state;
    for (std::size_t state = 0; state < problem.n_states; ++state)
        by_state.emplace_back(grid.n_cells(), [&](std::size_t bit) { return count(bit, state); });
    const CellSums totals(grid.n_cells(), [&](std::size_t bit) {
        double total = 0.0;
        for (std::size_t state = 0; state < problem.n_states; ++state) total += count(bit, state);
        return total;
    });
    if (class_score.is_large(totals(grid.all()), static_cast<double>(grid.n_cells()))) {
        blocks.score_large(by_state, class_score);
    } else {
        for (const CellSums& counts : by_state) blocks.add_log_gamma_ratios(counts, class_score, 1.0, 1.0);
        blocks.add_log_gamma_ratios(totals, class_score, static_cast<double>(problem.n_states), -1.0);
    }

    std::vector<double> gains(std::size_t{grid.all()} + 1, -std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < allowed.size(); ++i) gains[allowed[i]] = blocks.scores[i];
    const CellSums singletons(grid.n_cells(), [&](std::size_t bit) { return gains[Block{1} << bit]; });
    for (std::size_t i = 0; i < allowed.size(); ++i) {
        gains[allowed[i]] += problem.class_lost * (blocks.sizes[i] - 1) - singletons(allowed[i]);
    }
    return gains;
}

void keep_fixed_labels(const FamilyProblem& problem, const BlockGrid& grid, std::vector<Block>& allowed,
                       std::span<double> gains) {
    std::vector<Block> kept_whole;
    std::vector<Block> never_inside;
    std::size_t axis = 0;  // of those with two states or more
    for (std::size_t given = 0; given < problem.fixed.size(); ++given) {
        if (problem.grid.n_states(given) == 1) continue;
        const std::vector<std::uint8_t>& label = problem.fixed[given];
        for (std::size_t line = 0; line < label.size(); ++line)
            (label[line] != 0 ? kept_whole : never_inside).push_back(grid.line(axis, line));
        ++axis;
    }
    std::erase_if(allowed, [&](Block block) {
        const auto splits = [&](Block line) { return (line & block) != 0 && (line & ~block) != 0; };
        const auto holds = [&](Block line) { return (line & ~block) == 0; };
        if (std::ranges::none_of(kept_whole, splits) && std::ranges::none_of(never_inside, holds))
            return false;
        gains[block] = -std::numeric_limits<double>::infinity();
        return true;
    });
}

}  // namespace ldag
