// Multi-valued decision diagrams whose leaves are gates of a circuit: functions of some variables that share
// what is equal. A variable that makes no difference in a context does not appear there: this is where labels
// pay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/circuit.hpp"

namespace ldag {

// A node of a diagram, or a leaf: the gate with the highest bit set.
using Ref = std::uint32_t;

inline constexpr Ref kLeafBit = 0x80000000;
constexpr bool is_leaf(Ref ref) { return (ref & kLeafBit) != 0; }
constexpr Ref leaf_of(Gate gate) { return gate | kLeafBit; }
constexpr Gate gate_of(Ref leaf) { return leaf & ~kLeafBit; }

inline constexpr std::uint32_t kLeafLevel = 0xffffffff;

// Finds numbers by content: open addressing, the caller compares. Never forgets; holds no content itself, but
// its hash: content, which is far away in memory, is looked at only where the hashes are equal.
class NumberTable {
  public:
    NumberTable() : slots_(64, kEmpty) {}

    // The number with this hash for which `equal` says yes, or `fresh`, which is then in the table.
    template <class Equal>
    std::uint32_t find_or_add(std::uint32_t hash, std::uint32_t fresh, Equal equal) {
        if (3 * (n_ + 1) > 2 * slots_.size()) grow();
        for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
            if (slots_[at].number == kNone) {
                slots_[at] = {fresh, hash};
                ++n_;
                return fresh;
            }
            if (slots_[at].hash == hash && equal(slots_[at].number)) return slots_[at].number;
        }
    }

  private:
    struct Slot {
        std::uint32_t number;
        std::uint32_t hash;
    };
    static constexpr std::uint32_t kNone = 0xffffffff;
    static constexpr Slot kEmpty = {kNone, 0};

    void grow() {
        std::vector<Slot> old(2 * slots_.size(), kEmpty);
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.number == kNone) continue;
            std::size_t at = slot.hash & (slots_.size() - 1);
            while (slots_[at].number != kNone) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = slot;
        }
    }

    std::vector<Slot> slots_;
    std::size_t n_ = 0;
};

// A well mixed number of some numbers.
std::uint32_t hash_numbers(std::uint64_t seed, std::span<const std::uint32_t> numbers);

// Diagrams that share their nodes. Levels grow from the root to the leaves; a level is a variable, with one
// child per state.
class Diagram {
  public:
    // The node with these children, made if it is new; the child itself if all are the same.
    Ref node(std::uint32_t level, std::span<const Ref> children);

    std::uint32_t level(Ref ref) const { return is_leaf(ref) ? kLeafLevel : levels_[ref]; }
    // What is left in a state of the variable at `level`, which is at or above the node.
    Ref child(Ref ref, std::uint32_t at, std::uint32_t state) const {
        return level(ref) == at ? children_[first_[ref] + state] : ref;
    }
    std::span<const Ref> children(Ref node) const { return children_of(node); }
    std::size_t n_nodes() const { return levels_.size(); }
    std::size_t n_children() const { return children_.size(); }
    // After this no node is added: forgets what was only needed for sharing.
    void close() { table_ = NumberTable(); }

  private:
    std::span<const Ref> children_of(std::uint32_t number) const {
        return {children_.data() + first_[number], children_.data() + first_[number + 1]};
    }

    std::vector<std::uint32_t> levels_;
    std::vector<std::uint32_t> first_ = {0};
    std::vector<Ref> children_;
    NumberTable table_;
};

}  // namespace ldag
