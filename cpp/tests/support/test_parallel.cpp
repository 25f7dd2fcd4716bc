#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/parallel.hpp"
#include "tests/check.hpp"

namespace {

using ldag::parallel_for;
using namespace std::chrono_literals;

TEST(every_item_is_done_once) {
    for (const std::size_t n_threads : {0, 1, 2, 5})
        for (const std::size_t n_items : {0, 1, 2, 3, 64, 1000, 20000}) {
            std::vector<std::atomic<int>> done(n_items);
            std::atomic<bool> in_range{true};
            const std::size_t limit = ldag::count_threads(n_threads);
            const bool stopped = parallel_for(n_threads, n_items, [&](std::size_t item, std::size_t thread) {
                ++done[item];
                if (thread >= limit) in_range = false;
            });
            CHECK(!stopped);
            CHECK(in_range);
            for (const std::atomic<int>& count : done) CHECK(count == 1);
        }
}

TEST(one_thread_is_the_callers_own_and_keeps_the_order) {
    const auto caller = std::this_thread::get_id();
    std::vector<std::size_t> order;
    parallel_for(1, 5, [&](std::size_t item, std::size_t) {
        CHECK(std::this_thread::get_id() == caller);
        order.push_back(item);
    });
    CHECK((order == std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

std::string error_of(std::size_t n_threads) {
    try {
        parallel_for(n_threads, 500, [](std::size_t item, std::size_t) {
            if (item == 211) std::this_thread::sleep_for(2ms);  // later items throw before it does
            if (item >= 211) throw std::runtime_error(std::to_string(item));
        });
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "nothing";
}

TEST(the_first_item_that_throws_is_reported) {
    for (const std::size_t n_threads : {1, 2, 4, 8})
        for (int repeat = 0; repeat < 5; ++repeat) CHECK(error_of(n_threads) == "211");
}

TEST(setting_the_flag_stops_the_loop) {
    for (const std::size_t n_threads : {1, 3}) {
        std::atomic<bool> stop{false};
        std::atomic<int> done{0};
        const auto work = [&](std::size_t, std::size_t) {
            if (++done == 10) stop = true;
        };
        CHECK(parallel_for(n_threads, 100000, work, &stop));
        CHECK(done < 1000);
        CHECK(parallel_for(n_threads, 5, work, &stop));  // stopped before it began
    }
}

TEST(the_poll_runs_on_the_callers_thread_and_reaches_long_items) {
    for (const std::size_t n_threads : {1, 2}) {
        const auto caller = std::this_thread::get_id();
        std::atomic<bool> stop{false};
        int n_polls = 0;
        const auto begun = std::chrono::steady_clock::now();
        const bool stopped = parallel_for(
            n_threads, 4,
            [&](std::size_t, std::size_t) {
                while (!stop && std::chrono::steady_clock::now() - begun < 20s) std::this_thread::yield();
            },
            &stop,
            [&] {
                CHECK(std::this_thread::get_id() == caller);
                return ++n_polls == 2;
            });
        CHECK(stopped);
        CHECK(n_polls == 2);
        CHECK(std::chrono::steady_clock::now() - begun < 10s);
    }
}

TEST(a_poll_that_throws_stops_the_loop) {
    std::atomic<bool> stop{false};
    bool caught = false;
    try {
        parallel_for(
            2, 1000, [](std::size_t, std::size_t) { std::this_thread::sleep_for(1ms); }, &stop,
            []() -> bool { throw std::runtime_error("interrupted"); });
    } catch (const std::runtime_error& error) {
        caught = std::string(error.what()) == "interrupted";
    }
    CHECK(caught);
    CHECK(stop);
}

TEST(a_poll_does_not_delay_the_end) {
    int done = 0;
    CHECK(!parallel_for(1, 3, [&](std::size_t, std::size_t) { ++done; }, nullptr, [] { return false; }));
    CHECK(done == 3);
}

}  // namespace
