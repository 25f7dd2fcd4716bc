#include "ldag/compile.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "ldag/diagram.hpp"
#include "ldag/gates.hpp"

namespace ldag {
namespace {

// Remembers the results for pairs of nodes.
class PairMemo {
  public:
    PairMemo() : keys_(256, kEmpty), values_(256) {}

    Ref* find(Ref a, Ref b) {
        const std::size_t slot = slot_of(key_of(a, b));
        return keys_[slot] == kEmpty ? nullptr : &values_[slot];
    }
    void add(Ref a, Ref b, Ref value) {
        if (2 * (n_ + 1) > keys_.size()) grow();
        const std::uint64_t key = key_of(a, b);
        const std::size_t slot = slot_of(key);
        keys_[slot] = key;
        values_[slot] = value;
        ++n_;
    }

  private:
    static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

    static std::uint64_t key_of(Ref a, Ref b) { return std::uint64_t{a} << 32 | b; }
    std::size_t slot_of(std::uint64_t key) const {
        std::uint64_t hash = key * 0x9e3779b97f4a7c15;
        hash ^= hash >> 32;
        std::size_t slot = hash & (keys_.size() - 1);
        while (keys_[slot] != kEmpty && keys_[slot] != key) slot = (slot + 1) & (keys_.size() - 1);
        return slot;
    }
    void grow() {
        std::vector<std::uint64_t> keys(2 * keys_.size(), kEmpty);
        std::vector<Ref> values(keys.size());
        keys.swap(keys_);
        values.swap(values_);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (keys[i] == kEmpty) continue;
            const std::size_t slot = slot_of(keys[i]);
            keys_[slot] = keys[i];
            values_[slot] = values[i];
        }
    }

    std::vector<std::uint64_t> keys_;
    std::vector<Ref> values_;
    std::size_t n_ = 0;
};

// What all steps of one compilation share.
struct Compilation {
    const NetworkShape& network;
    const CompileLimits& limits;
    std::vector<std::uint32_t> level_of;  // by node; the first eliminated is the deepest
    std::vector<std::uint32_t> node_at;
    Gates gates;
    std::size_t n_calls = 0;

    std::uint32_t n_states_at(std::uint32_t level) const { return network.n_states[node_at[level]]; }

    // Called at every step of an operation on diagrams.
    void check(const Diagram& growing) {
        if (gates.size() > limits.max_size || growing.n_children() > limits.max_size)
            throw std::length_error("limit");
        if ((++n_calls & 0xffff) == 0 && limits.poll && limits.poll()) throw CompileStopped();
    }
};

// The diagram of P(node | parents).
class FamilyDiagram {
  public:
    FamilyDiagram(Compilation& shared, std::uint32_t node) : shared_(shared), node_(node) {
        const NetworkShape& network = shared.network;
        const NetworkFamily& family = network.families[node];
        std::size_t stride = 1;
        for (std::size_t axis = family.parents.size(); axis-- > 0;) {
            place(family.parents[axis], stride);
            stride *= network.n_states[family.parents[axis]];
        }
        place(node, 0);
        std::ranges::sort(axes_, {}, &Axis::level);
    }

    Diagram build() {
        diagram_.root = below(0, offset_, state_);
        diagram_.close();
        return std::move(diagram_);
    }

  private:
    struct Axis {
        std::uint32_t level;
        std::uint32_t n_states;
        std::size_t stride;  // 0 for the node itself
    };

    void place(std::uint32_t member, std::size_t stride) {
        const NetworkShape& network = shared_.network;
        if (network.fixed[member] == kUnobserved)
            axes_.push_back({shared_.level_of[member], network.n_states[member], stride});
        else if (stride == 0)
            state_ = network.fixed[member];
        else
            offset_ += stride * network.fixed[member];
    }

    // Depth first over the axes from `depth` on; `offset` is the parents' configuration so far.
    Ref below(std::size_t depth, std::size_t offset, std::uint32_t state) {
        if (depth == axes_.size()) return leaf(offset, state);
        const Axis& axis = axes_[depth];
        std::vector<Ref> children(axis.n_states);
        for (std::uint32_t s = 0; s < axis.n_states; ++s)
            children[s] = axis.stride == 0 ? below(depth + 1, offset, s)
                                           : below(depth + 1, offset + s * axis.stride, state);
        shared_.check(diagram_);
        return diagram_.node(axis.level, children);
    }

    Ref leaf(std::size_t offset, std::uint32_t state) {
        const NetworkFamily& family = shared_.network.families[node_];
        const std::size_t row =
            static_cast<std::size_t>(family.classes[offset]) * shared_.network.n_states[node_];
        const std::int32_t parameter = family.parameters[row + state];
        if (parameter == kImpossible) return leaf_of(kZeroGate);
        return leaf_of(shared_.gates.input(node_, state, static_cast<std::uint32_t>(parameter)));
    }

    Compilation& shared_;
    std::uint32_t node_;
    std::vector<Axis> axes_;
    std::size_t offset_ = 0;
    std::uint32_t state_ = 0;
    Diagram diagram_;
};

// The product of two diagrams; if `summed` is a level, which must be the deepest, that variable is summed
// out.
class Product {
  public:
    Product(Compilation& shared, const Diagram& f, const Diagram& g, std::uint32_t summed)
        : shared_(shared), f_(f), g_(g), summed_(summed) {}

