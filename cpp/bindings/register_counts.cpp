#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "counting/columns.hpp"
#include "register.hpp"

namespace nb = nanobind;

namespace {

using ldag::Columns;
using Codes = nb::ndarray<const ldag::Code, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

void construct(Columns* self, const Codes& codes, std::vector<std::size_t> n_states,
               const ldag::RowWeights& weights, bool available) {
    if (codes.shape(0) != n_states.size()) throw nb::value_error("expected one number of states per column");
    const nb::gil_scoped_release unlocked;
    new (self) Columns({codes.data(), codes.size()}, codes.shape(1), std::move(n_states), weights,
                       available ? ldag::Gaps::available : ldag::Gaps::refused);
}

void construct_whole(Columns* self, const Codes& codes, std::vector<std::size_t> n_states,
                     const std::optional<Vector<std::int64_t>>& weights, bool available) {
    ldag::RowWeights whole;
    if (weights) whole = std::span(weights->data(), weights->size());
    construct(self, codes, std::move(n_states), whole, available);
}

void construct_real(Columns* self, const Codes& codes, std::vector<std::size_t> n_states,
                    const Vector<double>& weights, bool available) {
    construct(self, codes, std::move(n_states), std::span(weights.data(), weights.size()), available);
}

// Hands the table over to Python without a copy.
template <class Sum>
nb::object count(const Columns& columns, const std::vector<std::size_t>& variables) {
    auto table = std::make_unique<std::vector<Sum>>();
    {
        const nb::gil_scoped_release unlocked;
        columns.counts(variables, *table);
    }
    nb::capsule owner(table.get(), [](void* data) noexcept { delete static_cast<std::vector<Sum>*>(data); });
    std::vector<Sum>& owned = *table.release();
    return nb::cast(Table<Sum>(owned.data(), {owned.size()}, owner));
}

nb::object counts(const Columns& columns, const std::vector<std::size_t>& variables) {
    return columns.is_whole() ? count<std::int64_t>(columns, variables) : count<double>(columns, variables);
}

}  // namespace

void register_counts(nb::module_& module) {
    module.attr("MAX_STATES") = ldag::kMostStates;
    nb::class_<Columns>(module, "Columns",
                        "Encoded data, one row of codes per variable, that count families.")
        .def("__init__", &construct_whole, nb::arg("codes").noconvert(), nb::arg("n_states"),
             nb::arg("weights").noconvert().none() = nb::none(), nb::arg("available") = false)
        .def("__init__", &construct_real, nb::arg("codes").noconvert(), nb::arg("n_states"),
             nb::arg("weights").noconvert(), nb::arg("available") = false)
        .def("counts", &counts, nb::arg("variables"),
             "The table of some variables, the last one fastest: whole numbers unless weights are real. "
             "Available "
             "cases: of the rows without a gap there.");
}
