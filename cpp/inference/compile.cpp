#include "inference/compile.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <unordered_map>
#include <utility>

#include "inference/decomposition.hpp"
#include "inference/diagram.hpp"
#include "inference/elimination.hpp"
#include "inference/gates.hpp"

namespace ldag {
namespace {

// Gates and children of diagrams have numbers of 31 bits.
constexpr std::size_t kMostArguments = kLeafBit - 1;
// So much work may be done, and so much kept, for every argument that is allowed: a network that needs more
// has a circuit that is too large in all likelihood, and to find out would take long.
constexpr std::uint64_t kWorkPerArgument = 200;
constexpr std::uint64_t kKeptPerArgument = 12;

// What all steps of one compilation share.
struct Compilation {
    const NetworkShape& network;
    const CompileLimits limits;
    std::vector<std::uint32_t> level_of;  // by node; the first eliminated is the deepest
    std::vector<std::uint32_t> node_at;
    Diagram diagram;  // of all families
    Gates gates;
    std::size_t n_calls = 0;
    std::uint64_t work = 0;    // numbers in keys looked up
    std::uint64_t n_kept = 0;  // factors in the keys of known sums

    std::uint32_t n_states_at(std::uint32_t level) const { return network.n_states[node_at[level]]; }

    // Called at every step.
    void check() {
        const std::size_t most = limits.max_size;
        if (gates.size() > most || diagram.n_children() > most || n_kept > kKeptPerArgument * most ||
            work > kWorkPerArgument * most)
            throw std::length_error("limit");
        if ((++n_calls & 0xfff) == 0 && limits.poll && limits.poll()) throw CompileStopped();
    }
};

// What a function is by the state of one variable, with the topmost variable on top, wherever that one
// stands.
class Choices {
  public:
    explicit Choices(Compilation& shared) : shared_(shared) {}

    // The function that is children[s] in state s of the variable at `level`.
    Ref choose(std::uint32_t level, std::span<const Ref> children) {
        Diagram& diagram = shared_.diagram;
        shared_.check();
        if (std::ranges::adjacent_find(children, std::not_equal_to<>()) == children.end()) return children[0];
        std::uint32_t top = level;
        for (const Ref child : children) top = std::min(top, diagram.level(child));
        std::vector<Ref> parts(shared_.n_states_at(top));
        if (top == level) {
            for (std::uint32_t s = 0; s < parts.size(); ++s) parts[s] = diagram.child(children[s], level, s);
            return diagram.node(level, parts);
        }
        std::vector<std::uint32_t> key(children.begin(), children.end());
        key.push_back(level);
        shared_.work += key.size();
        const auto known = known_.find(key);
        if (known != known_.end()) return known->second;
        std::vector<Ref> inside(children.size());
        for (std::uint32_t t = 0; t < parts.size(); ++t) {
            for (std::size_t s = 0; s < inside.size(); ++s) inside[s] = diagram.child(children[s], top, t);
            parts[t] = choose(level, inside);
        }
        return known_[key] = diagram.node(top, parts);
    }

  private:
    struct Hash {
        std::size_t operator()(const std::vector<std::uint32_t>& key) const { return hash_numbers(7, key); }
    };

    Compilation& shared_;
    std::unordered_map<std::vector<std::uint32_t>, Ref, Hash> known_;
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

    Ref build() {
        const ClassMap& classes = shared_.network.families[node_].classes;
        return classes.is_tree() ? from_tree(classes) : below(0, offset_, state_);
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
        shared_.check();
        return shared_.diagram.node(axis.level, children);
    }

    // From the leaves of the tree to its root, as far as states that are known for good lead to them.
    Ref from_tree(const ClassMap& classes) {
        const NetworkShape& network = shared_.network;
        const std::span<const TreeNode> nodes = classes.nodes();
        const auto parent = [&](const TreeNode& node) {
            return network.families[node_].parents[static_cast<std::size_t>(node.axis)];
        };
        const auto targets = [&](const TreeNode& node) {
            const std::uint32_t asked = parent(node);
            std::vector<std::uint32_t> to(network.n_states[asked]);
            for (std::uint32_t s = 0; s < to.size(); ++s)
                to[s] = classes.target(node, network.fixed[asked] == kUnobserved ? s : network.fixed[asked]);
            return to;
        };
        std::vector<bool> is_reached(nodes.size(), false);
        is_reached[0] = true;
        for (std::size_t number = 0; number < nodes.size(); ++number) {
            if (!is_reached[number] || nodes[number].axis == TreeNode::kLeaf) continue;
            for (const std::uint32_t target : targets(nodes[number])) is_reached[target] = true;
        }
        Choices choices(shared_);
        std::vector<Ref> made(nodes.size());
        for (std::size_t number = nodes.size(); number-- > 0;) {
            if (!is_reached[number]) continue;
            if (nodes[number].axis == TreeNode::kLeaf) {
                made[number] = distribution(nodes[number].first);
                continue;
            }
            std::vector<Ref> children = targets(nodes[number]);
            for (Ref& child : children) child = made[child];
            made[number] = choices.choose(shared_.level_of[parent(nodes[number])], children);
        }
        return made[0];
    }

