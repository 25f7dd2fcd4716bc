// Moves of layers through one of their DAGs: parents drawn anew, and edges reversed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/random.hpp"
#include "uncertainty/layers.hpp"

namespace ldag {

// A DAG is drawn from those of the layers, changed, and the new layers are its own. So a node that comes
// below another takes all that is after it along, for which layers need many moves, each of which may lose
// much.
class DagMoves {
  public:
    explicit DagMoves(const ChainProblem& problem) : problem_(problem) {}

    // Changes a DAG so many times. That leaves DAGs as probable as their weights, and layers as the sums of
    // these: it is for chains at power 1 only.
    void move(Layers& layers, std::size_t n_changes, Random& random);

  private:
    // An edge: its end, and its start as a candidate of that.
    struct Edge {
        std::size_t child;
        CandidateMask parent;
    };

    std::size_t count_edges() const;
    Edge edge(std::size_t number) const;
    void redraw(std::size_t node, Random& random);
    void reverse(Random& random);
    void mark_descendants(std::size_t node);
    Room room_for(std::size_t node);
    Room room_for(std::size_t node, CandidateMask needed);
    CandidateMask bit_of(std::size_t node, std::size_t parent) const;
    double log_sum(std::size_t node, const Room& room) const {
        return problem_.nodes[node].log_sum(setting_, room);
    }
    CandidateMask draw(std::size_t node, const Room& room, Random& random) const {
        const ChainNode& own = problem_.nodes[node];
        return own.given().sets[own.draw(setting_, room, random)];
    }
    void find_layers(Layers& layers);

    const ChainProblem& problem_;
    std::size_t setting_ = 0;
    std::vector<CandidateMask> parents_;  // by node
    std::vector<char> marks_;             // by node: whether it comes after the one that is looked at
    std::vector<std::size_t> waiting_;
    std::vector<int> n_left_;  // by node: parents whose layer is not known
};

}  // namespace ldag
