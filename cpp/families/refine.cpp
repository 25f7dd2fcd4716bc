// Local search from a partition: merges, splits and moves of cells until nothing improves, then again
// from random changes of the best partition. Every step stays inside the partitions its structure allows.
#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "families/classes.hpp"
#include "families/structures.hpp"
#include "support/random.hpp"

namespace ldag {

namespace {

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

class Refiner {
  public:
    // Without joins, any cells may share a class.
    Refiner(const FamilyProblem& problem, std::optional<JoinKind> kind, const FamilyResult& start);

    void climb();
    void disturb(Random& random);
    Classes& classes() { return classes_; }

  private:
    void merge();
    bool sweep();
    bool move_joins();
    bool isolate_cells();
    bool split_by_axes();
    bool move_cells();
    bool move_cell(Cell cell);
    bool move_block(std::span<const Cell> block, const Cell* target);
    std::span<const Cell> tied_to(std::span<const Cell> block);
    bool improve();
    void dissolve(Cell c);
    void merge_at_random(Random& random);

    const FamilyProblem& problem_;
    std::optional<JoinKind> kind_;
    ClassScore score_;
    std::vector<Join> joins_;
    Classes classes_;
    Digits digits_;
    Components components_;
    Regularity regularity_;
    LabelGuard guard_;
    std::vector<std::int32_t> finest_;  // the classes that fixed labels make, if there are any
    ScoreBatch batch_;
    Groups groups_;
    Groups before_;
    std::vector<Cell> touched_;  // classes that groups_ would replace
    std::vector<Cell> block_;
    std::vector<Cell> rest_;
    std::vector<Cell> tied_;
    std::vector<double> sums_;
};

std::vector<Join> joins_of(const Grid& grid, std::optional<JoinKind> kind) {
    std::vector<Join> joins;
    if (kind) Joins(grid, *kind).for_each([&](const Join& join) { joins.push_back(join); });
    return joins;
}

Refiner::Refiner(const FamilyProblem& problem, std::optional<JoinKind> kind, const FamilyResult& start)
    : problem_(problem),
      kind_(kind),
      score_(problem.n_states, problem.grid.size(), problem.equivalent_sample_size),
      joins_(joins_of(problem.grid, kind)),
      classes_(problem, score_, start.classes),
      digits_(problem.grid),
      components_(problem.grid, digits_, kind),
      regularity_(problem.grid),
      guard_(problem),
      finest_(problem.fixed.empty() ? std::vector<std::int32_t>{}
                                    : finest_classes(problem.fixed, problem.grid)),
      batch_(score_),
      sums_(problem.n_states) {}

void Refiner::merge() {
    if (kind_)
        merge_joins(problem_, score_, *kind_, classes_, nullptr);
    else
        merge_pairs(problem_, score_, classes_, nullptr);
}

void Refiner::climb() {
    do merge();
    while (sweep());
}

// Tries every split and move once, taking each that improves.
bool Refiner::sweep() {
    if (!kind_) {
        const bool has_split = split_classes(problem_, score_, classes_, nullptr);
        return move_cells() || has_split;
    }
    const bool has_moved = move_joins();
    const bool has_isolated = isolate_cells();
    return split_by_axes() || has_isolated || has_moved;
}

// Replaces the touched classes by the groups if that improves the score and stays regular, and the fixed
// labels hold.
bool Refiner::improve() {
    double gain =
        problem_.class_lost * (static_cast<double>(touched_.size()) - static_cast<double>(groups_.size()));
    for (const Cell c : touched_) gain -= classes_.score(c);
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        std::fill(sums_.begin(), sums_.end(), 0.0);
        for (const Cell cell : groups_[i])
            for (std::size_t state = 0; state < sums_.size(); ++state)
                sums_[state] += problem_.row(cell)[state];
        batch_.add(sums_, static_cast<double>(groups_[i].size()));
    }
    batch_.run();
    for (ScoreBatch::Ticket i = 0; i < groups_.size(); ++i) gain += batch_[i];
    batch_.clear();
    if (!(gain > kTie)) return false;
    before_.clear();
    for (const Cell c : touched_) {
        classes_.for_each_cell(c, [&](Cell cell) { before_.cells.push_back(cell); });
        before_.close();
    }
    classes_.regroup(groups_);
    if ((!problem_.regular || regularity_.holds(classes_)) && guard_.holds(classes_)) return true;
    classes_.regroup(before_);
    return false;
}

// A block with all cells that fixed labels keep in one class with its own; the touched classes hold them.
std::span<const Cell> Refiner::tied_to(std::span<const Cell> block) {
    tied_.clear();
    for (const Cell c : touched_)
        classes_.for_each_cell(c, [&](Cell cell) {
            const auto is_tied = [&](Cell other) { return finest_[other] == finest_[cell]; };
            if (std::ranges::any_of(block, is_tied)) tied_.push_back(cell);
        });
    return tied_;
}

// Takes a block out of its classes, into the target class or to be by itself. What stays behind falls
// into its components.
bool Refiner::move_block(std::span<const Cell> block, const Cell* target) {
    touched_.clear();
    for (const Cell cell : block) touched_.push_back(classes_.of(cell));
    if (target != nullptr) touched_.push_back(*target);
    std::sort(touched_.begin(), touched_.end());
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    if (!finest_.empty()) block = tied_to(block);
    groups_.clear();
    for (const Cell c : touched_) {
        if (target != nullptr && c == *target) continue;
        rest_.clear();
        classes_.for_each_cell(c, [&](Cell cell) {
            if (std::find(block.begin(), block.end(), cell) == block.end()) rest_.push_back(cell);
        });
        components_.append_to(groups_, rest_);
    }
    if (target == nullptr) {
        components_.append_to(groups_, block);
    } else {
        classes_.for_each_cell(*target, [&](Cell cell) { groups_.cells.push_back(cell); });
        groups_.cells.insert(groups_.cells.end(), block.begin(), block.end());
        groups_.close();
    }
    return improve();
}

// A line (or pair) leaves its classes to be one by itself, or all of it joins one of the classes it
// touches; that class stays connected through it.
bool Refiner::move_joins() {
    bool has_moved = false;
    for (const Join& join : joins_) {
        block_.clear();
        for (std::size_t k = 0; k < join.n_cells; ++k) block_.push_back(join.cell(k));
        const std::vector<Cell> whole = block_;
        if (move_block(whole, nullptr)) {
            has_moved = true;
            continue;
        }
        for (const Cell member : whole) {
            const Cell target = classes_.of(member);
            block_.clear();
            for (const Cell cell : whole)
                if (classes_.of(cell) != target) block_.push_back(cell);
            if (block_.empty() || !move_block(block_, &target)) continue;
            has_moved = true;
            break;
        }
    }
    return has_moved;
}

bool Refiner::isolate_cells() {
    bool has_isolated = false;
    for (Cell cell = 0; cell < problem_.grid.size(); ++cell)
        if (classes_.size(classes_.of(cell)) > 1 && move_block({&cell, 1}, nullptr)) has_isolated = true;
    return has_isolated;
}

// Cuts a class in two by a state of one axis.
bool Refiner::split_by_axes() {
    bool has_split = false;
    for (Cell cell = 0; cell < problem_.grid.size(); ++cell) {
        for (std::size_t axis = 0; axis < problem_.grid.n_axes(); ++axis) {
            const Cell c = classes_.of(cell);
            block_.clear();
            bool is_first =
                true;  // the lowest cell of its class in this state, so that each cut is tried once
            classes_.for_each_cell(c, [&](Cell other) {
                if (digits_.state(other, axis) != digits_.state(cell, axis)) return;
                is_first &= other >= cell;
                block_.push_back(other);
            });
            if (!is_first || block_.size() == 1 || block_.size() == classes_.size(c)) continue;
            has_split |= move_block(block_, nullptr);
        }
    }
    return has_split;
}

// Decision graphs: a cell moves to the class that gains most.
bool Refiner::move_cells() {
    bool has_moved = false;
    for (Cell cell = 0; cell < problem_.grid.size(); ++cell)
        if (classes_.size(classes_.of(cell)) > 1 && move_cell(cell)) has_moved = true;
    return has_moved;
}

bool Refiner::move_cell(Cell cell) {
    const Cell home = classes_.of(cell);
    const auto row = problem_.row(cell);
    block_.clear();
    for (Cell c = 0; c < problem_.grid.size(); ++c) {
        if (classes_.of(c) != c || c == home) continue;
        for (std::size_t state = 0; state < sums_.size(); ++state)
            sums_[state] = classes_.counts(c)[state] + row[state];
        batch_.add(sums_, static_cast<double>(classes_.size(c) + 1));
        block_.push_back(c);
    }
    if (block_.empty()) return false;
    batch_.run();
    Cell target = block_.front();
    double best = -std::numeric_limits<double>::infinity();
    for (ScoreBatch::Ticket i = 0; i < block_.size(); ++i) {
        const double gain = batch_[i] - classes_.score(block_[i]);
        if (gain > best) std::tie(best, target) = std::pair(gain, block_[i]);
    }
    batch_.clear();
    return move_block({&cell, 1}, &target);
}

void Refiner::dissolve(Cell c) {
    rest_.clear();
    classes_.for_each_cell(c, [&](Cell cell) { rest_.push_back(cell); });
    if (!finest_.empty())
        std::ranges::sort(rest_, {}, [&](Cell cell) { return std::pair(finest_[cell], cell); });
    groups_.clear();
    for (std::size_t i = 0; i < rest_.size(); ++i) {
        groups_.cells.push_back(rest_[i]);
        const bool has_more =
            !finest_.empty() && i + 1 < rest_.size() && finest_[rest_[i + 1]] == finest_[rest_[i]];
        if (!has_more) groups_.close();
    }
    classes_.regroup(groups_);
}

void Refiner::merge_at_random(Random& random) {
    touched_.clear();
    if (!kind_) {
        for (int i = 0; i < 2; ++i) touched_.push_back(classes_.of(random.below(problem_.grid.size())));
    } else if (!joins_.empty()) {
        const Join& join = joins_[random.below(joins_.size())];
        for (std::size_t k = 0; k < join.n_cells; ++k) touched_.push_back(classes_.of(join.cell(k)));
    }
    std::sort(touched_.begin(), touched_.end());
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    if (touched_.size() < 2) return;
    if (problem_.regular && !regularity_.holds_after(classes_, touched_)) return;
    if (!guard_.holds_after(classes_, touched_)) return;
    classes_.merge(touched_);
}

// Dissolves or merges a few classes at random.
void Refiner::disturb(Random& random) {
    const std::size_t n_changes = 1 + random.below(4);
    for (std::size_t i = 0; i < n_changes; ++i) {
        if (random.below(2) == 0)
            dissolve(classes_.of(random.below(problem_.grid.size())));
        else
            merge_at_random(random);
    }
}

FamilyResult refine(const FamilyProblem& problem, std::optional<JoinKind> kind, FamilyResult start,
                    const RefineOptions& options) {
    Refiner refiner(problem, kind, start);
    refiner.climb();
    Classes best = refiner.classes();
    double best_total = best.total();
    Random random(options.seed);
    for (std::size_t i = 0; i < options.n_restarts; ++i) {
        refiner.disturb(random);
        refiner.climb();
        const double total = refiner.classes().total();
        if (total > best_total + kTie) {
            best = refiner.classes();
            best_total = total;
        } else {
            refiner.classes() = best;
        }
    }
    FamilyResult result = best.result({});
    if (result.score < start.score) return start;
    result.steps = std::move(start.steps);
    return result;
}

}  // namespace

FamilyResult keep_start(const FamilyProblem&, FamilyResult start, const RefineOptions&) { return start; }

FamilyResult refine_tree(const FamilyProblem& problem, FamilyResult start, const RefineOptions&) {
    if (!can_find_best_tree(problem)) return start;
    FamilyResult best = best_tree(problem);
    best.steps = std::move(start.steps);
    return best;
}

FamilyResult refine_lines(const FamilyProblem& problem, FamilyResult start, const RefineOptions& options) {
    return refine(problem, JoinKind::line, std::move(start), options);
}

FamilyResult refine_neighbours(const FamilyProblem& problem, FamilyResult start,
                               const RefineOptions& options) {
    return refine(problem, JoinKind::pair, std::move(start), options);
}

FamilyResult refine_classes(const FamilyProblem& problem, FamilyResult start, const RefineOptions& options) {
    return refine(problem, std::nullopt, std::move(start), options);
}

}  // namespace ldag
