// Labels that the edges of a node must have exactly: rules about variables, and the lines of a grid that they
// amount to. "No label" is a rule without contexts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "support/grid.hpp"

namespace ldag {

struct Assignment {
    std::uint32_t variable;
    std::uint32_t state;
};
using Context = std::vector<Assignment>;  // a variable that is not named may have any state

// If `parent` is a parent of the node, the label on its edge is the configurations of the other parents that
// agree with one of the contexts, no more and no less.
struct LabelRule {
    std::uint32_t parent;
    std::vector<Context> contexts;
};
using LabelRules = std::vector<LabelRule>;  // of one node

// By axis of a grid: empty where the label is free, else for every line whether the label holds it. All
// empty: no axis at all.
using FixedLabels = std::vector<std::vector<std::uint8_t>>;

// The rules of a node for these parents. A context that names a variable which is not among them is left out:
// searches ask for such families only to compare single parents, since what rules name is required.
FixedLabels fixed_labels(const LabelRules& rules, std::span<const std::uint32_t> parents, const Grid& grid);

// The finest partition in which the lines of all fixed labels lie inside classes, by the lowest cell of each
// class. Every partition that the rules allow is this one or coarser, and what a coarser one has inside its
// classes only grows; so if this one breaks a rule or is not regular, all do.
std::vector<std::int32_t> finest_classes(const FixedLabels& fixed, const Grid& grid);

}  // namespace ldag
