// How a product of diagrams comes apart while its variables are given states, topmost first.
//
// Which variables are left of a factor depends on the states that were given: labels make variables vanish.
// So there is no one tree of parts, but there are few: a part is a set of factors with the variables left in
// each, and what it splits into depends on the variables that are left then. Each split is worked out once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/diagram.hpp"

namespace ldag {

class Decomposition {
  public:
    // Factors that hang together, none of them a leaf.
    struct Part {
        std::uint32_t level = 0;             // its topmost variable
        std::vector<std::uint32_t> factors;  // ascending
        std::vector<std::uint32_t> left;     // the variables left in each, as a set by number
        std::vector<std::uint32_t> cut;      // factors of which something has been taken away
        std::vector<std::uint32_t> having;   // factors that depend on the topmost variable
    };

    Decomposition(const Diagram& diagram, std::span<const Ref> factors);

    const Part& operator[](std::uint32_t part) const { return parts_[part]; }
    // The parts of the product of all factors.
    const std::vector<std::uint32_t>& whole() const { return whole_; }
    // The number of the split that a part comes to when its topmost variable has got a state; `current` is
    // what is left of each factor.
    std::uint32_t split(std::uint32_t part, std::span<const Ref> current);
    const std::vector<std::uint32_t>& parts_of(std::uint32_t split) const { return splits_[split]; }

  private:
    void find_sets();
    std::uint32_t set_number(const std::vector<std::uint32_t>& levels);
    std::uint32_t part_number(Part part);
    std::vector<std::uint32_t> separate(std::span<const std::uint32_t> factors,
                                        std::span<const std::uint32_t> left);
    std::uint32_t leader_of(std::uint32_t place);
    std::uint32_t left_of(Ref ref) const { return is_leaf(ref) ? 0 : set_of_[ref]; }

    const Diagram& diagram_;
    std::vector<std::uint32_t> set_of_;             // by node of the diagram: the variables at and below it
    std::vector<std::vector<std::uint32_t>> sets_;  // levels, ascending; the first is empty
    NumberTable set_table_;
    std::vector<std::uint32_t> all_left_;  // of each factor when nothing has a state yet
    std::vector<Part> parts_;
    NumberTable part_table_;
    std::vector<std::uint32_t> whole_;
    std::vector<std::vector<std::uint32_t>> splits_;
    std::vector<std::uint32_t> keys_;  // of the splits: the part, the variables left
    std::vector<std::uint64_t> first_ = {0};
    NumberTable split_table_;
    std::vector<std::uint32_t> leader_;  // for separate(), by place in the list
    std::vector<std::uint32_t> owner_;   // by level: a place that has it
};

}  // namespace ldag
