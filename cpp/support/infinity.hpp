// The logarithm of nothing: also the score of what may not be.
#pragma once

#include <limits>

namespace ldag {

inline constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

}  // namespace ldag
