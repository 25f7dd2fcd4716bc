#include <Python.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "class_maps.hpp"
#include "inference/class_map.hpp"
#include "inference/sample.hpp"
#include "register.hpp"

namespace nb = nanobind;

namespace {

using Probabilities = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Parents = std::vector<std::vector<std::size_t>>;
using Fixed = std::vector<std::optional<std::uint8_t>>;
using Codes = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<2>>;
using Given = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using ClassesOfRows = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>;
using LogWeights = nb::ndarray<nb::numpy, double, nb::ndim<1>>;

ldag::SampledNode node_of(const std::vector<std::size_t>& parents, ldag::ClassMap classes,
                          const Probabilities& probabilities, std::optional<std::uint8_t> fixed) {
    const auto known = [&](std::int32_t number) {
        return number >= 0 && static_cast<std::size_t>(number) < probabilities.shape(0);
    };
    if (!std::ranges::all_of(classes.listed(), known))
        throw nb::value_error("expected a row of probabilities per class");
    const std::size_t n_states = probabilities.shape(1);
    if (n_states < 1 || n_states > 255) throw nb::value_error("expected 1 to 255 states");
    if (fixed && *fixed >= n_states) throw nb::value_error("no such state is fixed");
    return {parents, n_states, std::move(classes), {probabilities.data(), probabilities.size()}, fixed};
}

// Refuses an order that is not one of all nodes with parents first, and classes that do not fit the parents.
void check(const std::vector<ldag::SampledNode>& nodes, const std::vector<std::size_t>& order) {
    std::vector<bool> done(nodes.size(), false);
    for (const std::size_t node : order) {
        if (node >= nodes.size() || done[node]) throw nb::value_error("the order must have every node once");
        std::size_t n_configurations = 1;
        for (const std::size_t parent : nodes[node].parents) {
            if (parent >= nodes.size() || !done[parent]) throw nb::value_error("parents must come first");
            if (nodes[node].classes.is_tree()) continue;
            if (n_configurations > std::numeric_limits<std::size_t>::max() / nodes[parent].n_states)
                throw nb::value_error("the grid does not fit");
            n_configurations *= nodes[parent].n_states;
        }
        if (!nodes[node].classes.is_tree() && nodes[node].classes.listed().size() != n_configurations)
            throw nb::value_error("expected one class per configuration");
        done[node] = true;
    }
    if (order.size() != nodes.size()) throw nb::value_error("the order must have every node once");
}

template <class T>
nb::capsule owner_of(std::unique_ptr<T[]>& values) {
    return nb::capsule(values.get(), [](void* data) noexcept { delete[] static_cast<T*>(data); });
}

std::pair<Codes, LogWeights> sample(const Parents& parents, const std::vector<FamilyClasses>& classes,
                                    const std::vector<Probabilities>& probabilities, const Fixed& fixed,
                                    const std::vector<std::size_t>& order, std::size_t n_rows,
                                    std::uint64_t seed, std::size_t n_threads, bool weighted) {
    const std::size_t n = parents.size();
    if (classes.size() != n || probabilities.size() != n || fixed.size() != n)
        throw nb::value_error("expected parents, classes, probabilities and fixed of every node");
    std::vector<std::uint32_t> n_states;
    for (const Probabilities& table : probabilities)
        n_states.push_back(static_cast<std::uint32_t>(table.shape(1)));
    std::vector<ldag::SampledNode> nodes;
    for (std::size_t node = 0; node < n; ++node) {
        ldag::ClassMap own =
            class_map_of(classes[node], states_of(parents[node], n_states), probabilities[node].shape(0));
        nodes.push_back(node_of(parents[node], std::move(own), probabilities[node], fixed[node]));
    }
    check(nodes, order);
    const std::size_t n_weights = weighted ? n_rows : 0;
    auto codes = std::make_unique_for_overwrite<std::uint8_t[]>(n * n_rows);
    auto weights = std::make_unique_for_overwrite<double[]>(n_weights);
    bool interrupted = false;
    {
        const nb::gil_scoped_release unlocked;
        ldag::sample_rows(nodes, order, n_rows, seed, n_threads, {codes.get(), n * n_rows},
                          {weights.get(), n_weights}, [&] {
                              const nb::gil_scoped_acquire locked;
                              interrupted = interrupted || PyErr_CheckSignals() != 0;
                              return interrupted;
                          });
    }
    if (interrupted) throw nb::python_error();
    const nb::capsule codes_owner = owner_of(codes);
    const nb::capsule weights_owner = owner_of(weights);
    return {Codes(codes.release(), {n, n_rows}, codes_owner),
            LogWeights(weights.release(), {n_weights}, weights_owner)};
}

// The class of every row by a tree; codes have a row for each of the parents.
ClassesOfRows classes_of_rows(const TreeNumbers& tree, const std::vector<std::uint32_t>& n_states,
                              const Given& codes, std::size_t n_threads) {
    if (codes.shape(0) != n_states.size()) throw nb::value_error("expected a row of codes per parent");
    const ldag::ClassMap classes = class_map_of(tree, n_states, std::numeric_limits<std::int32_t>::max());
    const std::size_t n_rows = codes.shape(1);
    auto numbers = std::make_unique_for_overwrite<std::int32_t[]>(n_rows);
    bool is_known = true;
    {
        const nb::gil_scoped_release unlocked;
        std::vector<const std::uint8_t*> columns;
        for (std::size_t axis = 0; axis < n_states.size(); ++axis) {
            columns.push_back(codes.data() + axis * n_rows);
            std::uint8_t most = 0;
            for (std::size_t row = 0; row < n_rows; ++row) most = std::max(most, columns[axis][row]);
            is_known = is_known && (n_rows == 0 || most < n_states[axis]);
        }
        if (is_known) ldag::find_classes(classes, columns, {numbers.get(), n_rows}, n_threads);
    }
    if (!is_known) throw nb::value_error("a code is no state");
    const nb::capsule owner = owner_of(numbers);
    return ClassesOfRows(numbers.release(), {n_rows}, owner);
}

}  // namespace

void register_sample(nb::module_& module) {
    module.def("sample_rows", &sample, nb::arg("parents"), nb::arg("classes"), nb::arg("probabilities"),
               nb::arg("fixed"), nb::arg("order"), nb::arg("n_rows"), nb::arg("seed"), nb::arg("n_threads"),
               nb::arg("weighted"),
               "Rows drawn from a network, a row of codes per node, and the log weights of what is fixed.");
    module.def("classes_of_rows", &classes_of_rows, nb::arg("tree"), nb::arg("n_states"), nb::arg("codes"),
               nb::arg("n_threads"), "The class of every row by a tree; codes have a row for each parent.");
}
