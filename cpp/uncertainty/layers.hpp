// An ordered partition of the nodes and a setting, which is the state of a chain, and how it moves.
#pragma once

#include <cstddef>
#include <vector>

#include "support/random.hpp"
#include "uncertainty/chain_nodes.hpp"

namespace ldag {

// An ordered partition stands for all DAGs of which it is the list of layers: the first layer has no parents,
// and every node of a later one has a parent in the layer just before it, none in its own or later. Each DAG
// has one list of layers, so every DAG counts once.
struct Layers {
    std::vector<std::size_t> of;  // by node
    std::size_t n = 0;
    std::size_t setting = 0;
    double log_weight = 0.0;  // with the prior of the setting

    // What follows from these: by node, the room for its parents and ln of the sum over them.
    std::vector<Room> rooms;
    std::vector<double> log_sums;

    // Sums anew, after any change.
    void sum(const ChainProblem& problem);
};

// Moves layers, with memory of its own for one thread.
class LayerMoves {
  public:
    explicit LayerMoves(const ChainProblem& problem) : problem_(problem) {}

    // Takes a node out and puts it back: into any layer, or as a layer of its own anywhere, in proportion to
    // the weight to some power.
    void move(Layers& layers, std::size_t moved, double power, Random& random);

    // Draws the setting of a chain anew, given its layers.
    void draw_setting(Layers& layers, double power, Random& random);

  private:
    // A node that may have the moved one as a parent, and ln of its sum: if the moved one is not earlier,
    // comes into the layer just before, or into one before that, or alone is the layer just before.
    struct Child {
        double stays, joined, below, pushed;
    };

    void take_out(Layers& layers, std::size_t moved);
    void weigh_children(const Layers& layers, std::size_t moved);
    void weigh_places(const Layers& layers, std::size_t moved);
    void put_back(Layers& layers, std::size_t moved, std::size_t place) const;

    const ChainProblem& problem_;
    std::vector<Child> children_;
    std::vector<double> stays_, joined_, below_, pushed_;  // by layer, sums over its nodes
    std::vector<double> before_, after_;   // running sums of `stays_` from below, `below_` from above
    std::vector<CandidateMask> in_layer_;  // candidates of the moved node
    std::vector<Room> rooms_;              // of the moved node, by layer
    std::vector<double> log_sums_;         // and its sums
    std::vector<double> totals_;           // by place
};

// The layers of a random DAG: nodes in a random order, each with any of the parent sets that it can have.
Layers random_layers(const ChainProblem& problem, Random& random);

}  // namespace ldag
