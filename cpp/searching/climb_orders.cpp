// A search over orders of the nodes (Teyssier & Koller 2005; insertions as in Scanagatta et al. 2017): every
// node has the best set of the pool whose members all come before it. Nothing is counted here, so thousands
// of orders are tried in the time of a few climbs.
#include <algorithm>
#include <numeric>

#include "searching/climb_pool.hpp"

namespace ldag::climb {

namespace {

// Nodes next to each other that are turned round, besides the first, at most.
constexpr std::uint64_t kMostTurned = 8;

class OrderSearch {
  public:
    OrderSearch(const PoolIndex& pool, std::vector<Node> order, Random& random);

    bool is_possible() const { return now_.n_missing == 0; }
    void settle(const std::atomic<bool>& stop);
    void kick(const std::atomic<bool>& stop);
    void turn_some(const std::atomic<bool>& stop);
    Parents parents() const;

    // An order and what follows from it.
    struct State {
        std::vector<Node> order;
        std::vector<std::uint32_t> position;
        std::vector<std::uint32_t> choice;  // by node, the place of its set; the number of sets if none fits
        double score = 0.0;                 // of the nodes that have a set
        std::size_t n_missing = 0;          // the others
    };
    const State& state() const { return now_; }
    void restore(const State& state);

  private:
    struct Change {
        Node node;
        std::uint32_t choice;
    };

    std::size_t first_that_fits(Node node, std::size_t place) const;
    void choose(Node node, std::size_t place);
    void mark_before(Node node);
    void step_forth(Node node);
    void step_back(Node node);
    void move(Node node, std::size_t to);
    struct Way;
    std::size_t place_without(Node loser, std::size_t place, Node lost) const;
    std::size_t place_with(Node gainer, std::size_t place, Node gained) const;
    void look_forth(Node node, double& best, std::size_t& best_to);
    void look_back(Node node, double& best, std::size_t& best_to);
    void add_before(Node node) { before_[node / 64] |= std::uint64_t{1} << (node % 64); }
    void take_before(Node node) { before_[node / 64] &= ~(std::uint64_t{1} << (node % 64)); }
    void push(Node node);
    void push_changed();
    void make_fit(Node node, std::size_t place);
    std::vector<Node> neighbours(Node node) const;
    std::vector<Node> draw_some();
    void choose_anew(std::span<const Node> moved, std::size_t first, std::size_t last);

