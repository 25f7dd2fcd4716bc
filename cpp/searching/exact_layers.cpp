// A best order of the nodes of a large component, without tables of all its subsets: breadth first through
// the sets of nodes that an order may begin with, layer by layer, where only the layer at hand and the next
// one are kept (Malone, Yuan, Hansen & Bridges 2011). Most sets are never met:
//   - a set is dropped if a bound on what the missing nodes lose shows that no order that begins with it is
//     better than one that is known;
//   - if some missing nodes can gain nothing from the others, these come next (the source of a strongly
//     connected component of what each missing node still wants; Karan & Zola 2016 take single nodes).
#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

#include "searching/exact_component.hpp"

namespace ldag {

namespace {

// Nodes that come next in an order: the others among the missing can wait, as none of these wants them.
// `wants` are the missing nodes that could still improve the parents of each missing node.
NodeSet next_nodes(NodeSet missing, const std::array<NodeSet, 64>& wants) {
    std::size_t first = lowest_node(missing);
    for (;;) {
        NodeSet above = node_bit(first);  // the first, what it wants, what these want, ...
        for (NodeSet rest = above; rest != 0;) {
            const std::size_t node = lowest_node(rest);
            rest = (rest & (rest - 1)) | (wants[node] & ~above);
            above |= wants[node];
        }
        NodeSet below = node_bit(first);  // those of them that want the first, directly or not
        for (bool grows = true; grows;) {
            grows = false;
            for (NodeSet rest = above & ~below; rest != 0; rest &= rest - 1)
                if ((wants[lowest_node(rest)] & below) != 0) {
                    below |= rest & (~rest + 1);
                    grows = true;
                }
        }
        if (below == above) return above;
        first = lowest_node(above & ~below);
    }
}

template <class Mask>
class LayerSearch {
  public:
    LayerSearch(std::span<const NodeFamilies> families, const OrderBound& bound, std::size_t n_threads,
                Monitor& monitor)
        : families_(families),
          bound_(bound),
          n_(families.size()),
          all_(node_bit(n_) - 1),
          n_threads_(n_threads),
          monitor_(monitor) {}

    // The first half of a best order among those that lose less than `known`; nothing if there is none, or if
    // stopped.
    std::optional<NodeSet> run(double known);

  private:
    struct State {
        double score;
        Mask nodes;  // that the order begins with; 0: no state
        Mask half;   // the first half of them, once there are as many
    };

    // States of one layer that fall into one part of it, hashed.
    class Part {
      public:
        void add(const State& state, std::size_t hash);
        std::vector<State> take();

      private:
        void grow();

        std::mutex mutex_;
        std::vector<State> slots_;
        std::size_t n_ = 0;
    };

    static constexpr std::size_t kParts = 512;

    static std::uint64_t hash(Mask nodes) {
        std::uint64_t mixed = std::uint64_t{nodes} * 0x9e3779b97f4a7c15;
        mixed = (mixed ^ (mixed >> 32)) * 0xd6e8feb86659fd93;
        return mixed ^ (mixed >> 32);
    }
    void expand(const State& state, std::size_t size, std::vector<Part>& next) const;