    // The node's own states in a class.
    Ref distribution(std::size_t number) {
        if (shared_.network.fixed[node_] != kUnobserved) return leaf_of_class(number, state_);
        std::vector<Ref> leaves(shared_.network.n_states[node_]);
        for (std::uint32_t s = 0; s < leaves.size(); ++s) leaves[s] = leaf_of_class(number, s);
        return shared_.diagram.node(shared_.level_of[node_], leaves);
    }

    Ref leaf(std::size_t offset, std::uint32_t state) {
        return leaf_of_class(
            static_cast<std::size_t>(shared_.network.families[node_].classes.listed()[offset]), state);
    }

    Ref leaf_of_class(std::size_t number, std::uint32_t state) {
        const NetworkFamily& family = shared_.network.families[node_];
        const std::int32_t parameter = family.parameters[number * shared_.network.n_states[node_] + state];
        if (parameter == kImpossible) return leaf_of(kZeroGate);
        return leaf_of(shared_.gates.input(node_, state, static_cast<std::uint32_t>(parameter)));
    }

    Compilation& shared_;
    std::uint32_t node_;
    std::vector<Axis> axes_;
    std::size_t offset_ = 0;
    std::uint32_t state_ = 0;
};

// Sums products of diagrams over all their variables, the topmost first. In the context of the states above,
// a factor is what is left of its diagram, and factors that have no variable in common are summed apart: how
// they come apart is known once it was seen (Decomposition). What is left may be equal in many contexts, then
// it is summed once. Work in progress is kept on stacks: nothing is allocated on the way.
class Summation {
  public:
    Summation(Compilation& shared, const std::vector<Ref>& factors)
        : shared_(shared),
          parts_(shared.diagram, factors),
          current_(factors),
          n_sums_(shared.node_at.size()) {}

    // The sum of the product of all factors.
    Gate total() {
        for (const Ref factor : current_)
            if (is_leaf(factor) && !push(gate_of(factor))) return kZeroGate;
        for (std::size_t i = 0; i < parts_.whole().size(); ++i)
            if (!push(sum_of(parts_.whole()[i]))) return kZeroGate;
        return multiplied(0);
    }

    // The level with the most sums.
    std::uint32_t busiest() const {
        return static_cast<std::uint32_t>(std::ranges::max_element(n_sums_) - n_sums_.begin());
    }

  private:
    Gate sum_of(std::uint32_t part);
    Gate sum_over_states(std::uint32_t part);
    bool enter(std::uint32_t part, std::uint32_t state, std::size_t first_saved);
    Gate multiplied(std::size_t first_gate);

    // Puts a gate on the stack; tells whether it is not zero.
    bool push(Gate gate) {
        if (gate != kOneGate) gates_.push_back(gate);
        return gate != kZeroGate;
    }

