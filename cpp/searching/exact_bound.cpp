// Bounds on what an order of a component's nodes may still score.
#include <algorithm>
#include <numeric>

#include "searching/exact_component.hpp"
#include "support/infinity.hpp"
#include "support/random.hpp"

namespace ldag {

namespace {

// Nodes of a group, whose subsets are tabulated.
constexpr std::size_t kMaxGroupNodes = 20;

// Groups are looked for by so many chains, each from the best of some draws on; the best few are used.
constexpr std::size_t kChains = 16;
constexpr std::size_t kDraws = 5;
constexpr std::size_t kSteps = 50;
constexpr std::size_t kBounds = 5;
constexpr std::size_t kMostScores = std::size_t{1} << 21;  // by each chain

using Members = std::vector<std::size_t>;
using Groups = std::vector<Members>;

void sort(Groups& groups) {
    for (Members& members : groups) std::ranges::sort(members);
    std::ranges::sort(groups);
}

// The same with two nodes exchanged.
Groups exchange(Groups groups, Random& random) {
    const std::size_t a = random.below(groups.size());
    const std::size_t b = (a + 1 + random.below(groups.size() - 1)) % groups.size();
    std::swap(groups[a][random.below(groups[a].size())], groups[b][random.below(groups[b].size())]);
    sort(groups);
    return groups;
}

// Ways to put nodes into groups of equal size that leave little to gain from cycles between groups.
class Grouping {
  public:
    explicit Grouping(std::span<const NodeFamilies> families)
        : n_(families.size()),
          n_groups_(std::max<std::size_t>(2, (n_ + kMaxGroupNodes - 1) / kMaxGroupNodes)),
          pull_(n_ * n_, 0.0) {
        for (std::size_t a = 0; a < n_; ++a)
            for (std::size_t b = 0; b < a; ++b) {
                const double ab = loss(families, a, b);
                const double ba = loss(families, b, a);
                pull_[a * n_ + b] = pull_[b * n_ + a] = std::min(ab, ba) + kOneWay * std::max(ab, ba);
            }
    }

    // From a random order, exchanges nodes of different groups while that helps.
    Groups draw(Random& random) const {
        std::vector<std::size_t> order(n_);
        std::iota(order.begin(), order.end(), std::size_t{0});
        for (std::size_t left = n_; left > 1; --left) std::swap(order[left - 1], order[random.below(left)]);
        while (improve(order)) continue;
        Groups groups(n_groups_);
        for (std::size_t place = 0; place < n_; ++place) groups[group(place)].push_back(order[place]);
        sort(groups);
        return groups;
    }

    // How many scores there are in the tables of all groups.
    std::size_t n_scores() const { return n_groups_ << ((n_ + n_groups_ - 1) / n_groups_); }

  private:
    static constexpr double kOneWay = 1e-3;
    static constexpr double kMostLoss = 1e6;  // of required parents

    // What a node loses without another among its parents. Two nodes lose the lesser at least.
    double loss(std::span<const NodeFamilies> families, std::size_t node, std::size_t without) const {
        const NodeSet others = (node_bit(n_) - 1) & ~node_bit(without);
        return std::min(kMostLoss, -families[node].score(families[node].rank(others)));
    }
    double pull(std::size_t a, std::size_t b) const { return pull_[a * n_ + b]; }
    std::size_t group(std::size_t place) const { return place * n_groups_ / n_; }

    bool improve(std::vector<std::size_t>& order) const {
        bool improves = false;
        for (std::size_t a = 0; a < n_; ++a)
            for (std::size_t b = 0; b < a; ++b) {
                if (group(a) == group(b)) continue;
                double gain = -2 * pull(order[a], order[b]);
                for (std::size_t place = 0; place < n_; ++place) {
                    if (group(place) == group(a))
                        gain += pull(order[b], order[place]) - pull(order[a], order[place]);
                    if (group(place) == group(b))
                        gain += pull(order[a], order[place]) - pull(order[b], order[place]);
                }
                if (gain <= 1e-9) continue;
                std::swap(order[a], order[b]);
                improves = true;
            }
        return improves;
    }

    std::size_t n_;
    std::size_t n_groups_;
    std::vector<double> pull_;
};

}  // namespace

OrderBound::Group::Group(std::span<const NodeFamilies> families, std::span<const std::size_t> members)
    : numbers((families.size() + kChunk - 1) / kChunk),
      scores(std::size_t{1} << members.size(), kMinusInfinity) {
    std::vector<NodeSet> sets(scores.size(), 0);  // as sets of all nodes
    for (std::size_t i = 0; i < members.size(); ++i) {
        auto& chunk = numbers[members[i] / kChunk];
        for (std::size_t byte = 0; byte < chunk.size(); ++byte)
            if ((byte >> (members[i] % kChunk) & 1) != 0) chunk[byte] |= std::uint32_t{1} << i;
    }
    scores[0] = 0.0;
    for (NodeSet missing = 1; missing < scores.size(); ++missing) {
        sets[missing] = sets[missing & (missing - 1)] | node_bit(members[lowest_node(missing)]);
        for (NodeSet rest = missing; rest != 0; rest &= rest - 1) {
            const NodeFamilies& next = families[members[lowest_node(rest)]];
            const double score = next.score(next.rank(~sets[missing]));
            const NodeSet others = missing & ~(rest & (~rest + 1));
            scores[missing] = std::max(scores[missing], score + scores[others]);
        }
    }
}

double OrderBound::Group::operator()(NodeSet missing) const {
    std::uint32_t number = 0;
    for (const auto& chunk : numbers) {
        number |= chunk[missing & 0xff];
        missing >>= kChunk;
    }
    return scores[number];
}

OrderBound::OrderBound(std::span<const NodeFamilies> families, double known, std::size_t n_threads,
                       Monitor& monitor) {
    const NodeSet all = node_bit(families.size()) - 1;
    const Grouping grouping(families);
    const std::size_t n_steps = std::clamp<std::size_t>(kMostScores / grouping.n_scores(), 4, kSteps);
    std::vector<std::pair<double, Groups>> groupings(kChains);
    parallel_for(
        n_threads, kChains,
        [&](std::size_t chain, std::size_t) {
            Random random(0, chain);
            auto& [best_score, best_groups] = groupings[chain];
            for (std::size_t step = 0; step < n_steps && !monitor.stop; ++step) {
                if (step > 0 && best_score <= known) break;
                Groups groups = step < kDraws ? grouping.draw(random) : exchange(best_groups, random);
                double score = 0.0;
                for (const Members& members : groups) score += Group(families, members)(all);
                if (step > 0 && !(score <= best_score)) continue;
                best_score = score;
                best_groups = std::move(groups);
            }
        },
        &monitor.stop, monitor.poll);
    if (monitor.stop) return;
    std::ranges::sort(groupings);
    groupings.erase(std::unique(groupings.begin(), groupings.end()), groupings.end());
    for (std::size_t i = 0; i < std::min(kBounds, groupings.size()); ++i) {
        std::vector<Group>& made = bounds_.emplace_back();
        for (const Members& members : groupings[i].second) made.emplace_back(families, members);
    }
}

bool OrderBound::may_exceed(double known, double score, NodeSet missing) const {
    for (const std::vector<Group>& groups : bounds_) {
        double sum = score;
        for (const Group& group : groups) sum += group(missing);
        if (!(sum > known)) return false;
    }
    return true;
}

}  // namespace ldag
