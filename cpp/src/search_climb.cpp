// Climbing: the best move as long as one improves the score; then a walk that may go downhill but not back;
// then, again and again, a disturbance of a small part of the graph and a climb from there.
#include <algorithm>
#include <cmath>
#include <deque>

#include "ldag/climb.hpp"
#include "ldag/random.hpp"

namespace ldag {

namespace climb {

namespace {

// Most changes of one disturbance. One to five near each other did best among several lengths and kinds on
// networks of 27 to 223 variables.
constexpr std::uint64_t kMostChanges = 5;

class Climber {
  public:
    Climber(FamilyScorer& scorer, const SearchSpace& space, const ClimbOptions& options, Monitor& monitor)
        : options_(options),
          monitor_(monitor),
          candidates_(scorer, space, options, monitor.stop),
          store_(scorer, space, candidates_, options.n_threads, monitor.stop),
          random_(options.seed) {}

    // Goes on from a state, and returns the best graph. A climb that is stopped half way counts for that, but
    // is not part of the state.
    SearchResult run(ClimbState& state);

  private:
    bool step(Graph& graph, const Move& move);
    void note(const Graph& graph);
    void climb(Graph& graph);
    void walk(Graph& graph);
    bool climb_first(Graph& graph);
    bool restart(Graph& graph, std::size_t number);
    void disturb(Graph& graph);
    std::optional<Move> change_near(Graph& graph, Node centre);
    std::optional<Move> add_any(Graph& graph, Node child);
    std::optional<Move> change_edge(Graph& graph, Node parent, Node child);
    std::optional<Move> force_addition(Graph& graph, Node child);

