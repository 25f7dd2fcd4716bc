#include <atomic>
#include <cstdint>
#include <random>
#include <vector>

#include "scoring/cache.hpp"
#include "support/parallel.hpp"
#include "tests/check.hpp"

namespace {

using Cache = ldag::FamilyCache<double>;
using Parents = std::vector<std::uint32_t>;

TEST(what_is_stored_is_found_under_its_key_only) {
    Cache cache(1 << 20);
    cache.insert(3, Parents{1, 2}, -1.5);
    cache.insert(3, Parents{}, -2.5);
    CHECK(cache.find(3, Parents{1, 2}) == -1.5);
    CHECK(cache.find(3, Parents{}) == -2.5);
    CHECK(!cache.find(2, Parents{1, 2}));
    CHECK(!cache.find(3, Parents{1}));
    CHECK(!cache.find(3, Parents{1, 2, 4}));
    const ldag::CacheStatistics statistics = cache.statistics();
    CHECK(statistics.hits == 2 && statistics.misses == 3);
    CHECK(statistics.evictions == 0 && statistics.entries == 2);
}

TEST(storing_again_changes_nothing) {
    Cache cache(1 << 20);
    cache.insert(0, Parents{1}, 1.0);
    const std::size_t bytes = cache.statistics().bytes;
    cache.insert(0, Parents{1}, 1.0);
    CHECK(cache.statistics().entries == 1);
    CHECK(cache.statistics().bytes == bytes);
}

TEST(the_limit_holds_and_the_longest_unused_goes_first) {
    const std::size_t capacity = 4000;  // one shard
    Cache cache(capacity);
    for (std::uint32_t node = 0; node < 1000; ++node) {
        cache.insert(node, Parents{5000, 5001}, node);
        CHECK(cache.find(0, Parents{5000, 5001}) == 0.0);  // in use all the time
        CHECK(cache.statistics().bytes <= capacity);
    }
    const ldag::CacheStatistics statistics = cache.statistics();
    CHECK(statistics.entries > 10);
    CHECK(statistics.entries + statistics.evictions == 1000);
    CHECK(cache.find(999, Parents{5000, 5001}) == 999.0);
    CHECK(!cache.find(1, Parents{5000, 5001}));
}

TEST(entries_larger_than_the_cache_are_left_out) {
    Cache nothing(0);
    nothing.insert(0, Parents{}, 1.0);
    CHECK(!nothing.find(0, Parents{}));
    Cache small(1000);
    small.insert(0, Parents(1000, 1), 1.0);
    small.insert(0, Parents{}, 2.0);
    CHECK(small.statistics().entries == 1);
}

TEST(keys_spread_over_the_shards) {
    const std::size_t capacity = 64 << 14;
    Cache cache(capacity);
    for (std::uint32_t node = 0; node < 50; ++node)
        for (std::uint32_t parent = 0; parent < 200; ++parent) cache.insert(node, Parents{parent, 300}, 0.0);
    // An even spread fills every shard, and so nearly all of the cache.
    CHECK(cache.statistics().evictions > 0);
    CHECK(cache.statistics().bytes > capacity * 9 / 10);
    CHECK(cache.statistics().bytes <= capacity);
}

double value_of(std::uint32_t node, const Parents& parents) {
    double value = node;
    for (const std::uint32_t parent : parents) value = 3.0 * value + parent;
    return value;
}

TEST(many_threads_find_only_true_values) {
    const std::size_t capacity = 100'000;  // far too small: entries come and go
    Cache cache(capacity);
    std::atomic<int> n_wrong{0};
    std::atomic<std::uint64_t> n_found{0};
    ldag::parallel_for(8, 200, [&](std::size_t item, std::size_t) {
        std::mt19937 rng(static_cast<std::uint32_t>(item));
        for (int repeat = 0; repeat < 300; ++repeat) {
            const std::uint32_t node = rng() % 10;
            Parents parents(rng() % 4);
            for (std::uint32_t& parent : parents) parent = rng() % 20;
            std::sort(parents.begin(), parents.end());
            if (const auto result = cache.find(node, parents)) {
                ++n_found;
                if (*result != value_of(node, parents)) ++n_wrong;
            } else {
                cache.insert(node, parents, value_of(node, parents));
            }
            if (repeat % 100 == 0 && cache.statistics().bytes > capacity) ++n_wrong;
        }
    });
    CHECK(n_wrong == 0);
    const ldag::CacheStatistics statistics = cache.statistics();
    CHECK(statistics.hits == n_found);
    CHECK(statistics.hits + statistics.misses == 60000);
    CHECK(statistics.evictions > 0);
}

}  // namespace
