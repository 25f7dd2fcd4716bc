#include "families/bundles.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace ldag {

namespace {

constexpr std::size_t kFewNodes = 32;

}  // namespace

// Only what was used is cleared: a grid may have many times more lines than rows ever visit.
void Bundles::clear(std::size_t n_joins) {
    for (const Node& node : nodes_) place_of_[node.number] = kNone;
    for (const std::uint32_t number : in_sets_) place_of_[number] = kNone;
    if (place_of_.size() < n_joins) place_of_.resize(n_joins, kNone);
    n_words_ = n_joins / 64 + 1;
    most_nodes_ = static_cast<std::uint32_t>(std::max(kFewNodes, n_words_ / 8));
    nodes_.clear();
    in_sets_.clear();
    n_sets_ = 0;
    joined_.clear();
    gains_.clear();
    for (Level& level : levels_) {
        level.best.clear();
        level.stale.clear();
    }
    n_levels_ = 0;
}

Bundles::Bundle Bundles::make() {
    const auto bundle = static_cast<Bundle>(gains_.size());
    joined_.emplace_back();
    gains_.push_back(kNever);
    std::size_t n = gains_.size();
    for (std::size_t level = 0; n > 1 || level == 0; ++level) {
        n = (n + kBlock - 1) / kBlock;
        if (level == n_levels_) {
            if (++n_levels_ > levels_.size()) levels_.emplace_back();
            levels_[level].best.assign(n, kNever);
            levels_[level].stale.assign(n, 1);
        } else if (levels_[level].best.size() < n) {
            levels_[level].best.push_back(kNever);
            levels_[level].stale.push_back(0);
        }
    }
    return bundle;
}

void Bundles::insert(std::uint32_t set, std::uint32_t number) {
    const std::size_t word = number / 64;
    sets_[set].words[word] |= std::uint64_t{1} << number % 64;
    sets_[set].used[word / 64] |= std::uint64_t{1} << word % 64;
    place_of_[number] = kInSet | set;
    in_sets_.push_back(number);
}

void Bundles::put(Bundle bundle, std::uint32_t number) {
    Joined& joined = joined_[bundle];
    if (joined.set != kNone) {
        insert(joined.set, number);
        return;
    }
    place_of_[number] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({number, joined.head});
    joined.head = place_of_[number];
    if (++joined.n > most_nodes_) make_set(joined);
}

// Makes a set of a list.
void Bundles::make_set(Joined& joined) {
    joined.set = n_sets_++;
    if (n_sets_ > sets_.size()) sets_.emplace_back();
    Set& set = sets_[joined.set];
    set.words.assign(n_words_, 0);
    set.used.assign(n_words_ / 64 + 1, 0);
    set.taken_in_by = kNone;
    for (std::uint32_t node = joined.head; node != kNone; node = nodes_[node].next)
        if (place_of_[nodes_[node].number] == node) insert(joined.set, nodes_[node].number);
    joined.head = kNone;
}

std::uint32_t Bundles::last_of(std::uint32_t set) const {
    while (sets_[set].taken_in_by != kNone) set = sets_[set].taken_in_by;
    return set;
}

void Bundles::take_in(std::uint32_t set, std::uint32_t other) {
    for (std::size_t word = 0; word < n_words_; ++word) sets_[set].words[word] |= sets_[other].words[word];
    for (std::size_t word = 0; word < sets_[set].used.size(); ++word)
        sets_[set].used[word] |= sets_[other].used[word];
    sets_[other].taken_in_by = set;
}

void Bundles::unite(Bundle bundle, Bundle other) {
    if (joined_[bundle].set == kNone) std::swap(joined_[bundle], joined_[other]);
    if (joined_[other].set != kNone) {
        take_in(joined_[bundle].set, joined_[other].set);
    } else {
        for (std::uint32_t node = joined_[other].head; node != kNone;) {
            const std::uint32_t next = nodes_[node].next;
            if (place_of_[nodes_[node].number] == node) {
                if (joined_[bundle].set != kNone) {
                    insert(joined_[bundle].set, nodes_[node].number);
                } else {
                    nodes_[node].next = joined_[bundle].head;
                    joined_[bundle].head = node;
                    if (++joined_[bundle].n > most_nodes_) make_set(joined_[bundle]);
                }
            }
            node = next;
        }
    }
    joined_[other] = {};
    set_gain(other, kNever);
}

std::uint32_t Bundles::lowest(std::uint32_t number_of_set) {
    Set& set = sets_[number_of_set];
    for (std::size_t block = 0; block < set.used.size(); ++block) {
        while (set.used[block] != 0) {
            const std::size_t word = block * 64 + static_cast<std::size_t>(std::countr_zero(set.used[block]));
            std::uint64_t& bits = set.words[word];
            while (bits != 0) {
                const auto number = static_cast<std::uint32_t>(word * 64) +
                                    static_cast<std::uint32_t>(std::countr_zero(bits));
                const std::uint32_t place = place_of_[number];
                if (place != kNone && (place & kInSet) != 0 && last_of(place & ~kInSet) == number_of_set)
                    return number;
                bits &= bits - 1;
            }
            set.used[block] &= set.used[block] - 1;
        }
    }
    return kNone;
}

std::uint32_t Bundles::any(Bundle bundle) {
    Joined& joined = joined_[bundle];
    if (joined.set != kNone) return lowest(joined.set);
    while (joined.head != kNone) {
        const auto [number, next] = nodes_[joined.head];
        if (place_of_[number] == joined.head) return number;
        joined.head = next;
        --joined.n;
    }
    return kNone;
}

std::uint32_t Bundles::first(Bundle bundle) {
    std::uint32_t best = any(bundle);
    if (best == kNone || joined_[bundle].set != kNone) return best;
    for (std::uint32_t node = joined_[bundle].head;;) {
        std::uint32_t& next = nodes_[node].next;
        while (next != kNone && place_of_[nodes_[next].number] != next) {
            next = nodes_[next].next;
            --joined_[bundle].n;
        }
        if (next == kNone) return best;
        node = next;
        best = std::min(best, nodes_[node].number);
    }
}

void Bundles::set_gain(Bundle bundle, double gain) {
    gains_[bundle] = gain;
    std::size_t place = bundle;
    for (std::size_t level = 0; level < n_levels_; ++level) {
        place /= kBlock;
        if (levels_[level].stale[place] != 0) break;  // and so is all above
        levels_[level].stale[place] = 1;
    }
}

// The largest of a block, all of whose parts are up to date after.
void Bundles::renew(std::size_t level, std::size_t block) {
    const std::vector<double>& parts = below(level);
    const std::size_t end = std::min(block * kBlock + kBlock, parts.size());
    double best = kNever;
    for (std::size_t part = block * kBlock; part < end; ++part) {
        if (level > 0 && levels_[level - 1].stale[part] != 0) renew(level - 1, part);
        best = std::max(best, parts[part]);
    }
    levels_[level].best[block] = best;
    levels_[level].stale[block] = 0;
}

Bundles::Bundle Bundles::best() {
    if (gains_.empty()) return kNone;
    const std::size_t top = n_levels_ - 1;
    if (levels_[top].stale[0] != 0) renew(top, 0);
    const double best = levels_[top].best[0];
    std::size_t place = 0;
    for (std::size_t level = n_levels_; level > 0; --level)
        for (place *= kBlock; below(level - 1)[place] < best;) ++place;
    return static_cast<Bundle>(place);
}

}  // namespace ldag
