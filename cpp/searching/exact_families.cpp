// All families of the space: numbered, scored in parallel, and reduced to those that beat their subsets.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "searching/exact.hpp"
#include "searching/exact_sets.hpp"
#include "support/infinity.hpp"

namespace ldag {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

using Binomials = std::array<std::array<std::uint64_t, kMaxCandidates + 1>, kMaxCandidates + 1>;

const Binomials& binomials() {
    static const Binomials table = [] {
        Binomials made{};
        for (std::size_t n = 0; n < made.size(); ++n) {
            made[n][0] = 1;
            for (std::size_t k = 1; k <= n; ++k) made[n][k] = made[n - 1][k - 1] + made[n - 1][k];
        }
        return made;
    }();
    return table;
}

// Sets of k elements in increasing order of their masks have the number C(s_1, 1) + ... + C(s_k, k), where
// s_1 < ... < s_k are the elements (the combinatorial number system).
NodeSet set_of_number(std::uint64_t number, std::size_t n_elements, std::size_t k) {
    NodeSet set = 0;
    for (std::size_t element = n_elements; k > 0; --k) {
        do --element;
        while (binomials()[element][k] > number);
        number -= binomials()[element][k];
        set |= NodeSet{1} << element;
    }
    return set;
}

// Calls visit(number) for each set that has one element less than `set`.
template <class Visit>
void for_each_smaller(NodeSet set, Visit visit) {
    std::array<std::uint8_t, kMaxCandidates> elements;
    std::size_t k = 0;
    std::uint64_t above = 0;  // what the elements after the one left out contribute, each one place down
    for (NodeSet rest = set; rest != 0; rest &= rest - 1) {
        elements[k] = static_cast<std::uint8_t>(std::countr_zero(rest));
        above += binomials()[elements[k]][k];
        ++k;
    }
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < k; ++i) {
        above -= binomials()[elements[i]][i];
        visit(below + above);
        below += binomials()[elements[i]][i + 1];
    }
}

// The next larger set with as many elements.
NodeSet next_of_size(NodeSet set) {
    const NodeSet lowest = set & (~set + 1);
    const NodeSet ripple = set + lowest;
    return ripple | (((set ^ ripple) >> 2) / lowest);
}

// The parent sets a node may have, numbered by size and then, as bit masks, in increasing order. All hold the
// required parents; the first holds nothing else.
class ParentSets {
  public:
    ParentSets(const SearchSpace& space, Node node);

    std::uint64_t size() const { return first_.back(); }
    NodeSet operator[](std::uint64_t number) const;

    // By number of parents that are not required.
    std::size_t n_layers() const { return first_.size() - 1; }
    std::uint64_t layer_size(std::size_t layer) const {
        return layer < n_layers() ? first_[layer + 1] - first_[layer] : 0;
    }

    // Calls visit_smaller(number) for every allowed set that has one parent less than a set of a layer, and
    // returns the number of that.
    template <class Visit>
    std::uint64_t for_each_subset(std::size_t layer, std::uint64_t place, Visit visit_smaller) const {
        for_each_smaller(set_of_number(place, optional_.size(), layer),
                         [&](std::uint64_t smaller) { visit_smaller(first_[layer - 1] + smaller); });
        return first_[layer] + place;
    }

    // Calls visit(number, set, drop) for all sets in order; drop(visit_smaller) then calls
    // visit_smaller(number) for every allowed set that has one parent less.
    template <class Visit>
    void for_each(Visit visit) const;

  private:
    NodeSet with_required(NodeSet optional) const;

    NodeSet required_ = 0;
    std::vector<std::uint8_t> optional_;  // positions of the candidates that are not required
    std::vector<std::uint64_t> first_;    // number of the first set by number of optional parents; one more
};

ParentSets::ParentSets(const SearchSpace& space, Node node) {
    const std::vector<Node>& candidates = space.candidates[node];
    if (candidates.size() > kMaxCandidates)
        throw std::length_error("the exact search takes at most " + std::to_string(kMaxCandidates) +
                                " candidates of a node, node " + std::to_string(node) + " has " +
                                std::to_string(candidates.size()));
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (std::ranges::binary_search(space.required[node], candidates[i]))
            required_ |= NodeSet{1} << i;
        else
            optional_.push_back(static_cast<std::uint8_t>(i));
    }
    const std::size_t most =
        std::min(optional_.size(), space.max_parents[node] - space.required[node].size());
    first_.push_back(0);
    for (std::size_t k = 0; k <= most; ++k)
        first_.push_back(first_.back() + binomials()[optional_.size()][k]);
}

