// Climbing: the best move as long as one improves the score; then a walk that may go downhill but not back;
// then, again and again, a disturbance of a small part of the graph and a climb from there. After the first
// climb a few chains do so side by side, in rounds of so many climbs each. After a round, the best graph is
// put together from what each of them found, and all families met go to a pool. The next round begins with
// a search over orders that puts the families of the pool together anew. Once a few rounds have brought
// nothing better, some chains go by themselves for a while, from graphs that are made anew along other
// orders. The work is divided by counts, never by time, so that the answer is the same for any number of
// threads.
#include "searching/climb.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

#include "searching/climb_pool.hpp"
#include "support/random.hpp"

namespace ldag {

namespace climb {

namespace {

// After so many rounds without success, all but the first chains go by themselves for so many.
constexpr std::uint64_t kStale = 2;
constexpr std::uint64_t kAlone = 2;
constexpr std::size_t kTogether = 2;

// So many of the best sets of every size are looked around from before the first round.
constexpr std::size_t kWidth = 4;

// Kicks for every node when a chain begins a round.
constexpr std::size_t kKicks = 2;

// Sums of the same scores in another order differ by less.
constexpr double kSame = 1e-6;

// Rounds of selecting candidates and climbing before all else, at most.
constexpr int kMostSelections = 6;

// Numbers of random streams that no restart has.
constexpr std::uint64_t kStartStreams = std::uint64_t{1} << 62;
constexpr std::uint64_t kOrderStreams = std::uint64_t{1} << 61;

// Climbs of one chain in one round: one for every four variables, at least eight.
std::uint64_t climbs_per_round(std::size_t n_nodes) { return std::max<std::uint64_t>(8, (n_nodes + 3) / 4); }

bool has_lost_patience(const ClimbOptions& options, const ClimbState& state) {
    return options.patience > 0 && state.n_stale >= options.patience;
}

// One chain of climbs.
class Climber {
  public:
    Climber(const ClimbOptions& options, Monitor& monitor, SearchResult& best)
        : options_(options), monitor_(monitor), best_(best) {}

    void climb(Graph& graph);
    bool climb_first(Graph& graph);
    bool restart(Graph& graph, std::uint64_t number);

  private:
    bool step(Graph& graph, const PlacedMove& move);
    void note(const Graph& graph);
    void walk(Graph& graph);
    void count_steps(std::size_t n);

