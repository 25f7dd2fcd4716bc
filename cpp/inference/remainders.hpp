// What is left of a family once some of its members have states: labels leave fewer functions than there are
// states.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "inference/compile.hpp"

namespace ldag {

// The functions that can be left, equal ones alike, when certain members have states.
struct Remainders {
    static constexpr std::uint32_t kNone = 0xffffffff;

    std::vector<std::uint32_t> numbers;  // by states of these members, the last fastest: which one is left
    std::vector<std::uint64_t> depends;  // by number: the other members that it depends on, as bits
    std::uint32_t impossible = kNone;    // the number of the function that is zero everywhere
    bool is_plain = false;               // all differ, none is zero, and all depend on the same members
};

class FamilyRemainders {
  public:
    FamilyRemainders(const NetworkShape& network, std::uint32_t node);

    // The members whose states are not known for good, at most 64; sets of them are bits in this order.
    const std::vector<std::uint32_t>& members() const { return members_; }
    std::uint64_t all() const { return all_; }
    // What can be left when these have states. The reference holds until the next call of forget().
    const Remainders& given(std::uint64_t set);

    // Numbers that were worked out, ever.
    std::size_t n_made() const { return n_made_; }
    // Forgets what was worked out.
    void forget();

  private:
    Remainders joined(const Remainders& more, std::uint64_t set, std::size_t axis) const;
    void add(std::uint64_t set, Remainders made);

    std::vector<std::uint32_t> members_;
    std::vector<std::uint32_t> n_states_;  // by member
    std::uint64_t all_ = 0;
    std::unordered_map<std::uint64_t, Remainders> known_;
    std::size_t n_made_ = 0;
};

}  // namespace ldag