    const PoolIndex& pool_;
    Random& random_;
    State now_;
    std::vector<std::uint64_t> before_;  // bits of the nodes before the one that is moved
    std::vector<std::uint64_t> saved_;   // the same, kept
    Node forced_ = kNone;                // a node that must have one set
    std::size_t forced_place_ = 0;
    std::vector<Change> changes_;  // of choices, with what was chosen before
    std::vector<Node> waiting_;    // nodes that may find a better place
    std::vector<std::uint8_t> waits_;
};

OrderSearch::OrderSearch(const PoolIndex& pool, std::vector<Node> order, Random& random)
    : pool_(pool), random_(random), before_(pool.n_words(), 0), waits_(order.size(), 0) {
    now_.position.resize(order.size());
    now_.choice.resize(order.size());
    now_.n_missing = order.size();
    for (std::size_t i = 0; i < order.size(); ++i) {
        const Node node = order[i];
        now_.position[node] = static_cast<std::uint32_t>(i);
        now_.choice[node] = static_cast<std::uint32_t>(pool.n_sets(node));
        choose(node, first_that_fits(node, 0));
        add_before(node);
        push(node);
    }
    now_.order = std::move(order);
}

// From a place on; the number of sets if none does.
std::size_t OrderSearch::first_that_fits(Node node, std::size_t place) const {
    while (place < pool_.n_sets(node) && !pool_.fits(node, place, before_.data())) ++place;
    return place;
}

void OrderSearch::choose(Node node, std::size_t place) {
    const std::size_t before = now_.choice[node];
    if (place == before) return;
    changes_.push_back({node, now_.choice[node]});
    if (before < pool_.n_sets(node))
        now_.score -= pool_.score(node, before);
    else
        --now_.n_missing;
    if (place < pool_.n_sets(node))
        now_.score += pool_.score(node, place);
    else
        ++now_.n_missing;
    now_.choice[node] = static_cast<std::uint32_t>(place);
}

void OrderSearch::mark_before(Node node) {
    std::ranges::fill(before_, 0);
    for (std::size_t i = 0; i < now_.position[node]; ++i) add_before(now_.order[i]);
}

// Exchanges a node with the one behind it; `before_` are the nodes before it.
void OrderSearch::step_forth(Node node) {
    const std::uint32_t i = now_.position[node];
    const Node other = now_.order[i + 1];
    std::swap(now_.order[i], now_.order[i + 1]);
    now_.position[node] = i + 1;
    now_.position[other] = i;
    if (!pool_.is_related(node, other)) return add_before(other);
    choose(other, place_without(other, now_.choice[other], node));
    add_before(other);
    choose(node, place_with(node, now_.choice[node], other));
}

// The same with the one before it.
void OrderSearch::step_back(Node node) {
    const std::uint32_t i = now_.position[node] - 1;
    const Node other = now_.order[i];
    std::swap(now_.order[i], now_.order[i + 1]);
    now_.position[node] = i;
    now_.position[other] = i + 1;
    take_before(other);
    if (!pool_.is_related(node, other)) return;
    choose(node, place_without(node, now_.choice[node], other));
    add_before(node);
    choose(other, place_with(other, now_.choice[other], node));
    take_before(node);
}

void OrderSearch::move(Node node, std::size_t to) {
    mark_before(node);
    while (now_.position[node] < to) step_forth(node);
    while (now_.position[node] > to) step_back(node);
}

// What a node's set and those of the nodes it passes bring as it is moved further and further away.
struct OrderSearch::Way {
    double score;
    std::size_t n_missing;

