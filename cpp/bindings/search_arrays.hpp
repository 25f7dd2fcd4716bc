// Searches between Python and the core: the space, the watch on a running search, and the result.
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <tuple>
#include <utility>
#include <vector>

#include "ldag/search.hpp"

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

// Watches a search that runs without the interpreter's lock: Ctrl-C stops it, and so does `on_progress`
// (None, or a function of a dict) by a true answer or an exception. Lives as long as the search.
class Watch {
  public:
    Watch(ldag::Monitor& monitor, nanobind::object on_progress)
        : monitor_(monitor), on_progress_(std::move(on_progress)) {
        monitor.poll = [this] { return poll(); };
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    // After the search: throws what on_progress threw. An interrupt is forgotten, having stopped the search.
    void finish() {
        if (error_) std::rethrow_exception(error_);
    }

  private:
    static constexpr std::chrono::milliseconds kInterval{100};

    bool poll() {
        const nanobind::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) {
            if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
                PyErr_Clear();
                return true;
            }
            return keep([]() -> bool { nanobind::raise_python_error(); });  // another signal's handler threw
        }
        if (on_progress_.is_none()) return false;
        const auto now = std::chrono::steady_clock::now();
        if (now - reported_ < kInterval) return false;
        reported_ = now;
        return keep([this] { return nanobind::cast<bool>(nanobind::bool_(on_progress_(progress()))); });
    }

    // Calls, and stops with the exception kept if there is one.
    template <class Call>
    bool keep(Call call) {
        try {
            return call();
        } catch (...) {
            error_ = std::current_exception();
            return true;
        }
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
    nanobind::object on_progress_;
    std::chrono::steady_clock::time_point reported_ = std::chrono::steady_clock::now();
    std::exception_ptr error_;
};

inline FoundGraph tuple_of(ldag::SearchResult found) {
    std::vector<std::pair<std::uint64_t, double>> trace;
    for (const ldag::TracePoint& point : found.trace) trace.emplace_back(point.step, point.score);
    return {std::move(found.parents), found.score, std::move(trace), found.stopped, found.n_steps,
            found.n_accepted};
}

// Runs a search without the interpreter's lock, watched.
template <class Search>
FoundGraph run_watched(const nanobind::object& on_progress, Search search) {
    ldag::Monitor monitor;
    Watch watch(monitor, on_progress);
    ldag::SearchResult found;
    {
        const nanobind::gil_scoped_release unlocked;
        found = search(monitor);
    }
    watch.finish();
    return tuple_of(std::move(found));
}
