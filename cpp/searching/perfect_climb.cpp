// A climb over perfect DAGs. An edge can be added if the common neighbours of its ends separate them, and
// removed if they are all adjacent to each other (Giudici & Green): the graph stays chordal, and is pointed
// along an order found from its end, as close to the order before as it can be.
#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <optional>

#include "searching/perfect.hpp"
#include "support/parallel.hpp"
#include "support/random.hpp"

namespace ldag {

namespace {

using Words = std::vector<std::uint64_t>;

constexpr std::size_t kMostKicks = 4;

bool has(const Words& set, Node node) { return (set[node / 64] >> (node % 64) & 1) != 0; }
void flip(Words& set, Node node) { set[node / 64] ^= std::uint64_t{1} << (node % 64); }

template <class Call>
void for_each(const Words& set, Call call) {
    for (std::size_t word = 0; word < set.size(); ++word)
        for (std::uint64_t left = set[word]; left != 0; left &= left - 1)
            call(static_cast<Node>(64 * word + static_cast<std::size_t>(std::countr_zero(left))));
}

Words meet(const Words& a, const Words& b) {
    Words both(a);
    for (std::size_t word = 0; word < b.size(); ++word) both[word] &= b[word];
    return both;
}

std::vector<Node> list(const Words& set) {
    std::vector<Node> nodes;
    for_each(set, [&](Node node) { nodes.push_back(node); });
    return nodes;
}

// A chordal graph, pointed along an order.
class PerfectGraph {
  public:
    PerfectGraph(FamilyScorer& scorer, const Parents& parents)
        : scorer_(&scorer), parents_(parents), near_(parents.size(), Words((parents.size() + 63) / 64, 0)) {
        for (Node child = 0; child < parents.size(); ++child)
            for (const Node parent : parents[child]) join(child, parent);
        find_places();
        for (Node node = 0; node < parents.size(); ++node) scores_.push_back(score(node, parents_[node]));
    }

    std::size_t n_nodes() const { return parents_.size(); }
    const Parents& parents() const { return parents_; }
    double score() const { return std::accumulate(scores_.begin(), scores_.end(), 0.0); }
    bool joins(Node a, Node b) const { return has(near_[a], b); }

    // Whether the graph stays chordal when the edge between two nodes is added or removed.
    bool stays_chordal(Node a, Node b) const {
        const Words common = meet(near_[a], near_[b]);
        return joins(a, b) ? is_clique(common) : separates(common, a, b);
    }

    // Families that a change gives other parents, and what it gains.
    struct Change {
        std::vector<std::pair<Node, std::vector<Node>>> families;
        std::vector<double> scores;
        double gain = 0.0;
    };

    // Of adding or removing an edge: along the order there is, if it stays perfect, and else along one in
    // which `late` comes as late as it can.
    std::optional<Change> toggle(const SearchSpace& space, Node a, Node b, std::optional<Node> late) {
        join(a, b);
        Parents parents = late ? point_anew(*late) : point_near(a, b);
        join(a, b);
        return change_to(space, std::move(parents));
    }

    // Of turning an arrow whose ends have the same other parents.
    std::optional<Change> turn(const SearchSpace& space, Node parent, Node child) const {
        std::vector<Node> others = parents_[child];
        const auto at = std::ranges::find(others, parent);
        if (at == others.end()) return std::nullopt;
        others.erase(at);
        if (others != parents_[parent]) return std::nullopt;
        Parents parents = parents_;
        parents[child] = others;
        parents[parent].insert(std::ranges::lower_bound(parents[parent], child), child);
        return change_to(space, std::move(parents));
    }

    void make(const Change& change) {
        for (std::size_t i = 0; i < change.families.size(); ++i) {
            const Node node = change.families[i].first;
            parents_[node] = change.families[i].second;
            scores_[node] = change.scores[i];
        }
        for (Words& own : near_) std::ranges::fill(own, 0);
        for (Node child = 0; child < n_nodes(); ++child)
            for (const Node parent : parents_[child]) join(child, parent);
        find_places();
    }

