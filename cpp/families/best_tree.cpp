// The best CPT-tree: a sub-cube is a leaf, or split by one of its free axes into smaller sub-cubes, so
// the optimum is a dynamic programme over sub-cubes. A regular tree has to use every parent somewhere;
// which axes a subtree must use is then part of the state.
#include <algorithm>

#include "families/classes.hpp"
#include "families/structures.hpp"
#include "support/infinity.hpp"

namespace ldag {

namespace {

constexpr double kMostStates = 4e6;
constexpr double kMostWork = 1e7;

using Subset = std::uint32_t;  // of the free axes of a sub-cube, ascending

// The subset of the other axes.
Subset without(Subset axes, std::size_t j) {
    const Subset low = (Subset{1} << j) - 1;
    return (axes & low) | ((axes >> 1) & ~low);
}

class BestTree {
  public:
    explicit BestTree(const FamilyProblem& problem);

    FamilyResult run();

  private:
    // Sub-cubes are numbered in mixed radix with one more digit per axis, "free", which is the highest:
    // so the parts of a sub-cube always come before it. An axis with one state is never free.
    struct Axis {
        std::size_t n_states;
        std::size_t stride;
    };
    using Table = std::vector<double>;  // by subset of axes to use

    void enter(std::size_t cube);
    bool is_free(std::size_t axis) const { return digits_[axis] == axes_[axis].n_states; }
    std::size_t part(std::size_t cube, const Axis& axis, std::size_t state) const {
        return cube - (axis.n_states - state) * axis.stride;
    }
    std::span<const double> values(std::size_t cube) const {
        return std::span(values_).subspan(offsets_[cube], offsets_[cube + 1] - offsets_[cube]);
    }
    void add_counts(std::size_t cube);
    void score_leaves();
    void solve(std::size_t cube);
    void combine(std::size_t cube, const Axis& axis, std::vector<Table>& prefixes) const;
    void rebuild(std::size_t cube, Subset needed);
    bool rebuild_split(std::size_t cube, std::size_t j, Subset needed);
    void make_leaf();

