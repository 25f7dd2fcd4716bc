#include "families/posterior.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <stdexcept>

#include "families/structures.hpp"
#include "families/subset_fold.hpp"

namespace ldag {

// The fold over all partitions, kept for questions; in logarithms where doubles would not do.
class BlockSums {
  public:
    virtual ~BlockSums() = default;
    virtual double log_total() = 0;

    // For every block, the probability that it is a class.
    virtual std::vector<double> block_probabilities() = 0;

    // The classes of a partition drawn in proportion to exp(score).
    virtual std::vector<Block> draw(Random& random) = 0;
};

namespace {

double log_of(SumProduct, double value) { return std::log(value); }
double log_of(LogSum, double value) { return value; }

// The share of a part in a whole.
double share(SumProduct, double part, double whole) { return part / whole; }
double share(LogSum, double part, double whole) { return std::exp(part - whole); }

template <class Fold>
class Sums : public BlockSums {
  public:
    Sums(const BlockGrid& grid, std::span<const Block> allowed, std::vector<double> values, bool regular)
        : grid_(grid),
          allowed_(allowed),
          values_(std::move(values)),
          to_cut_(regular ? grid.axes() : 0),
          folds_(grid, allowed, values_, regular) {}

    double log_total() override { return log_of(Fold{}, total()); }

    // A partition is a walk from (the whole grid, the parents to cut) to (nothing, none), a block a step.
    // `above` of a state sums over the walks that lead there, the fold over those that go on from there.
    // Cells only leave, from the highest bit down, so states in decreasing order are in order of the walks.
    std::vector<double> block_probabilities() override {
        const double whole = total();
        std::vector<double> by_block(values_.size(), 0.0);
        std::vector<double> above(folds_.n_later(), Fold::zero);  // of states with nothing to cut
        std::map<std::uint32_t, double, std::greater<>> constrained{{grid_.all() << 8 | to_cut_, Fold::one}};
        while (!constrained.empty()) {
            const auto [key, walks] = *constrained.begin();
            constrained.erase(constrained.begin());
            const Block cells = key >> 8;
            const Axes to_cut = key & 255U;
            folds_.for_each_first_block(cells, [&](Block block) {
                const double through = Fold::join(walks, folds_.fold_starting_with(block, cells, to_cut));
                if (through == Fold::zero) return;
                by_block[block] += share(Fold{}, through, whole);
                const Block rest = cells ^ block;
                const Axes left = folds_.after(block, to_cut);
                double& next = left == 0
                                   ? above[rest]
                                   : constrained.try_emplace(rest << 8 | left, Fold::zero).first->second;
                next = Fold::add(next, Fold::join(walks, values_[block]));
            });
        }
        for (auto block = allowed_.rbegin(); block != allowed_.rend(); ++block)
            if (*block < folds_.n_later()) by_block[*block] += walk_through(*block, above, whole);
        return by_block;
    }

    std::vector<Block> draw(Random& random) override {
        std::vector<Block> blocks;
        Axes to_cut = to_cut_;
        for (Block cells = grid_.all(); cells != 0; cells ^= blocks.back()) {
            const double whole = folds_.fold(cells, to_cut);
            double left = random.uniform();
            Block chosen = 0;
            folds_.for_each_first_block(cells, [&](Block block) {
                if (left < 0.0) return;
                const double part = share(Fold{}, folds_.fold_starting_with(block, cells, to_cut), whole);
                if (part <= 0.0) return;
                chosen = block;
                left -= part;
            });
            blocks.push_back(chosen);
            to_cut = folds_.after(chosen, to_cut);
        }
        return blocks;
    }

  private:
    double total() { return folds_.fold(grid_.all(), to_cut_); }

    // The probability of a block through states with nothing to cut, whose walks it passes on.
    double walk_through(Block block, std::span<double> above, double whole) {
        const double value = values_[block];
        const Block later = (first_cell(block) - 1) & ~block;
        double sum = Fold::zero;
        Block rest = 0;
        do {
            const double walks = Fold::join(above[block | rest], value);
            above[rest] = Fold::add(above[rest], walks);
            sum = Fold::add(sum, Fold::join(walks, folds_.of_later(rest)));
            rest = (rest - later) & later;
        } while (rest != 0);
        return share(Fold{}, sum, whole);
    }

