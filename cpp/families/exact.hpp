// The parts of the exact solution of one family: which sets of configurations may be a class (blocks) and
// what each is worth, and the two recursions over them (subsets of the grid; sub-boxes for CPT-trees).
//
// A set of configurations is a bit mask. The first configuration is the highest bit, so that the first cell
// of a set is its highest bit and every set without the first configuration is below 2^(q - 1).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "families/family.hpp"

namespace ldag {

using Block = std::uint32_t;
using Axes = std::uint32_t;  // a set of parents, axis i as bit i

inline Block first_cell(Block block) { return std::bit_floor(block); }

// Masks of the cells, lines and slices of a grid of at most kMaxExactCells cells. Parents with a single state
// never make a difference and are left out, which leaves at most four.
class BlockGrid {
  public:
    explicit BlockGrid(const Grid& grid);

    std::size_t n_cells() const { return grid_.size(); }
    std::size_t n_axes() const { return grid_.n_axes(); }
    Axes axes() const { return (Axes{1} << n_axes()) - 1; }
    Block all() const { return (Block{1} << n_cells()) - 1; }
    Block cell(std::size_t number) const { return Block{1} << (n_cells() - 1 - number); }
    std::size_t number(Block cell) const {
        return n_cells() - 1 - static_cast<std::size_t>(std::countr_zero(cell));
    }
    std::size_t n_states(std::size_t axis) const { return grid_.n_states(axis); }
    std::size_t n_lines(std::size_t axis) const { return grid_.n_lines(axis); }
    bool is_ordered(std::size_t axis) const { return grid_.is_ordered(axis); }

    Block line(std::size_t axis, std::size_t line) const;    // the r_i cells that one label entry makes equal
    Block slice(std::size_t axis, std::size_t state) const;  // the cells where one parent has one state

  private:
    Grid grid_;
};

// Throws std::invalid_argument unless the grid can be solved exactly and the counts fit it.
void check_exact(const FamilyProblem& problem);

// The marginal likelihood of the full table.
double log_of_singletons(const FamilyProblem& problem, const BlockGrid& grid);

// Per block, the parents of which it holds a part of a line but not the whole. A partition is regular if and
// only if its classes together cut every parent: a parent's label is full if and only if each class is a
// union of whole lines along it.
std::vector<std::uint8_t> cut_axes(const BlockGrid& grid);

// What each allowed block gains over its cells as singletons, class_lost included; -inf for the other
// blocks. The score of a partition is that of the singletons plus the gains of its classes.
std::vector<double> block_gains(const FamilyProblem& problem, const BlockGrid& grid,
                                std::span<const Block> allowed);

// Leaves out the blocks that fixed labels rule out: those that split a line of such a label, and those that
// hold a line of a fixed parent that is not in its label. Any partition into the others has these labels.
void keep_fixed_labels(const FamilyProblem& problem, const BlockGrid& grid, std::vector<Block>& allowed,
                       std::span<double> gains);

// The recursion over subsets of the grid, for structures whose partitions are any allowed blocks.
std::vector<Block> best_blocks(const BlockGrid& grid, std::span<const Block> allowed,
                               std::span<const double> gains, bool regular);
// Whether sums of exp(gain) may leave the range of a double.
bool needs_logarithms(const BlockGrid& grid, std::span<const Block> allowed, std::span<const double> gains);
double log_sum_blocks(const BlockGrid& grid, std::span<const Block> allowed, std::span<const double> gains,
                      bool regular);
// The same for several lists of gains.
std::vector<double> log_sums_blocks(const BlockGrid& grid, std::span<const Block> allowed,
                                    std::span<const std::vector<double>> gains, bool regular);

// The recursion over sub-boxes, for CPT-trees.
std::vector<Block> best_block_tree(const BlockGrid& grid, std::span<const double> gains, bool regular);
double log_sum_trees(const BlockGrid& grid, std::span<const double> gains, bool regular);

// log(exp(a) + exp(b)), also where one or both are -inf.
double log_add(double a, double b);

}  // namespace ldag