    const ClimbOptions& options_;
    Monitor& monitor_;
    Candidates candidates_;
    ColumnStore store_;
    Random random_;
    SearchResult* best_ = nullptr;
};

SearchResult Climber::run(ClimbState& state) {
    SearchResult best = state.best;
    best_ = &best;
    std::vector<ColumnPointer> columns = store_.find_all(state.parents);
    if (monitor_.stop) return best;
    Graph graph(store_, std::move(columns));
    while (state.n_climbs <= options_.n_restarts) {
        const bool is_whole = state.n_climbs == 0 ? climb_first(graph) : restart(graph, state.n_climbs);
        if (!is_whole) break;
        monitor_.done = ++state.n_climbs;
        state.best = best;
        if (monitor_.pause) break;
    }
    if (state.n_climbs > 0) state.parents = graph.parents();
    return best;
}

// Tells whether it came to its end.
bool Climber::climb_first(Graph& graph) {
    climb(graph);
    if (options_.tabu_length > 0) walk(graph);
    return !monitor_.stop;
}

bool Climber::step(Graph& graph, const Move& move) {
    if (monitor_.stop || !graph.make(move)) return false;
    ++best_->n_steps;
    ++best_->n_accepted;
    return true;
}

// Keeps the graph if it is the best so far.
void Climber::note(const Graph& graph) {
    const double score = graph.score();
    if (!(score > best_->score + kTie)) return;
    best_->score = score;
    best_->parents = graph.parents();
    best_->trace.push_back({best_->n_steps, score});
    monitor_.best = score;
}

void Climber::climb(Graph& graph) {
    while (!monitor_.stop) {
        const std::optional<Move> move = graph.best_improvement();
        if (!move || !step(graph, *move)) break;
    }
    note(graph);
}

// The best move even downhill, but to none of the graphs visited last, until as many moves in a row as these
// have brought nothing better; ends at the best graph met.
void Climber::walk(Graph& graph) {
    Graph best = graph;
    std::deque<std::uint64_t> recent;
    Tabu tabu;
    double best_score = best.score();
    for (std::size_t n_worse = 0; n_worse < options_.tabu_length; ++n_worse) {
        recent.push_back(graph.fingerprint());
        tabu.insert(graph.fingerprint());
        if (recent.size() > options_.tabu_length) {
            tabu.erase(recent.front());
            recent.pop_front();
        }
        const std::optional<Move> move = graph.best_move(tabu);
        if (!move || !step(graph, *move)) break;
        const double score = graph.score();
        if (!(score > best_score + kTie)) continue;
        best = graph;
        best_score = score;
        n_worse = 0;
        note(graph);
    }
    graph = std::move(best);
}

// The new optimum is accepted as the chains accept proposals: with probability min(1, ratio of scores). Tells
// whether it came to its end; if not, the graph is as it was.
bool Climber::restart(Graph& graph, std::size_t number) {
    random_ = Random(options_.seed, number);
    Graph other = graph;
    disturb(other);
    climb(other);
    if (monitor_.stop) return false;
    const double log_uniform = std::log(1.0 - random_.uniform());
    if (other.score() - graph.score() >= log_uniform) graph = std::move(other);
    return true;
}

// A few changes next to each other: what is far apart is better tried one after the other.
void Climber::disturb(Graph& graph) {
    const auto random_node = [&] { return static_cast<Node>(random_.below(graph.n_nodes())); };
    Node centre = random_node();
    for (std::uint64_t n = 1 + random_.below(kMostChanges); n > 0; --n) {
        const std::optional<Move> made = change_near(graph, centre);
        if (!made)
            centre = random_node();
        else
            centre = random_.below(2) == 0 ? made->child : graph.parent_of(*made);
    }
}

// One change of a random kind; none if the kind is not possible here.
std::optional<Move> Climber::change_near(Graph& graph, Node centre) {
    std::vector<Node> around = graph.column(centre).parents;
    const std::size_t n_parents = around.size();
    for (Node node = 0; node < graph.n_nodes(); ++node)
        if (graph.is_above(centre, node) && std::ranges::binary_search(graph.column(node).parents, centre))
            around.push_back(node);
    const std::uint64_t kind = random_.below(16);
    if (kind == 0) return add_any(graph, centre);
    if (kind % 2 == 0) {
        around.push_back(centre);
        return force_addition(graph, around[random_.below(around.size())]);
    }
    if (around.empty()) return std::nullopt;
    const std::size_t i = random_.below(around.size());
    return i < n_parents ? change_edge(graph, around[i], centre) : change_edge(graph, centre, around[i]);
}

std::optional<Move> Climber::add_any(Graph& graph, Node child) {
    const std::vector<std::uint32_t>& places = graph.column(child).additions;
    if (places.empty()) return std::nullopt;
    const Move add = graph.move(child, places[random_.below(places.size())], MoveKind::add);
    if (!graph.is_allowed(add) || !step(graph, add)) return std::nullopt;
    return add;
}

// Reverses or removes an edge.
std::optional<Move> Climber::change_edge(Graph& graph, Node parent, Node child) {
    const std::span<const Node> candidates = candidates_.of(child);
    const auto place =
        static_cast<std::uint32_t>(std::ranges::lower_bound(candidates, parent) - candidates.begin());
    const MoveKind kind = random_.below(2) == 0 ? MoveKind::remove : MoveKind::reverse;
    const Move change = graph.move(child, place, kind);
    if (!graph.is_allowed(change) || !step(graph, change)) return std::nullopt;
    return change;
}

// Adds a parent that would improve the score but stands below its child: edges are cut until it does not. At
// the end of a climb, such additions are all that is left to gain.
std::optional<Move> Climber::force_addition(Graph& graph, Node child) {
    const GainColumn& own = graph.column(child);
    const auto n = static_cast<std::size_t>(
        std::ranges::find_if(own.additions, [&](std::uint32_t place) { return !(own.gains[place] > kTie); }) -
        own.additions.begin());
    if (n == 0) return std::nullopt;
    const Move add = graph.move(child, own.additions[random_.below(n)], MoveKind::add);
    const Node parent = graph.parent_of(add);
    while (!graph.is_allowed(add)) {
        const std::vector<std::uint32_t>& places = graph.column(parent).places;
        const auto cut = std::ranges::find_if(places, [&](std::uint32_t place) {
            const Node above = candidates_.of(parent)[place];
            return (above == child || graph.is_above(child, above)) &&
                   !candidates_.is_required(parent, place);
        });
        if (cut == places.end() || !step(graph, graph.move(parent, *cut, MoveKind::remove)))
            return std::nullopt;
    }
    if (!step(graph, add)) return std::nullopt;
    return add;
}

}  // namespace

}  // namespace climb

SearchResult search_climb(FamilyScorer& scorer, const SearchSpace& space, const ClimbOptions& options,
                          Monitor& monitor, ClimbState* state) {
    ClimbOptions own = options;
    if (own.start.empty()) own.start = space.required;
    ClimbState own_state;
    if (state == nullptr) state = &own_state;
    if (state->n_climbs == 0) {
        const double score = score_dag(scorer, own.start);
        *state = {0, own.start, {own.start, score, {{0, score}}}};
    }
    monitor.best = state->best.score;
    monitor.done = state->n_climbs;
    monitor.total = options.n_restarts + 1;
    SearchResult best = state->best;
    const auto search = [&](std::size_t, std::size_t) {
        best = climb::Climber(scorer, space, own, monitor).run(*state);
    };
    parallel_for(1, 1, search, &monitor.stop, monitor.poll);
    best.stopped = state->n_climbs <= options.n_restarts;
    return best;
}

}  // namespace ldag
