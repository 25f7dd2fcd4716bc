// CPT-trees by greedy growth (Friedman & Goldszmidt): split the leaf and axis with the best gain. Only
// configurations with observations are looked at; a leaf knows how many others it has.
#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "families/classes.hpp"
#include "families/structures.hpp"
#include "support/infinity.hpp"

namespace ldag {

namespace {

// Terms of the score are tabulated up to leaves of so many configurations: most are small.
constexpr std::size_t kTabulated = 64;

class TreeGrower {
  public:
    TreeGrower(const FamilyProblem& problem, const ObservedCells& observed);

    // Grows as long as a split improves. A regular tree uses every parent: if growth ends before that,
    // the least bad split by a parent not yet used is made, and growth goes on from there.
    void run();

    double score() const;
    FamilyResult result();

  private:
    // A sub-cube: its observed cells, ascending, are a stretch of order_.
    struct Leaf {
        std::size_t begin;
        std::size_t end;
        Cell first;            // the lowest cell, observed or not
        std::size_t size;      // in cells, observed or not
        std::uint64_t is_cut;  // bit i: it holds one state of axes_[i]
        double score;
    };
    struct Split {
        std::size_t leaf = 0;
        std::size_t axis = 0;  // a place in axes_
        double gain = kMinusInfinity;
    };

    bool is_free(const Leaf& leaf, std::size_t axis) const { return (leaf.is_cut >> axis & 1) == 0; }
    std::size_t n_children(std::size_t axis) const { return problem_.grid.n_states(axes_[axis]); }
    std::span<const double> row(Cell place) const {
        return std::span(observed_.counts).subspan(place * problem_.n_states, problem_.n_states);
    }
    const std::uint8_t* digits(Cell place) const { return digits_.data() + place * axes_.size(); }
    void queue_children(const Leaf& leaf, std::span<const std::size_t> axes);
    void add_gains(std::size_t leaf);
    Split best_split();
    Split best_unused_split() const;
    void apply(const Split& split);

