// The best acyclic choice of parent sets in one component, by dynamic programming over its subsets W:
//     best(W) = max over the last node v of W of best(W without v) + the best parent set of v in W without v.
// Of the best parent sets only ranks are stored: exact, and a quarter of the memory of scores.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

#include "searching/exact_component.hpp"
#include "support/infinity.hpp"

namespace ldag {

namespace {

// Tables of larger components fit no memory.
constexpr std::size_t kMaxNodes = 40;

// Components up to this size are done by the calling thread in a few milliseconds.
constexpr std::size_t kMaxSerialNodes = 16;

// The subsets of the lowest nodes by which larger components are cut in blocks, for the threads.
constexpr std::size_t kMinBlockNodes = 12;
constexpr std::size_t kMaxHighNodes = 10;

// Ranks that are worked on between two looks at whether to stop.
constexpr std::size_t kChunk = std::size_t{1} << 16;

// Every set that has the node of this stride gets the lower of its own rank and that without the node.
template <class Rank>
void take_lower(Rank* ranks, std::size_t size, std::size_t stride) {
    for (std::size_t start = 0; start < size; start += 2 * stride) {
        const Rank* const without = ranks + start;
        Rank* const with = ranks + start + stride;
#pragma GCC ivdep
        for (std::size_t i = 0; i < stride; ++i) with[i] = std::min(with[i], without[i]);
    }
}

// ranks[W] becomes the lowest rank over all subsets of W. Halves first, so that they stay in the caches.
template <class Rank>
void take_lowest(Rank* ranks, std::size_t size, const std::atomic<bool>& stop) {
    constexpr std::size_t kSmall = 4096;
    if (size <= kSmall) {
        for (std::size_t stride = 1; stride < size; stride *= 2) take_lower(ranks, size, stride);
        return;
    }
    if (size >= kChunk && stop) return;
    take_lowest(ranks, size / 2, stop);
    take_lowest(ranks + size / 2, size / 2, stop);
    take_lower(ranks, size, size / 2);
}

// The best parent set of one node within every set of other nodes of the component, as its rank. Sets are
// numbered over the axes only.
template <class Rank>
class BestParents {
  public:
    BestParents(const RankedSets& ranked, std::span<const int> places, const std::atomic<bool>& stop);

    // What the number of a set grows by with a node.
    std::uint64_t stride(std::size_t node) const {
        return (axes_ >> node & 1) != 0 ? std::uint64_t{1} << std::popcount(axes_ & (node_bit(node) - 1)) : 0;
    }
    NodeSet always() const { return always_; }

    // The rank of the best parent set within `nodes`, which hold all that are always needed.
    std::size_t rank(NodeSet nodes) const { return ranks_[number(nodes)]; }
    std::uint64_t number(NodeSet nodes) const {
        std::uint64_t sum = 0;
        for (NodeSet rest = nodes & axes_; rest != 0; rest &= rest - 1) sum += stride(lowest_node(rest));
        return sum;
    }

    // with[W] = max(with[W], without[W] + score of the best parent set within W and some further nodes), for
    // all subsets W of the lowest `n_nodes` nodes; `first` is the number of the further nodes.
    void relax(std::size_t n_nodes, double* with, const double* without, std::uint64_t first) const {
        relax(n_nodes, with, without, ranks_.get() + first);
    }

  private:
    static constexpr std::size_t kLeafNodes = 6;

    // A subset of the lowest few nodes that holds all of these that are always needed, and its number.
    struct Leaf {
        std::uint8_t subset;
        std::uint8_t number;
    };

    void fill(const RankedSets& ranked, std::span<const int> places, const std::atomic<bool>& stop);
    void make_leaves();
    void relax(std::size_t n_nodes, double* with, const double* without, const Rank* ranks) const;

