#include "inference/compile.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "inference/diagram.hpp"
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
    std::uint64_t work = 0;    // words of levels looked at
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

    Ref build() { return below(0, offset_, state_); }

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
};

// Sums products of diagrams over all their variables, the topmost first. In the context of the states above,
// a factor is what is left of its diagram; factors that have no variable in common are summed apart; and what
// is left may be equal in many contexts, then it is summed once. Work in progress is kept on stacks: nothing
// is allocated on the way.
class Summation {
  public:
    explicit Summation(Compilation& shared)
        : shared_(shared),
          n_words_((shared.node_at.size() + 63) / 64),
          owners_(64 * n_words_),
          n_sums_(shared.node_at.size()) {
        find_supports();
    }

    // The sum of the product of these factors.
    Gate total(const std::vector<Ref>& factors) {
        refs_ = factors;
        return total(0);
    }

    // The level with the most sums.
    std::uint32_t busiest() const {
        return static_cast<std::uint32_t>(std::ranges::max_element(n_sums_) - n_sums_.begin());
    }

  private:
    // The factors from `begin` on are taken from the stack.
    Gate total(std::size_t begin);
    bool take_leaves(std::size_t begin);
    void separate(std::size_t begin);
    std::uint32_t leader_of(std::uint32_t factor);
    void join(std::uint32_t a, std::uint32_t b) { leader_[leader_of(a)] = leader_of(b); }
    Gate component_sum(std::size_t begin);
    Gate sum_over_states(std::size_t begin);
    Gate multiplied(std::size_t first_gate);

    void find_supports();
    std::span<const std::uint64_t> support(Ref node) const { return {&supports_[node * n_words_], n_words_}; }

    Compilation& shared_;
    std::size_t n_words_;
    std::vector<std::uint64_t> supports_;  // of every node of the diagram: its level and those below, as bits
    struct Owner {
        std::uint64_t stamp = 0;
        std::uint32_t factor = 0;
    };

    std::vector<Ref> refs_;              // a stack of factors
    std::vector<std::size_t> bounds_;    // a stack of where components begin
    std::uint64_t stamp_ = 0;            // of the separation at work, which needs the next three
    std::vector<Owner> owners_;          // by level: the last factor that has it
    std::vector<std::uint32_t> leader_;  // of each factor: another of its component, or itself
    std::vector<std::pair<std::uint32_t, Ref>> sorted_;
    std::vector<Gate> gates_;          // a stack of what is to be multiplied or added
    std::vector<std::uint32_t> keys_;  // factors of every sum known, one list after the other
    std::vector<std::uint64_t> first_ = {0};
    std::vector<Gate> known_;
    NumberTable table_;
    std::vector<std::uint64_t> n_sums_;  // by level
};

void Summation::find_supports() {
    const Diagram& diagram = shared_.diagram;
    supports_.resize(diagram.n_nodes() * n_words_);
    for (Ref node = 0; node < diagram.n_nodes(); ++node) {  // children come before their parents
        const std::uint32_t level = diagram.level(node);
        std::uint64_t* own = &supports_[node * n_words_];
        own[level / 64] |= std::uint64_t{1} << (level % 64);
        for (std::uint32_t s = 0; s < shared_.n_states_at(level); ++s) {
            const Ref child = diagram.child(node, level, s);
            for (std::size_t w = 0; w < n_words_ && !is_leaf(child); ++w) own[w] |= support(child)[w];
        }
    }
}

Gate Summation::total(std::size_t begin) {
    const std::size_t first_gate = gates_.size();
    bool is_possible = take_leaves(begin);
    const std::size_t first_bound = bounds_.size();
    if (is_possible) separate(begin);
    while (is_possible && bounds_.size() > first_bound) {
        const std::size_t component = bounds_.back();
        bounds_.pop_back();
        gates_.push_back(component_sum(component));
        is_possible = gates_.back() != kZeroGate;
    }
    bounds_.resize(first_bound);
    refs_.resize(begin);
    if (is_possible) return multiplied(first_gate);
    gates_.resize(first_gate);
    return kZeroGate;
}

