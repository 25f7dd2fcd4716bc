#include "searching/climb_pool.hpp"

#include <algorithm>
#include <bit>

namespace ldag::climb {

namespace {

std::uint64_t signature_of(std::span<const Node> nodes) {
    std::uint64_t bits = 0;
    for (const Node node : nodes) bits |= std::uint64_t{1} << (node % 64);
    return bits;
}

bool is_subset(const FamilyPool::Set& small, const FamilyPool::Set& large) {
    return (small.signature & ~large.signature) == 0 && std::ranges::includes(large.parents, small.parents);
}

// A node's parents, and which of its candidates are below it.
std::uint64_t surroundings_of(Node child, const Graph& graph) {
    std::uint64_t state = child;
    std::uint64_t hash = splitmix64(state);
    for (const Node node : graph.candidates().of(child)) {
        const bool is_below = graph.is_above(child, node);
        const bool is_parent = !is_below && std::ranges::binary_search(graph.column(child).parents, node);
        state ^= std::uint64_t{node} << 2 | (is_below ? 1U : 0U) | (is_parent ? 2U : 0U);
        hash ^= splitmix64(state);
    }
    return hash;
}

}  // namespace

bool is_small(const Parents& graph) {
    std::size_t n_edges = 0;
    for (const std::vector<Node>& parents : graph) n_edges += parents.size();
    const std::size_t n = graph.size();
    return n <= kVeryFewNodes || (n <= kFewNodes && n_edges <= kManyParents * n);
}

void FamilyPool::insert(Node child, std::vector<Node> parents, double score) {
    std::vector<Set>& own = sets_[child];
    const std::uint64_t signature = signature_of(parents);
    Set added{score, std::move(parents), signature};
    const auto place = std::ranges::find_if(own, [&](const Set& other) { return other.score < score; });
    for (auto other = own.begin(); other != place; ++other)
        if (is_subset(*other, added)) return;
    const auto at = place - own.begin();
    own.erase(std::remove_if(place, own.end(), [&](const Set& other) { return is_subset(added, other); }),
              own.end());
    own.insert(own.begin() + at, std::move(added));
}

void FamilyPool::add(const MetColumn& column) {
    if (column.score == kNever) return;
    insert(column.child, column.parents, column.score);
    for (const auto& [parent, gain] : column.additions)
        insert(column.child, with(column.parents, parent), column.score + gain);
}

void FamilyPool::add(const PooledFamily& family) { insert(family.node, family.parents, family.score); }

std::size_t FamilyPool::look_around(Node child, std::span<const Node> close, const Graph& graph,
                                    ColumnStore& store, std::uint64_t most) {
    const Candidates& candidates = store.candidates();
    const GainColumn& own = graph.column(child);
    const auto is_free = [&](Node parent) { return !graph.is_above(child, parent); };
    const std::uint64_t surroundings = surroundings_of(child, graph);
    if (looked_[child] == surroundings) return 0;
    looked_[child] = surroundings;
    std::size_t work = 0;
    const auto note = [&](const GainColumn& column) {
        add(MetColumn(child, column, candidates));
        work += column.work;
    };
    const auto look = [&](const std::vector<Node>& parents, auto allows) {
        return grow_and_shrink(store, child, store.find(child, parents), allows, note) != nullptr &&
               work <= most;
    };
    const bool from_none = is_small(graph.parents());
    std::vector<Node> kept;
    for (const std::uint32_t place : own.places)
        if (candidates.is_required(child, place)) kept.push_back(candidates.of(child)[place]);
    for (std::uint32_t place = 0; place < own.gains.size(); ++place) {
        const Node changed = candidates.of(child)[place];
        const auto allows = [&](Node parent) { return parent != changed && is_free(parent) && work <= most; };
        if (std::ranges::binary_search(own.places, place)) {
            if (candidates.is_required(child, place)) continue;
            if (!look(without(own.parents, changed), allows)) break;
            if (from_none && !look(kept, allows)) break;
        } else if (!is_free(changed) && (own.gains[place] > kTie || own.gains[place] == kNever)) {
            if (own.gains[place] > kTie && !look(with(own.parents, changed), allows)) break;
            if (from_none && kept.size() < store.max_parents(child) && !look(with(kept, changed), allows))
                break;
        }
    }
    for (const Node begun : close) {
        const auto allows = [&](Node parent) { return parent != begun && is_free(parent) && work <= most; };
        if (kept.size() >= store.max_parents(child) || !look(with(kept, begun), allows)) break;
    }
    return work;
}

std::vector<PooledFamily> FamilyPool::list() const {
    std::vector<PooledFamily> families;
    for (Node child = 0; child < n_nodes(); ++child)
        for (const Set& set : of(child)) families.push_back({child, set.parents, set.score});
    return families;
}

PoolIndex::PoolIndex(const FamilyPool& pool)
    : n_words_((pool.n_nodes() + 63) / 64), sets_(pool.n_nodes()), related_(pool.n_nodes() * n_words_, 0) {
    const auto relate = [&](Node a, Node b) {
        related_[a * n_words_ + b / 64] |= std::uint64_t{1} << (b % 64);
    };
    for (Node child = 0; child < pool.n_nodes(); ++child) {
        Sets& own = sets_[child];
        own.bits.assign(pool.of(child).size() * n_words_, 0);
        own.begins.assign(pool.n_nodes() + 1, 0);
        n_sets_ += pool.of(child).size();
        for (const FamilyPool::Set& set : pool.of(child)) {
            for (const Node parent : set.parents) {
                own.bits[own.scores.size() * n_words_ + parent / 64] |= std::uint64_t{1} << (parent % 64);
                ++own.begins[parent + 1];
                relate(child, parent);
                relate(parent, child);
            }
            own.scores.push_back(set.score);
        }
        for (std::size_t i = 0; i < pool.n_nodes(); ++i) own.begins[i + 1] += own.begins[i];
        own.with.resize(own.begins.back());
        std::vector<std::uint32_t> ends = own.begins;
        for (std::uint32_t place = 0; place < own.scores.size(); ++place)
            for (const Node parent : pool.of(child)[place].parents) own.with[ends[parent]++] = place;
    }
}

std::vector<Node> PoolIndex::parents(Node child, std::size_t place) const {
    std::vector<Node> parents;
    for (std::size_t word = 0; word < n_words_; ++word)
        for (std::uint64_t left = bits(child, place)[word]; left != 0; left &= left - 1)
            parents.push_back(
                static_cast<Node>(word * 64 + static_cast<std::size_t>(std::countr_zero(left))));
    return parents;
}

}  // namespace ldag::climb
