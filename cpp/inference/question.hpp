// What a question to sums over tables is about: the families that matter, and an order of elimination.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "inference/elimination.hpp"
#include "inference/sums.hpp"

namespace ldag {

inline bool is_seen(const Findings& findings, std::uint32_t node) {
    return findings.seen[node] != Findings::kUnseen;
}

// When nodes are taken out of the product: some are summed out first, others maximised then, or kept.
inline constexpr std::uint8_t kSummed = 1;
inline constexpr std::uint8_t kMaximised = 2;
inline constexpr std::uint8_t kKept = EliminationTask::kKept;

// It depends on which nodes are seen, not on their states.
struct Question {
    std::vector<std::uint32_t> families;  // that matter, with a member that was not seen
    std::vector<std::uint32_t> settled;   // the same, all members of which were seen
    std::vector<std::uint8_t> stages;     // by node
    Elimination elimination;
};

// Families that findings separate from the targets and that no finding can contradict, as they have no zeros,
// are left out where only the posterior is asked for. Parts that nothing connects get orders of their own.
Question make_question(const SumsNetwork& network, const Findings& findings,
                       std::span<const std::uint32_t> targets, std::uint8_t targets_stage,
                       bool only_posterior, const SumsLimits& limits);

}  // namespace ldag
