// Climbing: the best move as long as one improves the score; then a walk that may go downhill but not back;
// then, again and again, a disturbance of a small part of the graph and a climb from there.
#include "searching/climb.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

#include "support/random.hpp"

namespace ldag {

namespace climb {

namespace {

class Climber {
  public:
    Climber(FamilyScorer& scorer, const SearchSpace& space, const ClimbOptions& options, Monitor& monitor)
        : options_(options),
          monitor_(monitor),
          candidates_(scorer, space, options, monitor.stop),
          store_(scorer, space, candidates_, options.n_threads, monitor.stop) {}

    // Goes on from a state, and returns the best graph. A climb that is stopped half way counts for that, but
    // is not part of the state.
    SearchResult run(ClimbState& state);

  private:
    bool step(Graph& graph, const Move& move);
    void note(const Graph& graph);
    void climb(Graph& graph);
    void walk(Graph& graph);
    bool climb_first(Graph& graph);
    bool restart(Graph& graph, std::uint64_t number);
    void count_steps(std::size_t n);

    const ClimbOptions& options_;
    Monitor& monitor_;
    Candidates candidates_;
    ColumnStore store_;
    SearchResult* best_ = nullptr;
};

SearchResult Climber::run(ClimbState& state) {
    SearchResult best = state.best;
    best_ = &best;
    std::vector<ColumnPointer> columns = store_.find_all(state.parents);
    if (monitor_.stop) return best;
    Graph graph(store_, std::move(columns));
    while (state.n_climbs <= options_.n_restarts) {
        const bool is_whole = state.n_climbs == 0 ? climb_first(graph) : restart(graph, state.n_climbs - 1);
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
    if (options_.tabu_length > 0) {
        walk(graph);
        climb(graph);
    }
    return !monitor_.stop;
}

bool Climber::step(Graph& graph, const Move& move) {
    if (monitor_.stop || !graph.make(move)) return false;
    count_steps(1);
    return true;
}

void Climber::count_steps(std::size_t n) {
    best_->n_steps += n;
    best_->n_accepted += n;
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

// The new optimum is accepted as the chains accept proposals: with probability min(1, ratio of scores). What
// is random depends on the seed and the restart's number only. Tells whether it came to its end; if not, the
// graph is as it was.
bool Climber::restart(Graph& graph, std::uint64_t number) {
    Random random(options_.seed, number);
    Graph other = graph;
    count_steps(disturb(other, random));
    climb(other);
    if (monitor_.stop) return false;
    const double log_uniform = std::log(1.0 - random.uniform());
    if (other.score() - graph.score() >= log_uniform) graph = std::move(other);
    return true;
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
