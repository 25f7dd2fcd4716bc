// CPT-trees by greedy growth (Friedman & Goldszmidt): split the leaf and axis with the best gain.
#include <algorithm>
#include <limits>
#include <numeric>

#include "families/classes.hpp"

namespace ldag {

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

class TreeGrower {
  public:
    explicit TreeGrower(const FamilyProblem& problem);

    // Grows as long as a split improves. A regular tree uses every parent: if growth ends before that,
    // the least bad split by a parent not yet used is made, and growth goes on from there.
    FamilyResult run();

  private:
    // A sub-cube: its cells, ascending, are a stretch of order_.
    struct Leaf {
        std::size_t begin;
        std::size_t end;
        double score;
    };
    struct Split {
        std::size_t leaf = 0;
        std::size_t axis = 0;
        double gain = kNever;
    };

    bool is_free(const Leaf& leaf, std::size_t axis) const;
    void add_gains(std::size_t leaf);
    void queue_children(const Leaf& leaf, std::size_t axis);
    Split best_split(bool only_unused) const;
    void apply(const Split& split);

    const FamilyProblem& problem_;
    ClassScore score_;
    Digits digits_;
    ScoreBatch batch_;
    std::vector<Cell> order_;
    std::vector<Cell> sorted_;
    std::vector<Leaf> leaves_;
    std::vector<double> gains_;  // by leaf, then axis
    std::vector<std::uint8_t> used_;
    std::vector<double> sums_;  // by state of an axis, then of the node
    std::vector<Step> steps_;
};

TreeGrower::TreeGrower(const FamilyProblem& problem)
    : problem_(problem),
      score_(problem.n_states, problem.grid.size(), problem.equivalent_sample_size),
      digits_(problem.grid),
      batch_(score_),
      order_(problem.grid.size()),
      used_(problem.grid.n_axes(), 0) {
    std::iota(order_.begin(), order_.end(), Cell{0});
    sums_.assign(problem.n_states, 0.0);
    for (std::size_t i = 0; i < problem.counts.size(); ++i) sums_[i % problem.n_states] += problem.counts[i];
    leaves_.push_back({0, order_.size(), score_(sums_, static_cast<double>(order_.size()))});
    for (std::size_t axis = 0; axis < used_.size(); ++axis) used_[axis] = problem.grid.n_states(axis) < 2;
    add_gains(0);
}

// Whether a leaf still holds every state of an axis, and there are several.
bool TreeGrower::is_free(const Leaf& leaf, std::size_t axis) const {
    return digits_.state(order_[leaf.begin], axis) != digits_.state(order_[leaf.end - 1], axis);
}

void TreeGrower::queue_children(const Leaf& leaf, std::size_t axis) {
    const std::size_t r = problem_.n_states;
    const std::size_t n_children = problem_.grid.n_states(axis);
    sums_.assign(n_children * r, 0.0);
    for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
        const auto row = problem_.row(order_[i]);
        double* sums = sums_.data() + digits_.state(order_[i], axis) * r;
        for (std::size_t state = 0; state < r; ++state) sums[state] += row[state];
    }
    const auto size = static_cast<double>((leaf.end - leaf.begin) / n_children);
    for (std::size_t k = 0; k < n_children; ++k) batch_.add(std::span(sums_).subspan(k * r, r), size);
}

// The gains of all splits of a leaf.
void TreeGrower::add_gains(std::size_t leaf) {
    const std::size_t n_axes = problem_.grid.n_axes();
    gains_.resize(leaves_.size() * n_axes, kNever);
    for (std::size_t axis = 0; axis < n_axes; ++axis)
        if (is_free(leaves_[leaf], axis)) queue_children(leaves_[leaf], axis);
    batch_.run();
    ScoreBatch::Ticket child = 0;
    for (std::size_t axis = 0; axis < n_axes; ++axis) {
        double& gain = gains_[leaf * n_axes + axis];
        gain = kNever;
        if (!is_free(leaves_[leaf], axis)) continue;
        const std::size_t n_children = problem_.grid.n_states(axis);
        gain = -leaves_[leaf].score - problem_.class_lost * static_cast<double>(n_children - 1);
        for (std::size_t k = 0; k < n_children; ++k) gain += batch_[child++];
    }
    batch_.clear();
}

// The best split of all; ties go to the leaf with the lowest first cell, then to the lowest axis.
TreeGrower::Split TreeGrower::best_split(bool only_unused) const {
    const std::size_t n_axes = used_.size();
    const auto is_allowed = [&](std::size_t i) { return !only_unused || used_[i % n_axes] == 0; };
    double best = kNever;
    for (std::size_t i = 0; i < gains_.size(); ++i)
        if (is_allowed(i)) best = std::max(best, gains_[i]);
    Split chosen;
    Cell lowest = std::numeric_limits<Cell>::max();
    for (std::size_t i = 0; i < gains_.size(); ++i) {
        const Cell first = order_[leaves_[i / n_axes].begin];
        if (gains_[i] == kNever || gains_[i] < best - kTie || !is_allowed(i) || first >= lowest) continue;
        chosen = {i / n_axes, i % n_axes, gains_[i]};
        lowest = first;
    }
    return chosen;
}

void TreeGrower::apply(const Split& split) {
    const Leaf leaf = leaves_[split.leaf];
    const std::size_t n_children = problem_.grid.n_states(split.axis);
    const std::size_t size = (leaf.end - leaf.begin) / n_children;
    queue_children(leaf, split.axis);
    batch_.run();
    sorted_.assign(order_.begin() + static_cast<std::ptrdiff_t>(leaf.begin),
                   order_.begin() + static_cast<std::ptrdiff_t>(leaf.end));
    std::vector<std::size_t> next(n_children);
    for (std::size_t k = 0; k < n_children; ++k) {
        const std::size_t begin = leaf.begin + k * size;
        next[k] = begin;
        const Leaf child{begin, begin + size, batch_[static_cast<ScoreBatch::Ticket>(k)]};
        if (k == 0)
            leaves_[split.leaf] = child;
        else
            leaves_.push_back(child);
    }
    batch_.clear();
    for (const Cell cell : sorted_) order_[next[digits_.state(cell, split.axis)]++] = cell;
    used_[split.axis] = 1;
    steps_.push_back({static_cast<std::int32_t>(split.axis), order_[leaf.begin],
                      -static_cast<std::int32_t>(n_children - 1), split.gain});
    add_gains(split.leaf);
    for (std::size_t k = 1; k < n_children; ++k) add_gains(leaves_.size() - n_children + k);
}

FamilyResult TreeGrower::run() {
    for (;;) {
        Split split = best_split(false);
        const bool all_used = std::find(used_.begin(), used_.end(), 0) == used_.end();
        if (!(split.gain > kTie) && problem_.regular && !all_used)
            split = best_split(true);
        else if (!(split.gain > kTie))
            break;
        apply(split);
    }
    std::vector<std::int32_t> classes(order_.size());
    for (std::size_t leaf = 0; leaf < leaves_.size(); ++leaf)
        for (std::size_t i = leaves_[leaf].begin; i < leaves_[leaf].end; ++i)
            classes[order_[i]] = static_cast<std::int32_t>(leaf);
    return Classes(problem_, score_, classes).result(std::move(steps_));
}

}  // namespace

FamilyResult grow_tree(const FamilyProblem& problem) { return TreeGrower(problem).run(); }

}  // namespace ldag
