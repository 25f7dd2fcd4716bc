#include "searching/climb_pace.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "searching/climb_pool.hpp"

namespace ldag::climb {

namespace {

// Patience lasts for at least so many rounds without success, and for at most so many times as many as asked
// for.
constexpr std::uint64_t kLeastPatience = 8;
constexpr std::uint64_t kLeastOfFewRows = 4;  // graphs differ by less
constexpr std::uint64_t kLeastIfQuick = 1;    // and of large graphs
constexpr std::uint64_t kMostPatience = 8;

// What is quick: few nodes and rows, where seeds rarely disagree and a round takes long beside counting.
constexpr std::size_t kQuickNodes = 50;
constexpr std::size_t kFewRows = 5000;

// So many searches from orders at random have led to the best graph: there is hardly anything better.
constexpr std::uint64_t kSure = 6;
constexpr std::uint64_t kSureIfQuick = 3;

// Graphs are looked around in until that took so many times as long as the first climb. Rounds find more in
// the time that twice as much takes.
constexpr std::uint64_t kMostAround = 12;

// Kicks for every node in a search of many nodes from an order at random, and what they may take: the more
// sets there are, the longer each of them does. Less than one for every node is not worth it.
constexpr std::size_t kKicksAfresh = 4;
constexpr std::size_t kMostSetsAfresh = std::size_t{1} << 25;

// Looking around graphs that took more than so many usual first climbs leaves time for rounds that take so
// many in all, but for one at least.
constexpr std::uint64_t kLongAround = 5;
constexpr std::uint64_t kMostAfterLong = 16;

// A gain of this share of the score is worth another round of a large graph.
constexpr double kWorthwhile = 1e-4;

// The first climb looks at a candidate of a node so often at most, as a rule: two to four times with tables,
// up to eight with labels, where large families count for several.
constexpr std::uint64_t kUsualLooks = 8;

// A first climb that looks at them more often than this goes to dense graphs, and so many rounds follow.
constexpr std::uint64_t kManyLooks = 6;
constexpr std::uint64_t kDenseRounds = 4;

}  // namespace

Pace::Pace(const SearchSpace& space, const ClimbOptions& options)
    : options_(options), n_nodes_(space.n_nodes()) {
    for (const std::vector<Node>& candidates : space.candidates) {
        const std::size_t n = candidates.size();
        usual_ += kUsualLooks * (options.max_candidates == 0 ? n : std::min(n, options.max_candidates));
    }
}

bool Pace::settles(const ClimbState& state) const {
    return state.n_first <= kManyLooks * (usual_ / kUsualLooks);
}

std::uint64_t Pace::most_rounds(const ClimbState& state) const {
    if (!settles(state)) return kDenseRounds;
    if (state.n_around <= kLongAround * usual_) return std::numeric_limits<std::uint32_t>::max();
    return std::max<std::uint64_t>(1, kMostAfterLong * usual_ / state.n_around);
}

// One for every four variables, at least eight.
std::uint64_t Pace::per_chain(const ClimbState& state) const {
    return slowed(std::max<std::uint64_t>(8, (n_nodes_ + 3) / 4), state);
}

std::uint64_t Pace::most_around(const ClimbState& state) const { return kMostAround * first(state); }

// Usually one node may take all of it: there are nodes that nearly all others depend on.
std::uint64_t Pace::most_of_one(const ClimbState& state) const {
    return state.n_first <= usual_ ? std::numeric_limits<std::uint64_t>::max()
                                   : most_around(state) / n_nodes_;
}

std::size_t Pace::kicks_afresh(std::size_t n_sets, const ClimbState& state) const {
    if (is_small(state.best.parents)) return 0;
    const std::size_t n =
        std::min(kKicksAfresh * n_nodes_, kMostSetsAfresh / std::max<std::size_t>(1, n_sets));
    return n < n_nodes_ ? 0 : n;
}

bool Pace::has_lost_patience(const ClimbState& state, std::size_t n_rows) const {
    if (options_.patience == 0) return false;
    const bool has_few_rows = n_rows < kFewRows;
    const bool is_quick = n_nodes_ <= kQuickNodes && has_few_rows;
    if (state.n_sure >= (is_quick ? kSureIfQuick : kSure)) return true;
    const std::uint64_t least = is_quick || !is_small(state.best.parents) ? kLeastIfQuick
                                : has_few_rows                            ? kLeastOfFewRows
                                                                          : kLeastPatience;
    if (state.n_stale < least) return false;
    const std::uint64_t n_around = std::max(state.n_around, first(state) / kMostPatience);
    return state.n_stale * n_around >= options_.patience * first(state);
}

bool Pace::is_worthwhile(double gain, const ClimbState& state) const {
    const double least = is_small(state.best.parents) ? 0.0 : kWorthwhile * std::abs(state.best.score);
    return gain > std::max(tie_of(state.best.score), least);
}

// The work of the first climb, or of a usual one.
std::uint64_t Pace::first(const ClimbState& state) const { return std::min(state.n_first, usual_); }

std::uint64_t Pace::slowed(std::uint64_t n, const ClimbState& state) const {
    if (state.n_first <= usual_) return n;
    const double share = static_cast<double>(usual_) / static_cast<double>(state.n_first);
    return static_cast<std::uint64_t>(std::ceil(static_cast<double>(n) * share));
}

}  // namespace ldag::climb