    void change(const PoolIndex& pool, Node node, std::size_t from, std::size_t to) {
        if (from < pool.n_sets(node))
            score -= pool.score(node, from);
        else
            --n_missing;
        if (to < pool.n_sets(node))
            score += pool.score(node, to);
        else
            ++n_missing;
    }
};

// What a node takes without another; `before_` are the nodes before it.
std::size_t OrderSearch::place_without(Node loser, std::size_t place, Node lost) const {
    if (place >= pool_.n_sets(loser) || !pool_.has(loser, place, lost)) return place;
    return loser == forced_ ? pool_.n_sets(loser) : first_that_fits(loser, place + 1);
}

// What a node takes with one more before it; `before_` are the nodes before it.
std::size_t OrderSearch::place_with(Node gainer, std::size_t place, Node gained) const {
    if (gainer == forced_) return pool_.fits(gainer, forced_place_, before_.data()) ? forced_place_ : place;
    for (const std::uint32_t other : pool_.places_with(gainer, gained)) {
        if (other >= place) break;
        if (pool_.fits(gainer, other, before_.data())) return other;
    }
    return place;
}

// Looks at all places behind a node's own, and keeps the best of them. What one of the nodes it passes takes
// does not depend on the others, so nothing need be moved. The others can only lose, so once the node's best
// set would not make up for that, nothing further on does.
void OrderSearch::look_forth(Node node, double& best, std::size_t& best_to) {
    Way way{now_.score, now_.n_missing};
    std::size_t own = now_.choice[node];
    const std::size_t most = node == forced_ ? forced_place_ : 0;
    for (std::size_t i = now_.position[node] + 1; i < now_.order.size(); ++i) {
        if (own <= most || (own < pool_.n_sets(node) &&
                            !beats(way.score - pool_.score(node, own) + pool_.score(node, most), best)))
            return;
        const Node other = now_.order[i];
        if (!pool_.is_related(node, other)) {
            add_before(other);
            continue;
        }
        const std::size_t others = place_without(other, now_.choice[other], node);
        if (others != now_.choice[other]) way.change(pool_, other, now_.choice[other], others);
        add_before(other);
        const std::size_t better = place_with(node, own, other);
        if (better != own) way.change(pool_, node, own, better);
        own = better;
        if (way.n_missing > now_.n_missing || !beats(way.score, best)) continue;
        best = way.score;
        best_to = i;
    }
}

// The same for the places before it.
void OrderSearch::look_back(Node node, double& best, std::size_t& best_to) {
    Way way{now_.score, now_.n_missing};
    std::size_t own = now_.choice[node];
    for (std::size_t i = now_.position[node]; i-- > 0;) {
        const Node other = now_.order[i];
        take_before(other);
        if (!pool_.is_related(node, other)) continue;
        const std::size_t worse = place_without(node, own, other);
        if (worse != own) way.change(pool_, node, own, worse);
        own = worse;
        add_before(node);
        const std::size_t others = place_with(other, now_.choice[other], node);
        if (others != now_.choice[other]) way.change(pool_, other, now_.choice[other], others);
        take_before(node);
        if (way.n_missing > now_.n_missing || !beats(way.score, best)) continue;
        best = way.score;
        best_to = i;
    }
}

void OrderSearch::push(Node node) {
    if (waits_[node] != 0) return;
    waits_[node] = 1;
    waiting_.push_back(node);
}

// Lets the nodes whose sets have changed wait, with the parents they lost or gained.
void OrderSearch::push_changed() {
    for (const Change& change : changes_) {
        push(change.node);
        for (const std::size_t place : {change.choice, now_.choice[change.node]})
            if (place < pool_.n_sets(change.node))
                for (const Node parent : pool_.parents(change.node, place)) push(parent);
    }
}

// Moves nodes to where they bring most, as long as one brings something.
void OrderSearch::settle(const std::atomic<bool>& stop) {
    while (!waiting_.empty() && !stop) {
        std::swap(waiting_[random_.below(waiting_.size())], waiting_.back());
        const Node node = waiting_.back();
        waiting_.pop_back();
        waits_[node] = 0;
        double best = now_.score;
        std::size_t best_to = now_.position[node];
        mark_before(node);
        saved_ = before_;
        look_back(node, best, best_to);
        before_.swap(saved_);
        look_forth(node, best, best_to);
        if (best_to == now_.position[node]) continue;
        changes_.clear();
        move(node, best_to);
        push_changed();
    }
}

// Moves a node behind the members of a set, or these before it.
void OrderSearch::make_fit(Node node, std::size_t place) {
    std::vector<Node> parents = pool_.parents(node, place);
    std::ranges::sort(parents, {}, [&](Node parent) { return now_.position[parent]; });
    if (random_.below(2) == 0) return move(node, now_.position[parents.back()]);
    for (const Node parent : parents)
        if (now_.position[parent] > now_.position[node]) move(parent, now_.position[node]);
}

// Has a node take a better set than it can have in this order, until the others have found their places
// around it; a node that has its best set is moved anywhere.
void OrderSearch::kick(const std::atomic<bool>& stop) {
    changes_.clear();
    const Node node = static_cast<Node>(random_.below(now_.order.size()));
    const std::size_t n_better = now_.choice[node];
    if (n_better == 0) {
        move(node, random_.below(now_.order.size()));
        push_changed();
        return settle(stop);
    }
    const std::size_t place = random_.below(n_better);
    make_fit(node, place);
    choose(node, place);
    forced_ = node;
    forced_place_ = place;
    push_changed();
    settle(stop);
    forced_ = kNone;
    mark_before(node);
    changes_.clear();
    choose(node, first_that_fits(node, 0));
    push_changed();
    push(node);
    settle(stop);
}

// The parents and children a node has now.
std::vector<Node> OrderSearch::neighbours(Node node) const {
    std::vector<Node> around;
    if (now_.choice[node] < pool_.n_sets(node)) around = pool_.parents(node, now_.choice[node]);
    for (Node other = 0; other < pool_.n_nodes(); ++other) {
        const std::size_t place = now_.choice[other];
        if (pool_.is_related(node, other) && place < pool_.n_sets(other) && pool_.has(other, place, node))
            around.push_back(other);
    }
    return around;
}

// A node with some around it.
std::vector<Node> OrderSearch::draw_some() {
    std::vector<Node> some{static_cast<Node>(random_.below(now_.order.size()))};
    const std::size_t size = 2 + random_.below(kMostTurned);
    for (std::size_t n = 0; some.size() < size && n < 2 * size; ++n) {
        const std::vector<Node> around = neighbours(some[random_.below(some.size())]);
        if (around.empty()) break;
        const Node next = around[random_.below(around.size())];
        if (std::ranges::find(some, next) == some.end()) some.push_back(next);
    }
    return some;
}

// Has all between two places that nodes that moved matter to take the best sets that fit.
void OrderSearch::choose_anew(std::span<const Node> moved, std::size_t first, std::size_t last) {
    mark_before(now_.order[first]);
    for (std::size_t i = first; i <= last; ++i) {
        const Node node = now_.order[i];
        const auto matters = [&](Node other) { return other == node || pool_.is_related(other, node); };
        if (std::ranges::any_of(moved, matters)) choose(node, first_that_fits(node, 0));
        add_before(node);
    }
}

// Turns round what some nodes next to each other have among them: each gets the place of another one.
void OrderSearch::turn_some(const std::atomic<bool>& stop) {
    changes_.clear();
    std::vector<Node> some = draw_some();
    std::ranges::sort(some, {}, [&](Node node) { return now_.position[node]; });
    const std::size_t first = now_.position[some.front()];
    const std::size_t last = now_.position[some.back()];
    for (std::size_t i = 0, j = some.size() - 1; i < j; ++i, --j) {
        std::swap(now_.position[some[i]], now_.position[some[j]]);
        now_.order[now_.position[some[i]]] = some[i];
        now_.order[now_.position[some[j]]] = some[j];
    }
    choose_anew(some, first, last);
    push_changed();
    settle(stop);
}

void OrderSearch::restore(const State& state) {
    now_ = state;
    for (const Node node : waiting_) waits_[node] = 0;
    waiting_.clear();
}

Parents OrderSearch::parents() const {
    Parents parents;
    for (Node node = 0; node < pool_.n_nodes(); ++node)
        parents.push_back(pool_.parents(node, now_.choice[node]));
    return parents;
}

// Parents before children; of those that could come next, a random one.
std::vector<Node> order_of(const Parents& parents, Random& random) {
    std::vector<std::size_t> n_open(parents.size());
    Parents children(parents.size());
    std::vector<Node> free;
    for (Node child = 0; child < parents.size(); ++child) {
        n_open[child] = parents[child].size();
        if (n_open[child] == 0) free.push_back(child);
        for (const Node parent : parents[child]) children[parent].push_back(child);
    }
    std::vector<Node> order;
    while (!free.empty()) {
        std::swap(free[random.below(free.size())], free.back());
        const Node next = free.back();
        free.pop_back();
        order.push_back(next);
        for (const Node child : children[next])
            if (--n_open[child] == 0) free.push_back(child);
    }
    return order;
}

}  // namespace

Parents search_orders(const PoolIndex& pool, const Parents& start, std::size_t n_kicks, bool turns,
                      Random& random, const std::atomic<bool>& stop) {
    OrderSearch search(pool, order_of(start, random), random);
    if (!search.is_possible()) return start;
    search.settle(stop);
    OrderSearch::State best = search.state();
    OrderSearch::State current = best;
    for (std::size_t i = 0; i < n_kicks && !stop; ++i) {
        if (turns && i % 2 == 1)
            search.turn_some(stop);
        else
            search.kick(stop);
        if (search.is_possible() && !beats(current.score, search.state().score)) {
            current = search.state();
            if (!beats(best.score, current.score)) best = current;
        } else {
            search.restore(current);
        }
    }
    search.restore(best);
    return search.parents();
}

}  // namespace ldag::climb
