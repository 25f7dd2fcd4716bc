// Local search from a partition: merges, splits and moves of cells until nothing improves, then again
// from random changes of the best partition. Every step stays inside the partitions its structure allows.
#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "families/classes.hpp"
#include "families/components.hpp"
#include "families/structures.hpp"
#include "support/random.hpp"

namespace ldag {

namespace {

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
    double gain_of_move(std::span<const Cell> block, const Cell* target);
    std::size_t add_rest(Cell c, std::span<const Cell> block);
    void sum(std::span<const Cell> cells);
    bool improve(std::uint64_t move);
    void name_all();
    void name_contents(std::span<const Cell> cells);
    std::uint64_t name_of_move(std::span<const Cell> block, const Cell* target) const;
    void note_lowest(std::span<const Cell> cells);
    void dissolve(Cell c);
    void merge_at_random(Random& random);

    const FamilyProblem& problem_;
    std::optional<JoinKind> kind_;
    ClassScore score_;
    std::vector<Join> joins_;
    Classes classes_;
    Digits digits_;
    Components components_;
    FallingOff falling_off_;
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
    std::vector<double> left_;
    Groups parts_;
    std::vector<std::uint8_t> visited_;  // by cell, whether it has rows
    std::vector<std::uint8_t> in_block_;
    std::vector<std::uint64_t> contents_;     // by class, a number that stands for its cells
    std::unordered_set<std::uint64_t> lost_;  // moves that gained nothing, with the classes they touch
    std::vector<std::size_t> first_slice_;    // by axis, of the states of all axes; then how many there are
    std::vector<Cell> lowest_;                // by class and slice
};

std::uint64_t mixed(std::uint64_t number) { return splitmix64(number); }

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
      falling_off_(problem.grid, digits_, kind.value_or(JoinKind::line)),
      regularity_(problem.grid),
      guard_(problem),
      finest_(problem.fixed.empty() ? std::vector<std::int32_t>{}
                                    : finest_classes(problem.fixed, problem.grid)),
      batch_(score_),
      sums_(problem.n_states),
      visited_(problem.grid.size()),
      in_block_(problem.grid.size()),
      contents_(problem.grid.size()),
      first_slice_{0},
      lowest_{} {
    for (Cell cell = 0; cell < problem.grid.size(); ++cell)
        visited_[cell] = std::ranges::any_of(problem.row(cell), [](double count) { return count > 0.0; });
    for (const std::size_t n : problem.grid.n_states()) first_slice_.push_back(first_slice_.back() + n);
    if (kind) lowest_.resize(problem.grid.size() * first_slice_.back());
}

void Refiner::merge() {
    if (kind_)
        merge_joins(problem_, score_, *kind_, classes_, nullptr);
    else
        merge_pairs(problem_, score_, classes_, nullptr);
}

void Refiner::climb() {
    do {
        merge();
        name_all();
    } while (sweep());
}

void Refiner::name_all() {
    std::ranges::fill(contents_, 0);
    for (Cell cell = 0; cell < problem_.grid.size(); ++cell) contents_[classes_.of(cell)] += mixed(cell);
}

// Names the classes anew that hold these cells and no others.
void Refiner::name_contents(std::span<const Cell> cells) {
    for (const Cell cell : cells) contents_[cell] = 0;
    for (const Cell cell : cells) contents_[classes_.of(cell)] += mixed(cell);
}

// What a move gains depends on the classes it touches alone, so one that gained nothing does not until one of
// these changes; and they come back, as restarts change a few classes and most changes are undone.
std::uint64_t Refiner::name_of_move(std::span<const Cell> block, const Cell* target) const {
    std::uint64_t sum = target == nullptr ? 0 : mixed(contents_[*target] + 1);
    for (const Cell cell : block) sum += mixed(cell);
    for (const Cell c : touched_) sum += mixed(contents_[c]);
    return sum;
}

// Tries every split and move once, taking each that improves.
bool Refiner::sweep() {
    if (!kind_) {
        const bool has_split = split_classes(problem_, score_, classes_, nullptr);
        if (has_split) name_all();
        return move_cells() || has_split;
    }
    const bool has_moved = move_joins();
    const bool has_isolated = isolate_cells();
    return split_by_axes() || has_isolated || has_moved;
}

// Replaces the touched classes by the groups if that improves the score and stays regular, and the fixed
// labels hold.
bool Refiner::improve(std::uint64_t move) {
    double gain =
        problem_.class_lost * (static_cast<double>(touched_.size()) - static_cast<double>(groups_.size()));
    for (const Cell c : touched_) gain -= classes_.score(c);
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        sum(groups_[i]);
        batch_.add(sums_, static_cast<double>(groups_[i].size()));
    }
    batch_.run();
    for (ScoreBatch::Ticket i = 0; i < groups_.size(); ++i) gain += batch_[i];
    batch_.clear();
    if (!(gain > kTie)) {
        lost_.insert(move);
        return false;
    }
    before_.clear();
    for (const Cell c : touched_) {
        classes_.for_each_cell(c, [&](Cell cell) { before_.cells.push_back(cell); });
        before_.close();
    }
    classes_.regroup(groups_);
    if ((problem_.regular && !regularity_.holds(classes_)) || !guard_.holds(classes_)) {
        classes_.regroup(before_);
        return false;
    }
    name_contents(groups_.cells);
    return true;
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

void Refiner::sum(std::span<const Cell> cells) {
    std::ranges::fill(sums_, 0.0);
    for (const Cell cell : cells) {
        if (visited_[cell] == 0) continue;
        const auto row = problem_.row(cell);
        for (std::size_t state = 0; state < sums_.size(); ++state) sums_[state] += row[state];
    }
}

// Has the parts scored that a class falls into without a block, and returns how many these are. What the
// largest holds is what the others leave.
std::size_t Refiner::add_rest(Cell c, std::span<const Cell> block) {
    rest_.clear();
    for (const Cell cell : block)
        if (classes_.of(cell) == c) rest_.push_back(cell);
    std::size_t n_left = classes_.size(c) - rest_.size();
    if (n_left == 0) return 0;
    falling_off_.find(classes_, c, rest_, in_block_, parts_);
    left_.assign(classes_.counts(c).begin(), classes_.counts(c).end());
    const auto take = [&](std::span<const Cell> cells) {
        sum(cells);
        for (std::size_t state = 0; state < sums_.size(); ++state) left_[state] -= sums_[state];
    };
    take(rest_);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        take(parts_[i]);
        batch_.add(sums_, static_cast<double>(parts_[i].size()));
        n_left -= parts_[i].size();
    }
    batch_.add(left_, static_cast<double>(n_left));
    return parts_.size() + 1;
}