    const FamilyProblem& problem_;
    ClassScore score_;
    ScoreBatch batch_;
    std::vector<std::size_t> axes_;  // those with several states
    const ObservedCells& observed_;
    std::vector<std::uint8_t> digits_;  // by observed cell, then axis
    std::vector<Cell> order_;           // places in observed_
    std::vector<Cell> sorted_;
    std::vector<Leaf> leaves_;
    std::vector<double> gains_;                                       // by leaf, then axis
    std::map<double, std::set<std::pair<Cell, std::size_t>>> queue_;  // by best gain: first cell and leaf
    std::vector<std::uint8_t> used_;
    std::vector<double> sums_;  // by axis, its state, and that of the node
    std::vector<std::size_t> free_;
    std::vector<Step> steps_;
};

TreeGrower::TreeGrower(const FamilyProblem& problem, const ObservedCells& observed)
    : problem_(problem),
      score_(problem.n_states, problem.grid.size(), problem.equivalent_sample_size, kTabulated,
             problem.per_class),
      batch_(score_),
      observed_(observed) {
    const Grid& grid = problem.grid;
    for (std::size_t axis = 0; axis < grid.n_axes(); ++axis)
        if (grid.n_states(axis) > 1) axes_.push_back(axis);
    used_.assign(axes_.size(), 0);
    sums_.assign(problem.n_states, 0.0);
    digits_.reserve(observed.cells.size() * axes_.size());
    order_.reserve(observed.cells.size());
    for (Cell place = 0; place < observed.cells.size(); ++place) {
        order_.push_back(place);
        for (std::size_t state = 0; state < problem.n_states; ++state) sums_[state] += row(place)[state];
        for (const std::size_t axis : axes_)
            digits_.push_back(static_cast<std::uint8_t>(grid.state(observed.cells[place], axis)));
    }
    leaves_.push_back({0, order_.size(), 0, grid.size(), 0, score_(sums_, static_cast<double>(grid.size()))});
    add_gains(0);
}

// Has the parts of a leaf along some axes scored.
void TreeGrower::queue_children(const Leaf& leaf, std::span<const std::size_t> axes) {
    const std::size_t r = problem_.n_states;
    std::size_t n_sums = 0;
    for (const std::size_t axis : axes) n_sums += n_children(axis) * r;
    sums_.assign(n_sums, 0.0);
    for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
        const double* counts = observed_.counts.data() + order_[i] * r;
        const std::uint8_t* states = digits(order_[i]);
        double* sums = sums_.data();
        for (const std::size_t axis : axes) {
            double* own = sums + states[axis] * r;
            for (std::size_t state = 0; state < r; ++state) own[state] += counts[state];
            sums += n_children(axis) * r;
        }
    }
    const double* sums = sums_.data();
    for (const std::size_t axis : axes)
        for (std::size_t k = 0; k < n_children(axis); ++k, sums += r)
            batch_.add({sums, r}, static_cast<double>(leaf.size / n_children(axis)));
}

// The gains of all splits of a leaf.
void TreeGrower::add_gains(std::size_t leaf) {
    const Leaf& own = leaves_[leaf];
    gains_.resize(leaves_.size() * axes_.size(), kMinusInfinity);
    const bool is_empty = own.begin == own.end;  // then all parts score 0, as the whole does
    free_.clear();
    for (std::size_t axis = 0; axis < axes_.size(); ++axis)
        if (!is_empty && is_free(own, axis)) free_.push_back(axis);
    queue_children(own, free_);
    batch_.run();
    ScoreBatch::Ticket child = 0;
    double best = kMinusInfinity;
    for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
        double& gain = gains_[leaf * axes_.size() + axis];
        gain = kMinusInfinity;
        if (!is_free(own, axis)) continue;
        gain = -own.score - problem_.class_lost * static_cast<double>(n_children(axis) - 1);
        for (std::size_t k = 0; !is_empty && k < n_children(axis); ++k) gain += batch_[child++];
        best = std::max(best, gain);
    }
    batch_.clear();
    if (best > kTie) queue_[best].emplace(own.first, leaf);
}

// The best split of all, taken from the queue; ties go to the leaf with the lowest first cell, then to the
// lowest axis. None if no split improves.
TreeGrower::Split TreeGrower::best_split() {
    if (queue_.empty()) return {};
    const double best = queue_.rbegin()->first;
    auto chosen = std::prev(queue_.end());
    for (auto tied = chosen; tied->first >= best - kTie; --tied) {
        if (tied->second.begin()->first < chosen->second.begin()->first) chosen = tied;
        if (tied == queue_.begin()) break;
    }
    Split split{chosen->second.begin()->second};
    chosen->second.erase(chosen->second.begin());
    if (chosen->second.empty()) queue_.erase(chosen);
    const double* gains = gains_.data() + split.leaf * axes_.size();
    while (gains[split.axis] < best - kTie) ++split.axis;
    split.gain = gains[split.axis];
    return split;
}

// The least bad split by a parent that is not used yet, with the same ties.
TreeGrower::Split TreeGrower::best_unused_split() const {
    const std::size_t n_axes = axes_.size();
    double best = kMinusInfinity;
    for (std::size_t i = 0; i < gains_.size(); ++i)
        if (used_[i % n_axes] == 0) best = std::max(best, gains_[i]);
    Split chosen;
    Cell lowest = std::numeric_limits<Cell>::max();
    for (std::size_t i = 0; i < gains_.size(); ++i) {
        const Cell first = leaves_[i / n_axes].first;
        if (gains_[i] == kMinusInfinity || gains_[i] < best - kTie || used_[i % n_axes] != 0 ||
            first >= lowest)
            continue;
        chosen = {i / n_axes, i % n_axes, gains_[i]};
        lowest = first;
    }
    return chosen;
}

