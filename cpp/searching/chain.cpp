#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "searching/chain_moves.hpp"
#include "searching/search.hpp"

namespace ldag {

namespace {

constexpr std::uint64_t kReportEvery = 64;  // steps between two reports to the monitor

// The scores one thread asked for lately, in front of the scorer's own cache: chains come back to the same
// families again and again. For up to 64 nodes; with more, families seldom return.
class RecentScores {
  public:
    RecentScores(FamilyScorer& scorer, std::size_t n_nodes) : scorer_(&scorer) {
        if (n_nodes == 0 || n_nodes > 64) return;
        n_bits_ = static_cast<int>(std::bit_width(kEntries / n_nodes)) - 1;
        entries_.resize(n_nodes << n_bits_);
    }

    double score(Node node, std::span<const Node> parents) {
        if (entries_.empty()) return scorer_->score({node, parents});
        std::uint64_t members = std::uint64_t{1} << node;  // never 0, which marks an empty entry
        for (const Node parent : parents) members |= std::uint64_t{1} << parent;
        Entry& entry = entries_[(std::size_t{node} << n_bits_) + place(members)];
        if (entry.members != members) entry = {members, scorer_->score({node, parents})};
        return entry.score;
    }

  private:
    static constexpr std::size_t kEntries = 1 << 14;

    struct Entry {
        std::uint64_t members = 0;  // of the family, one bit each
        double score = 0.0;
    };

    std::size_t place(std::uint64_t members) const {
        return static_cast<std::size_t>((members * 0x9e3779b97f4a7c15) >> (64 - n_bits_));
    }

    FamilyScorer* scorer_;
    int n_bits_ = 0;  // each node has 2^n_bits_ entries
    std::vector<Entry> entries_;
};

// Where all chains begin.
struct Start {
    Parents parents;
    std::vector<double> scores;  // of the families
};

double sum(const std::vector<double>& scores) { return std::accumulate(scores.begin(), scores.end(), 0.0); }

// One chain on its way.
class Chain {
  public:
    Chain(const SearchSpace& space, const Start& start, RecentScores& recent, Random random)
        : graph_(space, start.parents),
          scores_(start.scores),
          recent_(&recent),
          random_(random),
          is_changed_(space.n_nodes(), 0) {
        best_.parents = start.parents;
        best_.score = sum(scores_);
        best_.trace.push_back({0, best_.score});
    }

    // Goes on from where a chain was.
    Chain(const SearchSpace& space, const ChainResult& before, RecentScores& recent)
        : graph_(space, before.now),
          recent_(&recent),
          random_(before.random),
          best_(before),
          is_changed_(space.n_nodes(), 1) {
        for (Node node = 0; node < space.n_nodes(); ++node) {
            scores_.push_back(recent.score(node, graph_.parents(node)));
            changed_.push_back(node);
        }
    }

    const ChainResult& best() const { return best_; }

    // The best, and where the chain is.
    ChainResult result() const {
        ChainResult result = best_;
        result.now = graph_.all_parents();
        result.random = random_.state();
        return result;
    }

    // Makes one proposal, if the graph has a neighbour at all; otherwise it stays for ever.
    void step() {
        ++best_.n_steps;
        if (is_stuck_) return;
        const std::optional<Move> move = graph_.draw(random_);
        is_stuck_ = !move;
        if (is_stuck_) return;
        const bool is_reversal = move->kind == MoveKind::reverse;
        const double child = move->kind == MoveKind::remove ? score_without(move->child, move->parent)
                                                            : score_with(move->child, move->parent);
        const double parent = is_reversal ? score_without(move->parent, move->child) : scores_[move->parent];
        const double gain = (child - scores_[move->child]) + (parent - scores_[move->parent]);
        if (gain < 0.0 && random_.uniform() >= std::exp(gain)) return;
        graph_.apply(*move);
        replace(move->child, child);
        if (is_reversal) replace(move->parent, parent);
        ++best_.n_accepted;
        note_if_best();
    }