    const FamilyProblem& problem_;
    ClassScore score_;
    std::vector<Axis> axes_;
    std::size_t n_cubes_ = 1;
    std::vector<std::size_t> digits_;  // of the sub-cube entered
    std::vector<std::size_t> free_;    // its free axes
    std::vector<double> counts_;       // by sub-cube, then state of the node
    std::vector<double> sizes_;
    std::vector<double> leaf_values_;
    std::vector<std::size_t> offsets_;
    std::vector<double> values_;  // the best value of each sub-cube, for every set of axes it must use
    std::vector<Table> prefixes_;
    std::vector<std::int32_t> classes_;
    std::int32_t n_leaves_ = 0;
};

BestTree::BestTree(const FamilyProblem& problem)
    : problem_(problem),
      score_(problem.n_states, problem.grid.size(), problem.equivalent_sample_size, 0, problem.per_class),
      axes_(problem.grid.n_axes()),
      digits_(problem.grid.n_axes()),
      classes_(problem.grid.size()) {
    for (std::size_t axis = axes_.size(); axis-- > 0;) {
        const std::size_t n = problem.grid.n_states(axis);
        axes_[axis] = {n, n_cubes_};
        n_cubes_ *= n > 1 ? n + 1 : 1;
    }
    counts_.assign(n_cubes_ * problem.n_states, 0.0);
    sizes_.resize(n_cubes_);
    offsets_.reserve(n_cubes_ + 1);
    offsets_.push_back(0);
    for (std::size_t cube = 0; cube < n_cubes_; ++cube) {
        enter(cube);
        add_counts(cube);
        offsets_.push_back(offsets_.back() + (problem.regular ? std::size_t{1} << free_.size() : 1));
    }
    values_.resize(offsets_.back());
    score_leaves();
}

void BestTree::enter(std::size_t cube) {
    free_.clear();
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
        const std::size_t n = axes_[axis].n_states;
        digits_[axis] = n > 1 ? cube / axes_[axis].stride % (n + 1) : 0;
        if (is_free(axis)) free_.push_back(axis);
    }
}

// The counts of the entered sub-cube: those of a cell, or the sum over one of its free axes.
void BestTree::add_counts(std::size_t cube) {
    const std::size_t r = problem_.n_states;
    double* sums = counts_.data() + cube * r;
    if (free_.empty()) {
        std::size_t cell = 0;
        for (std::size_t axis = 0; axis < axes_.size(); ++axis)
            cell += digits_[axis] * problem_.grid.stride(axis);
        std::copy_n(problem_.row(cell).begin(), r, sums);
        sizes_[cube] = 1.0;
        return;
    }
    const Axis& axis = axes_[free_.front()];
    for (std::size_t state = 0; state < axis.n_states; ++state) {
        const std::size_t other = part(cube, axis, state);
        sizes_[cube] += sizes_[other];
        for (std::size_t i = 0; i < r; ++i) sums[i] += counts_[other * r + i];
    }
}

void BestTree::score_leaves() {
    const std::size_t r = problem_.n_states;
    ScoreBatch batch(score_);
    for (std::size_t cube = 0; cube < n_cubes_; ++cube)
        batch.add(std::span(counts_).subspan(cube * r, r), sizes_[cube]);
    batch.run();
    leaf_values_.resize(n_cubes_);
    for (std::size_t cube = 0; cube < n_cubes_; ++cube)
        leaf_values_[cube] = batch[static_cast<ScoreBatch::Ticket>(cube)] - problem_.class_lost;
}

// The best value of the first 1, 2, ... parts along an axis together, by the axes they must use: every
// such axis is used in one of the parts.
void BestTree::combine(std::size_t cube, const Axis& axis, std::vector<Table>& prefixes) const {
    prefixes.resize(std::max(prefixes.size(), axis.n_states));
    const auto first = values(part(cube, axis, 0));
    prefixes[0].assign(first.begin(), first.end());
    for (std::size_t state = 1; state < axis.n_states; ++state) {
        const auto own = values(part(cube, axis, state));
        prefixes[state].assign(own.size(), kMinusInfinity);
        for (Subset needed = 0; needed < own.size(); ++needed) {
            double best = kMinusInfinity;
            for (Subset before = needed;; before = (before - 1) & needed) {
                best = std::max(best, prefixes[state - 1][before] + own[needed ^ before]);
                if (before == 0) break;
            }
            prefixes[state][needed] = best;
        }
    }
}

void BestTree::solve(std::size_t cube) {
    enter(cube);
    const std::span<double> own(values_.data() + offsets_[cube], offsets_[cube + 1] - offsets_[cube]);
    std::fill(own.begin(), own.end(), kMinusInfinity);
    own[0] = leaf_values_[cube];
    for (std::size_t j = 0; j < free_.size(); ++j) {
        const Axis& axis = axes_[free_[j]];
        combine(cube, axis, prefixes_);
        const Table& split = prefixes_[axis.n_states - 1];
        for (Subset needed = 0; needed < own.size(); ++needed)
            own[needed] = std::max(own[needed], split[without(needed, j)]);
    }
}

// Gives the cells of the entered sub-cube a class of their own.
void BestTree::make_leaf() {
    for (std::size_t cell = 0; cell < classes_.size(); ++cell) {
        bool is_in = true;
        for (std::size_t axis = 0; axis < axes_.size(); ++axis)
            is_in &= is_free(axis) || problem_.grid.state(cell, axis) == digits_[axis];
        if (is_in) classes_[cell] = n_leaves_;
    }
    ++n_leaves_;
}

// Follows the choices that gave the best value; the same sums give the same numbers again.
void BestTree::rebuild(std::size_t cube, Subset needed) {
    enter(cube);
    if (needed == 0 && values(cube)[0] == leaf_values_[cube]) {
        make_leaf();
        return;
    }
    const std::size_t n_free = free_.size();
    for (std::size_t j = 0; j < n_free; ++j)
        if (rebuild_split(cube, j, needed)) return;
}

bool BestTree::rebuild_split(std::size_t cube, std::size_t j, Subset needed) {
    const Axis axis = axes_[free_[j]];
    Subset rest = without(needed, j);
    std::vector<Table> prefixes;
    combine(cube, axis, prefixes);
    if (prefixes[axis.n_states - 1][rest] != values(cube)[needed]) return false;
    for (std::size_t state = axis.n_states; state-- > 0;) {
        const auto own = values(part(cube, axis, state));
        Subset before = 0;
        if (state > 0) {
            before = rest;
            while (prefixes[state - 1][before] + own[rest ^ before] != prefixes[state][rest])
                before = (before - 1) & rest;
        }
        rebuild(part(cube, axis, state), rest ^ before);
        rest = before;
    }
    return true;
}

FamilyResult BestTree::run() {
    for (std::size_t cube = 0; cube < n_cubes_; ++cube) solve(cube);
    const std::size_t all = n_cubes_ - 1;
    rebuild(all, static_cast<Subset>(values(all).size() - 1));
    FamilyResult result = Classes(problem_, score_, classes_).result({});
    result.is_exact = true;
    return result;
}

}  // namespace

bool can_find_best_tree(const FamilyProblem& problem) {
    double n_states = 1.0;
    double work = 1.0;
    for (const std::size_t n : problem.grid.n_states()) {
        if (n < 2) continue;
        n_states *= static_cast<double>(n + (problem.regular ? 2 : 1));
        work *= static_cast<double>(n + (problem.regular ? 3 : 1));
    }
    return n_states * static_cast<double>(problem.n_states) <= kMostStates && work <= kMostWork;
}

FamilyResult best_tree(const FamilyProblem& problem) { return BestTree(problem).run(); }

}  // namespace ldag
