// Searches between Python and the core: the space, the watch on a running search, and the result.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "searching/search.hpp"

// parents, score, trace, stopped, n_steps, n_accepted.
using FoundGraph = std::tuple<ldag::Parents, double, std::vector<std::pair<std::uint64_t, double>>, bool,
                              std::uint64_t, std::uint64_t>;

// The space of the DAGs that are allowed; refuses lists that do not fit together or allow no DAG.
inline ldag::SearchSpace space_of(ldag::Parents candidates, ldag::Parents required,
                                  std::vector<std::size_t> max_parents) {
    const std::size_t n = candidates.size();
    if (required.size() != n || max_parents.size() != n)
        throw nanobind::value_error("expected candidates, required and max_parents of every node");
    for (std::size_t node = 0; node < n; ++node) {
        const std::vector<ldag::Node>& own = candidates[node];
        if (!std::ranges::is_sorted(own) || std::ranges::adjacent_find(own) != own.end())
            throw nanobind::value_error("candidates must ascend");
        if (!own.empty() && own.back() >= n) throw nanobind::value_error("no such candidate");
        if (std::ranges::binary_search(own, static_cast<ldag::Node>(node)))
            throw nanobind::value_error("a node is no candidate of its own");
    }
    ldag::SearchSpace space{std::move(candidates), std::move(required), std::move(max_parents)};
    if (!ldag::is_allowed(space, space.required))
        throw nanobind::value_error("no DAG of the space has just the required edges");
    return space;
}

// Stops a search after so many seconds, on a thread of its own: polls are too far apart for short limits.
class Timer {
  public:
    Timer(ldag::Monitor& monitor, double seconds)
        : thread_([this, &monitor, wait = std::chrono::duration<double>(std::min(seconds, kMost))] {
              std::unique_lock lock(mutex_);
              if (!over_.wait_for(lock, wait, [this] { return is_over_; })) monitor.stop = true;
          }) {}
    ~Timer() {
        {
            const std::lock_guard lock(mutex_);
            is_over_ = true;
        }
        over_.notify_one();
        thread_.join();
    }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

  private:
    static constexpr double kMost = 1e8;  // three years: longer waits overflow the clock

    std::mutex mutex_;
    std::condition_variable over_;
    bool is_over_ = false;
    std::thread thread_;  // last, as it uses the others
};

