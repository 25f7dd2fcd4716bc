// Independent pieces of work on several threads, with exceptions and interruption brought back to the caller.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace ldag {

// Does one item; `thread` numbers the threads from 0, so that each may keep memory of its own.
using Work = std::function<void(std::size_t item, std::size_t thread)>;

// How the caller is asked, about every 50 ms and on its own thread only, whether to stop. It may throw, which
// stops as well. A binding that has released the interpreter's lock takes it back inside:
//     [] { nb::gil_scoped_acquire locked; return PyErr_CheckSignals() != 0; }
using StopPoll = std::function<bool()>;

// The number of threads meant by `n_threads`, where 0 means as many as the machine has cores.
std::size_t count_threads(std::size_t n_threads);

// Does items 0 to n_items - 1, each once, in about this order, and returns whether it was stopped before all
// were done.
//
// `stop`, if given, may be set by anyone at any time: no further item is begun. It is also set when `poll`
// says stop, so that work on a long item can look at it. With a `poll` the caller only waits; without one,
// and if one thread is enough, it does the work itself.
//
// If items throw, later items need not be done, and the caller gets the exception of the first item that
// throws, in the order of items: the same one whatever the number of threads.
bool parallel_for(std::size_t n_threads, std::size_t n_items, const Work& work,
                  std::atomic<bool>* stop = nullptr, const StopPoll& poll = {});

}  // namespace ldag