    Diagram build() {
        result_.root = combine(f_.root, g_.root);
        result_.close();
        return std::move(result_);
    }

  private:
    Ref combine(Ref a, Ref b) {
        if (a == leaf_of(kZeroGate) || b == leaf_of(kZeroGate)) return leaf_of(kZeroGate);
        const std::uint32_t level = std::min(f_.level(a), g_.level(b));
        if (level == kLeafLevel && summed_ == kLeafLevel)
            return leaf_of(shared_.gates.multiply(gate_of(a), gate_of(b)));
        if (const Ref* known = memo_.find(a, b)) return *known;
        shared_.check(result_);
        const Ref found = level >= summed_ ? sum(a, b) : split(a, b, level);
        memo_.add(a, b, found);
        return found;
    }

    Ref split(Ref a, Ref b, std::uint32_t level) {
        std::vector<Ref> children(shared_.n_states_at(level));
        for (std::uint32_t s = 0; s < children.size(); ++s)
            children[s] = combine(f_.child(a, level, s), g_.child(b, level, s));
        return result_.node(level, children);
    }

    // The sum over the states of the deepest variable of what is now a product of numbers.
    Ref sum(Ref a, Ref b) {
        std::vector<Gate> terms(shared_.n_states_at(summed_));
        for (std::uint32_t s = 0; s < terms.size(); ++s)
            terms[s] =
                shared_.gates.multiply(gate_of(f_.child(a, summed_, s)), gate_of(g_.child(b, summed_, s)));
        return leaf_of(shared_.gates.add(terms));
    }

    Compilation& shared_;
    const Diagram& f_;
    const Diagram& g_;
    std::uint32_t summed_;
    Diagram result_;
    PairMemo memo_;
};

// A diagram waiting to be multiplied, in the bucket of its deepest variable.
using Buckets = std::vector<std::vector<Diagram>>;

std::uint32_t deepest(const Diagram& diagram) {
    const std::vector<std::uint32_t> scope = diagram.scope();
    return scope.empty() ? kLeafLevel : scope.back();
}

// Multiplies the diagrams of a bucket, the smallest first, and sums its variable out.
Diagram eliminate(Compilation& shared, std::vector<Diagram> bucket, std::uint32_t level) {
    const auto larger = [](const Diagram& a, const Diagram& b) { return a.n_nodes() > b.n_nodes(); };
    if (bucket.size() == 1) bucket.emplace_back();
    while (bucket.size() > 2) {
        std::ranges::sort(bucket, larger);
        const Diagram a = std::move(bucket.back());
        bucket.pop_back();
        const Diagram b = std::move(bucket.back());
        bucket.pop_back();
        bucket.push_back(Product(shared, a, b, kLeafLevel).build());
    }
    return Product(shared, bucket[0], bucket[1], level).build();
}

std::vector<std::uint32_t> nodes_of(const Compilation& shared, const std::vector<Diagram>& bucket) {
    std::vector<std::uint32_t> nodes;
    for (const Diagram& diagram : bucket)
        for (const std::uint32_t level : diagram.scope()) nodes.push_back(shared.node_at[level]);
    std::ranges::sort(nodes);
    nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
    return nodes;
}

// Puts the nodes on levels, the first in the order on the deepest.
Compilation prepared(const NetworkShape& network, std::span<const std::uint32_t> order,
                     const CompileLimits& limits) {
    Compilation shared{network,
                       limits,
                       std::vector<std::uint32_t>(network.n_states.size()),
                       std::vector<std::uint32_t>(order.rbegin(), order.rend()),
                       {}};
    for (std::uint32_t level = 0; level < order.size(); ++level)
        shared.level_of[shared.node_at[level]] = level;
    return shared;
}

// The work of one node; a limit that is passed is blamed on it and what it depends on.
template <class Make>
Diagram blaming(std::uint32_t node, std::vector<std::uint32_t> scope, Make make) {
    try {
        return make();
    } catch (const std::length_error&) {
        throw CircuitTooLarge(node, std::move(scope));
    }
}

}  // namespace

Circuit compile(const NetworkShape& network, std::span<const std::uint32_t> order,
                const CompileLimits& limits) {
    Compilation shared = prepared(network, order, limits);
    Buckets buckets(order.size());
    Gate root = kOneGate;
    const auto keep = [&](Diagram diagram) {
        const std::uint32_t level = deepest(diagram);
        if (level == kLeafLevel)
            root = shared.gates.multiply(root, gate_of(diagram.root));
        else
            buckets[level].push_back(std::move(diagram));
    };
    for (std::uint32_t node = 0; node < network.n_states.size(); ++node)
        keep(blaming(node, network.families[node].parents,
                     [&] { return FamilyDiagram(shared, node).build(); }));
    for (auto level = static_cast<std::uint32_t>(order.size()); level-- > 0;) {
        std::vector<Diagram> bucket = std::exchange(buckets[level], {});
        if (bucket.empty()) continue;
        keep(blaming(shared.node_at[level], nodes_of(shared, bucket),
                     [&] { return eliminate(shared, std::move(bucket), level); }));
        shared.gates.forget();
    }
    return shared.gates.finish(network.n_states, root);
}

}  // namespace ldag