NodeSet ParentSets::with_required(NodeSet optional) const {
    NodeSet set = required_;
    for (; optional != 0; optional &= optional - 1)
        set |= NodeSet{1} << optional_[static_cast<std::size_t>(std::countr_zero(optional))];
    return set;
}

NodeSet ParentSets::operator[](std::uint64_t number) const {
    const auto k = static_cast<std::size_t>(std::ranges::upper_bound(first_, number) - first_.begin()) - 1;
    return with_required(set_of_number(number - first_[k], optional_.size(), k));
}

template <class Visit>
void ParentSets::for_each(Visit visit) const {
    std::uint64_t number = 0;
    for (std::size_t k = 0; k + 1 < first_.size(); ++k) {
        NodeSet optional = (NodeSet{1} << k) - 1;
        for (; number < first_[k + 1]; ++number) {
            visit(number, with_required(optional), [&](auto visit_smaller) {
                for_each_smaller(optional,
                                 [&](std::uint64_t smaller) { visit_smaller(first_[k - 1] + smaller); });
            });
            if (optional != 0) optional = next_of_size(optional);
        }
    }
}

}  // namespace

std::uint64_t n_parent_sets(const SearchSpace& space, Node node) {
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t n = space.candidates[node].size() - space.required[node].size();
    const std::uint64_t most =
        std::min<std::uint64_t>(n, space.max_parents[node] - space.required[node].size());
    std::uint64_t sum = 1;
    std::uint64_t n_of_size = 1;
    for (std::uint64_t k = 1; k <= most; ++k) {
        if (n_of_size > kMost / n) return kMost;
        n_of_size = n_of_size * (n - k + 1) / k;
        if (sum > kMost - n_of_size) return kMost;
        sum += n_of_size;
    }
    return sum;
}

bool comes_first(NodeSet a, NodeSet b) {
    if (std::popcount(a) != std::popcount(b)) return std::popcount(a) < std::popcount(b);
    const NodeSet different = a ^ b;
    return (a & different & (~different + 1)) != 0;
}

namespace {

struct RankedSet {
    double score;
    NodeSet set;
    bool operator<(const RankedSet& other) const {
        return score != other.score ? score > other.score : comes_first(set, other.set);
    }
};

// Keeps the sets that beat all their subsets by more than `tie`. `scores` is by number, not a number if not
// known, and is used up; make_exact(number, set, score, best_subset) is asked for the score to go by. If
// stopped, only the sets looked at so far are kept, the first always among them.
template <class MakeExact>
RankedSets undominated(const ParentSets& sets, std::vector<double> scores, double tie,
                       const std::atomic<bool>& stop, MakeExact make_exact) {
    std::vector<RankedSet> kept;
    sets.for_each([&](std::uint64_t number, NodeSet set, auto drop) {
        if (number > 0 && stop.load(std::memory_order_relaxed)) return;
        double best_subset = kMinusInfinity;  // of those kept
        drop([&](std::uint64_t smaller) { best_subset = std::max(best_subset, scores[smaller]); });
        scores[number] = make_exact(number, set, scores[number], best_subset);
        if (scores[number] > best_subset + tie)
            kept.push_back({scores[number], set});
        else
            scores[number] = best_subset;
    });
    std::ranges::sort(kept, std::less<>());
    RankedSets ranked;
    for (const RankedSet& one : kept) {
        ranked.sets.push_back(one.set);
        ranked.scores.push_back(one.score);
    }
    ranked.scores.push_back(kMinusInfinity);
    return ranked;
}

// By how much a set must beat its subsets: half of what scores may differ by goes to this, over all nodes.
double subset_tie(const SearchSpace& space) { return kTie / (2.0 * static_cast<double>(space.n_nodes())); }

// The scores of all families, by node and number.
class FamilyScores {
  public:
    // First the required parents by themselves, which make a DAG to fall back on.
    FamilyScores(const FamilyScorer& scorer, const SearchSpace& space, Monitor& monitor)
        : scorer_(scorer), space_(space), monitor_(monitor), scores_(space.n_nodes()), first_{0} {
        monitor.done = 0;
        monitor.best = kUnknown;
        for (Node node = 0; node < space.n_nodes(); ++node) {
            sets_.emplace_back(space, node);
            first_.push_back(first_.back() + sets_.back().size());
            required_.push_back(score(node, 0));
        }
        monitor.total = first_.back();
    }

    RankedSets required_only(Node node) const {
        return {{sets_[node][0]}, {required_[node], kMinusInfinity}};
    }