    const double* scores_;
    NodeSet axes_ = 0;
    NodeSet always_;
    std::size_t n_dense_;  // so many of the lowest nodes are all axes
    std::unique_ptr<Rank[]> ranks_;
    std::array<std::vector<Leaf>, kLeafNodes + 1> leaves_;  // among the subsets of so many nodes
};

template <class Rank>
BestParents<Rank>::BestParents(const RankedSets& ranked, std::span<const int> places,
                               const std::atomic<bool>& stop)
    : scores_(ranked.scores.data()), always_(~NodeSet{0}) {
    for (const NodeSet set : ranked.sets) {
        const NodeSet inside = in_component(set, places);
        axes_ |= inside;
        always_ &= inside;
    }
    axes_ &= ~always_;
    n_dense_ = static_cast<std::size_t>(std::countr_one(axes_));
    fill(ranked, places, stop);
    take_lowest(ranks_.get(), std::size_t{1} << std::popcount(axes_), stop);
    make_leaves();
}

template <class Rank>
void BestParents<Rank>::fill(const RankedSets& ranked, std::span<const int> places,
                             const std::atomic<bool>& stop) {
    const std::size_t size = std::size_t{1} << std::popcount(axes_);
    const auto none = static_cast<Rank>(ranked.sets.size());
    ranks_ = std::make_unique_for_overwrite<Rank[]>(size);
    for (std::size_t start = 0; start < size && !stop; start += kChunk)
        std::fill_n(ranks_.get() + start, std::min(kChunk, size - start), none);
    for (std::size_t rank = 0; rank < ranked.sets.size(); ++rank) {
        Rank& best = ranks_[number(in_component(ranked.sets[rank], places))];
        best = std::min(best, static_cast<Rank>(rank));
    }
}

template <class Rank>
void BestParents<Rank>::make_leaves() {
    for (std::size_t n = 0; n <= kLeafNodes; ++n) {
        const NodeSet needed = always_ & (node_bit(n) - 1);
        for (NodeSet subset = 0; subset < node_bit(n); ++subset)
            if ((needed & ~subset) == 0)
                leaves_[n].push_back(
                    {static_cast<std::uint8_t>(subset), static_cast<std::uint8_t>(number(subset))});
    }
}

template <class Rank>
void BestParents<Rank>::relax(std::size_t n_nodes, double* __restrict with, const double* __restrict without,
                              const Rank* ranks) const {
    if (n_nodes <= n_dense_) {
        const std::size_t size = std::size_t{1} << n_nodes;
        for (std::size_t i = 0; i < size; ++i) with[i] = std::max(with[i], without[i] + scores_[ranks[i]]);
    } else if (n_nodes <= kLeafNodes) {
        for (const auto [subset, number] : leaves_[n_nodes]) {
            with[subset] = std::max(with[subset], without[subset] + scores_[ranks[number]]);
        }
    } else {
        const std::size_t half = std::size_t{1} << (n_nodes - 1);
        if ((always_ & half) == 0) relax(n_nodes - 1, with, without, ranks);
        relax(n_nodes - 1, with + half, without + half, ranks + stride(n_nodes - 1));
    }
}

template <class Rank>
class OrderSearch {
  public:
    OrderSearch(const SearchSpace& space, std::span<const RankedSets> ranked, std::span<const Node> component,
                std::size_t n_threads, Monitor& monitor);

    // Fills best(W) for all subsets; false if stopped.
    bool run();

    // The best last node of each remaining set, back to the empty set: each node's rank. Of the nodes that
    // lose nothing (up to `slack` in all) the one with the highest number comes last.
    std::vector<std::size_t> choose(double& slack) const;

  private:
    // For each node the number, in its own table, of the nodes above it in the set at hand. As long as some
    // that are always needed are not among them, it is kLacking or more.
    using Numbers = std::array<std::uint64_t, kMaxNodes>;
    static constexpr std::uint64_t kLacking = std::uint64_t{1} << 48;

    void enter(std::size_t node, Numbers& numbers) const {
        for (std::size_t below = 0; below < node; ++below) numbers[below] += steps_[node][below];
    }
    void leave(std::size_t node, Numbers& numbers) const {
        for (std::size_t below = 0; below < node; ++below) numbers[below] -= steps_[node][below];
    }
    void solve(double* best, std::size_t n_nodes, Numbers& numbers) const;
    void solve_block(NodeSet high);
    void make_steps();
    std::size_t last_node(NodeSet nodes, double& slack) const;
    std::size_t pick(std::size_t node, std::size_t rank, NodeSet others, double& slack) const;