  private:
    double score_with(Node node, Node parent) {
        const auto own = graph_.parents(node);
        const auto place = std::ranges::lower_bound(own, parent);
        family_.assign(own.begin(), place);
        family_.push_back(parent);
        family_.insert(family_.end(), place, own.end());
        return recent_->score(node, family_);
    }

    double score_without(Node node, Node parent) {
        family_.clear();
        std::ranges::remove_copy(graph_.parents(node), std::back_inserter(family_), parent);
        return recent_->score(node, family_);
    }

    void replace(Node node, double score) {
        scores_[node] = score;
        if (is_changed_[node]) return;
        is_changed_[node] = 1;
        changed_.push_back(node);
    }

    // The sum is taken afresh: equal graphs have equal scores, however they were reached.
    void note_if_best() {
        const double score = sum(scores_);
        if (score <= best_.score + kTie) return;
        best_.score = score;
        best_.trace.push_back({best_.n_steps, score});
        for (const Node node : changed_) {
            best_.parents[node].assign(graph_.parents(node).begin(), graph_.parents(node).end());
            is_changed_[node] = 0;
        }
        changed_.clear();
    }

    MovingGraph graph_;
    std::vector<double> scores_;  // of the families
    RecentScores* recent_;
    Random random_;
    bool is_stuck_ = false;
    ChainResult best_;
    std::vector<Node> changed_;  // nodes whose parents may not be those of the best graph
    std::vector<char> is_changed_;
    std::vector<Node> family_;
};

void raise_to(std::atomic<double>& best, double score) {
    double known = best.load();
    while (known < score && !best.compare_exchange_weak(known, score)) {
    }
}

// Steps until the end or until it is stopped, or paused after a step, and reports now and then.
ChainResult run(Chain& chain, std::uint64_t n_iter, Monitor& monitor) {
    std::uint64_t n_reported = chain.best().n_steps;
    std::uint64_t n_accepted = chain.best().n_accepted;
    const auto report = [&] {
        raise_to(monitor.best, chain.best().score);
        monitor.accepted += chain.best().n_accepted - n_accepted;
        monitor.done += chain.best().n_steps - n_reported;
        n_accepted = chain.best().n_accepted;
        n_reported = chain.best().n_steps;
    };
    while (chain.best().n_steps < n_iter && !monitor.stop.load(std::memory_order_relaxed)) {
        chain.step();
        if (chain.best().n_steps - n_reported == kReportEvery) report();
        if (monitor.pause.load(std::memory_order_relaxed)) break;
    }
    report();
    return chain.result();
}

Start start_of(FamilyScorer& scorer, const SearchSpace& space, const ChainOptions& options) {
    Start start{options.start.empty() ? space.required : options.start, {}};
    if (!is_allowed(space, start.parents)) throw std::invalid_argument("the start is not in the space");
    std::vector<FamilyKey> families;
    for (Node node = 0; node < start.parents.size(); ++node) families.push_back({node, start.parents[node]});
    start.scores = scorer.scores(families, options.n_threads);
    return start;
}

// The chains of the options, those begun gone on with.
std::vector<ChainResult> run_from(const Start& start, FamilyScorer& scorer, const SearchSpace& space,
                                  const ChainOptions& options, Monitor& monitor,
                                  std::span<const ChainResult> begun_before = {}) {
    std::vector<std::optional<RecentScores>> recent(count_threads(options.n_threads));
    std::vector<std::optional<ChainResult>> result(options.n_chains);
    for (const ChainResult& chain : begun_before) result[chain.chain - options.first_chain] = chain;
    const auto work = [&](std::size_t item, std::size_t thread) {
        if (item > 0 && monitor.pause) return;
        if (!recent[thread]) recent[thread].emplace(scorer, space.n_nodes());
        const std::size_t number = options.first_chain + item;
        Chain chain = result[item] ? Chain(space, *result[item], *recent[thread])
                                   : Chain(space, start, *recent[thread], Random(options.seed, number));
        result[item] = run(chain, options.n_iter, monitor);
        result[item]->chain = number;
    };
    parallel_for(options.n_threads, options.n_chains, work, &monitor.stop, monitor.poll);
    std::vector<ChainResult> begun;
    for (std::optional<ChainResult>& chain : result)
        if (chain) begun.push_back(std::move(*chain));
    return begun;
}

}  // namespace

std::vector<ChainResult> run_chains(FamilyScorer& scorer, const SearchSpace& space,
                                    const ChainOptions& options, Monitor& monitor) {
    const Start start = start_of(scorer, space, options);
    monitor.total = options.n_chains * options.n_iter;
    monitor.best = sum(start.scores);
    return run_from(start, scorer, space, options, monitor);
}

SearchResult merge_chains(std::span<const ChainResult> chains, std::size_t n_chains, std::uint64_t n_iter) {
    std::vector<const ChainResult*> in_order;
    for (const ChainResult& chain : chains) in_order.push_back(&chain);
    std::ranges::sort(in_order, {}, &ChainResult::chain);
    SearchResult result;
    const ChainResult* best = in_order.front();
    for (const ChainResult* chain : in_order) {
        if (chain->score > best->score + kTie) best = chain;
        result.n_steps += chain->n_steps;
        result.n_accepted += chain->n_accepted;
    }
    result.parents = best->parents;
    result.score = best->score;
    result.trace = best->trace;
    result.stopped = result.n_steps < n_chains * n_iter;
    return result;
}

namespace {

// Lets the first result stand for all chains at the front that are finished.
void merge_front(ChainState& state, const ChainOptions& options) {
    std::vector<ChainResult>& chains = state.chains;
    const auto is_next = [&](const ChainResult& chain) {
        return chain.chain == options.first_chain + state.n_merged && chain.n_steps == options.n_iter;
    };
    if (state.n_merged == 0 && !chains.empty() && is_next(chains.front())) state.n_merged = 1;
    if (state.n_merged == 0) return;
    std::size_t n = 1;
    for (; n < chains.size() && is_next(chains[n]); ++n) ++state.n_merged;
    SearchResult merged = merge_chains({chains.data(), n}, options.n_chains, options.n_iter);
    const std::size_t last = options.first_chain + state.n_merged - 1;
    chains.erase(chains.begin() + 1, chains.begin() + static_cast<std::ptrdiff_t>(n));
    chains.front() = {last,           std::move(merged.parents), merged.score, std::move(merged.trace),
                      merged.n_steps, merged.n_accepted,         {},           {}};
}

// What the monitor shows before any further step.
void show(const ChainState& state, const Start& start, const ChainOptions& options, Monitor& monitor) {
    monitor.total = options.n_chains * options.n_iter;
    monitor.best = sum(start.scores);
    monitor.done = 0;
    monitor.accepted = 0;
    for (const ChainResult& chain : state.chains) {
        raise_to(monitor.best, chain.score);
        monitor.done += chain.n_steps;
        monitor.accepted += chain.n_accepted;
    }
}

}  // namespace

SearchResult search_chain(FamilyScorer& scorer, const SearchSpace& space, const ChainOptions& options,
                          Monitor& monitor, ChainState* state) {
    ChainState own;
    if (state == nullptr) state = &own;
    const Start start = start_of(scorer, space, options);
    show(*state, start, options, monitor);
    ChainOptions left = options;
    left.first_chain += state->n_merged;
    left.n_chains -= state->n_merged;
    const auto unmerged = state->chains.begin() + (state->n_merged > 0 ? 1 : 0);
    auto result = run_from(start, scorer, space, left, monitor, {unmerged, state->chains.end()});
    state->chains.erase(unmerged, state->chains.end());
    std::ranges::move(result, std::back_inserter(state->chains));
    merge_front(*state, options);
    if (!state->chains.empty()) return merge_chains(state->chains, options.n_chains, options.n_iter);
    const double score = sum(start.scores);
    return {start.parents, score, {{0, score}}, options.n_chains * options.n_iter > 0, 0, 0};
}

}  // namespace ldag
