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

}  // namespace

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

void FamilyPool::add(Node child, const GainColumn& column, const Candidates& candidates) {
    if (column.score == kNever) return;
    insert(child, column.parents, column.score);
    for (const std::uint32_t place : column.additions) {
        if (!(column.gains[place] > kTie)) break;
        std::vector<Node> parents = column.parents;
        const Node parent = candidates.of(child)[place];
        parents.insert(std::ranges::lower_bound(parents, parent), parent);
        insert(child, std::move(parents), column.score + column.gains[place]);
    }
}

void FamilyPool::add(const PooledFamily& family) { insert(family.node, family.parents, family.score); }

void FamilyPool::widen(Node child, ColumnStore& store, std::size_t n_of_size) {
    for (std::size_t size = 0; size <= n_nodes(); ++size) {
        std::vector<std::vector<Node>> best;
        bool is_last = true;
        for (const Set& set : sets_[child]) {
            is_last &= set.parents.size() < size;
            if (set.parents.size() == size && best.size() < n_of_size) best.push_back(set.parents);
        }
        if (is_last) return;
        for (const std::vector<Node>& parents : best) {
            const ColumnPointer column = store.find(child, parents);
            if (!column) return;
            add(child, *column, store.candidates());
        }
    }
}

std::vector<PooledFamily> FamilyPool::list() const {
    std::vector<PooledFamily> families;
    for (Node child = 0; child < n_nodes(); ++child)
        for (const Set& set : of(child)) families.push_back({child, set.parents, set.score});
    return families;
}

PoolIndex::PoolIndex(const FamilyPool& pool) : n_words_((pool.n_nodes() + 63) / 64), sets_(pool.n_nodes()) {
    for (Node child = 0; child < pool.n_nodes(); ++child) {
        Sets& own = sets_[child];
        own.bits.assign(pool.of(child).size() * n_words_, 0);
        own.begins.assign(pool.n_nodes() + 1, 0);
        for (const FamilyPool::Set& set : pool.of(child)) {
            for (const Node parent : set.parents) {
                own.bits[own.scores.size() * n_words_ + parent / 64] |= std::uint64_t{1} << (parent % 64);
                ++own.begins[parent + 1];
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
