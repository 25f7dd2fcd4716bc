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

class Climber {
  public:
    Climber(FamilyScorer& scorer, const SearchSpace& space, const ClimbOptions& options, Monitor& monitor)
        : options_(options),
          monitor_(monitor),
          candidates_(scorer, space, options, monitor.stop),
          store_(scorer, space, candidates_, options.n_threads, monitor.stop) {}

    // Starts from `best` and leaves the best graph there.
    void run(SearchResult& best);

  private:
    bool step(Graph& graph, const Move& move);
    void note(const Graph& graph);
    void climb(Graph& graph);
    void walk(Graph& graph);
    void restart(Graph& graph, std::uint64_t number);
    void count_steps(std::size_t n);

    const ClimbOptions& options_;
    Monitor& monitor_;
    Candidates candidates_;
    ColumnStore store_;
    SearchResult* best_ = nullptr;
};

void Climber::run(SearchResult& best) {
    best_ = &best;
    std::vector<ColumnPointer> columns = store_.find_all(best.parents);
    if (monitor_.stop) return;
    Graph graph(store_, std::move(columns));
    climb(graph);
    if (options_.tabu_length > 0) {
        walk(graph);
        climb(graph);
    }
    for (std::size_t i = 0; i < options_.n_restarts && !monitor_.stop; ++i) restart(graph, i);
}

bool Climber::step(Graph& graph, const Move& move) {
    if (monitor_.stop || !graph.make(move)) return false;
    count_steps(1);
    return true;
}

void Climber::count_steps(std::size_t n) {
    monitor_.done = best_->n_steps += n;
    monitor_.accepted = best_->n_accepted += n;
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
// is random depends on the seed and the restart's number only.
void Climber::restart(Graph& graph, std::uint64_t number) {
    Random random(options_.seed, number);
    Graph other = graph;
    count_steps(disturb(other, random));
    climb(other);
    const double log_uniform = std::log(1.0 - random.uniform());
    if (!monitor_.stop && other.score() - graph.score() >= log_uniform) graph = std::move(other);
}

}  // namespace

}  // namespace climb

SearchResult search_climb(FamilyScorer& scorer, const SearchSpace& space, const ClimbOptions& options,
                          Monitor& monitor) {
    ClimbOptions own = options;
    if (own.start.empty()) own.start = space.required;
    SearchResult best;
    best.parents = own.start;
    best.score = score_dag(scorer, best.parents);
    best.trace.push_back({0, best.score});
    monitor.best = best.score;
    const auto search = [&](std::size_t, std::size_t) {
        climb::Climber(scorer, space, own, monitor).run(best);
    };
    parallel_for(1, 1, search, &monitor.stop, monitor.poll);
    best.stopped = monitor.stop;
    return best;
}

}  // namespace ldag
