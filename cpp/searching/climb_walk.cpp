// One chain of climbs: the best move as long as one improves the score, a walk that may go downhill, and
// restarts from disturbed graphs.
#include <cmath>
#include <deque>

#include "searching/climb.hpp"
#include "support/random.hpp"

namespace ldag::climb {

// Tells whether it came to its end.
bool Climber::climb_first(Graph& graph) {
    climb(graph);
    if (options_.tabu_length > 0) {
        walk(graph);
        climb(graph);
    }
    return !monitor_.stop;
}

bool Climber::step(Graph& graph, const PlacedMove& move) {
    if (monitor_.stop || !graph.make(move)) return false;
    count_steps(1);
    return true;
}

void Climber::count_steps(std::size_t n) {
    best_.n_steps += n;
    best_.n_accepted += n;
}

static void raise(std::atomic<double>& best, double score) {
    double known = best;
    while (!(known >= score) && !best.compare_exchange_weak(known, score)) {
    }
}

// Keeps the graph if it is the best so far.
void Climber::note(const Graph& graph) {
    const double score = graph.score();
    if (!beats(score, best_.score)) return;
    best_.score = score;
    best_.parents = graph.parents();
    best_.trace.push_back({best_.n_steps, score});
    raise(monitor_.best, score);
}

void Climber::climb(Graph& graph) {
    while (!monitor_.stop) {
        const std::optional<PlacedMove> move = graph.best_improvement();
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
        const std::optional<PlacedMove> move = graph.best_move(tabu);
        if (!move || !step(graph, *move)) break;
        const double score = graph.score();
        if (!beats(score, best_score)) continue;
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

}  // namespace ldag::climb