    const BlockGrid& grid_;
    std::span<const Block> allowed_;
    std::vector<double> values_;
    Axes to_cut_;
    SubsetFold<Fold> folds_;
};

std::vector<double> exponentials(std::span<const Block> allowed, std::span<const double> gains) {
    std::vector<double> weights(gains.size(), 0.0);
    for (const Block block : allowed) weights[block] = std::exp(gains[block]);
    return weights;
}

// Sums by number of classes: position k is the sum over the partitions into k blocks.
template <class Inner>
struct ByNumber {
    using Value = std::array<double, kMaxExactCells + 1>;
    using BlockValue = double;
    static constexpr Value filled(double first) {
        Value value;
        value.fill(Inner::zero);
        value[0] = first;
        return value;
    }
    static constexpr Value zero = filled(Inner::zero);
    static constexpr Value one = filled(Inner::one);
    static constexpr double no_block = Inner::no_block;
    static constexpr bool skips_beaten_blocks = false;
    static Value add(Value a, const Value& b) {
        for (std::size_t k = 0; k < a.size(); ++k) a[k] = Inner::add(a[k], b[k]);
        return a;
    }
    static Value join(double block, const Value& others) {
        Value value = zero;
        for (std::size_t k = 1; k < value.size(); ++k) value[k] = Inner::join(block, others[k - 1]);
        return value;
    }
};

template <class Inner>
std::vector<double> shares_by_number(const BlockGrid& grid, std::span<const Block> allowed,
                                     std::span<const double> values, bool regular) {
    SubsetFold<ByNumber<Inner>> folds(grid, allowed, values, regular);
    const auto sums = folds.fold(grid.all(), regular ? grid.axes() : 0);
    double whole = Inner::zero;
    for (const double sum : sums) whole = Inner::add(whole, sum);
    std::vector<double> shares;
    for (std::size_t k = 0; k <= grid.n_cells(); ++k) shares.push_back(share(Inner{}, sums[k], whole));
    return shares;
}

}  // namespace

FamilyPosterior::FamilyPosterior(const FamilyProblem& problem, const Structure& structure)
    : problem_(problem), counts_(problem.counts.begin(), problem.counts.end()), grid_(problem.grid) {
    check_exact(problem);
    if (structure.recursion != Recursion::subsets)
        throw std::invalid_argument("trees have no posterior of their own");
    problem_.counts = counts_;
    allowed_ = structure.allowed_blocks(grid_);
    gains_ = block_gains(problem_, grid_, allowed_);
    if (!problem_.fixed.empty()) keep_fixed_labels(problem_, grid_, allowed_, gains_);
    singletons_ = log_of_singletons(problem_, grid_);
    if (needs_logarithms(grid_, allowed_, gains_))
        sums_ = std::make_unique<Sums<LogSum>>(grid_, allowed_, gains_, problem_.regular);
    else
        sums_ = std::make_unique<Sums<SumProduct>>(grid_, allowed_, exponentials(allowed_, gains_),
                                                   problem_.regular);
    log_total_ = sums_->log_total();
}

FamilyPosterior::~FamilyPosterior() = default;

double FamilyPosterior::all_inside(std::span<const GridLine> lines) const {
    std::vector<Block> whole;
    for (const GridLine& given : lines) {
        if (problem_.grid.n_states(given.axis) == 1) continue;  // always inside a class
        Block line = 0;
        const std::size_t first = problem_.grid.line_start(given.axis, given.line);
        for (std::size_t k = 0; k < problem_.grid.n_states(given.axis); ++k)
            line |= grid_.cell(first + k * problem_.grid.stride(given.axis));
        whole.push_back(line);
    }
    std::vector<Block> allowed = allowed_;
    std::vector<double> gains = gains_;
    std::erase_if(allowed, [&](Block block) {
        const auto splits = [&](Block line) { return (line & block) != 0 && (line & ~block) != 0; };
        if (std::ranges::none_of(whole, splits)) return false;
        gains[block] = -std::numeric_limits<double>::infinity();
        return true;
    });
    return std::min(1.0, std::exp(log_sum_blocks(grid_, allowed, gains, problem_.regular) - log_total_));
}

const std::vector<double>& FamilyPosterior::block_probabilities() {
    if (probabilities_.empty()) probabilities_ = sums_->block_probabilities();
    return probabilities_;
}

std::vector<double> FamilyPosterior::together() {
    const std::size_t q = grid_.n_cells();
    const std::vector<double>& probabilities = block_probabilities();
    std::vector<double> shares(q * q, 0.0);
    for (const Block block : allowed_) {
        if (probabilities[block] == 0.0) continue;
        for (Block a = block; a != 0; a ^= first_cell(a))
            for (Block b = block; b != 0; b ^= first_cell(b))
                shares[grid_.number(first_cell(a)) * q + grid_.number(first_cell(b))] += probabilities[block];
    }
    return shares;
}

std::vector<double> FamilyPosterior::n_classes() const {
    if (needs_logarithms(grid_, allowed_, gains_))
        return shares_by_number<LogSum>(grid_, allowed_, gains_, problem_.regular);
    return shares_by_number<SumProduct>(grid_, allowed_, exponentials(allowed_, gains_), problem_.regular);
}

std::vector<double> FamilyPosterior::mean_distributions() {
    const std::size_t r = problem_.n_states;
    const std::vector<double>& probabilities = block_probabilities();
    const double alpha = problem_.equivalent_sample_size / static_cast<double>(r * grid_.n_cells());
    std::vector<double> means(grid_.n_cells() * r, 0.0);
    std::vector<double> counts(r);
    for (const Block block : allowed_) {
        if (probabilities[block] == 0.0) continue;
        std::ranges::fill(counts, alpha * std::popcount(block));
        for (Block rest = block; rest != 0; rest ^= first_cell(rest)) {
            const std::span<const double> row = problem_.row(grid_.number(first_cell(rest)));
            for (std::size_t state = 0; state < r; ++state) counts[state] += row[state];
        }
        double sum = 0.0;
        for (const double count : counts) sum += count;
        for (Block rest = block; rest != 0; rest ^= first_cell(rest))
            for (std::size_t state = 0; state < r; ++state)
                means[grid_.number(first_cell(rest)) * r + state] +=
                    probabilities[block] * counts[state] / sum;
    }
    return means;
}

std::vector<std::int32_t> FamilyPosterior::draw(Random& random) {
    // The first cell is the highest bit, and blocks come by their first cells: by first appearance.
    const std::vector<Block> blocks = sums_->draw(random);
    std::vector<std::int32_t> classes(grid_.n_cells());
    for (std::size_t number = 0; number < blocks.size(); ++number)
        for (Block rest = blocks[number]; rest != 0; rest ^= first_cell(rest))
            classes[grid_.number(first_cell(rest))] = static_cast<std::int32_t>(number);
    return classes;
}

}  // namespace ldag
