#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "ldag/counts.hpp"
#include "register.hpp"

namespace nb = nanobind;

namespace {

using Codes = nb::ndarray<const ldag::Code, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// The chosen columns, in order: parents first, the node last.
std::vector<ldag::Column> choose(const Codes& codes, const std::vector<std::size_t>& variables,
                                 const std::vector<std::size_t>& n_states) {
    std::vector<ldag::Column> columns;
    for (std::size_t i = 0; i < variables.size(); ++i) {
        if (variables[i] >= codes.shape(0)) throw nb::index_error("no such column");
        columns.push_back({codes.data() + variables[i] * codes.shape(1), n_states[i]});
    }
    return columns;
}

template <class Weight>
Table<Weight> counts(const Codes& codes, const std::vector<std::size_t>& variables,
                     const std::vector<std::size_t>& n_states, const std::optional<Vector<Weight>>& weights) {
    if (variables.size() != n_states.size()) throw nb::value_error("one number of states per column");
    if (weights && weights->size() != codes.shape(1)) throw nb::value_error("one weight per row");
    const std::vector<ldag::Column> columns = choose(codes, variables, n_states);
    const std::size_t size = ldag::table_size(columns);
    auto table = std::make_unique<Weight[]>(size);
    {
        nb::gil_scoped_release unlocked;
        std::span<const Weight> row_weights;
        if (weights) row_weights = {weights->data(), weights->size()};
        ldag::add_counts<Weight>(columns, codes.shape(1), row_weights, {table.get(), size});
    }
    nb::capsule owner(table.get(), [](void* data) noexcept { delete[] static_cast<Weight*>(data); });
    return Table<Weight>(table.release(), {size}, owner);
}

}  // namespace

void register_counts(nb::module_& module) {
    module.def("counts", &counts<std::int64_t>, nb::arg("codes"), nb::arg("variables"), nb::arg("n_states"),
               nb::arg("weights").none() = nb::none(),
               "Whole-number counts of the configurations of some columns, the last column fastest.");
    module.def("weighted_counts", &counts<double>, nb::arg("codes"), nb::arg("variables"),
               nb::arg("n_states"), nb::arg("weights").none() = nb::none(),
               "The same with real weights.");
}
