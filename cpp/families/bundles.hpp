// The open joins of a greedy search. Those that touch the same classes (and as many cells that no row ever
// visits) gain the same: they are kept in one bundle, with one gain. What a class has around it is then as
// many bundles as it has neighbours, however many cells it holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ldag {

class Bundles {
  public:
    using Bundle = std::uint32_t;
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    static constexpr double kNever = -std::numeric_limits<double>::infinity();

    // Takes all joins out; from now on they have numbers below n_joins.
    void clear(std::size_t n_joins);

    Bundle make();  // without joins or gain
    std::size_t size() const { return gains_.size(); }

    // Puts a join into a bundle, out of the one it was in.
    void put(Bundle bundle, std::uint32_t number);
    void remove(std::uint32_t number) { place_of_[number] = kNone; }
    bool has(std::uint32_t number) const { return place_of_[number] != kNone; }

    // Moves all joins of `other` to a bundle; `other` never gains again.
    void unite(Bundle bundle, Bundle other);

    // The number of some join of a bundle, and the lowest of all; kNone if it has none.
    std::uint32_t any(Bundle bundle);
    std::uint32_t first(Bundle bundle);

    double gain(Bundle bundle) const { return gains_[bundle]; }
    void set_gain(Bundle bundle, double gain);

    // The lowest bundle with the largest gain; kNone if there are no bundles.
    Bundle best();

    // Calls visit(bundle) for every bundle with at least this gain, in order, once best() has been asked for.
    template <class Visit>
    void for_each_from(double least, Visit visit) const {
        if (!gains_.empty()) visit_from(n_levels_, 0, least, visit);
    }

  private:
    // Few joins of a bundle are in a list, many are bits of a set. A join is where place_of_ says: at a node
    // of a list or, with kInSet, in a set or one that took that in. What it has left stays until it is met.
    struct Node {
        std::uint32_t number;
        std::uint32_t next;
    };
    struct Joined {
        std::uint32_t head = kNone;  // of its list
        std::uint32_t n = 0;         // nodes in it
        std::uint32_t set = kNone;
    };
    struct Set {
        std::vector<std::uint64_t> words;
        std::vector<std::uint64_t> used;  // the words that are not 0, as bits
        std::uint32_t taken_in_by = kNone;
    };
    static constexpr std::uint32_t kInSet = 1u << 31;
    // The largest of every few gains, of every few of these, and so on up to one; stale where they changed.
    struct Level {
        std::vector<double> best;
        std::vector<std::uint8_t> stale;
    };
    static constexpr std::size_t kBlock = 16;

    const std::vector<double>& below(std::size_t level) const {
        return level == 0 ? gains_ : levels_[level - 1].best;
    }
    template <class Visit>
    void visit_from(std::size_t level, std::size_t place, double least, Visit& visit) const {
        if (level == 0) {
            visit(static_cast<Bundle>(place));
            return;
        }
        const std::vector<double>& parts = below(level - 1);
        const std::size_t end =
            place * kBlock + kBlock < parts.size() ? place * kBlock + kBlock : parts.size();
        for (std::size_t part = place * kBlock; part < end; ++part)
            if (parts[part] >= least) visit_from(level - 1, part, least, visit);
    }
    void renew(std::size_t level, std::size_t block);

    void insert(std::uint32_t set, std::uint32_t number);
    void take_in(std::uint32_t set, std::uint32_t other);
    void make_set(Joined& joined);
    std::uint32_t lowest(std::uint32_t set);
    std::uint32_t last_of(std::uint32_t set) const;

    std::size_t n_words_ = 0;              // of a set
    std::uint32_t most_nodes_ = 0;         // of a list
    std::vector<std::uint32_t> place_of_;  // by number of a join; kNone: in no bundle
    std::vector<Node> nodes_;
    std::vector<std::uint32_t> in_sets_;  // numbers that were put into sets
    std::vector<Set> sets_;
    std::uint32_t n_sets_ = 0;    // in use
    std::vector<Joined> joined_;  // by bundle
    std::vector<double> gains_;
    std::vector<Level> levels_;
    std::size_t n_levels_ = 0;  // in use
};

}  // namespace ldag