// Watches a search that runs without the interpreter's lock: Ctrl-C stops it, and so does `on_progress`
// (None, or a function of a dict) by a true answer or an exception, and the end of the time limit. Lives as
// long as the search.
class Watch {
  public:
    Watch(ldag::Monitor& monitor, nanobind::object on_progress, std::optional<double> time_limit = {})
        : monitor_(monitor), on_progress_(std::move(on_progress)) {
        monitor.poll = [this] { return poll(); };
        if (time_limit) timer_.emplace(monitor, *time_limit);
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    // After the search: throws what on_progress threw. An interrupt is not thrown, having stopped the search;
    // whoever returns what there is asks for it, as it may have come when all was done.
    void finish() {
        if (error_) std::rethrow_exception(error_);
    }
    bool was_interrupted() const { return was_interrupted_; }

    // After work of which a part is of no use: throws an interrupt, too.
    void finish_whole() {
        finish();
        if (!was_interrupted_) return;
        PyErr_SetNone(PyExc_KeyboardInterrupt);
        nanobind::raise_python_error();
    }

    // From now on, asks for a pause after so many seconds.
    void pause_after(double seconds) {
        const auto wait = std::chrono::duration<double>(seconds);
        pause_at_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(wait);
        monitor_.pause = seconds <= 0.0;
    }

    // Between two parts of a search: hands its state over, once more if that was interrupted.
    void hand_over(const nanobind::object& keep, const nanobind::object& state) {
        const auto call = [&] { return keep(state), false; };
        if (ask(call) && (monitor_.stop = true) && !error_) ask(call);
        if (!monitor_.stop) monitor_.stop = poll();
    }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds kInterval{100};

    bool poll() {
        const auto now = Clock::now();
        if (now >= pause_at_) monitor_.pause = true;
        const nanobind::gil_scoped_acquire locked;
        if (ask([] { return PyErr_CheckSignals() != 0 && (nanobind::raise_python_error(), true); }))
            return true;
        if (on_progress_.is_none() || now - reported_ < kInterval) return false;
        reported_ = now;
        return ask([this] { return nanobind::cast<bool>(nanobind::bool_(on_progress_(progress()))); });
    }

    // Calls; an exception means stop, and is kept unless it is an interrupt.
    template <class Call>
    bool ask(Call call) {
        try {
            return call();
        } catch (const nanobind::python_error& error) {
            if (error.matches(PyExc_KeyboardInterrupt))
                was_interrupted_ = true;
            else if (!error_)
                error_ = std::current_exception();
        } catch (...) {
            if (!error_) error_ = std::current_exception();
        }
        return true;
    }

    nanobind::dict progress() const {
        nanobind::dict fields;
        fields["done"] = monitor_.done.load();
        fields["total"] = monitor_.total.load();
        fields["accepted"] = monitor_.accepted.load();
        fields["best"] = monitor_.best.load();
        return fields;
    }

    ldag::Monitor& monitor_;
    std::optional<Timer> timer_;
    nanobind::object on_progress_;
    Clock::time_point reported_ = Clock::now();
    Clock::time_point pause_at_ = Clock::time_point::max();
    std::exception_ptr error_;
    bool was_interrupted_ = false;
};

using Trace = std::vector<std::pair<std::uint64_t, double>>;

inline Trace pairs_of(const std::vector<ldag::TracePoint>& points) {
    Trace trace;
    for (const ldag::TracePoint& point : points) trace.emplace_back(point.step, point.score);
    return trace;
}

inline std::vector<ldag::TracePoint> points_of(const Trace& trace) {
    std::vector<ldag::TracePoint> points;
    for (const auto& [step, score] : trace) points.push_back({step, score});
    return points;
}

inline FoundGraph tuple_of(ldag::SearchResult result) {
    return {std::move(result.parents), result.score, pairs_of(result.trace), result.stopped, result.n_steps,
            result.n_accepted};
}

// A state to go on from that cannot be one of the search.
struct BadState : std::invalid_argument {
    BadState() : std::invalid_argument("the state is not of this search") {}
};

// How a search is watched and resumed: whom to tell how far it is, the state to resume, whom to hand its
// state and how often at first, and when to stop. None: nobody, nothing, never.
struct Control {
    nanobind::object on_progress;
    nanobind::object resume;
    nanobind::object keep;
    double keep_every;
    std::optional<double> time_limit;
};

// Runs a search without the interpreter's lock, watched. `search(monitor, state)` gets no state (null) if
// there is nothing to go on from and nobody to keep it; `plain_of` makes a Python value of a state, and
// `state_of` a state of that. The state is handed over after `every` seconds, then less and less often, and
// at the end.
template <class State, class Search>
FoundGraph run_watched(const Control& control, nanobind::object (*plain_of)(const State&),
                       State (*state_of)(const nanobind::object&), Search search) {
    ldag::Monitor monitor;
    Watch watch(monitor, control.on_progress, control.time_limit);
    State state;
    try {
        if (!control.resume.is_none()) state = state_of(control.resume);
    } catch (const nanobind::cast_error&) {
        throw BadState();
    }
    const bool is_kept = !control.keep.is_none();
    State* given = is_kept || !control.resume.is_none() ? &state : nullptr;
    const auto began = std::chrono::steady_clock::now();
    for (;;) {
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began;
        if (is_kept)
            watch.pause_after(std::clamp(elapsed.count() / 10, control.keep_every, 30 * control.keep_every));
        ldag::SearchResult result;
        {
            const nanobind::gil_scoped_release unlocked;
            result = search(monitor, given);
        }
        if (is_kept) watch.hand_over(control.keep, plain_of(state));
        watch.finish();
        result.stopped |= watch.was_interrupted();
        if (!is_kept || !result.stopped || monitor.stop) return tuple_of(std::move(result));
    }
}