    const ClimbOptions& options_;
    Monitor& monitor_;
    SearchResult& best_;
};

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

void raise(std::atomic<double>& best, double score) {
    double known = best;
    while (!(known >= score) && !best.compare_exchange_weak(known, score)) {
    }
}

// Keeps the graph if it is the best so far.
void Climber::note(const Graph& graph) {
    const double score = graph.score();
    if (!(score > best_.score + kTie)) return;
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

// All chains, round by round.
class Rounds {
  public:
    Rounds(FamilyScorer& scorer, const SearchSpace& space, const ClimbOptions& options, Monitor& monitor,
           ClimbState& state)
        : scorer_(scorer),
          space_(space),
          options_(options),
          monitor_(monitor),
          state_(state),
          pool_(space.n_nodes()) {
        per_chain_ = climbs_per_round(space.n_nodes());
        for (const PooledFamily& family : state.pool) pool_.add(family);
        index_.emplace(pool_);
    }

    // Goes on from the state, and returns the best graph. A climb that is stopped half way counts for that,
    // but is not part of the state.
    SearchResult run();

  private:
    std::uint64_t n_before() const { return state_.n_rounds * kClimbChains * per_chain_; }
    std::uint64_t quota(std::size_t chain) const;
    void set_candidates(const Parents& graph);
    void climb_first();
    void begin_round();
    std::optional<Graph> begin_graph(std::size_t chain);
    Parents reorder(std::size_t chain);
    SearchResult run_rounds();
    void run_chain(std::size_t chain);
    bool end_round();
    SearchResult merge(std::span<const ClimbChain> chains) const;

    FamilyScorer& scorer_;
    const SearchSpace& space_;
    const ClimbOptions& options_;
    Monitor& monitor_;
    ClimbState& state_;
    std::uint64_t per_chain_;
    std::optional<Candidates> candidates_;
    std::optional<ColumnStore> store_;
    FamilyPool pool_;                  // families met in whole rounds
    std::optional<PoolIndex> index_;   // of that
    std::vector<ClimbChain> reached_;  // by chain, what it found, a climb that was stopped included
};

// How many climbs of this round a chain has: the climbs of a round are dealt out like cards.
std::uint64_t Rounds::quota(std::size_t chain) const {
    if (options_.n_restarts <= n_before() + chain) return 0;
    return std::min(per_chain_, (options_.n_restarts - n_before() - chain - 1) / kClimbChains + 1);
}

void Rounds::set_candidates(const Parents& graph) {
    candidates_.emplace(scorer_, space_, options_, graph, monitor_.stop);
    const std::size_t n_threads = count_threads(options_.n_threads);
    store_.emplace(scorer_, space_, *candidates_,
                   options_.n_restarts == 0 ? n_threads : std::max<std::size_t>(1, n_threads / kClimbChains),
                   monitor_.stop);
}

// The first climb. Where not all candidates are tried, those that gain most given the parents found are
// selected next, and it goes on from there, as long as that brings something.
void Rounds::climb_first() {
    const auto is_cut = [&](const std::vector<Node>& all) {
        return options_.max_candidates > 0 && all.size() > options_.max_candidates;
    };
    const int n_selections = std::ranges::any_of(space_.candidates, is_cut) ? kMostSelections : 1;
    Visited visited;
    for (int i = 0; i < n_selections; ++i) {
        const double before = state_.best.score;
        state_.selected_for = state_.best.parents;
        set_candidates(state_.selected_for);
        std::vector<ColumnPointer> columns = store_->find_all(state_.best.parents);
        if (monitor_.stop) return;
        Graph graph(*store_, std::move(columns));
        visited = {};
        graph.watch(visited);
        if (!Climber(options_, monitor_, state_.best).climb_first(graph)) return;
        if (!(state_.best.score > before + kTie)) break;
    }
    for (const auto& [child, column] : visited.columns()) pool_.add(child, *column, *candidates_);
    if (options_.n_restarts > 0)
        parallel_for(
            options_.n_threads, space_.n_nodes(),
            [&](std::size_t node, std::size_t) { pool_.widen(static_cast<Node>(node), *store_, kWidth); },
            &monitor_.stop);
    if (monitor_.stop) return;
    index_.emplace(pool_);
    monitor_.done.fetch_add(1, std::memory_order_relaxed);
}

void Rounds::begin_round() {
    const bool go_on_alone = state_.n_alone > 0 && state_.n_alone < kAlone;
    if (go_on_alone || state_.n_stale >= kStale)
        state_.n_alone = state_.n_alone % kAlone + 1;
    else
        state_.n_alone = 0;
    state_.chains.resize(kClimbChains);
    for (std::size_t chain = 0; chain < kClimbChains; ++chain) {
        ClimbChain next;
        const bool is_alone = go_on_alone && chain >= kTogether;
        next.parents = is_alone ? std::move(state_.chains[chain].parents) : state_.best.parents;
        next.best.parents = next.parents;
        next.best.score = is_alone ? score_dag(scorer_, next.parents) : state_.best.score;
        state_.chains[chain] = std::move(next);
    }
}

// The graph a chain goes on from. Nothing if stopped.
std::optional<Graph> Rounds::begin_graph(std::size_t chain) {
    const ClimbChain& own = state_.chains[chain];
    const bool is_alone = state_.n_alone > 0 && chain >= kTogether;
    if (own.n_climbs == 0 && is_alone && state_.n_alone == 1) {
        Random random(options_.seed, kStartStreams + state_.n_rounds * kClimbChains + chain);
        return start_by_order(*store_, space_, &random);
    }
    std::vector<ColumnPointer> columns =
        store_->find_all(own.n_climbs == 0 && !is_alone ? reorder(chain) : own.parents);
    if (monitor_.stop) return std::nullopt;
    return Graph(*store_, std::move(columns));
}

// What a chain begins a round with: the families met so far, put together anew.
Parents Rounds::reorder(std::size_t chain) {
    const Parents& own = state_.chains[chain].parents;
    const double score = score_dag(scorer_, own);
    Random random(options_.seed, kOrderStreams + state_.n_rounds * kClimbChains + chain);
    Parents other = search_orders(*index_, own, kKicks * own.size(), random, monitor_.stop);
    const double gain = score_dag(scorer_, other) - score;
    return gain > -kSame ? other : own;
}

void Rounds::run_chain(std::size_t chain) {
    ClimbChain& own = state_.chains[chain];
    const std::uint64_t n = quota(chain);
    if (own.n_climbs >= n) return;
    std::optional<Graph> graph = begin_graph(chain);
    if (!graph) return;
    Visited visited;
    graph->watch(visited);
    SearchResult& best = reached_[chain].best;
    Climber climber(options_, monitor_, best);
    if (own.n_climbs == 0) climber.climb(*graph);
    if (monitor_.stop) return;
    do {
        const std::uint64_t number = n_before() + own.n_climbs * kClimbChains + chain;
        if (!climber.restart(*graph, number)) break;
        ++own.n_climbs;
        own.best = best;
        monitor_.done.fetch_add(1, std::memory_order_relaxed);
    } while (own.n_climbs < n && !monitor_.pause);
    if (own.n_climbs == 0) return;
    own.parents = graph->parents();
    FamilyPool met(space_.n_nodes());
    for (const PooledFamily& family : own.pool) met.add(family);
    for (const auto& [child, column] : visited.columns()) met.add(child, *column, *candidates_);
    own.pool = met.list();
}

// The best of whole rounds and of these chains; a trace as if they had run one after the other.
SearchResult Rounds::merge(std::span<const ClimbChain> chains) const {
    SearchResult merged = state_.best;
    for (const ClimbChain& chain : chains) {
        for (const TracePoint& point : chain.best.trace)
            if (point.score > merged.trace.back().score + kTie)
                merged.trace.push_back({merged.n_steps + point.step, point.score});
        if (chain.best.score > merged.score + kTie) {
            merged.score = chain.best.score;
            merged.parents = chain.best.parents;
        }
        merged.n_steps += chain.best.n_steps;
        merged.n_accepted += chain.best.n_accepted;
    }
    return merged;
}

// Puts together what the chains found, and climbs from there. Tells whether it came to its end.
bool Rounds::end_round() {
    SearchResult best = merge(state_.chains);
    Parents parents = best.parents;
    for (const ClimbChain& chain : state_.chains) parents = combine(scorer_, parents, chain.best.parents);
    if (parents != best.parents) {
        std::vector<ColumnPointer> columns = store_->find_all(parents);
        if (monitor_.stop) return false;
        Graph graph(*store_, std::move(columns));
        Climber(options_, monitor_, best).climb(graph);
        if (monitor_.stop) return false;
    }
    state_.n_stale = best.score > state_.best.score + kTie ? 0 : state_.n_stale + 1;
    state_.best = std::move(best);
    for (const ClimbChain& chain : state_.chains)
        for (const PooledFamily& family : chain.pool) pool_.add(family);
    index_.emplace(pool_);
    ++state_.n_rounds;
    begin_round();
    return true;
}

SearchResult Rounds::run() {
    SearchResult best = run_rounds();
    state_.pool = pool_.list();
    return best;
}

SearchResult Rounds::run_rounds() {
    if (state_.chains.empty()) {
        climb_first();
        if (monitor_.stop) return state_.best;
        begin_round();
    } else {
        set_candidates(state_.selected_for);
    }
    while (!has_lost_patience(options_, state_) && n_before() < options_.n_restarts && !monitor_.stop) {
        reached_ = state_.chains;
        parallel_for(
            options_.n_threads, kClimbChains, [&](std::size_t chain, std::size_t) { run_chain(chain); },
            &monitor_.stop);
        bool is_whole = !monitor_.stop;
        for (std::size_t chain = 0; chain < kClimbChains; ++chain)
            is_whole &= state_.chains[chain].n_climbs >= quota(chain);
        if (!is_whole) return merge(reached_);
        if (!end_round()) return merge(state_.chains);
        if (monitor_.pause) break;
    }
    return state_.best;
}

}  // namespace

}  // namespace climb

SearchResult search_climb(FamilyScorer& scorer, const SearchSpace& space, const ClimbOptions& options,
                          Monitor& monitor, ClimbState* state) {
    ClimbState own_state;
    if (state == nullptr) state = &own_state;
    if (state->chains.empty()) {
        const Parents& start = options.start.empty() ? space.required : options.start;
        const double score = score_dag(scorer, start);
        *state = {0, 0, 0, {start, score, {{0, score}}}, {}, {}, {}};
    }
    const bool is_begun = !state->chains.empty();
    monitor.best = state->best.score;
    const std::uint64_t per_round = kClimbChains * climb::climbs_per_round(space.n_nodes());
    std::uint64_t n_restarts = state->n_rounds * per_round;
    for (const ClimbChain& chain : state->chains) n_restarts += chain.n_climbs;
    monitor.done = std::min<std::uint64_t>(n_restarts, options.n_restarts) + (is_begun ? 1 : 0);
    monitor.total = std::uint64_t{options.n_restarts} + 1;
    SearchResult best = state->best;
    const auto search = [&](std::size_t, std::size_t) {
        best = climb::Rounds(scorer, space, options, monitor, *state).run();
    };
    parallel_for(1, 1, search, &monitor.stop, monitor.poll);
    best.stopped = state->chains.empty() || (state->n_rounds * per_round < options.n_restarts &&
                                             !climb::has_lost_patience(options, *state));
    monitor.best = best.score;
    return best;
}

}  // namespace ldag
