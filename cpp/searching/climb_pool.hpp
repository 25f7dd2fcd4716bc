// The families that climbs met, and a search over orders of the nodes that puts them together anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "searching/climb.hpp"

namespace ldag::climb {

// Up to so many nodes, growing begins from none, too: with more it takes long, and other things find more. So
// it does where nodes have many parents, which the data hardly tell apart, unless there are very few nodes.
inline constexpr std::size_t kFewNodes = 80;
inline constexpr std::size_t kVeryFewNodes = 30;
inline constexpr std::size_t kManyParents = 3;

bool is_small(const Parents& graph);

// Sets of parents by node, best first; none of them has a subset that is as good.
class FamilyPool {
  public:
    struct Set {
        double score;
        std::vector<Node> parents;
        std::uint64_t signature;  // a bit for each parent, shared by some
    };

    explicit FamilyPool(std::size_t n_nodes) : sets_(n_nodes), looked_(n_nodes, 0) {}

    // What a column knows: its own family, and those with one more parent that are better.
    void add(const MetColumn& column);
    void add(const PooledFamily& family);

    // Adds what a node may need in graphs near this one: without each of its parents, and with each further
    // one that would gain (or be too much) but stands below the node, the sets on the way to the best that
    // growing and shrinking finds among the nodes not below it, from the parents it has and (of few nodes)
    // from none; and on the way from each of some nodes that are close to it. Does nothing if all that is as
    // it was when last asked. Ends once that was more than so much work, and returns how much it was. Safe
    // from many threads for different nodes.
    std::size_t look_around(Node child, std::span<const Node> close, const Graph& graph, ColumnStore& store,
                            std::uint64_t most);

    std::size_t n_nodes() const { return sets_.size(); }
    std::span<const Set> of(Node child) const { return sets_[child]; }
    std::vector<PooledFamily> list() const;

  private:
    void insert(Node child, std::vector<Node> parents, double score);

    std::vector<std::vector<Set>> sets_;
    std::vector<std::uint64_t> looked_;  // by node, what look_around saw last, as a number
};

// By node, up to so many of its candidates that make it more likely by themselves, beyond what any would: the
// score of one parent alone says little where it has many states and there are few rows.
Parents find_close(const Columns& columns, const SearchSpace& space, std::size_t most, std::size_t n_threads,
                   std::atomic<bool>& stop);

// The same as bits, and which sets have which parent.
class PoolIndex {
  public:
    explicit PoolIndex(const FamilyPool& pool);

    std::size_t n_nodes() const { return sets_.size(); }
    std::size_t n_words() const { return n_words_; }
    std::size_t n_sets(Node child) const { return sets_[child].scores.size(); }
    std::size_t n_sets() const { return n_sets_; }
    double score(Node child, std::size_t place) const { return sets_[child].scores[place]; }
    bool has(Node child, std::size_t place, Node parent) const {
        return (bits(child, place)[parent / 64] >> (parent % 64) & 1) != 0;
    }
    std::vector<Node> parents(Node child, std::size_t place) const;

    // Whether one of two nodes is in a set of the other.
    bool is_related(Node a, Node b) const { return (related_[a * n_words_ + b / 64] >> (b % 64) & 1) != 0; }

    // Whether a set lies among the nodes before.
    bool fits(Node child, std::size_t place, const std::uint64_t* before) const {
        const std::uint64_t* own = bits(child, place);
        std::uint64_t outside = 0;
        for (std::size_t word = 0; word < n_words_; ++word) outside |= own[word] & ~before[word];
        return outside == 0;
    }

    // The places of the sets with a parent, ascending.
    std::span<const std::uint32_t> places_with(Node child, Node parent) const {
        const Sets& sets = sets_[child];
        return std::span(sets.with).subspan(sets.begins[parent],
                                            sets.begins[parent + 1] - sets.begins[parent]);
    }

  private:
    struct Sets {
        std::vector<double> scores;
        std::vector<std::uint64_t> bits;
        std::vector<std::uint32_t> begins;  // by parent, in what follows
        std::vector<std::uint32_t> with;
    };

    const std::uint64_t* bits(Node child, std::size_t place) const {
        return sets_[child].bits.data() + place * n_words_;
    }

    std::size_t n_words_;
    std::size_t n_sets_ = 0;  // of all nodes
    std::vector<Sets> sets_;
    std::vector<std::uint64_t> related_;  // by node, a bit for each related one
};

// Looks for an order of the nodes whose best families among those of the pool score most: nodes are moved
// to where they bring most, and so many times a node is made to have a set that its place does not allow or,
// every other time if asked for, some nodes next to each other are turned round: that frees large graphs from
// what no single node can change. Starts from a graph whose families are in the pool, and returns one that is
// not worse, often another one with the same score.
Parents search_orders(const PoolIndex& pool, const Parents& start, std::size_t n_kicks, bool turns,
                      Random& random, const std::atomic<bool>& stop);

}  // namespace ldag::climb
