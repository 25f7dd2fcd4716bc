// How large a circuit will be, from an order of elimination and the classes of the families, before any work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/combinations.hpp"
#include "inference/compile.hpp"
#include "inference/remainders.hpp"

namespace ldag {

// Summing out one variable, after those that are gone.
struct StepCost {
    std::vector<std::uint32_t> cut;  // the variables that what is summed depends on, ascending
    double n_sums = 0.0;             // for different contexts of these
    double n_products = 0.0;         // of two factors, in all of the sums
};

// When a variable is summed out, what was given a state before it matters only by what is left of each family
// then, and only of those families that still hang together with the variable. So there are as many different
// sums as combinations of what can be left of them.
class OrderCosts {
  public:
    // The network must outlive it. With care, more contexts are drawn where there are many.
    explicit OrderCosts(const NetworkShape& network, bool with_care = false);

    // `is_gone` tells of every node whether it is summed out before.
    StepCost step(std::uint32_t node, const std::vector<bool>& is_gone);

    // Numbers that were worked out so far.
    std::size_t work() const { return work_; }
    // Cells of all families.
    std::size_t n_cells() const { return n_cells_; }
    void add_work(std::size_t more) { work_ += more; }

  private:
    // The families that hang together with a variable through those that are gone.
    struct Around {
        std::vector<std::uint32_t> families;
        std::vector<std::uint32_t> cut;
        std::size_t n_factors = 0;  // of each product: families that end here, and what was summed before
    };
    Around look_around(std::uint32_t node, const std::vector<bool>& is_gone);
    void look_below(std::uint32_t family, const std::vector<bool>& is_gone, Around& around);
    LeftFamily left_of(std::uint32_t family, std::uint64_t set);
    std::uint64_t members_in_cut(std::uint32_t family) const;
    void join_groups(std::span<const std::uint32_t> families);
    void add_groups(std::uint32_t node, std::span<const std::uint32_t> kept, std::vector<LeftFamily>& left);
    std::vector<LeftFamily> find_outside(std::span<const std::uint32_t> cut);
    std::uint32_t leader_of(std::uint32_t node);
    std::span<const std::uint8_t> drawn(std::uint32_t node);
    void forget_some();
    const Remainders& given(std::uint32_t family, std::uint64_t set);

    const NetworkShape& network_;
    std::size_t n_drawn_;
    std::vector<FamilyRemainders> families_;
    std::vector<std::vector<std::uint32_t>> families_of_;  // by node: the families that it is in
    std::vector<std::vector<std::uint8_t>> drawn_;         // by node: states in the contexts drawn
    std::vector<std::uint32_t> family_seen_;               // by family: the last step that met it
    std::vector<std::uint32_t> node_seen_;                 // by node: the last step that met it below
    std::vector<std::uint32_t> place_in_cut_;              // by node, or kNowhere
    std::vector<std::uint32_t> leader_;                    // by node below: one that it hangs together with
    std::uint32_t n_steps_ = 0;
    std::size_t work_ = 0;
    std::size_t n_cells_ = 0;
    std::size_t n_kept_ = 0;  // numbers of what is left that can be forgotten
};

}  // namespace ldag
