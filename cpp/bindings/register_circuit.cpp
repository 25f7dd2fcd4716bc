#include <Python.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "class_maps.hpp"
#include "inference/circuit.hpp"
#include "inference/compile.hpp"
#include "inference/elimination.hpp"
#include "inference/order_search.hpp"
#include "inference/parameters.hpp"
#include "register.hpp"

namespace nb = nanobind;

namespace {

using Numbers = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Parameters = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ClassTable = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<nb::numpy, double, nb::ndim<1>>;
using Matrix = nb::ndarray<nb::numpy, double, nb::ndim<2>>;
using Plain = nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>>;
using ParameterNumbers = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>>;
using Codes = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<2>>;

bool interrupted() {
    const nb::gil_scoped_acquire locked;
    return PyErr_CheckSignals() != 0;
}

// The shape of a network on the caller's arrays, which must outlive it.
ldag::NetworkShape shape_of(std::vector<std::uint32_t> n_states,
                            std::vector<std::vector<std::uint32_t>> parents,
                            const std::vector<FamilyClasses>& classes, const std::vector<Numbers>& parameters,
                            std::vector<std::uint8_t> fixed) {
    const std::size_t n = n_states.size();
    if (parents.size() != n || classes.size() != n || parameters.size() != n || fixed.size() != n)
        throw nb::value_error("expected parents, classes, parameters and a fixed state of every node");
    ldag::NetworkShape network{std::move(n_states), {}, std::move(fixed)};
    for (std::size_t node = 0; node < n; ++node) {
        const std::vector<std::uint32_t> above = states_of(parents[node], network.n_states);
        network.families.push_back(
            {std::move(parents[node]),
             class_map_of(classes[node], above, parameters[node].size() / network.n_states[node]),
             {parameters[node].data(), parameters[node].size()}});
    }
    return network;
}

template <class Array, class T>
Array owned(std::unique_ptr<T[]> values, std::initializer_list<std::size_t> shape) {
    nb::capsule owner(values.get(), [](void* data) noexcept { delete[] static_cast<T*>(data); });
    return Array(values.release(), shape, owner);
}

std::span<const std::uint8_t> rows_of(const ldag::Evaluator& evaluator, const Rows& rows) {
    if (rows.shape(1) != evaluator.circuit().n_states.size())
        throw nb::value_error("one state per node in each row");
    return {rows.data(), rows.size()};
}

// Evaluates without the interpreter's lock; Ctrl-C is an error here, as half an answer is of no use.
template <class Evaluate>
void evaluate(std::size_t n_threads, Evaluate call) {
    bool stopped = false;
    {
        const nb::gil_scoped_release unlocked;
        stopped = call(ldag::Running{n_threads, interrupted});
    }
    if (stopped || PyErr_Occurred()) nb::raise_python_error();  // a poll may come with the last row
}

Vector log_probabilities(const ldag::Evaluator& evaluator, const Rows& rows, std::size_t n_threads) {
    const std::size_t n_rows = rows.shape(0);
    const std::span<const std::uint8_t> states = rows_of(evaluator, rows);
    auto out = std::make_unique<double[]>(n_rows);
    evaluate(n_threads, [&](const ldag::Running& running) {
        return evaluator.log_probabilities(states, {out.get(), n_rows}, running);
    });
    return owned<Vector>(std::move(out), {n_rows});
}

std::pair<Vector, Matrix> marginals(const ldag::Evaluator& evaluator, const Rows& rows,
                                    std::size_t n_threads) {
    const std::size_t n_rows = rows.shape(0);
    const std::span<const std::uint8_t> states = rows_of(evaluator, rows);
    std::size_t width = 0;
    for (const std::uint32_t n : evaluator.circuit().n_states) width += n;
    auto logs = std::make_unique<double[]>(n_rows);
    auto out = std::make_unique<double[]>(n_rows * width);
    evaluate(n_threads, [&](const ldag::Running& running) {
        return evaluator.marginals(states, {logs.get(), n_rows}, {out.get(), n_rows * width}, running);
    });
    return {owned<Vector>(std::move(logs), {n_rows}), owned<Matrix>(std::move(out), {n_rows, width})};
}

std::pair<Codes, Vector> most_probable(const ldag::Evaluator& evaluator, const Rows& rows,
                                       std::size_t n_threads) {
    const std::size_t n_rows = rows.shape(0);
    const std::span<const std::uint8_t> states = rows_of(evaluator, rows);
    auto logs = std::make_unique<double[]>(n_rows);
    auto out = std::make_unique<std::uint8_t[]>(states.size());
    std::ranges::copy(states, out.get());
    evaluate(n_threads, [&](const ldag::Running& running) {
        return evaluator.most_probable(states, {out.get(), states.size()}, {logs.get(), n_rows}, running);
    });
    return {owned<Codes>(std::move(out), {n_rows, rows.shape(1)}), owned<Vector>(std::move(logs), {n_rows})};
}

Vector expected_uses(const ldag::Evaluator& evaluator, const Rows& row, std::size_t n_parameters) {
    const std::span<const std::uint8_t> states = rows_of(evaluator, row);
    if (row.shape(0) != 1) throw nb::value_error("one row of evidence");
    auto out = std::make_unique<double[]>(n_parameters);
    {
        const nb::gil_scoped_release unlocked;
        evaluator.expected_uses(states, {out.get(), n_parameters});
    }
    return owned<Vector>(std::move(out), {n_parameters});
}

Vector log_derivatives(const ldag::Evaluator& evaluator, const Rows& row, std::size_t n_parameters) {
    const std::span<const std::uint8_t> states = rows_of(evaluator, row);
    if (row.shape(0) != 1) throw nb::value_error("one row of evidence");
    auto out = std::make_unique<double[]>(n_parameters);
    {
        const nb::gil_scoped_release unlocked;
        evaluator.log_derivatives(states, {out.get(), n_parameters});
    }
    return owned<Vector>(std::move(out), {n_parameters});
}

// Numbers of one kind from every item of a list.
template <class Items, class Member>
Plain plain(const Items& items, Member member) {
    auto out = std::make_unique<std::uint32_t[]>(items.size());
    std::ranges::transform(items, out.get(), member);
    return owned<Plain>(std::move(out), {items.size()});
}

// Node, state and parameter of the inputs.
std::tuple<Plain, Plain, Plain> inputs_of(const ldag::Circuit& circuit) {
    return {plain(circuit.inputs, &ldag::Input::node), plain(circuit.inputs, &ldag::Input::state),
            plain(circuit.inputs, &ldag::Input::parameter)};
}

// Where the terms of each sum start, and the two factors of every term.
std::tuple<Plain, Plain, Plain> terms_of(const ldag::Circuit& circuit) {
    return {plain(circuit.first, std::identity()), plain(circuit.terms, &ldag::Factors::a),
            plain(circuit.terms, &ldag::Factors::b)};
}

// A circuit as copies and pickles hold it: the states of its nodes, and the memory of its inputs, of where
// sums start and of their terms, and the root.
using CircuitState = std::tuple<std::vector<std::uint32_t>, nb::bytes, nb::bytes, nb::bytes, ldag::Gate>;

template <class T>
nb::bytes bytes_of(const std::vector<T>& items) {
    return nb::bytes(items.data(), items.size() * sizeof(T));
}

template <class T>
std::vector<T> vector_of(const nb::bytes& bytes) {
    std::vector<T> items(bytes.size() / sizeof(T));
    if (!items.empty()) std::memcpy(items.data(), bytes.c_str(), items.size() * sizeof(T));
    return items;
}

CircuitState state_of(const ldag::Circuit& circuit) {
    return {circuit.n_states, bytes_of(circuit.inputs), bytes_of(circuit.first), bytes_of(circuit.terms),
            circuit.root};
}

void set_state(ldag::Circuit& circuit, const CircuitState& state) {
    const auto& [n_states, inputs, first, terms, root] = state;
    new (&circuit) ldag::Circuit{n_states, vector_of<ldag::Input>(inputs), vector_of<std::uint32_t>(first),
                                 vector_of<ldag::Factors>(terms), root};
}

// The different positive values of each column, and of every cell the number of its own, from `first` on.
std::pair<Vector, ParameterNumbers> number_values(const ClassTable& table, std::int32_t first) {
    auto numbers = std::make_unique<std::int32_t[]>(table.size());
    const std::vector<double> values = ldag::number_values({table.data(), table.size()}, table.shape(1),
                                                           first, {numbers.get(), table.size()});
    auto out = std::make_unique<double[]>(values.size());
    std::ranges::copy(values, out.get());
    return {owned<Vector>(std::move(out), {values.size()}),
            owned<ParameterNumbers>(std::move(numbers), {table.shape(0), table.shape(1)})};
}

// A circuit with values of its parameters.
void make_evaluator(ldag::Evaluator* self, std::shared_ptr<ldag::Circuit> circuit,
                    const Parameters& parameters) {
    for (const ldag::Input& input : circuit->inputs)
        if (input.parameter >= parameters.size()) throw nb::value_error("a parameter is missing");
    new (self)
        ldag::Evaluator(std::move(circuit), {parameters.data(), parameters.data() + parameters.size()});
}

// The circuit, or None with the variables of the step that made it too large, the eliminated one first.
std::pair<std::shared_ptr<ldag::Circuit>, std::vector<std::uint32_t>> compile_circuit(
    std::vector<std::uint32_t> n_states, std::vector<std::vector<std::uint32_t>> parents,
    const std::vector<FamilyClasses>& classes, const std::vector<Numbers>& parameters,
    std::vector<std::uint8_t> fixed, const std::vector<std::uint32_t>& order, std::size_t max_size) {
    const ldag::NetworkShape network =
        shape_of(std::move(n_states), std::move(parents), classes, parameters, std::move(fixed));
    std::pair<std::shared_ptr<ldag::Circuit>, std::vector<std::uint32_t>> result;
    bool stopped = false;
    {
        const nb::gil_scoped_release unlocked;
        try {
            result.first =
                std::make_shared<ldag::Circuit>(ldag::compile(network, order, {max_size, interrupted}));
        } catch (const ldag::CircuitTooLarge& error) {
            result.second = {error.node};
            for (const std::uint32_t node : error.scope)
                if (node != error.node) result.second.push_back(node);
        } catch (const ldag::CompileStopped&) {
            stopped = true;
        }
    }
    if (stopped) nb::raise_python_error();
    return result;
}

std::vector<std::vector<std::uint32_t>> elimination_orders(std::vector<std::uint32_t> n_states,
                                                           std::vector<std::vector<std::uint32_t>> parents,
                                                           std::vector<std::uint8_t> fixed,
                                                           std::size_t n_tries, std::uint64_t seed,
                                                           std::size_t n_best) {
    ldag::NetworkShape network{std::move(n_states), {}, std::move(fixed)};
    for (std::vector<std::uint32_t>& above : parents) network.families.push_back({std::move(above), {}, {}});
    try {
        const nb::gil_scoped_release unlocked;
        return ldag::elimination_orders(network, n_tries, seed, n_best, interrupted);
    } catch (const ldag::EliminationStopped&) {
        nb::raise_python_error();
    }
}

// How many products circuits will have, about, by orders that were made better from these, the best first,
// and the variables of the step with the most of them, the eliminated one first.
using EstimatedOrder = std::tuple<double, std::vector<std::uint32_t>, std::vector<std::uint32_t>>;
std::vector<EstimatedOrder> improve_orders(std::vector<std::uint32_t> n_states,
                                           std::vector<std::vector<std::uint32_t>> parents,
                                           const std::vector<FamilyClasses>& classes,
                                           const std::vector<Numbers>& parameters,
                                           std::vector<std::uint8_t> fixed,
                                           std::vector<std::vector<std::uint32_t>> orders, double effort,
                                           double largest) {
    const ldag::NetworkShape network =
        shape_of(std::move(n_states), std::move(parents), classes, parameters, std::move(fixed));
    std::vector<EstimatedOrder> result;
    try {
        const nb::gil_scoped_release unlocked;
        for (ldag::CircuitOrder& order :
             ldag::improve_orders(network, std::move(orders), {effort, largest}, interrupted)) {
            if (!order.order.empty()) order.cut.insert(order.cut.begin(), order.node);
            result.emplace_back(order.n_products, std::move(order.order), std::move(order.cut));
        }
    } catch (const ldag::EliminationStopped&) {
        nb::raise_python_error();
    }
    return result;
}

double count_products(std::vector<std::uint32_t> n_states, std::vector<std::vector<std::uint32_t>> parents,
                      const std::vector<FamilyClasses>& classes, const std::vector<Numbers>& parameters,
                      std::vector<std::uint8_t> fixed, const std::vector<std::uint32_t>& order) {
    const ldag::NetworkShape network =
        shape_of(std::move(n_states), std::move(parents), classes, parameters, std::move(fixed));
    try {
        const nb::gil_scoped_release unlocked;
        return ldag::count_products(network, order, interrupted);
    } catch (const ldag::EliminationStopped&) {
        nb::raise_python_error();
    }
}

}  // namespace

