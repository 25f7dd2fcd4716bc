// Climbing: the best move as long as one improves the score; then a walk that may go downhill but not back.
// All families met on the way go to a pool, with those that nodes would need in graphs nearby, and a search
// over orders puts them together anew, again and again as long as that brings something. Only candidates that
// are likely to matter are looked at meanwhile, and all of them in the end. In large graphs, families are
// also looked for around nodes that are close to each other, and orders are searched from random ones.
//
// Then, in rounds, a few chains side by side disturb a small part of the graph and climb from there. After a
// round, the best graph is put together from what each of them found, by searches over orders, too. Some of
// these begin with orders at random: they often find what no change of the best order leads to. The work is
// divided by counts, never by time, so that the answer is the same for any number of threads.
#include "searching/climb.hpp"

#include <algorithm>
#include <cmath>

#include "searching/climb_pace.hpp"
#include "searching/climb_pool.hpp"
#include "support/random.hpp"

namespace ldag {

namespace climb {

namespace {

// Sums of the same scores in another order differ by less.
constexpr double kSame = 1e-6;

// Kicks for every node in a search over orders, and for so many rows one more, up to so many: the more rows
// there are, the less it costs beside counting.
constexpr std::size_t kKicks = 2;
constexpr std::size_t kRowsPerKick = 2500;
constexpr std::size_t kMostFurtherKicks = 2;

// Searches over orders at a time, all but the first from orders at random; of many nodes they take long, and
// all begin with the best graph and share the kicks of one.
constexpr std::size_t kOrders = 4;
constexpr std::size_t kOrdersOfMany = 2;

// Rounds of selecting candidates and climbing before all else, at most.
constexpr int kMostSelections = 6;

// Numbers of searches over orders whose random streams no restart has.
constexpr std::uint64_t kRoundNumbers = std::uint64_t{1} << 59;
constexpr std::uint64_t kSettleNumbers = std::uint64_t{1} << 58;
constexpr std::uint64_t kAfreshNumbers = std::uint64_t{1} << 57;

// The columns of some candidates.
struct Tables {
    Tables(FamilyScorer& scorer, const SearchSpace& space, const ClimbOptions& options, Parents of,
           std::atomic<bool>& stop)
        : candidates(space, std::move(of)),
          store(scorer, space, candidates, count_threads(options.n_threads), stop) {}

    // Goes on with other candidates.
    void change(const SearchSpace& space, const Parents& of) {
        std::vector<std::uint8_t> is_changed;
        for (Node node = 0; node < of.size(); ++node)
            is_changed.push_back(std::ranges::equal(candidates.of(node), of[node]) ? 0 : 1);
        candidates = Candidates(space, of);
        store.forget(is_changed);
    }

    Candidates candidates;
    ColumnStore store;
};

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
          pace_(space, options),
          pool_(space.n_nodes()) {
        for (const PooledFamily& family : state.pool) pool_.add(family);
        index_.emplace(pool_);
    }

    // Goes on from the state, and returns the best graph. A climb that is stopped half way counts for that,
    // but is not part of the state.
    SearchResult run();

    // Restarts that are in the state, and whether these are all.
    std::uint64_t n_done() const;
    bool is_done() const {
        return n_before() >= pace_.n_restarts(state_) ||
               pace_.has_lost_patience(state_, scorer_.columns().n_rows());
    }

  private:
    std::uint64_t n_before() const { return state_.n_rounds * pace_.per_round(state_); }
    std::uint64_t quota(std::size_t chain) const;
    bool is_cut() const;
    std::size_t n_kicks() const;
    void make_whole();
    void make_narrow();
    void widen(const Visited& visited);
    void climb_first();
    void settle();
    void add_close();
    void in_parallel(std::size_t n_items, const Work& work);
    bool put_together();
    bool start_afresh();
    bool climb_whole();
    Parents search_pool(std::uint64_t number);
    std::optional<Graph> graph_of(ColumnStore& store, const Parents& parents);
    void begin_round();
    bool climb_from(const Parents& parents);
    SearchResult run_rounds();
    void run_chain(std::size_t chain);
    bool end_round();
    SearchResult merge(std::span<const ClimbChain> chains) const;