// Moves factors that are numbers to the stack of gates; tells whether none is zero.
bool Summation::take_leaves(std::size_t begin) {
    std::size_t end = begin;
    for (std::size_t i = begin; i < refs_.size(); ++i) {
        if (refs_[i] == leaf_of(kZeroGate)) return false;
        if (is_leaf(refs_[i]))
            gates_.push_back(gate_of(refs_[i]));
        else
            refs_[end++] = refs_[i];
    }
    refs_.resize(end);
    return true;
}

// Puts factors from `begin` on that have to do with each other side by side, and where each such component
// begins on the stack of bounds, the last on top.
void Summation::separate(std::size_t begin) {
    const std::size_t n = refs_.size() - begin;
    ++stamp_;
    shared_.work += n * n_words_;
    leader_.resize(std::max(leader_.size(), n));
    for (std::size_t i = 0; i < n; ++i) {
        leader_[i] = static_cast<std::uint32_t>(i);
        const std::span<const std::uint64_t> levels = support(refs_[begin + i]);
        for (std::size_t w = 0; w < n_words_; ++w)
            for (std::uint64_t bits = levels[w]; bits != 0; bits &= bits - 1) {
                Owner& owner = owners_[64 * w + static_cast<std::size_t>(std::countr_zero(bits))];
                if (owner.stamp == stamp_) join(owner.factor, static_cast<std::uint32_t>(i));
                owner = {stamp_, static_cast<std::uint32_t>(i)};
            }
    }
    sorted_.clear();
    for (std::size_t i = 0; i < n; ++i)
        sorted_.emplace_back(leader_of(static_cast<std::uint32_t>(i)), refs_[begin + i]);
    std::ranges::sort(sorted_);
    for (std::size_t i = 0; i < n; ++i) {
        if (i == 0 || sorted_[i].first != sorted_[i - 1].first) bounds_.push_back(begin + i);
        refs_[begin + i] = sorted_[i].second;
    }
}

std::uint32_t Summation::leader_of(std::uint32_t factor) {
    while (leader_[factor] != factor) factor = leader_[factor] = leader_[leader_[factor]];
    return factor;
}

Gate Summation::component_sum(std::size_t begin) {
    const std::span<Ref> factors(refs_.begin() + static_cast<std::ptrdiff_t>(begin), refs_.end());
    const auto content = [this](std::uint32_t number) {
        return std::span<const std::uint32_t>(&keys_[first_[number]], first_[number + 1] - first_[number]);
    };
    const auto fresh = static_cast<std::uint32_t>(known_.size());
    const std::uint32_t number = table_.find_or_add(
        hash_numbers(1, factors), fresh,
        [&](std::uint32_t other) { return std::ranges::equal(content(other), factors); },
        [&](std::uint32_t other) { return hash_numbers(1, content(other)); });
    if (number == fresh) {
        keys_.insert(keys_.end(), factors.begin(), factors.end());
        first_.push_back(keys_.size());
        shared_.n_kept = keys_.size();
        known_.push_back(kZeroGate);
        known_[number] = sum_over_states(begin);
    }
    refs_.resize(begin);
    return known_[number];
}

// Sums over the topmost variable of the factors from `begin` on.
Gate Summation::sum_over_states(std::size_t begin) {
    const Diagram& diagram = shared_.diagram;
    const std::size_t end = refs_.size();
    const std::size_t first_term = gates_.size();
    std::uint32_t top = kLeafLevel;
    for (std::size_t i = begin; i < end; ++i) top = std::min(top, diagram.level(refs_[i]));
    ++n_sums_[top];
    shared_.check();
    for (std::uint32_t s = 0; s < shared_.n_states_at(top); ++s) {
        for (std::size_t i = begin; i < end; ++i) refs_.push_back(diagram.child(refs_[i], top, s));
        const Gate term = total(end);
        if (term != kZeroGate) gates_.push_back(term);
    }
    const Gate found =
        shared_.gates.add({gates_.begin() + static_cast<std::ptrdiff_t>(first_term), gates_.end()});
    gates_.resize(first_term);
    return found;
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
    Summation summation(shared);
    try {
        return shared.gates.finish(network.n_states, summation.total(factors));
    } catch (const std::length_error&) {
        const std::uint32_t node = shared.node_at[summation.busiest()];
        throw CircuitTooLarge(node, elimination_scope(network, order, node));
    }
}

}  // namespace ldag