    // Counts the families of a node as scored.
    void skip(Node node) { monitor_.done += sets_[node].size() - 1; }

    // From now on, families are scored only if these say that they may beat their subsets.
    void use(std::shared_ptr<const JointScores> joint) { joint_ = std::move(joint); }

    // Scores and ranks the families of nodes `begin` to `end` - 1; those not come to stay as they are.
    void rank(std::size_t n_threads, Node begin, Node end, std::vector<RankedSets>& ranked) {
        if (joint_) {
            rank_by_sets(n_threads, begin, end, ranked);
            return;
        }
        for (Node node = begin; node < end; ++node) {
            scores_[node].assign(sets_[node].size(), kUnknown);
            scores_[node][0] = required_[node];
        }
        score_all(n_threads, begin, end);
        // A stop must not wait for the ranking of millions of families.
        if (monitor_.stop && first_[end] - first_[begin] >= kFewFamilies) return;
        rank_scored(n_threads, begin, end, ranked);
    }

  private:
    static constexpr std::uint64_t kFewFamilies = 10'000;  // ranked before a thread has started

    // By number of parents, so that the best subset is known: a family that provably does not beat it has its
    // score in place of its own, as ranking would have it.
    void score_all(std::size_t n_threads, Node begin, Node end) {
        std::size_t n_layers = 0;
        for (Node node = begin; node < end; ++node) n_layers = std::max(n_layers, sets_[node].n_layers());
        for (std::size_t layer = 1; layer < n_layers && !monitor_.stop; ++layer) {
            std::vector<std::uint64_t> first{0};
            for (Node node = begin; node < end; ++node)
                first.push_back(first.back() + sets_[node].layer_size(layer));
            parallel_for(
                n_threads, first.back(),
                [&](std::size_t item, std::size_t) {
                    const auto place = std::ranges::upper_bound(first, item) - first.begin() - 1;
                    score_promising(begin + static_cast<Node>(place), layer,
                                    item - first[static_cast<std::size_t>(place)]);
                },
                &monitor_.stop, monitor_.poll);
        }
    }

    void score_promising(Node node, std::size_t layer, std::uint64_t place) {
        std::vector<double>& scores = scores_[node];
        double best_subset = kMinusInfinity;
        const std::uint64_t number = sets_[node].for_each_subset(layer, place, [&](std::uint64_t smaller) {
            best_subset = std::max(best_subset, scores[smaller]);
        });
        const double score = score_of(node, sets_[node][number], best_subset + tie());
        scores[number] = score > best_subset + tie() ? score : best_subset;
        monitor_.done.fetch_add(1, std::memory_order_relaxed);
    }

    // What was scored before a stop is ranked all the same if it is little; a stop while ranking ends that.
    void rank_scored(std::size_t n_threads, Node begin, Node end, std::vector<RankedSets>& ranked) {
        const bool is_quick = first_[end] - first_[begin] < kFewFamilies;
        std::atomic<bool> stop{false};
        parallel_for(
            is_quick ? 1 : n_threads, end - begin,
            [&](std::size_t item, std::size_t) {
                const std::size_t node = begin + item;
                ranked[node] = undominated(sets_[node], std::move(scores_[node]), tie(), stop,
                                           [](auto, auto, double score, double) { return score; });
            },
            &stop, is_quick || monitor_.stop ? StopPoll{} : monitor_.poll);
        if (stop) monitor_.stop = true;
    }

    // A node that was not come to its end stays as it is.
    void rank_by_sets(std::size_t n_threads, Node begin, Node end, std::vector<RankedSets>& ranked) {
        parallel_for(
            n_threads, end - begin,
            [&](std::size_t item, std::size_t) {
                const auto node = static_cast<Node>(begin + item);
                RankedSets sets = undominated(
                    sets_[node], std::vector<double>(sets_[node].size()), tie(), monitor_.stop,
                    [&](std::uint64_t number, NodeSet set, double, double best_subset) {
                        return number == 0 ? required_[node] : score_by_sets(node, set, best_subset);
                    });
                if (monitor_.stop) return;
                ranked[node] = std::move(sets);
                skip(node);
            },
            &monitor_.stop, monitor_.poll);
    }

    // The score if it may be more than that of the best subset, else anything less.
    double score_by_sets(Node node, NodeSet set, double best_subset) const {
        NodeSet parents = 0;
        for (NodeSet rest = set; rest != 0; rest &= rest - 1)
            parents |=
                NodeSet{1} << space_.candidates[node][static_cast<std::size_t>(std::countr_zero(rest))];
        const double most = joint_->family(node, parents) + joint_->tolerance();
        return most > best_subset ? score_of(node, set) : kMinusInfinity;
    }

