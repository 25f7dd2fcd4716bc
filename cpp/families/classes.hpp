// A partition while a search changes it, and the questions every search asks of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "families/family.hpp"
#include "families/joins.hpp"

namespace ldag {

// Sets of cells, one after the other.
struct Groups {
    std::vector<Cell> cells;
    std::vector<std::size_t> ends;

    void clear();
    void close() { ends.push_back(cells.size()); }
    std::size_t size() const { return ends.size(); }
    std::span<const Cell> operator[](std::size_t i) const;
};

// The classes of a partition with their counts and scores.
class Classes {
  public:
    Classes(const FamilyProblem& problem, const ClassScore& score);  // singletons
    Classes(const FamilyProblem& problem, const ClassScore& score, std::span<const std::int32_t> classes);

    std::size_t n_classes() const { return n_classes_; }
    Cell of(std::size_t cell) const { return of_[cell]; }
    std::size_t size(Cell c) const { return size_[c]; }
    bool is_observed(Cell c) const { return observed_[c] != 0; }
    double score(Cell c) const { return score_of_[c]; }
    std::span<const double> counts(Cell c) const { return {counts_.data() + c * n_states_, n_states_}; }

    // Calls visit(cell) for every cell of a class.
    template <class Visit>
    void for_each_cell(Cell c, Visit visit) const {
        Cell cell = c;
        do {
            visit(cell);
            cell = next_[cell];
        } while (cell != c);
    }

    // Joins classes into one, which has the name of the lowest of them, and returns it.
    Cell merge(std::span<const Cell> joined);

    // The same under the name of any of them. Under that of the largest, all joining of cells to classes
    // takes time n log n together.
    Cell merge_into(Cell kept, std::span<const Cell> joined);

    // Groups the cells of some whole classes anew.
    void regroup(const Groups& groups);

    // What this partition scores: marginal likelihood plus class_lost per class fewer than cells.
    double total() const;
    std::vector<std::int32_t> numbered() const;
    FamilyResult result(std::vector<Step> steps) const;

  private:
    void form(std::span<const Cell> cells);

    const FamilyProblem* problem_;
    const ClassScore* score_;
    std::size_t n_states_;
    std::size_t n_classes_;
    std::vector<Cell> of_;
    std::vector<Cell> next_;  // the cells of a class in a ring
    std::vector<Cell> size_;
    std::vector<std::uint8_t> observed_;
    std::vector<double> score_of_;
    std::vector<double> counts_;
};

// Whether every parent makes a difference somewhere: some line of it does not lie inside one class. A
// parent with one state can make none and is left out.
class Regularity {
  public:
    Regularity() = default;
    explicit Regularity(const Grid& grid) { reset(grid); }

    void reset(const Grid& grid);

    bool holds(const Classes& classes);

    // Whether it would hold after joining these classes.
    bool holds_after(const Classes& classes, std::span<const Cell> joined);

  private:
    bool is_open(const Classes& classes, std::size_t axis, std::size_t first) const;
    bool makes_difference(const Classes& classes, std::size_t axis);

    const Grid* grid_ = nullptr;
    std::vector<std::size_t> witness_;  // by axis, the first cell of a line that was open when last seen
    std::vector<std::uint8_t> joined_;  // classes taken as one
};

// Whether the fixed labels of a family hold: of the lines of such a parent, exactly those in its label lie
// inside one class. Both directions are about one class at a time: it splits no line of the label and holds
// no other.
class LabelGuard {
  public:
    explicit LabelGuard(const FamilyProblem& problem);

    bool holds(const Classes& classes) const;

    // Whether they would still hold after joining these classes. If not, then never again by further joining.
    bool holds_after(const Classes& classes, std::span<const Cell> joined);

  private:
    bool is_inside(const Classes& classes, std::size_t axis, std::size_t first) const;
    bool allows_lines_at(const Classes& classes, std::size_t cell) const;

    const Grid* grid_;
    const FixedLabels* fixed_;
    std::vector<std::uint8_t> joined_;  // classes taken as one
};

// The states of every cell, without divisions.
class Digits {
  public:
    explicit Digits(const Grid& grid);
    std::size_t state(std::size_t cell, std::size_t axis) const { return digits_[cell * n_axes_ + axis]; }

  private:
    std::size_t n_axes_;
    std::vector<std::uint32_t> digits_;
};

// The greedy parts, from any partition. Steps are appended to `steps` unless it is null.
void merge_joins(const FamilyProblem& problem, const ClassScore& score, JoinKind kind, Classes& classes,
                 std::vector<Step>* steps);
void merge_pairs(const FamilyProblem& problem, const ClassScore& score, Classes& classes,
                 std::vector<Step>* steps);
// The best split of any class in two, by one state of one axis or by one cell, as long as one improves;
// returns whether one did.
bool split_classes(const FamilyProblem& problem, const ClassScore& score, Classes& classes,
                   std::vector<Step>* steps);

// The best tree, by dynamic programming over the sub-cubes of the grid.
FamilyResult best_tree(const FamilyProblem& problem);

}  // namespace ldag