  private:
    void join(Node a, Node b) {
        flip(near_[a], b);
        flip(near_[b], a);
    }

    double score(Node node, const std::vector<Node>& parents) const {
        return scorer_->score({node, parents});
    }

    void find_places() {
        place_.assign(n_nodes(), 0);
        std::vector<std::size_t> missing;
        for (const auto& above : parents_) missing.push_back(above.size());
        std::vector<Node> order;
        for (Node node = 0; node < n_nodes(); ++node)
            if (missing[node] == 0) order.push_back(node);
        for (std::size_t i = 0; i < order.size(); ++i) {
            place_[order[i]] = i;
            for_each(near_[order[i]], [&](Node child) {
                const auto& above = parents_[child];
                if (std::ranges::binary_search(above, order[i]) && --missing[child] == 0)
                    order.push_back(child);
            });
        }
    }

    bool is_clique(const Words& set) const {
        bool all = true;
        for_each(set, [&](Node node) {
            for (std::size_t word = 0; word < set.size(); ++word) {
                std::uint64_t missing = set[word] & ~near_[node][word];
                if (word == node / 64) missing &= ~(std::uint64_t{1} << (node % 64));
                all = all && missing == 0;
            }
        });
        return all;
    }

    bool separates(const Words& set, Node a, Node b) const {
        Words seen(set);
        flip(seen, a);
        std::vector<Node> open{a};
        while (!open.empty()) {
            const Node node = open.back();
            open.pop_back();
            if (has(near_[node], b)) return false;
            for (std::size_t word = 0; word < seen.size(); ++word) {
                std::uint64_t fresh = near_[node][word] & ~seen[word];
                seen[word] |= fresh;
                for (; fresh != 0; fresh &= fresh - 1)
                    open.push_back(
                        static_cast<Node>(64 * word + static_cast<std::size_t>(std::countr_zero(fresh))));
            }
        }
        return true;
    }

    // The neighbours of a node that come before it in the order there is.
    std::vector<Node> earlier(Node node) const {
        std::vector<Node> above;
        for_each(near_[node], [&](Node other) {
            if (place_[other] < place_[node]) above.push_back(other);
        });
        return above;
    }

    bool is_clique(const std::vector<Node>& nodes) const {
        Words set(near_[0].size(), 0);
        for (const Node node : nodes) flip(set, node);
        return is_clique(set);
    }

    // The parents along the order there is after the edge between two nodes was changed, or along another.
    Parents point_near(Node a, Node b) const {
        const Node child = place_[a] < place_[b] ? b : a;
        Parents parents = parents_;
        parents[child] = earlier(child);
        bool is_whole = is_clique(parents[child]);
        if (!joins(a, b))
            for_each(meet(near_[a], near_[b]),
                     [&](Node other) { is_whole = is_whole && place_[other] < place_[child]; });
        return is_whole ? parents : point_anew({});
    }

    // From the end: of the nodes whose neighbours left are a clique, the latest in the order there is.
    Parents point_anew(std::optional<Node> late) const {
        std::vector<Node> by_place(n_nodes());
        std::iota(by_place.begin(), by_place.end(), Node{0});
        std::ranges::sort(by_place, [&](Node one, Node other) { return place_[one] > place_[other]; });
        if (late)
            std::rotate(by_place.begin(), std::ranges::find(by_place, *late),
                        std::ranges::find(by_place, *late) + 1);
        Words left(near_[0].size(), 0);
        for (const Node node : by_place) flip(left, node);
        Parents parents(n_nodes());
        while (!by_place.empty()) {
            for (auto at = by_place.begin();; ++at) {
                const Words own = meet(near_[*at], left);
                if (!is_clique(own)) continue;
                parents[*at] = list(own);
                flip(left, *at);
                by_place.erase(at);
                break;
            }
        }
        return parents;
    }

