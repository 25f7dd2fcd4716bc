// A junction tree, and the posteriors of all nodes by messages on it.
//
// Messages are lists of tables that are multiplied only when a variable has to be summed out of their
// product, and what sums to 1 is dropped (lazy propagation): parts without findings cost next to nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "inference/sums.hpp"
#include "inference/sums_tables.hpp"

namespace ldag {

class JunctionTree {
  public:
    // The tree of an order of all nodes.
    JunctionTree(const SumsNetwork& network, const Elimination& elimination);

    struct Clique {
        std::vector<Rank> members;    // ascending
        std::vector<Rank> separator;  // those that are in the clique above too
        std::uint32_t above;          // or kNoRank
        std::vector<std::uint32_t> below;
        std::vector<std::uint32_t> families;  // nodes whose tables it has
        std::vector<Rank> answers;            // nodes whose posteriors are read off here
    };

    const std::vector<Clique>& cliques() const { return cliques_; }  // those above come first
    const Ranking& ranking() const { return ranking_; }
    // Cells of all cliques; bytes of all messages and of what is made on the way, if nothing were left out.
    double n_cells() const { return n_cells_; }
    double n_bytes() const { return n_bytes_; }
    const Clique& largest() const;

    // ln P(findings), and the posteriors of all nodes, side by side: not numbers where the findings are
    // impossible.
    double marginals(const SumsNetwork& network, const Findings& findings, std::span<double> posteriors,
                     const SumsLimits& limits) const;

    // ln P(findings), and P(configurations of a class, state | findings) of every family, class and state,
    // times `weight`, added to `counts`, families side by side; nothing is added where the findings are
    // impossible.
    double add_counts(const SumsNetwork& network, const Findings& findings, double weight,
                      std::span<double> counts, const SumsLimits& limits) const;

  private:
    std::uint32_t with_room(std::uint32_t clique, std::span<const Rank> separator) const;
    double size_of(std::span<const Rank> members) const;

    Ranking ranking_;
    std::vector<Clique> cliques_;
    std::vector<std::uint32_t> home_of_;  // by rank: the first clique that it was put into
    double n_cells_ = 0.0;
    double n_bytes_ = 0.0;
};

}  // namespace ldag