    FamilyScorer& scorer_;
    const SearchSpace& space_;
    const ClimbOptions& options_;
    Monitor& monitor_;
    ClimbState& state_;
    Pace pace_;
    std::optional<Tables> whole_;      // of all candidates, or as many as are tried
    std::optional<Tables> narrow_;     // of those of the state
    Parents close_;                    // by node, while that is settled
    std::uint64_t n_settled_ = 0;      // searches over orders before the first round
    std::uint64_t n_afresh_ = 0;       // how often searches began at random alone
    FamilyPool pool_;                  // families met in whole rounds
    std::optional<PoolIndex> index_;   // of that
    std::vector<ClimbChain> reached_;  // by chain, what it found, a climb that was stopped included
};

// How many climbs of this round a chain has: the climbs of a round are dealt out like cards.
std::uint64_t Rounds::quota(std::size_t chain) const {
    const std::uint64_t n_restarts = pace_.n_restarts(state_);
    if (n_restarts <= n_before() + chain) return 0;
    return std::min(pace_.per_chain(state_), (n_restarts - n_before() - chain - 1) / kClimbChains + 1);
}

std::uint64_t Rounds::n_done() const {
    std::uint64_t n = n_before();
    for (const ClimbChain& chain : state_.chains) n += chain.n_climbs;
    return std::min(n, pace_.n_restarts(state_));
}

// Whether not all candidates are tried.
bool Rounds::is_cut() const {
    return options_.max_candidates > 0 && std::ranges::any_of(space_.candidates, [&](const auto& all) {
               return all.size() > options_.max_candidates;
           });
}

std::size_t Rounds::n_kicks() const {
    const std::size_t n_further = std::min(scorer_.columns().n_rows() / kRowsPerKick, kMostFurtherKicks);
    return (kKicks + n_further) * space_.n_nodes();
}

void Rounds::make_whole() {
    whole_.emplace(scorer_, space_, options_,
                   select_candidates(scorer_, space_, options_, state_.best.parents, monitor_.stop),
                   monitor_.stop);
}

void Rounds::make_narrow() {
    if (narrow_)
        narrow_->change(space_, state_.candidates);
    else
        narrow_.emplace(scorer_, space_, options_, state_.candidates, monitor_.stop);
}

// Nothing if stopped.
std::optional<Graph> Rounds::graph_of(ColumnStore& store, const Parents& parents) {
    std::vector<ColumnPointer> columns = store.find_all(parents);
    if (monitor_.stop) return std::nullopt;
    return Graph(store, std::move(columns));
}

// Takes families to the pool, and to the candidates to go on with all that gain in a column of all, and what
// is at most two edges away: common children make parents of each other.
void Rounds::widen(const Visited& visited) {
    const auto take = [&](Node child, Node parent) {
        if (child == parent || !std::ranges::binary_search(space_.candidates[child], parent)) return;
        std::vector<Node>& own = state_.candidates[child];
        const auto at = std::ranges::lower_bound(own, parent);
        if (at == own.end() || *at != parent) own.insert(at, parent);
    };
    for (const MetColumn& met : visited.columns()) {
        pool_.add(met);
        for (const Node parent : met.parents) take(met.child, parent);
        for (const auto& addition : met.additions) take(met.child, addition.parent);
    }
    Parents around = state_.best.parents;
    for (Node child = 0; child < around.size(); ++child)
        for (const Node parent : state_.best.parents[child]) around[parent].push_back(child);
    for (Node centre = 0; centre < around.size(); ++centre)
        for (const Node one : around[centre]) {
            take(centre, one);
            for (const Node other : around[centre]) take(one, other);
        }
}

// The first climb. Where not all candidates are tried, those that gain most given the parents found are
// selected next, and it goes on from there, as long as that brings something.
void Rounds::climb_first() {
    const int n_selections = is_cut() ? kMostSelections : 1;
    Visited visited;
    for (int i = 0; i < n_selections; ++i) {
        const double before = state_.best.score;
        make_whole();
        std::optional<Graph> graph = graph_of(whole_->store, state_.best.parents);
        if (!graph) return;
        visited = {};
        graph->watch(visited);
        if (!Climber(options_, monitor_, state_.best).climb_first(*graph)) return;
        for (const MetColumn& met : visited.columns()) state_.n_first += met.work;
        if (!beats(state_.best.score, before)) break;
    }
    state_.candidates = state_.best.parents;
    widen(visited);
    if (options_.n_restarts > 0 && pace_.settles(state_)) settle();
    if (monitor_.stop) return;
    make_narrow();
    index_.emplace(pool_);
    monitor_.done.fetch_add(1, std::memory_order_relaxed);
}

// Puts families together anew as long as that brings something and does not take too long.
void Rounds::settle() {
    const auto goes_on = [&] { return !monitor_.stop && state_.n_around <= pace_.most_around(state_); };
    close_.assign(space_.n_nodes(), {});
    if (!is_small(state_.best.parents)) add_close();
    do {
        make_narrow();
        do {
            while (goes_on() && put_together()) {
            }
        } while (!monitor_.stop && start_afresh());
    } while (!monitor_.stop && climb_whole());
}

// Finds the nodes that are close to each other, which are likely candidates.
void Rounds::add_close() {
    close_ = find_close(scorer_.columns(), space_, kClose, options_.n_threads, monitor_.stop);
    for (Node node = 0; node < close_.size(); ++node) {
        Parents::value_type both;
        std::ranges::set_union(state_.candidates[node], close_[node], std::back_inserter(both));
        state_.candidates[node] = std::move(both);
    }
}

// Searches of many nodes from orders at random; parts of what they find that make the best graph better are
// taken over. Tells whether it is worthwhile to go on from there.
bool Rounds::start_afresh() {
    const std::size_t n_kicks = pace_.kicks_afresh(index_->n_sets(), state_);
    if (n_kicks == 0) return false;
    std::vector<Parents> results(kAfresh);
    const std::uint64_t number = kAfreshNumbers + n_afresh_++;
    parallel_for(
        options_.n_threads, kAfresh,
        [&](std::size_t i, std::size_t) {
            Random random(options_.seed, number * kAfresh + i);
            results[i] = search_orders(*index_, space_.required, n_kicks, true, random, monitor_.stop);
        },
        &monitor_.stop);
    if (monitor_.stop) return false;
    const double before = state_.best.score;
    Parents best = state_.best.parents;
    for (const Parents& result : results) {
        const bool is_better = beats(score_dag(scorer_, result), score_dag(scorer_, best));
        best = is_better ? combine(scorer_, result, best) : combine(scorer_, best, result);
    }
    climb_from(best);
    return pace_.is_worthwhile(state_.best.score - before, state_);
}

// Threads that are left over make columns of the likely candidates.
void Rounds::in_parallel(std::size_t n_items, const Work& work) {
    const std::size_t n_threads = count_threads(options_.n_threads);
    narrow_->store.use_threads(std::max<std::size_t>(1, n_threads / n_items));
    parallel_for(n_threads, n_items, work, &monitor_.stop);
    narrow_->store.use_threads(n_threads);
}

// Takes families near those of the best graph to the pool, looks for the best order, and climbs from there.
// Tells whether that was better.
bool Rounds::put_together() {
    const double before = state_.best.score;
    std::optional<Graph> graph = graph_of(narrow_->store, state_.best.parents);
    if (!graph) return false;
    std::vector<std::size_t> work(space_.n_nodes());
    const std::uint64_t most = pace_.most_of_one(state_);
    in_parallel(space_.n_nodes(), [&](std::size_t node, std::size_t) {
        work[node] = pool_.look_around(static_cast<Node>(node), close_[node], *graph, narrow_->store, most);
    });
    for (const std::size_t own : work) state_.n_around += own;
    index_.emplace(pool_);
    climb_from(search_pool(kSettleNumbers + n_settled_++));
    return beats(state_.best.score, before);
}

// What searches over orders make of the pool, from the best graph and from orders at random. The number is
// that of their random streams.
Parents Rounds::search_pool(std::uint64_t number) {
    const bool is_few = is_small(state_.best.parents);
    std::vector<Parents> results(is_few ? kOrders : kOrdersOfMany, state_.best.parents);
    parallel_for(
        options_.n_threads, results.size(),
        [&](std::size_t i, std::size_t) {
            Random random(options_.seed, number * kOrders + i);
            const Parents& start = i == 0 || !is_few ? state_.best.parents : space_.required;
            const std::size_t n = is_few ? n_kicks() : n_kicks() / kOrdersOfMany;
            results[i] = search_orders(*index_, start, n, !is_few, random, monitor_.stop);
        },
        &monitor_.stop);
    std::vector<double> scores;
    for (const Parents& result : results) scores.push_back(score_dag(scorer_, result));
    Parents best = results[static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin())];
    for (const Parents& result : results) best = combine(scorer_, best, result);
    const auto is_same = [&](double score) {
        return std::abs(score - state_.best.score) < std::max(kSame, tie_of(score));
    };
    if (is_few)
        state_.n_sure += static_cast<std::uint64_t>(std::count_if(scores.begin() + 1, scores.end(), is_same));
    return best;
}

// Climbs from a graph with the likely candidates, and takes what it meets to the pool. False if stopped.
bool Rounds::climb_from(const Parents& parents) {
    const double before = state_.best.score;
    std::optional<Graph> graph = graph_of(narrow_->store, parents);
    if (!graph) return false;
    Visited visited;
    graph->watch(visited);
    Climber(options_, monitor_, state_.best).climb(*graph);
    for (const MetColumn& met : visited.columns()) pool_.add(met);
    if (beats(state_.best.score, before)) state_.n_sure = 0;
    return !monitor_.stop;
}

// Climbs with all candidates from the best graph. Tells whether that was better.
bool Rounds::climb_whole() {
    if (!whole_ || is_cut()) make_whole();
    const double before = state_.best.score;
    std::optional<Graph> graph = graph_of(whole_->store, state_.best.parents);
    if (!graph) return false;
    Visited visited;
    graph->watch(visited);
    Climber(options_, monitor_, state_.best).climb(*graph);
    if (monitor_.stop || !beats(state_.best.score, before)) return false;
    state_.n_sure = 0;
    widen(visited);
    return true;
}

void Rounds::begin_round() {
    ClimbChain first;
    first.parents = state_.best.parents;
    first.best.parents = state_.best.parents;
    first.best.score = state_.best.score;
    state_.chains.assign(kClimbChains, first);
}

void Rounds::run_chain(std::size_t chain) {
    ClimbChain& own = state_.chains[chain];
    const std::uint64_t n = quota(chain);
    if (own.n_climbs >= n) return;
    std::optional<Graph> graph = graph_of(narrow_->store, own.parents);
    if (!graph) return;
    Visited visited;
    graph->watch(visited);
    SearchResult& best = reached_[chain].best;
    Climber climber(options_, monitor_, best);
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
    for (const MetColumn& column : visited.columns()) met.add(column);
    own.pool = met.list();
}

// The best of whole rounds and of these chains; a trace as if they had run one after the other.
SearchResult Rounds::merge(std::span<const ClimbChain> chains) const {
    SearchResult merged = state_.best;
    for (const ClimbChain& chain : chains) {
        for (const TracePoint& point : chain.best.trace)
            if (beats(point.score, merged.trace.back().score))
                merged.trace.push_back({merged.n_steps + point.step, point.score});
        if (beats(chain.best.score, merged.score)) {
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
    const ClimbState before = state_;
    const FamilyPool pool_before = pool_;
    state_.best = merge(state_.chains);
    if (beats(state_.best.score, before.best.score)) state_.n_sure = 0;
    Parents parents = state_.best.parents;
    for (const ClimbChain& chain : state_.chains) {
        parents = combine(scorer_, parents, chain.best.parents);
        for (const PooledFamily& family : chain.pool) pool_.add(family);
    }
    bool is_whole = parents == state_.best.parents || climb_from(parents);
    if (is_whole) {
        index_.emplace(pool_);
        is_whole = climb_from(search_pool(kRoundNumbers + state_.n_rounds));
    }
    const double gain = state_.best.score - before.best.score;
    const bool is_better = beats(state_.best.score, before.best.score);
    if (is_whole && is_better && climb_whole()) make_narrow();
    if (monitor_.stop) {
        state_ = before;
        pool_ = pool_before;
        return false;
    }
    state_.n_stale = pace_.is_worthwhile(gain, state_) ? 0 : state_.n_stale + 1;
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
        make_narrow();
    }
    while (!is_done() && !monitor_.stop) {
        reached_ = state_.chains;
        in_parallel(kClimbChains, [&](std::size_t chain, std::size_t) { run_chain(chain); });
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
        *state = {};
        state->best = {start, score, {{0, score}}};
    }
    climb::Rounds rounds(scorer, space, options, monitor, *state);
    monitor.best = state->best.score;
    monitor.done = rounds.n_done() + (state->chains.empty() ? 0 : 1);
    monitor.total = std::uint64_t{options.n_restarts} + 1;
    SearchResult best = state->best;
    parallel_for(1, 1, [&](std::size_t, std::size_t) { best = rounds.run(); }, &monitor.stop, monitor.poll);
    best.stopped = state->chains.empty() || !rounds.is_done();
    monitor.best = best.score;
    return best;
}

}  // namespace ldag