void TreeGrower::apply(const Split& split) {
    const Leaf leaf = leaves_[split.leaf];
    const std::size_t n = n_children(split.axis);
    queue_children(leaf, {&split.axis, 1});
    batch_.run();
    sorted_.assign(order_.begin() + static_cast<std::ptrdiff_t>(leaf.begin),
                   order_.begin() + static_cast<std::ptrdiff_t>(leaf.end));
    std::size_t place = leaf.begin;
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t begin = place;
        for (const Cell cell : sorted_)
            if (digits(cell)[split.axis] == k) order_[place++] = cell;
        const Leaf child{begin,
                         place,
                         static_cast<Cell>(leaf.first + k * problem_.grid.stride(axes_[split.axis])),
                         leaf.size / n,
                         leaf.is_cut | std::uint64_t{1} << split.axis,
                         batch_[static_cast<ScoreBatch::Ticket>(k)]};
        if (k == 0)
            leaves_[split.leaf] = child;
        else
            leaves_.push_back(child);
    }
    batch_.clear();
    used_[split.axis] = 1;
    steps_.push_back({static_cast<std::int32_t>(axes_[split.axis]), leaf.first,
                      -static_cast<std::int32_t>(n - 1), split.gain});
    add_gains(split.leaf);
    for (std::size_t k = 1; k < n; ++k) add_gains(leaves_.size() - n + k);
}

void TreeGrower::run() {
    for (;;) {
        Split split = best_split();
        if (split.gain == kMinusInfinity) {
            if (!problem_.regular || std::ranges::find(used_, 0) == used_.end()) break;
            split = best_unused_split();  // not in the queue, as it does not improve
        }
        apply(split);
    }
    // In the order of their first cells, which numbers classes by first appearance.
    std::ranges::sort(leaves_, {}, &Leaf::first);
}

double TreeGrower::score() const {
    double sum = 0.0;
    for (const Leaf& leaf : leaves_) sum += leaf.score;
    return sum + problem_.class_lost * static_cast<double>(problem_.grid.size() - leaves_.size());
}

FamilyResult TreeGrower::result() {
    FamilyResult result;
    result.classes.resize(problem_.grid.size());
    result.n_classes = leaves_.size();
    std::vector<Cell> cells;
    for (std::size_t number = 0; number < leaves_.size(); ++number) {
        result.log_marginal_likelihood += leaves_[number].score;
        cells.assign(1, leaves_[number].first);
        for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
            const std::size_t so_far = cells.size();
            for (std::size_t k = 1; is_free(leaves_[number], axis) && k < n_children(axis); ++k)
                for (std::size_t i = 0; i < so_far; ++i)
                    cells.push_back(static_cast<Cell>(cells[i] + k * problem_.grid.stride(axes_[axis])));
        }
        for (const Cell cell : cells) result.classes[cell] = static_cast<std::int32_t>(number);
    }
    result.score = score();
    result.steps = std::move(steps_);
    return result;
}

}  // namespace

ObservedCells observed_cells(const FamilyProblem& problem) {
    ObservedCells observed;
    for (std::size_t cell = 0; cell < problem.grid.size(); ++cell) {
        const auto row = problem.row(cell);
        if (std::ranges::none_of(row, [](double count) { return count > 0.0; })) continue;
        observed.cells.push_back(static_cast<Cell>(cell));
        observed.counts.insert(observed.counts.end(), row.begin(), row.end());
    }
    return observed;
}

FamilyResult grow_tree(const FamilyProblem& problem) {
    const ObservedCells observed = observed_cells(problem);
    TreeGrower grower(problem, observed);
    grower.run();
    return grower.result();
}

double score_tree(const FamilyProblem& problem, const ObservedCells& observed) {
    TreeGrower grower(problem, observed);
    grower.run();
    return grower.score();
}

}  // namespace ldag
