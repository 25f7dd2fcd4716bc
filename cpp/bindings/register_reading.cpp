#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>

#include "reading/text_table.hpp"
#include "register.hpp"

namespace nb = nanobind;

namespace {

using ldag::TextFault;
using ldag::TextTable;
using Fault = std::tuple<std::string, std::size_t, std::size_t>;

std::string name_of(TextFault::Kind kind) {
    switch (kind) {
        case TextFault::Kind::width:
            return "width";
        case TextFault::Kind::quotes:
            return "quotes";
        default:
            return "length";
    }
}

std::optional<Fault> feed(TextTable& table, const nb::bytes& bytes, bool is_last) {
    const std::string_view text(bytes.c_str(), bytes.size());
    const nb::gil_scoped_release unlocked;
    const std::optional<TextFault> fault = table.feed(text, is_last);
    if (!fault) return std::nullopt;
    return Fault{name_of(fault->kind), fault->line, fault->n_cells};
}

// The cells as they lie, without a copy.
nb::object cells(const nb::object& self, std::size_t place) {
    const auto& column = nb::cast<const TextTable&>(self).column(place);
    return std::visit(
        [&](const auto& values) {
            using Value = typename std::decay_t<decltype(values)>::value_type;
            return nb::cast(
                nb::ndarray<nb::numpy, const Value, nb::ndim<1>>(values.data(), {values.size()}, self));
        },
        column.cells());
}

nb::list texts(const TextTable& table, std::size_t place) {
    nb::list result;
    const ldag::Dictionary& texts = table.column(place).texts();
    for (std::size_t number = 0; number < texts.size(); ++number) {
        const std::string_view text = texts[number];
        result.append(nb::str(text.data(), text.size()));
    }
    return result;
}

nb::object times(const nb::object& self) {
    const auto& table = nb::cast<const TextTable&>(self);
    return nb::cast(nb::ndarray<nb::numpy, const std::int64_t, nb::ndim<1>>(table.times().data(),
                                                                            {table.times().size()}, self));
}

void construct(TextTable* self, std::size_t n_columns, const std::string& decimal, bool merging) {
    if (n_columns == 0 || decimal.size() > 1) throw nb::value_error("expected columns and at most one sign");
    new (self) TextTable(n_columns, decimal.empty() ? '\0' : decimal[0], merging);
}

}  // namespace

void register_reading(nb::module_& module) {
    nb::class_<TextTable>(module, "TextTable", "Text files of cells, read part by part.")
        .def("__init__", &construct, nb::arg("n_columns"), nb::arg("decimal"), nb::arg("merging"))
        .def("start", &TextTable::start, nb::arg("separator"), nb::arg("has_header"), "Begin a file.")
        .def("feed", &feed, nb::arg("part"), nb::arg("is_last"),
             "Read on; returns what is wrong, the line and its number of cells, if anything is.")
        .def("cells", &cells, nb::arg("place"),
             "What kept rows have in a column: numbers of texts, or numbers.")
        .def("texts", &texts, nb::arg("place"), "The texts of a column.")
        .def_prop_ro("times", &times, "How often kept rows occur, those beyond its end once.")
        .def_prop_ro("n_rows", &TextTable::n_rows)
        .def_prop_ro("n_kept", &TextTable::n_kept);
}
