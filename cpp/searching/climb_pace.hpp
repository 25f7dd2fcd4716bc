// How much work follows the first climb.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "searching/search.hpp"

namespace ldag::climb {

// Nodes close to each node of many: families of several parents of which none gains alone are looked for
// there. With 12, some of them are missed.
inline constexpr std::size_t kClose = 16;

// Searches over orders at a time that all begin at random: with fewer, seeds differ by more, and more take
// longer than all before.
inline constexpr std::size_t kAfresh = 5;

// Where the first climb took as long as usual, what follows depends on how long that was. Where it took
// longer, because families are very large, the rest does not take longer for it.
class Pace {
  public:
    Pace(const SearchSpace& space, const ClimbOptions& options);

    // Climbs of one chain in one round, and of all chains.
    std::uint64_t per_chain(const ClimbState& state) const;
    std::uint64_t per_round(const ClimbState& state) const { return kClimbChains * per_chain(state); }

    // Those of all rounds. Each takes longer with large families, and there are more families to go through.
    std::uint64_t n_restarts(const ClimbState& state) const {
        return options_.patience == 0 ? options_.n_restarts
                                      : std::min(slowed(slowed(options_.n_restarts, state), state),
                                                 most_rounds(state) * per_round(state));
    }

    // Whether families are put together anew before the first round. Where labels are nearly free, graphs are
    // dense: nodes may need very many families, and restarts find more in the time that it would take.
    bool settles(const ClimbState& state) const;

    // The work that looking around graphs may take, and that for one node at a time.
    std::uint64_t most_around(const ClimbState& state) const;
    std::uint64_t most_of_one(const ClimbState& state) const;

    // Kicks of each search from an order at random through a pool of so many sets; none of small graphs.
    std::size_t kicks_afresh(std::size_t n_sets, const ClimbState& state) const;

    // Whether what a round gained is worth another one. Of large graphs, which take long, that is a share of
    // the score: what is less hardly changes how well rows are predicted.
    bool is_worthwhile(double gain, const ClimbState& state) const;

    // Whether enough rounds have brought nothing better. More of them are made where they cost little beside
    // the first climb. Orders at random that lead to the best graph again and again end it sooner.
    bool has_lost_patience(const ClimbState& state, std::size_t n_rows) const;

  private:
    // Rounds that are made however much they gain. Where labels are nearly free, they go on gaining while
    // each takes about as long as the way from the first climb to them.
    std::uint64_t most_rounds(const ClimbState& state) const;
    std::uint64_t first(const ClimbState& state) const;
    std::uint64_t slowed(std::uint64_t n, const ClimbState& state) const;

    const ClimbOptions& options_;
    std::size_t n_nodes_;
    std::uint64_t usual_ = 0;  // work of a first climb
};

}  // namespace ldag::climb
