// A bounded store of numbers that depend on a family only, shared by threads. What is found is what would be
// computed, so results never depend on what happens to be stored.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace ldag {

struct CacheStatistics {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t evictions = 0;
    std::size_t entries = 0;
    std::size_t bytes = 0;  // as counted against the capacity
};

// Adds up what the shards of a store counted.
template <class Shard>
CacheStatistics add_up_shards(std::span<const Shard> shards) {
    CacheStatistics sum;
    for (const Shard& shard : shards) {
        const std::lock_guard lock(shard.mutex);
        sum.hits += shard.hits;
        sum.misses += shard.misses;
        sum.evictions += shard.evictions;
        sum.entries += shard.n_entries();
        sum.bytes += shard.n_bytes();
    }
    return sum;
}

// Keys are a node and its parents in increasing order; several shards, each with a lock of its own, keep
// threads out of each other's way. A full shard drops what was not asked for longest.
template <class Value = double>
class FamilyCache {
    static_assert(std::is_trivially_copyable_v<Value>, "the memory of a value is its size");

  public:
    explicit FamilyCache(std::size_t capacity_bytes)
        : n_shards_(std::bit_floor(std::clamp(capacity_bytes / kMinShardBytes, std::size_t{1}, kMaxShards))),
          shard_bytes_(capacity_bytes / n_shards_),
          shards_(std::make_unique<Shard[]>(n_shards_)) {}

    // The value stored for a family, if it still is.
    std::optional<Value> find(std::uint32_t node, std::span<const std::uint32_t> parents) {
        const Probe probe(node, parents);
        Shard& shard = shard_of(probe);
        const std::lock_guard lock(shard.mutex);
        const auto place = shard.places.find(probe);
        if (place == shard.places.end()) {
            ++shard.misses;
            return std::nullopt;
        }
        ++shard.hits;
        shard.entries.splice(shard.entries.begin(), shard.entries, place->second);
        return place->second->value;
    }

    // Stores a value, unless one is stored already or it alone would be too large.
    void insert(std::uint32_t node, std::span<const std::uint32_t> parents, const Value& value) {
        const std::size_t bytes = entry_bytes(parents.size());
        if (bytes > shard_bytes_) return;
        const Probe probe(node, parents);
        Shard& shard = shard_of(probe);
        const std::lock_guard lock(shard.mutex);
        if (shard.places.contains(probe)) return;
        while (shard.bytes + bytes > shard_bytes_) shard.evict();
        shard.entries.push_front({node, {parents.begin(), parents.end()}, probe.hash, value});
        shard.bytes += bytes;
        shard.places.emplace(Probe(shard.entries.front()), shard.entries.begin());
    }

    CacheStatistics statistics() const {
        return add_up_shards(std::span<const Shard>(shards_.get(), n_shards_));
    }

  private:
    static constexpr std::size_t kMaxShards = 64;
    static constexpr std::size_t kMinShardBytes = 1 << 14;

    struct Entry {
        std::uint32_t node;
        std::vector<std::uint32_t> parents;
        std::uint64_t hash;
        Value value;
    };

    // A key as it is looked up and kept in the table: it points to parents that the caller or an entry owns.
    struct Probe {
        Probe(std::uint32_t the_node, std::span<const std::uint32_t> the_parents)
            : node(the_node), parents(the_parents), hash(mix(the_node, the_parents)) {
            assert(std::is_sorted(parents.begin(), parents.end()));
        }
        explicit Probe(const Entry& entry) : node(entry.node), parents(entry.parents), hash(entry.hash) {}

        bool operator==(const Probe& other) const {
            return hash == other.hash && node == other.node && std::ranges::equal(parents, other.parents);
        }

        std::uint32_t node;
        std::span<const std::uint32_t> parents;
        std::uint64_t hash;
    };
    struct StoredHash {
        std::size_t operator()(const Probe& probe) const { return static_cast<std::size_t>(probe.hash); }
    };

    using Entries = std::list<Entry>;

    struct alignas(64) Shard {
        std::size_t n_entries() const { return entries.size(); }
        std::size_t n_bytes() const { return bytes; }

        void evict() {
            const Entry& oldest = entries.back();
            places.erase(Probe(oldest));
            bytes -= entry_bytes(oldest.parents.size());
            entries.pop_back();
            ++evictions;
        }

        mutable std::mutex mutex;
        Entries entries;  // the latest asked for first
        std::unordered_map<Probe, typename Entries::iterator, StoredHash> places;
        std::size_t bytes = 0;
        std::uint64_t hits = 0;
        std::uint64_t misses = 0;
        std::uint64_t evictions = 0;
    };

    // Memory of an entry: a list node, a table node, up to three table buckets (while the table grows), the
    // parents, and the allocator's 16 bytes for each of the three blocks.
    static constexpr std::size_t entry_bytes(std::size_t n_parents) {
        constexpr std::size_t kListLinks = 2 * sizeof(void*);
        constexpr std::size_t kTableNode =
            sizeof(Probe) + sizeof(typename Entries::iterator) + 2 * sizeof(void*);
        return sizeof(Entry) + kListLinks + kTableNode + 3 * sizeof(void*) +
               n_parents * sizeof(std::uint32_t) + 3 * 16;
    }

    // Multiplies and folds, word by word (as in splitmix64).
    static std::uint64_t mix(std::uint32_t node, std::span<const std::uint32_t> parents) {
        std::uint64_t hash = (std::uint64_t{node} << 32) | parents.size();
        const auto fold = [&hash] {
            hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
            hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
            hash ^= hash >> 31;
        };
        fold();
        for (const std::uint32_t parent : parents) {
            hash += 0x9e3779b97f4a7c15u * (std::uint64_t{parent} + 1);
            fold();
        }
        return hash;
    }

    // By the high bits; the table inside a shard uses the low ones.
    Shard& shard_of(const Probe& probe) const { return shards_[(probe.hash >> 32) % n_shards_]; }

    const std::size_t n_shards_;
    const std::size_t shard_bytes_;
    const std::unique_ptr<Shard[]> shards_;
};

}  // namespace ldag
