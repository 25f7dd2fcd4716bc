#include "support/parallel.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace ldag {

namespace {

constexpr std::chrono::milliseconds kPollInterval{50};

// Items are handed out in runs, to spare traffic where items are small; many runs, so that threads end
// together.
std::size_t run_length(std::size_t n_threads, std::size_t n_items) {
    return std::clamp<std::size_t>(n_items / (n_threads * 64), 1, 64);
}

// What the threads of one loop share.
class Loop {
  public:
    Loop(std::size_t n_threads, std::size_t n_items, const Work& work, std::atomic<bool>& stop)
        : n_items_(n_items), run_(run_length(n_threads, n_items)), work_(work), stop_(stop) {}

    // Takes runs of items until there are none.
    void take(std::size_t thread) {
        for (;;) {
            const std::size_t begin = next_.fetch_add(run_);
            if (begin >= n_items_) return;
            const std::size_t end = std::min(begin + run_, n_items_);
            for (std::size_t item = begin; item < end; ++item)
                if (!attempt(item, thread)) return;
        }
    }

    // Takes part as a thread of its own.
    void serve(std::size_t thread) {
        take(thread);
        const std::lock_guard lock(mutex_);
        ++n_finished_;
        finished_.notify_one();
    }

    // Waits for that many threads, polling; a poll that throws counts as an error before all items.
    void wait(std::size_t n_threads, const StopPoll& poll) {
        std::unique_lock lock(mutex_);
        const auto all_finished = [&] { return n_finished_ == n_threads; };
        while (poll && !stop_ && !finished_.wait_for(lock, kPollInterval, all_finished)) {
            lock.unlock();
            ask(poll);
            lock.lock();
        }
        finished_.wait(lock, all_finished);
    }

    // The outcome, after all threads have finished.
    bool result() const {
        if (error_) std::rethrow_exception(error_);
        return n_done_ < n_items_;
    }

  private:
    // Does one item unless the loop is over.
    bool attempt(std::size_t item, std::size_t thread) {
        // Runs are handed out in order: items before the first that threw are all in some thread's hands, and
        // are still done, so that it is known which threw first.
        if (stop_ || item > first_failed_) return false;
        try {
            work_(item, thread);
            ++n_done_;
        } catch (...) {
            fail(item);
        }
        return true;
    }

    void fail(std::size_t item) {
        const std::lock_guard lock(mutex_);
        if (item >= first_failed_) return;
        first_failed_ = item;
        error_ = std::current_exception();
    }

    void ask(const StopPoll& poll) {
        try {
            if (poll()) stop_ = true;
        } catch (...) {
            stop_ = true;
            fail(0);
        }
    }

    const std::size_t n_items_;
    const std::size_t run_;
    const Work& work_;
    std::atomic<bool>& stop_;
    std::atomic<std::size_t> next_{0};
    std::atomic<std::size_t> n_done_{0};
    std::atomic<std::size_t> first_failed_{std::numeric_limits<std::size_t>::max()};
    std::exception_ptr error_;
    std::mutex mutex_;
    std::condition_variable finished_;
    std::size_t n_finished_ = 0;
};

// Starts up to that many threads; fewer if the system has no more to give.
std::vector<std::thread> start(Loop& loop, std::size_t n_threads) {
    std::vector<std::thread> threads;
    threads.reserve(n_threads);
    try {
        while (threads.size() < n_threads) threads.emplace_back(&Loop::serve, &loop, threads.size());
    } catch (const std::system_error&) {
    }
    return threads;
}

}  // namespace

std::size_t count_threads(std::size_t n_threads) {
    if (n_threads != 0) return n_threads;
    return std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

bool parallel_for(std::size_t n_threads, std::size_t n_items, const Work& work, std::atomic<bool>* stop,
                  const StopPoll& poll) {
    if (n_items == 0) return false;
    std::atomic<bool> own_stop{false};
    n_threads = std::min(count_threads(n_threads), n_items);
    Loop loop(n_threads, n_items, work, stop ? *stop : own_stop);
    std::vector<std::thread> threads;
    if (n_threads > 1 || poll) threads = start(loop, n_threads);
    if (threads.empty()) loop.take(0);
    loop.wait(threads.size(), poll);
    for (std::thread& thread : threads) thread.join();
    return loop.result();
}

}  // namespace ldag