    double tie() const { return subset_tie(space_); }

    double score(Node node, std::uint64_t number) {
        const double score = score_of(node, sets_[node][number]);
        monitor_.done.fetch_add(1, std::memory_order_relaxed);
        return score;
    }

    // The score, or anything between that and `floor`.
    double score_of(Node node, NodeSet set, double floor = kMinusInfinity) const {
        std::array<Node, kMaxCandidates> parents;
        std::size_t n = 0;
        for (; set != 0; set &= set - 1)
            parents[n++] = space_.candidates[node][static_cast<std::size_t>(std::countr_zero(set))];
        return scorer_.score_above({node, {parents.data(), n}}, floor);
    }

    const FamilyScorer& scorer_;
    const SearchSpace& space_;
    Monitor& monitor_;
    std::shared_ptr<const JointScores> joint_;  // none: every family is scored
    std::vector<ParentSets> sets_;
    std::vector<double> required_;  // scores of the required parents by themselves
    std::vector<std::vector<double>> scores_;
    std::vector<std::uint64_t> first_;  // number of the first family of each node, counting all; one more
};

}  // namespace

std::vector<std::vector<RankedSets>> rank_by_price(const FamilyScorer& scorer, const SearchSpace& space,
                                                   std::span<const double> prices) {
    std::vector<std::vector<RankedSets>> ranked(prices.size());
    const std::atomic<bool> never{false};
    const double tie = subset_tie(space);
    std::vector<double> by_price(prices.size());
    std::vector<double> floors(prices.size());
    for (Node node = 0; node < space.n_nodes(); ++node) {
        const ParentSets sets(space, node);
        std::vector<std::vector<double>> scores(prices.size(), std::vector<double>(sets.size()));
        sets.for_each([&](std::uint64_t number, NodeSet set, auto drop) {
            std::ranges::fill(floors, kMinusInfinity);
            drop([&](std::uint64_t smaller) {
                for (std::size_t i = 0; i < prices.size(); ++i)
                    floors[i] = std::max(floors[i], scores[i][smaller] + tie);
            });
            const std::vector<Node> parents = nodes_of(set, space.candidates[node]);
            scorer.scores_by_price({node, parents}, prices, floors, by_price);
            // Of a family that does not beat its subsets, the best of these counts, as ranking would have it.
            for (std::size_t i = 0; i < prices.size(); ++i)
                scores[i][number] = by_price[i] > floors[i] ? by_price[i] : floors[i] - tie;
        });
        for (std::size_t i = 0; i < prices.size(); ++i)
            ranked[i].push_back(undominated(sets, std::move(scores[i]), tie, never,
                                            [](auto, auto, double score, double) { return score; }));
    }
    return ranked;
}

std::vector<RankedSets> rank_parent_sets(const FamilyScorer& scorer, const SearchSpace& space,
                                         std::size_t n_threads, Monitor& monitor, ExactState* state) {
    FamilyScores scores(scorer, space, monitor);
    const auto n_nodes = static_cast<Node>(space.n_nodes());
    std::vector<RankedSets> ranked;
    for (Node node = 0; node < n_nodes; ++node) ranked.push_back(scores.required_only(node));
    std::shared_ptr<const JointScores> joint = state != nullptr ? state->joint : nullptr;
    const bool is_ranked =
        state != nullptr && !state->ranked.empty() &&
        std::ranges::none_of(state->ranked, [](const RankedSets& own) { return own.sets.empty(); });
    if (!joint && !is_ranked && JointScores::are_for(scorer, space)) {
        joint = std::make_shared<const JointScores>(scorer, space, n_threads, monitor);
        if (monitor.stop) return ranked;
        if (state != nullptr) state->joint = joint;
    }
    scores.use(std::move(joint));
    if (state == nullptr) {
        scores.rank(n_threads, 0, n_nodes, ranked);
        return ranked;
    }
    state->ranked.resize(n_nodes);
    for (Node node = 0; node < n_nodes; ++node) {
        if (state->ranked[node].sets.empty()) continue;
        ranked[node] = state->ranked[node];
        scores.skip(node);
    }
    for (Node node = 0; node < n_nodes; ++node) {
        if (!state->ranked[node].sets.empty()) continue;
        scores.rank(n_threads, node, node + 1, ranked);
        if (monitor.stop) break;
        state->ranked[node] = ranked[node];
        if (monitor.pause) break;
    }
    return ranked;
}

}  // namespace ldag
