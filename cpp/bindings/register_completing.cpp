#include <Python.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "inference/completing.hpp"
#include "register.hpp"

namespace nb = nanobind;

namespace {

using Parameters = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Repeats = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using Completions = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<3>>;

template <class Array, class T>
Array owned(std::unique_ptr<T[]> values, std::initializer_list<std::size_t> shape) {
    nb::capsule owner(values.get(), [](void* data) noexcept { delete[] static_cast<T*>(data); });
    return Array(values.release(), shape, owner);
}

void check(const ldag::Circuit& circuit, const Parameters& parameters, const Rows& rows) {
    for (const ldag::Input& input : circuit.inputs)
        if (input.parameter >= parameters.size()) throw nb::value_error("a parameter is missing");
    if (rows.shape(1) != circuit.n_states.size()) throw nb::value_error("one state per node in each row");
}

// Works without the interpreter's lock; Ctrl-C is an error here, as half an answer is of no use. What takes
// no time is done at once, on this thread.
template <class Work>
void run(const ldag::Circuit& circuit, std::size_t n_rows, std::size_t n_threads, Work work) {
    constexpr std::size_t kSmall = std::size_t{1} << 19;
    ldag::Running running{1, {}};
    if (n_rows * circuit.n_gates() > kSmall)
        running = {n_threads, [] {
                       const nb::gil_scoped_acquire locked;
                       return PyErr_CheckSignals() != 0;
                   }};
    bool stopped = false;
    {
        const nb::gil_scoped_release unlocked;
        stopped = work(running);
    }
    if (stopped || PyErr_Occurred()) nb::raise_python_error();
}

std::pair<Vector, Vector> expected_counts(const ldag::Circuit& circuit, const Parameters& parameters,
                                          const Rows& rows, const Parameters& weights,
                                          std::size_t n_threads) {
    check(circuit, parameters, rows);
    const std::size_t n_rows = rows.shape(0);
    if (weights.size() != n_rows) throw nb::value_error("one weight per row");
    auto logs = std::make_unique<double[]>(n_rows);
    auto counts = std::make_unique<double[]>(parameters.size());
    run(circuit, n_rows, n_threads, [&](const ldag::Running& running) {
        return ldag::expected_counts(circuit, {parameters.data(), parameters.size()},
                                     {{rows.data(), rows.size()}, {weights.data(), weights.size()}},
                                     {logs.get(), n_rows}, {counts.get(), parameters.size()}, running);
    });
    return {owned<Vector>(std::move(logs), {n_rows}), owned<Vector>(std::move(counts), {parameters.size()})};
}

Completions draw_completions(const ldag::Circuit& circuit, const Parameters& parameters, const Rows& rows,
                             const Repeats& repeats, std::size_t n_copies, std::uint64_t seed,
                             bool is_systematic, std::size_t n_threads) {
    check(circuit, parameters, rows);
    if (repeats.size() != rows.shape(0)) throw nb::value_error("one number among equal rows for each");
    const std::size_t size = n_copies * rows.size();
    auto out = std::make_unique_for_overwrite<std::uint8_t[]>(size);
    const ldag::Drawing drawing{n_copies, seed, is_systematic, {repeats.data(), repeats.size()}};
    run(circuit, n_copies * rows.shape(0), n_threads, [&](const ldag::Running& running) {
        return ldag::draw_completions(circuit, {parameters.data(), parameters.size()},
                                      {rows.data(), rows.size()}, drawing, {out.get(), size}, running);
    });
    return owned<Completions>(std::move(out), {n_copies, rows.shape(0), rows.shape(1)});
}

std::uint64_t row_key(std::uint64_t seed, const Rows& row, std::uint32_t repeat) {
    return ldag::row_key(seed, {row.data(), row.size()}, repeat);
}

}  // namespace

void register_completing(nb::module_& module) {
    module.def("expected_counts", &expected_counts, nb::arg("circuit"), nb::arg("parameters"),
               nb::arg("rows"), nb::arg("weights"), nb::arg("n_threads"));
    module.def("draw_completions", &draw_completions, nb::arg("circuit"), nb::arg("parameters"),
               nb::arg("rows"), nb::arg("repeats"), nb::arg("n_copies"), nb::arg("seed"),
               nb::arg("is_systematic"), nb::arg("n_threads"));
    module.def("row_key", &row_key, nb::arg("seed"), nb::arg("row"), nb::arg("repeat"));
}