    std::optional<Change> change_to(const SearchSpace& space, Parents parents) const {
        Change change;
        for (Node node = 0; node < n_nodes(); ++node) {
            if (parents[node] == parents_[node]) continue;
            if (parents[node].size() > space.max_parents[node]) return std::nullopt;
            change.scores.push_back(score(node, parents[node]));
            change.gain += change.scores.back() - scores_[node];
            change.families.emplace_back(node, std::move(parents[node]));
        }
        return change;
    }

    FamilyScorer* scorer_;
    Parents parents_;
    std::vector<Words> near_;
    std::vector<std::size_t> place_;
    std::vector<double> scores_;
};

using Change = PerfectGraph::Change;

class PerfectClimber {
  public:
    PerfectClimber(FamilyScorer& scorer, const SearchSpace& space, const PerfectClimbOptions& options,
                   Monitor& monitor, PerfectClimbState& state)
        : scorer_(scorer), space_(space), options_(options), monitor_(monitor), state_(state) {
        for (Node b = 0; b < space.n_nodes(); ++b)
            for (const Node a : space.candidates[b])
                if (a < b) pairs_.emplace_back(a, b);
        is_near_.assign(space.n_nodes(), 0);
    }

    SearchResult run();

  private:
    bool is_done() const {
        return state_.n_done > options_.n_restarts ||
               (options_.patience > 0 && state_.n_stale >= options_.patience);
    }
    std::optional<Change> best_change(PerfectGraph& graph, Node a, Node b);
    bool try_pair(PerfectGraph& graph, Node a, Node b);
    void make(PerfectGraph& graph, Node a, Node b, const Change& change);
    bool climb_near(PerfectGraph& graph, Random& random);
    bool climb_whole(PerfectGraph& graph);
    void kick(PerfectGraph& graph, Random& random);
    void tell(const PerfectGraph& graph) const {
        if (options_.watch) options_.watch(graph.parents());
    }

