// The parts of search_climb: which parents are tried, what every change of one family gains, and the graph
// with the moves it allows.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "searching/ancestors.hpp"
#include "searching/search.hpp"
#include "support/random.hpp"

namespace ldag::climb {

inline constexpr double kNever = -std::numeric_limits<double>::infinity();
// Larger tables are never tried: they could not be filled by any data, and take long to look at.
inline constexpr std::size_t kMaxCells = std::size_t{1} << 20;

// Fewer observations per cell than this, and a walk downhill does not go there.
inline constexpr std::size_t kPerCell = 4;

inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// The parents that are tried for every node. A place is the position of a parent among those of a node.
class Candidates {
  public:
    // Some of those of the space, with all that are required; the space outlives this.
    Candidates(const SearchSpace& space, Parents of);

    std::size_t n_nodes() const { return of_.size(); }
    std::span<const Node> of(Node child) const { return of_[child]; }
    bool is_required(Node child, std::uint32_t place) const {
        return std::ranges::binary_search((*required_)[child], of_[child][place]);
    }
    std::uint32_t place(Node child, Node parent) const;  // kNone: no candidate

    // The place of `child` among the candidates of its candidate, or kNone.
    std::uint32_t back(Node child, std::uint32_t place) const { return this->place(of(child)[place], child); }

  private:
    Parents of_;
    const Parents* required_;  // of the space
};

// All candidates of the space, or where a node has more than options.max_candidates of them, those that gain
// most besides the parents it has in a graph (ties to the lowest number), these parents, and its children.
Parents select_candidates(FamilyScorer& scorer, const SearchSpace& space, const ClimbOptions& options,
                          const Parents& graph, std::atomic<bool>& stop);

// What every change of one family gains: a column of the matrix of gains.
struct GainColumn {
    std::vector<Node> parents;
    std::vector<std::uint32_t> places;  // of the parents
    double score = 0.0;
    std::size_t n_cells = 0;    // of the table, at most kMaxCells + 1
    std::vector<double> gains;  // by place: of adding, or of removing a parent; kNever: not allowed
    std::vector<std::uint8_t>
        is_bound;  // by place: adding it gains at most that, which is nothing, or others
                   // seem to gain more and it has not been tried; empty if none is
    std::vector<std::uint32_t> additions;  // places of parents that may be added, best first, ties by place:
    bool is_cut = false;                   // where they are very many, few of those that lose
    std::size_t work = 0;                  // of scoring these, in small families
};

using ColumnPointer = std::shared_ptr<const GainColumn>;

// Makes columns, and remembers those used last; safe from many threads.
class ColumnStore {
  public:
    ColumnStore(FamilyScorer& scorer, const SearchSpace& space, const Candidates& candidates,
                std::size_t n_threads, std::atomic<bool>& stop)
        : scorer_(scorer), space_(space), candidates_(candidates), n_threads_(n_threads), stop_(stop) {}

    // From now on, so many threads make a column that takes long; not while columns are being made.
    void use_threads(std::size_t n_threads) { n_threads_ = n_threads; }

    // The column of a node with these parents; null if stopped before it was made.
    ColumnPointer find(Node child, const std::vector<Node>& parents);

    // The columns of all nodes, made in parallel; some are null if stopped.
    std::vector<ColumnPointer> find_all(const Parents& parents);

    // A column made anew, by so many threads, and not remembered; safe from many threads.
    ColumnPointer make(Node child, const std::vector<Node>& parents, std::size_t n_threads) const;

    const Candidates& candidates() const { return candidates_; }
    std::size_t max_parents(Node child) const { return space_.max_parents[child]; }

    // What a change of one family gains, also where the column has a bound only.
    double gain(Node child, const GainColumn& column, std::uint32_t place) const;

    // Forgets the columns of nodes that have other candidates than before.
    void forget(const std::vector<std::uint8_t>& is_changed);

    // Whether there are kPerCell observations for every cell of a family with one more parent.
    bool is_filled(const GainColumn& column, Node further) const {
        const auto& data = scorer_.columns();
        return kPerCell * column.n_cells * data.n_states()[further] <= data.n_rows();
    }

  private:
    struct Key {
        Node child;
        std::span<const Node> parents;  // the column's own
        bool operator==(const Key& other) const;
    };
    struct KeyHash {
        std::size_t operator()(const Key& key) const;
    };
    using Columns = std::unordered_map<Key, ColumnPointer, KeyHash>;

    struct Additions {
        std::vector<Node> parents;
        std::vector<double> scores;
        std::vector<std::uint8_t> is_bound;
    };

    template <class Item>
    void in_parts(std::size_t n_threads, std::size_t n_items, Item item) const;
    bool bound_additions(Node child, const GainColumn& column, std::size_t n_threads,
                         Additions& additions) const;
    bool score_additions(Node child, const GainColumn& column, std::size_t n_threads,
                         std::span<const std::uint32_t> some, Additions& additions) const;
    std::vector<std::uint32_t> order_open(Node child, const GainColumn& column, Additions& additions) const;
    bool score_open(Node child, const GainColumn& column, std::size_t n_threads, Additions& additions) const;
    bool add_additions(Node child, std::size_t n_threads, GainColumn& column) const;
    ColumnPointer recall(Node child, const std::vector<Node>& parents);  // null if not known
    void remember(Node child, const ColumnPointer& column);              // with the mutex held

    FamilyScorer& scorer_;
    const SearchSpace& space_;
    const Candidates& candidates_;
    std::size_t n_threads_;
    std::atomic<bool>& stop_;
    std::atomic<bool> is_slow_{false};  // whether making the last column took so long that threads pay
    std::mutex mutex_;                  // of what follows
    Columns young_;                     // used since the last change of generations
    Columns old_;                       // used in the generation before
    std::size_t young_bytes_ = 0;
};

// What is kept of a column: its family, and the further parents that gain, best first.
struct MetColumn {
    MetColumn(Node child, const GainColumn& column, const Candidates& candidates);

