// The open joins of a greedy search. Those that touch the same classes (and as many cells that no row ever
// visits) gain the same: they are kept in one bundle, with one gain. What a class has around it is then as
// many bundles as it has neighbours, however many cells it holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "families/joins.hpp"

namespace ldag {

class Bundles {
  public:
    using Bundle = std::uint32_t;
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    static constexpr double kNever = -std::numeric_limits<double>::infinity();

    // Takes all joins out; from now on they have numbers below n_joins.
    void clear(std::size_t n_joins);

    Bundle make();  // without joins or gain
    std::size_t size() const { return roots_.size(); }

    // Puts a join into a bundle, out of the one it was in.
    void put(Bundle bundle, const Join& join);
    void remove(std::uint32_t number) { node_of_[number] = kNone; }
    bool has(std::uint32_t number) const { return node_of_[number] != kNone; }

    // Moves all joins of `other` to a bundle; `other` never gains again.
    void unite(Bundle bundle, Bundle other);

    // The join of a bundle with the lowest number, null if it has none.
    const Join* first(Bundle bundle);

    double gain(Bundle bundle) const { return gains_[bundle]; }
    void set_gain(Bundle bundle, double gain);

    // The lowest bundle with the largest gain; kNone if there are no bundles.
    Bundle best();

    // Calls visit(bundle) for every bundle with at least this gain, once best() has been asked for.
    template <class Visit>
    void for_each_from(double least, Visit visit) const {
        for (std::size_t block = 0; block < best_.size(); ++block) {
            if (best_[block] < least) continue;
            const std::size_t end = block * kBlock + kBlock < size() ? block * kBlock + kBlock : size();
            for (std::size_t bundle = block * kBlock; bundle < end; ++bundle)
                if (gains_[bundle] >= least) visit(static_cast<Bundle>(bundle));
        }
    }

  private:
    // A pairing heap, by number. A node whose join was put elsewhere since stays until it comes first.
    struct Node {
        Join join;
        std::uint32_t child;
        std::uint32_t sibling;
    };
    static constexpr std::size_t kBlock = 32;

    std::uint32_t link(std::uint32_t a, std::uint32_t b);
    std::uint32_t without_first(std::uint32_t root);

    std::vector<Node> nodes_;
    std::vector<std::uint32_t> node_of_;  // by number of a join; kNone: in no bundle
    std::vector<std::uint32_t> roots_;    // by bundle
    std::vector<double> gains_;
    std::vector<double> best_;  // by block of bundles, unless stale
    std::vector<std::uint8_t> stale_;
};

}  // namespace ldag
