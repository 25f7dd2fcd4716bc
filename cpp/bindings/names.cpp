#include "names.hpp"

#include <nanobind/nanobind.h>

#include <array>
#include <string>
#include <utility>

namespace nb = nanobind;

namespace {

constexpr std::array kSearches{std::pair{"greedy", ldag::LabelSearch::greedy},
                               std::pair{"refined", ldag::LabelSearch::refined},
                               std::pair{"exact", ldag::LabelSearch::exact}};

// The one of this name, refusing others; name_of tells each one's.
template <class Known, class NameOf>
const auto& find_named(const std::string& name, const Known& known, NameOf name_of) {
    std::string expected;
    for (const auto& one : known) {
        if (name == name_of(one)) return one;
        expected += (expected.empty() ? "" : ", ") + std::string(name_of(one));
    }
    throw nb::value_error(("expected one of " + expected + ", got " + name).c_str());
}

}  // namespace

const ldag::Structure& structure_of(const std::string& name) {
    return find_named(name, ldag::kStructures, [](const auto& structure) { return structure.name; });
}

ldag::LabelSearch search_of(const std::string& name) {
    return find_named(name, kSearches, [](const auto& search) { return search.first; }).second;
}