void register_circuit(nb::module_& module) {
    nb::class_<ldag::Circuit>(module, "Circuit", "A compiled network. Made by compile_circuit.")
        .def_prop_ro("n_gates", &ldag::Circuit::n_gates)
        .def_prop_ro("root", [](const ldag::Circuit& circuit) { return circuit.root; })
        .def_prop_ro("inputs", &inputs_of, nb::rv_policy::move)
        .def_prop_ro("terms", &terms_of, nb::rv_policy::move)
        .def_prop_ro("size", [](const ldag::Circuit& circuit) { return circuit.terms.size(); })
        .def("__getstate__", &state_of)
        .def("__setstate__", &set_state);
    nb::class_<ldag::Evaluator>(module, "Evaluator", "A circuit with values of its parameters.")
        .def("__init__", &make_evaluator, nb::arg("circuit"), nb::arg("parameters"))
        .def("log_probabilities", &log_probabilities, nb::arg("rows"), nb::arg("n_threads"))
        .def("marginals", &marginals, nb::arg("rows"), nb::arg("n_threads"))
        .def("most_probable", &most_probable, nb::arg("rows"), nb::arg("n_threads"))
        .def("expected_uses", &expected_uses, nb::arg("row"), nb::arg("n_parameters"))
        .def("log_derivatives", &log_derivatives, nb::arg("row"), nb::arg("n_parameters"));
    module.def("compile_circuit", &compile_circuit, nb::arg("n_states"), nb::arg("parents"),
               nb::arg("classes"), nb::arg("parameters"), nb::arg("fixed"), nb::arg("order"),
               nb::arg("max_size"));
    module.def("improve_orders", &improve_orders, nb::arg("n_states"), nb::arg("parents"), nb::arg("classes"),
               nb::arg("parameters"), nb::arg("fixed"), nb::arg("orders"), nb::arg("effort"),
               nb::arg("largest"));
    module.def("count_products", &count_products, nb::arg("n_states"), nb::arg("parents"), nb::arg("classes"),
               nb::arg("parameters"), nb::arg("fixed"), nb::arg("order"));
    module.def("number_values", &number_values, nb::arg("table"), nb::arg("first"));
    module.def("elimination_orders", &elimination_orders, nb::arg("n_states"), nb::arg("parents"),
               nb::arg("fixed"), nb::arg("n_tries"), nb::arg("seed"), nb::arg("n_best"));
}
