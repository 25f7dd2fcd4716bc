// How many combinations there are of what can be left of some families, over all states of some variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "inference/remainders.hpp"

namespace ldag {

// Contexts that are drawn where there are too many to be listed: at most, as few as show how many
// combinations there are at least; or more of them, for a number that is nearer to the truth.
inline constexpr std::size_t kMostDrawn = std::size_t{1} << 14;
inline constexpr std::size_t kMostDrawnWithCare = std::size_t{1} << 18;

// A family some of whose members are among the variables.
struct LeftFamily {
    const Remainders* left;              // when these members have states
    std::vector<std::uint32_t> places;   // of these members among the variables
    std::vector<std::uint32_t> strides;  // of these members in the numbers that are left
    // By number that is left: groups of nodes that it connects, as bits. A family counts only where it is
    // connected to the first group. Empty: it always is.
    std::vector<std::uint64_t> groups;
};

struct CombinationTask {
    std::vector<std::uint32_t> n_states;  // of the variables
    std::vector<LeftFamily> families;
    std::vector<LeftFamily> outside;  // others: a context in which one of them is zero does not come about
    // States of a variable in `n_drawn` contexts, all equally likely.
    std::function<std::span<const std::uint8_t>(std::size_t)> drawn;
    std::size_t n_drawn = kMostDrawn;
};

// Exact where there are few contexts, which are listed; otherwise contexts are drawn, and the number follows
// from how many combinations came once and twice (Chao, 1984), and from how that grew with the contexts.
// With care, more are drawn until most were seen. Where they hardly repeat, there are as many as states, or
// as what is left of each family allows. Adds the numbers it worked out to `work`.
double count_combinations(const CombinationTask& task, std::size_t& work);

}  // namespace ldag
