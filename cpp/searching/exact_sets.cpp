#include "searching/exact_sets.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "counting/row_groups.hpp"
#include "searching/exact.hpp"

namespace ldag {

namespace {

// The scores of all sets of so many variables take 128 MB.
constexpr std::size_t kMaxVariables = 24;

// The subsets of so many variables are pieces of work for the threads.
constexpr std::size_t kSplit = 6;

// ln Gamma(n + alpha) - ln Gamma(alpha) for one alpha, tabulated for small n.
class RisingFactorial {
  public:
    explicit RisingFactorial(double alpha) : alpha_(alpha), log_gamma_(log_gamma(alpha)) {
        for (std::size_t n = 0; n < known_.size(); ++n)
            known_[n] = log_gamma(static_cast<double>(n) + alpha) - log_gamma_;
    }
    double operator()(std::uint64_t n) const {
        return n < known_.size() ? known_[n] : log_gamma(static_cast<double>(n) + alpha_) - log_gamma_;
    }

  private:
    double alpha_;
    double log_gamma_;
    std::array<double, 256> known_;
};

// Goes through the sets of variables, with what one thread needs for it.
class SetScorer {
  public:
    SetScorer(const FamilyScorer& scorer, std::size_t max_size, std::vector<double>& scores,
              const std::atomic<bool>& stop)
        : groups_(scorer.columns()),
          n_states_(scorer.columns().n_states()),
          sample_size_(scorer.options().equivalent_sample_size),
          max_cells_(static_cast<double>(scorer.options().max_cells)),
          max_size_(max_size),
          scores_(scores),
          stop_(stop) {}

    // All sets that have just these of the first `n_first` variables.
    void run(NodeSet first, std::size_t n_first) {
        double n_cells = 1.0;
        std::size_t size = 0;
        for (NodeSet rest = first; rest != 0; rest &= rest - 1, ++size) {
            const auto variable = static_cast<std::size_t>(std::countr_zero(rest));
            n_cells *= static_cast<double>(n_states_[variable]);
            groups_.push(variable);
        }
        if (n_cells <= max_cells_ && size <= max_size_) {
            RisingFactorial& rising = of_cells(n_cells);
            double sum = 0.0;
            groups_.for_each([&](std::uint64_t count, std::size_t n) { sum += times(n, rising(count)); });
            scores_[first] = sum;
            grow(first, n_first, n_cells, size);
        }
        for (; size > 0; --size) groups_.pop();
    }

  private:
    static double times(std::size_t n, double score) { return static_cast<double>(n) * score; }

    RisingFactorial& of_cells(double n_cells) {
        return rising_.try_emplace(n_cells, sample_size_ / n_cells).first->second;
    }

    // The same with variables from `next` on.
    void grow(NodeSet set, std::size_t next, double n_cells, std::size_t size) {
        if (size == max_size_ || stop_.load(std::memory_order_relaxed)) return;
        for (std::size_t variable = next; variable < n_states_.size(); ++variable) {
            const double n_grown = n_cells * static_cast<double>(n_states_[variable]);
            if (n_grown > max_cells_) continue;  // neither it nor a larger set is in any family
            const NodeSet grown = set | NodeSet{1} << variable;
            const RisingFactorial& rising = of_cells(n_grown);
            double sum = 0.0;
            const auto add = [&](std::uint64_t count, std::size_t n) { sum += times(n, rising(count)); };
            if (variable + 1 == n_states_.size() || size + 1 == max_size_) {
                groups_.for_each_with(variable, add);
                scores_[grown] = sum;
                continue;
            }
            groups_.push(variable);
            groups_.for_each(add);
            scores_[grown] = sum;
            grow(grown, variable + 1, n_grown, size + 1);
            groups_.pop();
        }
    }

    RowGroups groups_;
    std::span<const std::size_t> n_states_;
    double sample_size_;
    double max_cells_;
    std::size_t max_size_;
    std::unordered_map<double, RisingFactorial> rising_;  // by number of cells
    std::vector<double>& scores_;
    const std::atomic<bool>& stop_;
};

}  // namespace

bool JointScores::are_for(const FamilyScorer& scorer, const SearchSpace& space) {
    const ScorerOptions& options = scorer.options();
    if (!options.structure->is_table || !options.label_rules.empty()) return false;
    if (!scorer.columns().has_whole_doubles() || space.n_nodes() > kMaxVariables) return false;
    double n_families = 0.0;
    for (Node node = 0; node < space.n_nodes(); ++node)
        n_families += static_cast<double>(n_parent_sets(space, node));
    return n_families >= std::exp2(static_cast<double>(space.n_nodes() + 1));
}

JointScores::JointScores(const FamilyScorer& scorer, const SearchSpace& space, std::size_t n_threads,
                         Monitor& monitor)
    : scorer_(scorer), scores_(std::size_t{1} << space.n_nodes()) {
    const std::size_t max_size = 1 + std::ranges::max(space.max_parents);
    const std::size_t n_first = std::min(kSplit, space.n_nodes());
    std::vector<std::unique_ptr<SetScorer>> by_thread(count_threads(n_threads));
    parallel_for(
        n_threads, std::size_t{1} << n_first,
        [&](std::size_t first, std::size_t thread) {
            auto& own = by_thread[thread];
            if (!own) own = std::make_unique<SetScorer>(scorer, max_size, scores_, monitor.stop);
            own->run(first, n_first);
        },
        &monitor.stop, monitor.poll);
    double largest = 0.0;
    for (const double score : scores_) largest = std::max(largest, std::abs(score));
    tolerance_ = 1e-7 + 1e-11 * largest;
}

double JointScores::family(Node node, NodeSet parents) const {
    const std::span<const std::size_t> n_states = scorer_.columns().n_states();
    double n_parameters = static_cast<double>(n_states[node] - 1);
    for (NodeSet rest = parents; rest != 0; rest &= rest - 1)
        n_parameters *= static_cast<double>(n_states[static_cast<std::size_t>(std::countr_zero(rest))]);
    return scores_[parents | NodeSet{1} << node] - scores_[parents] +
           n_parameters * scorer_.options().parameter_of_table;
}

}  // namespace ldag
