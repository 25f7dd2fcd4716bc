// How a graph is disturbed: by turning one edge round and choosing the parents of both its ends anew, by a
// few changes of edges next to each other, or by choosing the parents of some neighbours anew in a random
// order.
#include <algorithm>

#include "searching/climb.hpp"

namespace ldag::climb {

namespace {

// Of so many disturbances, so many turn an edge and so many place neighbours anew. Half to all turning edges
// did best on networks of 27 to 223 variables; without the others, some optima are never left.
constexpr std::uint64_t kDisturbances = 4;
constexpr std::uint64_t kTurns = 2;
constexpr std::uint64_t kPlacings = 1;

// Nodes next to each other that are placed anew, besides the first, at most.
constexpr std::uint64_t kMostPlaced = 5;

// Most changes next to each other; what is far apart is better tried one after the other.
constexpr std::uint64_t kMostChanges = 5;

class Disturber {
  public:
    Disturber(Graph& graph, Random& random)
        : graph_(graph), candidates_(graph.candidates()), random_(random) {}

    void turn_edge();
    void change_some();
    void place_some();

    std::size_t n_changes() const { return n_changes_; }

  private:
    using Changed = std::optional<PlacedMove>;

    template <class Items>
    auto draw(const Items& items) {
        return items[random_.below(items.size())];
    }
    Node draw_node() { return static_cast<Node>(random_.below(graph_.n_nodes())); }
    bool clear(Node child);
    Changed make(const PlacedMove& move);
    Changed change_near(Node centre);
    std::vector<Node> neighbours(Node node) const;
    void grow(Node child);
    Changed add_any(Node child);
    Changed change_edge(Node parent, Node child);
    Changed force_addition(Node child);

