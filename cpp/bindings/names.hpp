// The names Python uses for the native choices.
#pragma once

#include <string>

#include "families/family.hpp"
#include "scoring/scorer.hpp"

ldag::StructureKind structure_of(const std::string& name);
ldag::LabelSearch search_of(const std::string& name);