    Node child;
    std::vector<Node> parents;
    double score;
    std::size_t work;
    struct Addition {
        Node parent;
        double gain;
    };
    std::vector<Addition> additions;
};

// The columns that graphs of a chain had, each once. Columns themselves are as long as there are candidates,
// and there are thousands of both in wide tables.
class Visited {
  public:
    void note(Node child, const GainColumn& column, const Candidates& candidates) {
        if (known_.insert(fingerprint(child, column.parents)).second)
            columns_.emplace_back(child, column, candidates);
    }
    std::span<const MetColumn> columns() const { return columns_; }

  private:
    static std::uint64_t fingerprint(Node child, std::span<const Node> parents);

    std::vector<MetColumn> columns_;
    std::unordered_set<std::uint64_t> known_;
};

// A change of the edge that leads to `child` from its candidate at `place`.
struct PlacedMove {
    Node child = 0;
    std::uint32_t place = 0;
    MoveKind kind = MoveKind::add;
    double gain = kNever;
};

// Fingerprints of graphs that must not be visited again.
using Tabu = std::unordered_set<std::uint64_t>;

// An acyclic graph with the gains of all moves. Of equal gains, within 1e-9, those of the lowest child come
// first, then those of the lowest parent, then additions before removals before reversals.
class Graph {
  public:
    // The columns are those of all nodes, without a cycle.
    Graph(ColumnStore& store, std::vector<ColumnPointer> columns);

    std::size_t n_nodes() const { return columns_.size(); }
    const Candidates& candidates() const { return store_->candidates(); }
    const GainColumn& column(Node child) const { return *columns_[child]; }
    std::vector<Node> children(Node node) const;
    bool is_above(Node ancestor, Node node) const { return ancestors_.is_above(ancestor, node); }
    std::uint64_t fingerprint() const { return fingerprint_; }
    double score() const;
    Parents parents() const;

    PlacedMove move(Node child, std::uint32_t place, MoveKind kind) const;
    Node parent_of(const PlacedMove& move) const { return store_->candidates().of(move.child)[move.place]; }
    bool is_allowed(const PlacedMove& move) const;

    // The allowed move that gains most, if one gains anything.
    std::optional<PlacedMove> best_improvement();

    // The allowed move that gains most or loses least without leading to a forbidden graph or to a family
    // that is not filled: these gain little, and take long to look around from.
    std::optional<PlacedMove> best_move(const Tabu& tabu) const;

    // Makes a move and returns true; if stopped, returns false and changes nothing.
    bool make(const PlacedMove& move);

    // Takes all parents from a node but those it must have; the same answers.
    bool clear(Node child);

    // From now on, notes the columns it has, those of its copies included.
    void watch(Visited& visited);

  private:
    template <class Visit>
    void visit(Node child, const double& floor, Visit visit) const;
    template <class Visit>
    void visit_rest(Node child, const double& floor, Visit visit) const;
    double exact_gain(const PlacedMove& move) const;
    template <class Accept>
    double best_gain(Node child, double floor, Accept accept) const;
    template <class Accept>
    std::optional<PlacedMove> first_move(Node child, double floor, Accept accept) const;
    std::uint64_t fingerprint_after(const PlacedMove& move) const;
    bool is_filled_after(const PlacedMove& move) const;
    void mark_stale(std::span<const Node> parents, Node child);
    auto parents_now() const {
        return [this](Node node) { return std::span<const Node>(columns_[node]->parents); };
    }

    void put(Node child, ColumnPointer column);

    ColumnStore* store_;
    Visited* visited_ = nullptr;
    std::vector<ColumnPointer> columns_;
    Ancestors ancestors_;
    std::uint64_t fingerprint_ = 0;
    std::vector<double> best_gains_;  // by node, of its best improvement or 0, unless stale
    std::vector<std::uint8_t> stale_;
};

// One chain of climbs; it keeps the best graph it meets.
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

// Changes a small part of a graph at random, so that a climb from there may end elsewhere; returns how many
// changes were made.
std::size_t disturb(Graph& graph, Random& random);

// Parents with one more, and without one of them.
std::vector<Node> with(const std::vector<Node>& parents, Node parent);
std::vector<Node> without(const std::vector<Node>& parents, Node parent);

// The best change of a node's parents as long as one improves the score, among those that `allows` lets be
// added; `note` is told of every column on the way. Null if stopped.
template <class Allows, class Note>
ColumnPointer grow_and_shrink(ColumnStore& store, Node child, ColumnPointer column, Allows allows,
                              Note note) {
    const std::span<const Node> candidates = store.candidates().of(child);
    while (column) {
        note(*column);
        std::uint32_t best = kNone;
        for (const std::uint32_t place : column->places)
            if (column->gains[place] > (best == kNone ? kTie : column->gains[best])) best = place;
        const auto added = std::ranges::find_if(
            column->additions, [&](std::uint32_t place) { return allows(candidates[place]); });
        if (added != column->additions.end() &&
            column->gains[*added] > (best == kNone ? kTie : column->gains[best]))
            best = *added;
        if (best == kNone) return column;
        const bool adds = added != column->additions.end() && best == *added;
        column = store.find(child, adds ? with(column->parents, candidates[best])
                                        : without(column->parents, candidates[best]));
    }
    return column;
}

// The graph `a` with the parts of `b` that are better: nodes whose parents differ fall into connected parts,
// and each part that gains without closing a cycle is taken over.
Parents combine(FamilyScorer& scorer, const Parents& a, const Parents& b);

}  // namespace ldag::climb