    Compilation& shared_;
    Decomposition parts_;
    std::vector<Ref> current_;  // what is left of each factor
    std::vector<Ref> saved_;    // a stack of what was left before, of the factors at work
    std::vector<Gate> gates_;   // a stack of what is to be multiplied or added
    std::vector<std::uint32_t>
        keys_;  // of every sum known, one after the other: its part, what is left of it
    std::vector<std::uint64_t> first_ = {0};
    std::vector<Gate> known_;
    NumberTable table_;
    std::vector<std::uint64_t> n_sums_;  // by level
};

Gate Summation::sum_of(std::uint32_t part) {
    const std::size_t begin = keys_.size();  // the key is made where it will stay if it is new
    keys_.push_back(part);
    for (const std::uint32_t factor : parts_.cut(part)) keys_.push_back(current_[factor]);
    const std::span<const std::uint32_t> key(keys_.data() + begin, keys_.size() - begin);
    const auto content = [this](std::uint32_t number) {
        return std::span<const std::uint32_t>(&keys_[first_[number]], first_[number + 1] - first_[number]);
    };
    const auto fresh = static_cast<std::uint32_t>(known_.size());
    shared_.work += key.size();
    const std::uint32_t number = table_.find_or_add(hash_numbers(1, key), fresh, [&](std::uint32_t other) {
        return std::ranges::equal(content(other), key);
    });
    if (number == fresh) {
        first_.push_back(keys_.size());
        shared_.n_kept = keys_.size();
        known_.push_back(kZeroGate);
        known_[number] = sum_over_states(part);
    } else {
        keys_.resize(begin);
    }
    return known_[number];
}

// Sums over the topmost variable of a part.
Gate Summation::sum_over_states(std::uint32_t part) {
    const std::uint32_t level = parts_.level(part);
    ++n_sums_[level];
    shared_.check();
    const std::size_t first_saved = saved_.size();
    for (const std::uint32_t factor : parts_.having(part)) saved_.push_back(current_[factor]);
    const std::size_t first_term = gates_.size();
    for (std::uint32_t s = 0; s < shared_.n_states_at(level); ++s) {
        const std::size_t first_gate = gates_.size();
        bool is_possible = enter(part, s, first_saved);
        if (is_possible) {
            const std::uint32_t split = parts_.split(part, current_);
            for (std::size_t i = 0; is_possible && i < parts_.parts_of(split).size(); ++i)
                is_possible = push(sum_of(parts_.parts_of(split)[i]));
        }
        if (is_possible)
            gates_.push_back(multiplied(first_gate));
        else
            gates_.resize(first_gate);
    }
    const std::span<const std::uint32_t> having = parts_.having(part);
    for (std::size_t i = 0; i < having.size(); ++i) current_[having[i]] = saved_[first_saved + i];
    saved_.resize(first_saved);
    const Gate sum =
        shared_.gates.add({gates_.begin() + static_cast<std::ptrdiff_t>(first_term), gates_.end()});
    gates_.resize(first_term);
    return sum;
}

// Takes the factors that have the topmost variable to one of its states; those that become numbers go onto
// the stack. Tells whether none is zero.
bool Summation::enter(std::uint32_t part, std::uint32_t state, std::size_t first_saved) {
    const std::span<const std::uint32_t> having = parts_.having(part);
    for (std::size_t i = 0; i < having.size(); ++i) {
        const Ref after = shared_.diagram.child(saved_[first_saved + i], parts_.level(part), state);
        current_[having[i]] = after;
        if (is_leaf(after) && !push(gate_of(after))) return false;
    }
    return true;
}

// The product of the gates on the stack, in an order that makes equal products the same gates.
Gate Summation::multiplied(std::size_t first_gate) {
    std::sort(gates_.begin() + static_cast<std::ptrdiff_t>(first_gate), gates_.end());
    Gate result = kOneGate;
    for (std::size_t i = first_gate; i < gates_.size(); ++i)
        result = shared_.gates.multiply(result, gates_[i]);
    gates_.resize(first_gate);
    return result;
}

// Puts the nodes on levels, the first in the order on the deepest.
Compilation prepared(const NetworkShape& network, std::span<const std::uint32_t> order,
                     const CompileLimits& limits) {
    Compilation shared{network,
                       {std::min(limits.max_size, kMostArguments), limits.poll},
                       std::vector<std::uint32_t>(network.n_states.size()),
                       std::vector<std::uint32_t>(order.rbegin(), order.rend()),
                       {},
                       {}};
    for (std::uint32_t level = 0; level < order.size(); ++level)
        shared.level_of[shared.node_at[level]] = level;
    return shared;
}

}  // namespace

Circuit compile(const NetworkShape& network, std::span<const std::uint32_t> order,
                const CompileLimits& limits) {
    Compilation shared = prepared(network, order, limits);
    std::vector<Ref> factors;
    for (std::uint32_t node = 0; node < network.n_states.size(); ++node) {
        try {
            factors.push_back(FamilyDiagram(shared, node).build());
        } catch (const std::length_error&) {
            throw CircuitTooLarge(node, network.families[node].parents);
        }
    }
    shared.diagram.close();
    Summation summation(shared, factors);
    try {
        return shared.gates.finish(network.n_states, summation.total());
    } catch (const std::length_error&) {
        const std::uint32_t node = shared.node_at[summation.busiest()];
        throw CircuitTooLarge(node, elimination_scope(network, order, node));
    }
}

namespace {

EliminationTask task_of(const NetworkShape& network) {
    EliminationTask task{network.n_states, {}, {}};
    for (std::uint32_t node = 0; node < network.n_states.size(); ++node) {
        std::vector<std::uint32_t> scope = network.families[node].parents;
        scope.push_back(node);
        task.scopes.push_back(std::move(scope));
        task.stages.push_back(network.fixed[node] == kUnobserved ? 1 : EliminationTask::kAbsent);
    }
    return task;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> elimination_orders(const NetworkShape& network, std::size_t n_tries,
                                                           std::uint64_t seed, std::size_t n_best,
                                                           const std::function<bool()>& poll) {
    std::vector<std::vector<std::uint32_t>> orders;
    for (Elimination& elimination : find_eliminations(task_of(network), {n_tries, seed, n_best, poll}))
        orders.push_back(std::move(elimination.order));
    return orders;
}

std::vector<std::uint32_t> elimination_scope(const NetworkShape& network,
                                             std::span<const std::uint32_t> order, std::uint32_t node) {
    const auto place = std::ranges::find(order, node);
    if (place == order.end()) return {};
    return follow_order(task_of(network), {order.begin(), place + 1}).scopes.back();
}

}  // namespace ldag
