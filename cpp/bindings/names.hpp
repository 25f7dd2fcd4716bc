// The names Python uses for the native choices.
#pragma once

#include <string>

#include "families/structures.hpp"

const ldag::Structure& structure_of(const std::string& name);
ldag::LabelSearch search_of(const std::string& name);
