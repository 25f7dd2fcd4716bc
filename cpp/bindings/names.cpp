#include "names.hpp"

#include <nanobind/nanobind.h>

#include <array>
#include <string>
#include <utility>

namespace nb = nanobind;

namespace {

template <class Kind, std::size_t N>
Kind kind_of(const std::string& name, const std::array<std::pair<const char*, Kind>, N>& known) {
    std::string expected;
    for (const auto& [spelling, kind] : known) {
        if (name == spelling) return kind;
        expected += std::string(expected.empty() ? "" : ", ") + spelling;
    }
    throw nb::value_error(("expected one of " + expected + ", got " + name).c_str());
}

}  // namespace

ldag::StructureKind structure_of(const std::string& name) {
    using enum ldag::StructureKind;
    return kind_of<ldag::StructureKind, 5>(
        name, {{{"table", table}, {"tree", tree}, {"ldag", ldag}, {"partial", partial}, {"graph", graph}}});
}

ldag::LabelSearch search_of(const std::string& name) {
    using enum ldag::LabelSearch;
    return kind_of<ldag::LabelSearch, 3>(name,
                                         {{{"greedy", greedy}, {"refined", refined}, {"exact", exact}}});
}