    std::size_t n_;
    std::size_t n_low_;  // nodes within a block
    std::size_t n_threads_;
    Monitor& monitor_;
    std::vector<const RankedSets*> ranked_;
    std::vector<std::vector<int>> places_;
    std::vector<BestParents<Rank>> parents_;
    std::array<Numbers, kMaxNodes> steps_{};
    Numbers start_{};  // of the empty set
    std::unique_ptr<double[]> best_;
};

template <class Rank>
OrderSearch<Rank>::OrderSearch(const SearchSpace& space, std::span<const RankedSets> ranked,
                               std::span<const Node> component, std::size_t n_threads, Monitor& monitor)
    : n_(component.size()),
      n_low_(n_ <= kMaxSerialNodes ? n_ : std::max(kMinBlockNodes, n_ - kMaxHighNodes)),
      n_threads_(n_threads),
      monitor_(monitor) {
    for (const Node node : component) {
        ranked_.push_back(&ranked[node]);
        places_.push_back(places_of(space.candidates[node], component));
    }
    std::vector<std::optional<BestParents<Rank>>> made(n_);
    const auto make = [&](std::size_t node, std::size_t) {
        made[node].emplace(*ranked_[node], places_[node], monitor_.stop);
    };
    if (n_low_ == n_)
        for (std::size_t node = 0; node < n_; ++node) make(node, 0);
    else
        parallel_for(n_threads_, n_, make, &monitor_.stop, monitor_.poll);
    if (monitor_.stop) return;
    for (std::optional<BestParents<Rank>>& one : made) parents_.push_back(std::move(*one));
    make_steps();
    best_ = std::make_unique_for_overwrite<double[]>(std::size_t{1} << n_);
}

template <class Rank>
void OrderSearch<Rank>::make_steps() {
    for (std::size_t node = 0; node < n_; ++node) {
        for (std::size_t above = node + 1; above < n_; ++above) {
            const bool needed = (parents_[node].always() & node_bit(above)) != 0;
            if (needed) start_[node] += kLacking;
            steps_[above][node] = parents_[node].stride(above) - (needed ? kLacking : 0);
        }
    }
}

template <class Rank>
bool OrderSearch<Rank>::run() {
    if (monitor_.stop) return false;
    if (n_low_ == n_) {
        solve_block(0);
        return true;
    }
    const std::size_t n_high = n_ - n_low_;
    for (std::size_t size = 0; size <= n_high && !monitor_.stop; ++size) {
        std::vector<NodeSet> blocks;  // of this many high nodes; they need those with one node less
        for (NodeSet high = 0; high < node_bit(n_high); ++high)
            if (static_cast<std::size_t>(std::popcount(high)) == size) blocks.push_back(high);
        parallel_for(
            n_threads_, blocks.size(), [&](std::size_t item, std::size_t) { solve_block(blocks[item]); },
            &monitor_.stop, monitor_.poll);
    }
    return !monitor_.stop;
}

// All sets that have just these of the high nodes. The last one is a high node, or else a low one.
template <class Rank>
void OrderSearch<Rank>::solve_block(NodeSet high) {
    const std::size_t size = std::size_t{1} << n_low_;
    double* const block = best_.get() + high * size;
    std::fill_n(block, size, kMinusInfinity);
    if (high == 0) block[0] = 0.0;
    Numbers numbers = start_;
    for (NodeSet rest = high; rest != 0; rest &= rest - 1) {
        const std::size_t node = n_low_ + lowest_node(rest);
        const NodeSet others = (high ^ (rest & (~rest + 1))) << n_low_;
        const NodeSet low = size - 1;
        if ((parents_[node].always() & ~(others | low)) == 0)
            parents_[node].relax(n_low_, block, best_.get() + others, parents_[node].number(others));
        enter(node, numbers);
    }
    solve(block, n_low_, numbers);
}

// best[W] is the best over all last nodes but the lowest `n_nodes`; brings in these. First all sets without
// the highest of them, then from these all with it as the last node, then all with it.
template <class Rank>
void OrderSearch<Rank>::solve(double* best, std::size_t n_nodes, Numbers& numbers) const {
    if (n_nodes == 0) return;
    const std::size_t node = n_nodes - 1;
    double* const with = best + (std::size_t{1} << node);
    solve(best, node, numbers);
    if (numbers[node] < kLacking) parents_[node].relax(node, with, best, numbers[node]);
    enter(node, numbers);
    solve(with, node, numbers);
    leave(node, numbers);
}

template <class Rank>
std::vector<std::size_t> OrderSearch<Rank>::choose(double& slack) const {
    std::vector<std::size_t> ranks(n_);
    for (NodeSet nodes = node_bit(n_) - 1; nodes != 0;) {
        const std::size_t node = last_node(nodes, slack);
        nodes &= ~node_bit(node);
        ranks[node] = pick(node, parents_[node].rank(nodes), nodes, slack);
    }
    return ranks;
}

template <class Rank>
std::size_t OrderSearch<Rank>::last_node(NodeSet nodes, double& slack) const {
    for (std::size_t node = n_; node-- > 0;) {
        const NodeSet others = nodes & ~node_bit(node);
        if (others == nodes || (parents_[node].always() & ~others) != 0) continue;
        const double loss =
            best_[nodes] - (best_[others] + ranked_[node]->scores[parents_[node].rank(others)]);
        if (!(std::abs(loss) <= slack)) continue;
        slack -= loss;
        return node;
    }
    throw std::logic_error("no order of the nodes has a score");
}

// Of the parent sets that lose nothing against the best, the first in the order of equals.
template <class Rank>
std::size_t OrderSearch<Rank>::pick(std::size_t node, std::size_t rank, NodeSet others, double& slack) const {
    const RankedSets& ranked = *ranked_[node];
    std::size_t picked = rank;
    for (std::size_t i = rank + 1; ranked.scores[i] >= ranked.scores[rank] - slack; ++i)
        if ((in_component(ranked.sets[i], places_[node]) & ~others) == 0 &&
            comes_first(ranked.sets[i], ranked.sets[picked]))
            picked = i;
    slack = std::max(0.0, slack - (ranked.scores[rank] - ranked.scores[picked]));
    return picked;
}

template <class Rank>
std::optional<std::vector<std::size_t>> search_order(const SearchSpace& space,
                                                     std::span<const RankedSets> ranked,
                                                     std::span<const Node> component, double& slack,
                                                     std::size_t n_threads, Monitor& monitor) {
    OrderSearch<Rank> search(space, ranked, component, n_threads, monitor);
    if (!search.run()) return std::nullopt;
    return search.choose(slack);
}

bool fits_short(std::uint64_t n_sets) { return n_sets <= std::numeric_limits<std::uint16_t>::max(); }

}  // namespace

std::optional<std::vector<std::size_t>> best_by_tables(const SearchSpace& space,
                                                       std::span<const RankedSets> ranked,
                                                       std::span<const Node> component, double& slack,
                                                       std::size_t n_threads, Monitor& monitor) {
    const bool short_ranks =
        std::ranges::all_of(component, [&](Node node) { return fits_short(ranked[node].sets.size()); });
    return short_ranks ? search_order<std::uint16_t>(space, ranked, component, slack, n_threads, monitor)
                       : search_order<std::uint32_t>(space, ranked, component, slack, n_threads, monitor);
}

double bytes_of_tables(const SearchSpace& space, std::span<const Node> component) {
    bool short_ranks = true;
    double n_ranks = 0.0;
    for (const Node node : component) {
        short_ranks = short_ranks && fits_short(n_parent_sets(space, node));
        const std::vector<int> places = places_of(space.candidates[node], component);
        const std::vector<int> needed = places_of(space.required[node], component);
        const auto inside = [](int place) { return place >= 0; };
        n_ranks += std::exp2(static_cast<double>(std::ranges::count_if(places, inside) -
                                                 std::ranges::count_if(needed, inside)));
    }
    const double rank_bytes = short_ranks ? sizeof(std::uint16_t) : sizeof(std::uint32_t);
    return rank_bytes * n_ranks + sizeof(double) * std::exp2(static_cast<double>(component.size()));
}

}  // namespace ldag
