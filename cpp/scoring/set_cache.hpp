// A bounded store of one number for every set of variables, shared by threads: small and quick, since scores
// of full tables are quick themselves. What is found is what would be computed, so results never depend on
// what happens to be stored.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "scoring/cache.hpp"
#include "support/random.hpp"

namespace ldag {

// Stands for a set of variables: random numbers of its members, put together bit by bit, so that one member
// more or less is one operation. Two sets have the same key with a probability of 2^-128.
struct SetKey {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    static SetKey of(std::uint32_t variable) {
        std::uint64_t state = std::uint64_t{variable} + 1;
        const std::uint64_t high = splitmix64(state);
        return {high, splitmix64(state)};
    }
    SetKey operator^(const SetKey& other) const { return {high ^ other.high, low ^ other.low}; }
    bool operator==(const SetKey&) const = default;
};

class SetCache {
  public:
    explicit SetCache(std::size_t capacity_bytes)
        : n_shards_(std::bit_floor(std::clamp(capacity_bytes / kMinShardBytes, std::size_t{1}, kMaxShards))),
          most_places_(std::bit_floor(capacity_bytes / n_shards_ / sizeof(Entry) | 1)),
          shards_(std::make_unique<Shard[]>(n_shards_)) {}

    std::optional<std::int64_t> find(const SetKey& key) {
        Shard& shard = shard_of(key);
        const std::lock_guard lock(shard.mutex);
        if (!shard.entries.empty()) {
            const Entry& entry = shard.entries[shard.place_of(key)];
            if (entry.is_taken()) {
                ++shard.hits;
                return entry.value;
            }
        }
        ++shard.misses;
        return std::nullopt;
    }

    // Stores a number, unless one is stored already; a full shard is emptied.
    void insert(const SetKey& key, std::int64_t value) {
        if (most_places_ < kFirstPlaces) return;
        Shard& shard = shard_of(key);
        const std::lock_guard lock(shard.mutex);
        if (!shard.entries.empty() && shard.entries[shard.place_of(key)].is_taken()) return;
        if (4 * (shard.n + 1) > 3 * shard.entries.size()) shard.grow(most_places_);
        shard.entries[shard.place_of(key)] = {key, value};
        ++shard.n;
    }

    CacheStatistics statistics() const {
        return add_up_shards(std::span<const Shard>(shards_.get(), n_shards_));
    }

  private:
    static constexpr std::size_t kMaxShards = 16;
    static constexpr std::size_t kMinShardBytes = 1 << 14;
    static constexpr std::size_t kFirstPlaces = 64;
    static constexpr std::int64_t kFree = std::numeric_limits<std::int64_t>::min();  // no number stored

    struct Entry {
        bool is_taken() const { return value != kFree; }

        SetKey key;
        std::int64_t value = kFree;
    };

    struct alignas(64) Shard {
        std::size_t n_entries() const { return n; }
        std::size_t n_bytes() const { return entries.size() * sizeof(Entry); }

        // Where a key is, or the free place where it would be.
        std::size_t place_of(const SetKey& key) const {
            std::size_t place = key.low & (entries.size() - 1);
            while (entries[place].is_taken() && !(entries[place].key == key))
                place = (place + 1) & (entries.size() - 1);
            return place;
        }

        // Makes room for one more.
        void grow(std::size_t most_places) {
            std::vector<Entry> before = std::move(entries);
            const bool is_full = 2 * before.size() > most_places;
            entries.assign(is_full || before.empty() ? kFirstPlaces : 2 * before.size(), Entry{});
            if (is_full) {
                evictions += n;
                n = 0;
                return;
            }
            for (const Entry& entry : before)
                if (entry.is_taken()) entries[place_of(entry.key)] = entry;
        }

        mutable std::mutex mutex;
        std::vector<Entry> entries;  // a power of two of them, at most three quarters taken
        std::size_t n = 0;
        std::uint64_t hits = 0;
        std::uint64_t misses = 0;
        std::uint64_t evictions = 0;
    };

    // By other bits than those that decide about the place.
    Shard& shard_of(const SetKey& key) const { return shards_[key.high & (n_shards_ - 1)]; }

    const std::size_t n_shards_;
    const std::size_t most_places_;  // of one shard
    const std::unique_ptr<Shard[]> shards_;
};

}  // namespace ldag