    Graph& graph_;
    const Candidates& candidates_;
    Random& random_;
    std::size_t n_changes_ = 0;
};

Disturber::Changed Disturber::make(const PlacedMove& move) {
    if (!graph_.is_allowed(move) || !graph_.make(move)) return std::nullopt;
    ++n_changes_;
    return move;
}

bool Disturber::clear(Node child) {
    if (!graph_.clear(child)) return false;
    ++n_changes_;
    return true;
}

// Both ends lose their parents, and the edge comes back the other way round: the climb then finds new ones
// (Grzegorczyk & Husmeier 2008 sample them).
void Disturber::turn_edge() {
    const Node child = draw_node();
    if (graph_.column(child).places.empty()) return change_some();
    const std::uint32_t place = draw(graph_.column(child).places);
    const std::uint32_t back = candidates_.back(child, place);
    if (candidates_.is_required(child, place) || back == kNone) return change_some();
    const Node parent = candidates_.of(child)[place];
    if (clear(child) && clear(parent)) make(graph_.move(parent, back, MoveKind::add));
}

void Disturber::change_some() {
    Node centre = draw_node();
    for (std::uint64_t n = 1 + random_.below(kMostChanges); n > 0; --n) {
        const Changed changed = change_near(centre);
        if (!changed)
            centre = draw_node();
        else
            centre = random_.below(2) == 0 ? changed->child : graph_.parent_of(*changed);
    }
}

std::vector<Node> Disturber::neighbours(Node node) const {
    std::vector<Node> around = graph_.children(node);
    const std::vector<Node>& parents = graph_.column(node).parents;
    around.insert(around.end(), parents.begin(), parents.end());
    return around;
}

// Some nodes next to each other lose their parents and find new ones, one node after the other: edges among
// them that can only be turned together are turned together.
void Disturber::place_some() {
    std::vector<Node> some{draw_node()};
    for (std::uint64_t n = 1 + random_.below(kMostPlaced); n > 0; --n) {
        const std::vector<Node> around = neighbours(draw(some));
        if (around.empty()) continue;
        const Node next = draw(around);
        if (std::ranges::find(some, next) == some.end()) some.push_back(next);
    }
    for (const Node node : some)
        if (!clear(node)) return;
    for (std::size_t left = some.size(); left > 0; --left) {
        std::swap(some[left - 1], some[random_.below(left)]);
        grow(some[left - 1]);
    }
}

// Adds the parents that gain most.
void Disturber::grow(Node child) {
    for (;;) {
        const GainColumn& own = graph_.column(child);
        const auto addition = std::ranges::find_if(own.additions, [&](std::uint32_t place) {
            return !(own.gains[place] > kTie) || graph_.is_allowed(graph_.move(child, place, MoveKind::add));
        });
        if (addition == own.additions.end() || !(own.gains[*addition] > kTie)) return;
        if (!make(graph_.move(child, *addition, MoveKind::add))) return;
    }
}

// One change of a random kind; none if the kind is not possible here.
Disturber::Changed Disturber::change_near(Node centre) {
    const std::vector<Node>& parents = graph_.column(centre).parents;
    std::vector<Node> around = graph_.children(centre);
    const std::size_t n_children = around.size();
    around.insert(around.end(), parents.begin(), parents.end());
    const std::uint64_t kind = random_.below(16);
    if (kind == 0) return add_any(centre);
    if (kind % 2 == 0) {
        around.push_back(centre);
        return force_addition(draw(around));
    }
    if (around.empty()) return std::nullopt;
    const std::size_t i = random_.below(around.size());
    return i < n_children ? change_edge(centre, around[i]) : change_edge(around[i], centre);
}

Disturber::Changed Disturber::add_any(Node child) {
    const GainColumn& own = graph_.column(child);
    std::vector<std::uint32_t> places = own.additions;
    if (own.is_cut) {
        places.clear();
        for (std::uint32_t place = 0; place < own.gains.size(); ++place)
            if (own.gains[place] != kNever && !std::ranges::binary_search(own.places, place))
                places.push_back(place);
    }
    if (places.empty()) return std::nullopt;
    std::ranges::sort(places);  // their order by gains depends on what is a bound
    return make(graph_.move(child, draw(places), MoveKind::add));
}

// Reverses or removes an edge.
Disturber::Changed Disturber::change_edge(Node parent, Node child) {
    const MoveKind kind = random_.below(2) == 0 ? MoveKind::remove : MoveKind::reverse;
    return make(graph_.move(child, candidates_.place(child, parent), kind));
}

// Adds a parent that would improve the score but stands below its child: edges are cut until it does not. At
// the end of a climb, such additions are all that is left to gain.
Disturber::Changed Disturber::force_addition(Node child) {
    const GainColumn& own = graph_.column(child);
    const auto n = static_cast<std::size_t>(
        std::ranges::find_if(own.additions, [&](std::uint32_t place) { return !(own.gains[place] > kTie); }) -
        own.additions.begin());
    if (n == 0) return std::nullopt;
    const PlacedMove add = graph_.move(child, own.additions[random_.below(n)], MoveKind::add);
    const Node parent = graph_.parent_of(add);
    while (!graph_.is_allowed(add)) {
        const std::vector<std::uint32_t>& places = graph_.column(parent).places;
        const auto cut = std::ranges::find_if(places, [&](std::uint32_t place) {
            const Node above = candidates_.of(parent)[place];
            return (above == child || graph_.is_above(child, above)) &&
                   !candidates_.is_required(parent, place);
        });
        if (cut == places.end() || !make(graph_.move(parent, *cut, MoveKind::remove))) return std::nullopt;
    }
    return make(add);
}

}  // namespace

std::size_t disturb(Graph& graph, Random& random) {
    Disturber disturber(graph, random);
    const std::uint64_t kind = random.below(kDisturbances);
    if (kind < kTurns)
        disturber.turn_edge();
    else if (kind < kTurns + kPlacings)
        disturber.place_some();
    else
        disturber.change_some();
    return disturber.n_changes();
}

}  // namespace ldag::climb