    std::span<const NodeFamilies> families_;
    const OrderBound& bound_;
    std::size_t n_;
    NodeSet all_;
    std::size_t n_threads_;
    Monitor& monitor_;
    double known_ = 0.0;
};

template <class Mask>
void LayerSearch<Mask>::Part::add(const State& state, std::size_t hash) {
    const std::lock_guard lock(mutex_);
    if (4 * (n_ + 1) > 3 * slots_.size()) grow();
    for (std::size_t at = hash % slots_.size();; at = at + 1 < slots_.size() ? at + 1 : 0) {
        State& slot = slots_[at];
        if (slot.nodes == 0) {
            slot = state;
            ++n_;
            return;
        }
        if (slot.nodes != state.nodes) continue;
        // Equals by the half, so that the order in which threads come changes nothing.
        if (state.score > slot.score || (state.score == slot.score && state.half < slot.half)) slot = state;
        return;
    }
}

template <class Mask>
void LayerSearch<Mask>::Part::grow() {
    std::vector<State> old(std::max<std::size_t>(16, slots_.size() * 3 / 2), State{0.0, 0, 0});
    old.swap(slots_);
    for (const State& state : old) {
        if (state.nodes == 0) continue;
        std::size_t at = LayerSearch::hash(state.nodes) / kParts % slots_.size();
        while (slots_[at].nodes != 0) at = at + 1 < slots_.size() ? at + 1 : 0;
        slots_[at] = state;
    }
}

template <class Mask>
std::vector<typename LayerSearch<Mask>::State> LayerSearch<Mask>::Part::take() {
    std::erase_if(slots_, [](const State& state) { return state.nodes == 0; });
    slots_.shrink_to_fit();
    n_ = 0;
    return std::exchange(slots_, {});
}

template <class Mask>
void LayerSearch<Mask>::expand(const State& state, std::size_t size, std::vector<Part>& next) const {
    std::array<std::size_t, 64> ranks;
    std::array<NodeSet, 64> wants;
    const NodeSet missing = all_ & ~NodeSet{state.nodes};
    NodeSet free = 0;  // a node that has all it wants
    for (NodeSet rest = missing; rest != 0 && free == 0; rest &= rest - 1) {
        const std::size_t node = lowest_node(rest);
        ranks[node] = families_[node].rank(state.nodes);
        wants[node] = families_[node].wanted(ranks[node]) & missing;
        if (wants[node] == 0) free = node_bit(node);
    }
    for (NodeSet rest = free != 0 ? free : next_nodes(missing, wants); rest != 0; rest &= rest - 1) {
        const std::size_t node = lowest_node(rest);
        const double score = state.score + families_[node].score(ranks[node]);
        const NodeSet nodes = state.nodes | node_bit(node);
        if (!bound_.may_exceed(known_, score, all_ & ~nodes)) continue;
        const Mask grown = static_cast<Mask>(nodes);
        const std::uint64_t mixed = hash(grown);
        next[mixed % kParts].add({score, grown, size + 1 == n_ / 2 ? grown : state.half}, mixed / kParts);
    }
}

template <class Mask>
std::optional<NodeSet> LayerSearch<Mask>::run(double known) {
    known_ = known;
    std::vector<std::vector<State>> layer{{State{0.0, 0, 0}}};
    for (std::size_t size = 0; size < n_; ++size) {
        std::vector<Part> next(kParts);
        parallel_for(
            n_threads_, layer.size(),
            [&](std::size_t part, std::size_t) {
                for (const State& state : layer[part]) {
                    if (monitor_.stop.load(std::memory_order_relaxed)) return;
                    expand(state, size, next);
                }
                layer[part] = {};
            },
            &monitor_.stop, monitor_.poll);
        if (monitor_.stop) return std::nullopt;
        layer.resize(kParts);
        for (std::size_t part = 0; part < kParts; ++part) layer[part] = next[part].take();
    }
    for (const std::vector<State>& part : layer)
        if (!part.empty()) return part.front().half;
    return std::nullopt;
}

}  // namespace

std::optional<NodeSet> best_first_half(std::span<const NodeFamilies> families, const OrderBound& bound,
                                       double known, std::size_t n_threads, Monitor& monitor) {
    if (families.size() <= 32)
        return LayerSearch<std::uint32_t>(families, bound, n_threads, monitor).run(known);
    return LayerSearch<std::uint64_t>(families, bound, n_threads, monitor).run(known);
}

double bytes_of_layers(std::size_t n_nodes) {
    const double state = sizeof(double) + 2 * (n_nodes <= 32 ? sizeof(std::uint32_t) : sizeof(std::uint64_t));
    double most = 0.0;
    double n_sets = 1.0;  // in a layer
    for (std::size_t size = 0; size < n_nodes; ++size) {
        const double n_next = n_sets * static_cast<double>(n_nodes - size) / static_cast<double>(size + 1);
        most = std::max(most, state * (n_sets + 2 * n_next));  // hash tables are at least half full
        n_sets = n_next;
    }
    return most;
}

}  // namespace ldag