// What `move_block` would gain, without a list of all cells of the touched classes; for connected ones.
double Refiner::gain_of_move(std::span<const Cell> block, const Cell* target) {
    groups_.clear();
    std::size_t n_classes = 1;
    if (target == nullptr) {
        components_.append_to(groups_, block);
        for (std::size_t i = 0; i < groups_.size(); ++i) {
            sum(groups_[i]);
            batch_.add(sums_, static_cast<double>(groups_[i].size()));
        }
        n_classes = groups_.size();
    } else {
        sum(block);
        const auto counts = classes_.counts(*target);
        for (std::size_t state = 0; state < sums_.size(); ++state) sums_[state] += counts[state];
        batch_.add(sums_, static_cast<double>(classes_.size(*target) + block.size()));
    }
    double gain = 0.0;
    for (const Cell c : touched_) {
        gain -= classes_.score(c);
        if (target == nullptr || c != *target) n_classes += add_rest(c, block);
    }
    batch_.run();
    const auto n_scored = static_cast<ScoreBatch::Ticket>(n_classes);
    for (ScoreBatch::Ticket i = 0; i < n_scored; ++i) gain += batch_[i];
    batch_.clear();
    return gain +
           problem_.class_lost * (static_cast<double>(touched_.size()) - static_cast<double>(n_classes));
}

// Takes a block out of its classes, into the target class or to be by itself. What stays behind falls
// into its components.
bool Refiner::move_block(std::span<const Cell> block, const Cell* target) {
    touched_.clear();
    for (const Cell cell : block) touched_.push_back(classes_.of(cell));
    if (target != nullptr) touched_.push_back(*target);
    std::sort(touched_.begin(), touched_.end());
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    const std::uint64_t move = name_of_move(block, target);
    if (lost_.contains(move)) return false;
    if (!finest_.empty()) block = tied_to(block);
    for (const Cell cell : block) in_block_[cell] = 1;
    if (kind_ && finest_.empty() && !(gain_of_move(block, target) > kTie)) {
        for (const Cell cell : block) in_block_[cell] = 0;
        lost_.insert(move);
        return false;
    }
    groups_.clear();
    for (const Cell c : touched_) {
        if (target != nullptr && c == *target) continue;
        rest_.clear();
        classes_.for_each_cell(c, [&](Cell cell) {
            if (in_block_[cell] == 0) rest_.push_back(cell);
        });
        components_.append_to(groups_, rest_);
    }
    for (const Cell cell : block) in_block_[cell] = 0;
    if (target == nullptr) {
        components_.append_to(groups_, block);
    } else {
        classes_.for_each_cell(*target, [&](Cell cell) { groups_.cells.push_back(cell); });
        groups_.cells.insert(groups_.cells.end(), block.begin(), block.end());
        groups_.close();
    }
    return improve(move);
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

// Notes the lowest cell of a class in each state of each axis, for the classes that hold these cells and no
// others.
void Refiner::note_lowest(std::span<const Cell> cells) {
    const std::size_t n_slices = first_slice_.back();
    for (const Cell cell : cells)
        std::fill_n(lowest_.begin() + static_cast<std::ptrdiff_t>(cell * n_slices), n_slices,
                    std::numeric_limits<Cell>::max());
    for (const Cell cell : cells)
        for (std::size_t axis = 0; axis < problem_.grid.n_axes(); ++axis) {
            Cell& lowest =
                lowest_[classes_.of(cell) * n_slices + first_slice_[axis] + digits_.state(cell, axis)];
            lowest = std::min(lowest, cell);
        }
}

// Cuts a class in two by a state of one axis. Each cut is tried once, at the lowest cell in this state.
bool Refiner::split_by_axes() {
    bool has_split = false;
    std::vector<Cell> all(problem_.grid.size());
    std::iota(all.begin(), all.end(), Cell{0});
    note_lowest(all);
    for (Cell cell = 0; cell < problem_.grid.size(); ++cell) {
        for (std::size_t axis = 0; axis < problem_.grid.n_axes(); ++axis) {
            const Cell c = classes_.of(cell);
            const std::size_t slice = first_slice_[axis] + digits_.state(cell, axis);
            if (lowest_[c * first_slice_.back() + slice] != cell) continue;
            block_.clear();
            classes_.for_each_cell(c, [&](Cell other) {
                if (digits_.state(other, axis) == digits_.state(cell, axis)) block_.push_back(other);
            });
            if (block_.size() == 1 || block_.size() == classes_.size(c)) continue;
            if (!move_block(block_, nullptr)) continue;
            note_lowest(groups_.cells);
            has_split = true;
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
