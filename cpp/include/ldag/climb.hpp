// The parts of search_climb: which parents are tried, what every change of one family gains, and the graph
// with the moves it allows.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ldag/search.hpp"

namespace ldag::climb {

inline constexpr double kNever = -std::numeric_limits<double>::infinity();
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// The parents that are tried for every node. A place is the position of a parent among those of a node.
class Candidates {
  public:
    // All of the space, or where a node has more than `most` of them, those with the best scores as single
    // parents (ties to the lowest number) and the ones it must have or starts with.
    Candidates(FamilyScorer& scorer, const SearchSpace& space, const Parents& start,
               const ClimbOptions& options, std::atomic<bool>& stop);

    std::size_t n_nodes() const { return of_.size(); }
    std::span<const Node> of(Node child) const { return of_[child]; }
    bool is_required(Node child, std::uint32_t place) const { return required_[child][place] != 0; }

    // The place of `child` among the candidates of its candidate, or kNone.
    std::uint32_t back(Node child, std::uint32_t place) const { return back_[child][place]; }

  private:
    Parents of_;
    std::vector<std::vector<std::uint8_t>> required_;
    std::vector<std::vector<std::uint32_t>> back_;
};

// What every change of one family gains: a column of the matrix of gains.
struct GainColumn {
    std::vector<Node> parents;
    std::vector<std::uint32_t> places;  // of the parents
    double score = 0.0;
    std::vector<double> gains;  // by place: of adding, or of removing a parent; kNever: not allowed
    std::vector<std::uint32_t> additions;  // places of parents that may be added, best first, ties by place
};

using ColumnPointer = std::shared_ptr<const GainColumn>;

// Makes columns, and remembers those used last.
class ColumnStore {
  public:
    ColumnStore(FamilyScorer& scorer, const SearchSpace& space, const Candidates& candidates,
                const std::atomic<bool>& stop)
        : scorer_(scorer), space_(space), candidates_(candidates), stop_(stop) {}

    // The column of a node with these parents; null if stopped before it was made.
    ColumnPointer find(Node child, const std::vector<Node>& parents);

    // The same, made anew and not remembered; safe from many threads.
    ColumnPointer make(Node child, const std::vector<Node>& parents) const;

    void remember(Node child, const ColumnPointer& column);

    const Candidates& candidates() const { return candidates_; }

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

    FamilyScorer& scorer_;
    const SearchSpace& space_;
    const Candidates& candidates_;
    const std::atomic<bool>& stop_;
    Columns young_;  // used since the last change of generations
    Columns old_;    // used in the generation before
    std::size_t young_bytes_ = 0;
};

// Who is above whom.
class Ancestors {
  public:
    explicit Ancestors(std::size_t n_nodes);

    bool is_above(Node ancestor, Node node) const {
        return (bits_[node * n_words_ + ancestor / 64] >> (ancestor % 64) & 1) != 0;
    }

    // After an edge was added.
    void add(Node parent, Node child);

    // After edges into `child` were removed.
    void remove(Node child, std::span<const ColumnPointer> columns);

  private:
    bool gather(Node node, std::span<const Node> parents);

    std::size_t n_nodes_;
    std::size_t n_words_;
    std::vector<std::uint64_t> bits_;  // by node, its ancestors
    std::vector<std::uint64_t> gathered_;
};

enum class MoveKind : std::uint8_t { add, remove, reverse };

// A change of the edge that leads to `child` from its candidate at `place`.
struct Move {
    Node child = 0;
    std::uint32_t place = 0;
    MoveKind kind = MoveKind::add;
    double gain = kNever;
};

// Fingerprints of graphs that must not be visited again.
using Tabu = std::unordered_set<std::uint64_t>;

// An acyclic graph with the gains of all moves.
class Graph {
  public:
    // Null columns if stopped.
    Graph(ColumnStore& store, const Parents& parents);

    double score() const;
    Parents parents() const;
    std::uint64_t fingerprint() const { return fingerprint_; }
    const GainColumn& column(Node child) const { return *columns_[child]; }

    // The allowed move with the best gain above `floor`, ties within 1e-9 to the lowest child, parent and
    // kind.
    std::optional<Move> best_move(double floor, const Tabu& tabu) const;

    bool is_allowed(const Move& move) const;

    // Whether it was made: false if stopped, and then nothing has changed.
    bool make(const Move& move);

    // The edges, as the moves that would remove them.
    void list_edges(std::vector<Move>& edges) const;

    Node parent_of(const Move& move) const { return store_->candidates().of(move.child)[move.place]; }
    double gain(Node child, std::uint32_t place, MoveKind kind) const;

  private:
    template <class Visit>
    void visit(Node child, const double& floor, Visit visit) const;
    bool is_acyclic_after(Node parent, Node child, MoveKind kind) const;
    std::uint64_t fingerprint_after(const Move& move) const;

    ColumnStore* store_;
    std::vector<ColumnPointer> columns_;
    Ancestors ancestors_;
    std::uint64_t fingerprint_ = 0;
};

}  // namespace ldag::climb