    FamilyScorer& scorer_;
    const SearchSpace& space_;
    const PerfectClimbOptions& options_;
    Monitor& monitor_;
    PerfectClimbState& state_;
    std::vector<std::pair<Node, Node>> pairs_;  // that may be joined
    std::vector<std::uint8_t> is_near_;         // nodes around what was changed
};

// Makes a change between two nodes, and remembers where.
void PerfectClimber::make(PerfectGraph& graph, Node a, Node b, const Change& change) {
    graph.make(change);
    is_near_[a] = is_near_[b] = 1;
    for (const auto& [node, parents] : change.families) {
        is_near_[node] = 1;
        for (const Node parent : parents) is_near_[parent] = 1;
    }
    tell(graph);
}

// The change of what is between two nodes that gains most.
std::optional<Change> PerfectClimber::best_change(PerfectGraph& graph, Node a, Node b) {
    ++state_.best.n_steps;
    std::optional<Change> best;
    const auto look_at = [&](std::optional<Change> change) {
        if (change && !(best && best->gain >= change->gain)) best = std::move(change);
    };
    if (graph.joins(a, b)) {
        look_at(graph.turn(space_, a, b));
        look_at(graph.turn(space_, b, a));
    }
    if (!graph.stays_chordal(a, b)) return best;
    look_at(graph.toggle(space_, a, b, std::nullopt));
    if (scorer_.is_table(space_.n_nodes()) && best) return best;  // any order scores the same
    look_at(graph.toggle(space_, a, b, a));
    look_at(graph.toggle(space_, a, b, b));
    return best;
}

// Changes what is between two nodes if that gains.
bool PerfectClimber::try_pair(PerfectGraph& graph, Node a, Node b) {
    const std::optional<Change> change = best_change(graph, a, b);
    if (!change || !(change->gain > kTie)) return false;
    make(graph, a, b, *change);
    ++state_.best.n_accepted;
    return true;
}

// Goes through the pairs around what was changed, in an order at random, until none gains; false if stopped.
bool PerfectClimber::climb_near(PerfectGraph& graph, Random& random) {
    std::vector<std::pair<Node, Node>> pairs = pairs_;
    for (std::size_t i = pairs.size(); i > 1; --i) std::swap(pairs[i - 1], pairs[random.below(i)]);
    while (std::ranges::any_of(is_near_, [](std::uint8_t near) { return near != 0; })) {
        const std::vector<std::uint8_t> near = is_near_;
        std::ranges::fill(is_near_, std::uint8_t{0});
        for (const auto& [a, b] : pairs) {
            if (monitor_.stop) return false;
            if (near[a] != 0 && near[b] != 0) try_pair(graph, a, b);
        }
    }
    return true;
}

// Goes through all pairs, those that gain most first, until none gains; false if stopped.
bool PerfectClimber::climb_whole(PerfectGraph& graph) {
    for (;;) {
        std::vector<std::pair<double, std::size_t>> gaining;
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            if (monitor_.stop) return false;
            const std::optional<Change> change = best_change(graph, pairs_[i].first, pairs_[i].second);
            if (change && change->gain > kTie) gaining.emplace_back(-change->gain, i);
        }
        if (gaining.empty()) return true;
        std::ranges::sort(gaining);
        for (const auto& [gain, i] : gaining) try_pair(graph, pairs_[i].first, pairs_[i].second);
    }
}

// Changes a few pairs, whatever that costs.
void PerfectClimber::kick(PerfectGraph& graph, Random& random) {
    std::ranges::fill(is_near_, std::uint8_t{0});
    const std::size_t n_kicks = 1 + random.below(kMostKicks);
    for (std::size_t i = 0, tries = 0; i < n_kicks && tries < 64 && !pairs_.empty(); ++tries) {
        const auto [a, b] = pairs_[random.below(pairs_.size())];
        if (!graph.stays_chordal(a, b)) continue;
        const std::optional<Change> change = graph.toggle(space_, a, b, random.below(2) == 0 ? a : b);
        if (!change || !(change->gain > -std::numeric_limits<double>::infinity())) continue;
        make(graph, a, b, *change);
        ++i;
    }
}

SearchResult PerfectClimber::run() {
    SearchResult& best = state_.best;
    PerfectGraph graph(scorer_, best.parents);
    tell(graph);
    while (!is_done() && !monitor_.stop) {
        Random random(options_.seed, state_.n_done);
        bool is_whole = true;
        if (state_.n_done > 0) {
            kick(graph, random);
            is_whole = climb_near(graph, random);
        }
        if (is_whole && (state_.n_done == 0 || graph.score() > best.score + kTie))
            is_whole = climb_whole(graph);
        const bool is_better = graph.score() > best.score + kTie;
        if (is_better) {
            best.parents = graph.parents();
            best.score = graph.score();
            best.trace.push_back({best.n_steps, best.score});
            monitor_.best = best.score;
        } else {
            graph = PerfectGraph(scorer_, best.parents);
        }
        if (!is_whole) break;
        state_.n_stale = is_better ? 0 : state_.n_stale + 1;
        ++state_.n_done;
        monitor_.done.fetch_add(1, std::memory_order_relaxed);
        if (monitor_.pause) break;
    }
    SearchResult result = best;
    result.stopped = !is_done();
    return result;
}

}  // namespace

SearchResult search_perfect_climb(FamilyScorer& scorer, const SearchSpace& space,
                                  const PerfectClimbOptions& options, Monitor& monitor,
                                  PerfectClimbState* state) {
    PerfectClimbState own_state;
    if (state == nullptr) state = &own_state;
    if (state->best.trace.empty()) {
        const Parents start = options.start.empty() ? Parents(space.n_nodes()) : options.start;
        const double score = score_dag(scorer, start);
        *state = {};
        state->best = {start, score, {{0, score}}};
    }
    PerfectClimber climber(scorer, space, options, monitor, *state);
    monitor.best = state->best.score;
    monitor.done = state->n_done;
    monitor.total = std::uint64_t{options.n_restarts} + 1;
    SearchResult best = state->best;
    best.stopped = true;  // unless the climb begins at all
    parallel_for(1, 1, [&](std::size_t, std::size_t) { best = climber.run(); }, &monitor.stop, monitor.poll);
    return best;
}

}  // namespace ldag
