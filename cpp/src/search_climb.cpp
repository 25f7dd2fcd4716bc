#include <algorithm>
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
          candidates_(scorer, space, options.start, options, monitor.stop),
          store_(scorer, space, candidates_, monitor.stop),
          random_(options.seed),
          graph_(store_, options.start) {
        result_.parents = options.start;
        result_.score = graph_.score();
        note();
    }

    SearchResult run() {
        climb();
        search_on();
        Graph best = graph_;
        for (std::size_t i = 0; i < options_.n_restarts && !monitor_.stop; ++i) {
            perturb();
            climb();
            search_on();
            if (graph_.score() > best.score() + kTie)
                best = graph_;
            else
                graph_ = best;
        }
        result_.stopped = monitor_.stop;
        return result_;
    }

  private:
    void note() {
        const double score = graph_.score();
        if (result_.trace.empty() || score > result_.score + kTie) {
            result_.score = score;
            result_.parents = graph_.parents();
            result_.trace.push_back({result_.n_steps, score});
            monitor_.best = score;
        }
    }

    bool step(const Move& move) {
        if (!graph_.make(move)) return false;
        monitor_.done = ++result_.n_steps;
        monitor_.accepted = ++result_.n_accepted;
        note();
        return true;
    }

    void climb() {
        while (!monitor_.stop) {
            const auto move = graph_.best_move(kTie, {});
            if (!move || !step(*move)) return;
        }
    }

    // Tabu search: the best move to a graph not visited lately, even downhill, until that has not paid for as
    // many moves as the list is long; then back to the best graph.
    void search_on() {
        Graph best = graph_;
        std::deque<std::uint64_t> visited;
        Tabu tabu;
        for (std::size_t idle = 0; idle < options_.tabu_length && !monitor_.stop; ++idle) {
            visited.push_back(graph_.fingerprint());
            tabu.insert(graph_.fingerprint());
            if (visited.size() > options_.tabu_length) {
                tabu.erase(visited.front());
                visited.pop_front();
            }
            const auto move = graph_.best_move(kNever, tabu);
            if (!move || !step(*move)) break;
            if (graph_.score() > best.score() + kTie) {
                best = graph_;
                idle = 0;
            }
        }
        graph_ = best;
    }

    // A few random changes, so that the next climb may end elsewhere.
    void perturb() {
        const std::size_t n_changes = 1 + random_.below(std::max(kFewChanges, candidates_.n_nodes()));
        for (std::size_t change = 0; change < n_changes; ++change) {
            for (std::size_t attempt = 0; attempt < kMostAttempts; ++attempt) {
                const Move move = random_move();
                if (move.gain == kNever || !graph_.is_allowed(move)) continue;
                step(move);
                break;
            }
        }
    }

    // An edge to add, or one to remove or reverse; it need not be allowed.
    Move random_move() {
        const auto child = static_cast<Node>(random_.below(candidates_.n_nodes()));
        if (candidates_.of(child).empty()) return {};
        const auto place = static_cast<std::uint32_t>(random_.below(candidates_.of(child).size()));
        const bool is_edge = std::ranges::count(graph_.column(child).places, place) != 0;
        const bool reverses = random_.below(2) != 0;
        const MoveKind kind = !is_edge ? MoveKind::add : reverses ? MoveKind::reverse : MoveKind::remove;
        return {child, place, kind, graph_.gain(child, place, kind)};
    }

    static constexpr std::size_t kFewChanges = 4;
    static constexpr std::size_t kMostAttempts = 100;

    const ClimbOptions& options_;
    Monitor& monitor_;
    Candidates candidates_;
    ColumnStore store_;
    Random random_;
    Graph graph_;
    SearchResult result_;
};

}  // namespace

}  // namespace climb

SearchResult search_climb(FamilyScorer& scorer, const SearchSpace& space, const ClimbOptions& options,
                          Monitor& monitor) {
    ClimbOptions own = options;
    if (own.start.empty()) own.start = space.required;
    SearchResult result;
    parallel_for(
        1, 1, [&](std::size_t, std::size_t) { result = climb::Climber(scorer, space, own, monitor).run(); },
        &monitor.stop, monitor.poll);
    return result;
}

}  // namespace ldag
