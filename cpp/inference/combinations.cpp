#include "inference/combinations.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace ldag {
namespace {

// So many contexts are listed; of more, so many are drawn first.
constexpr std::size_t kMostListed = 1024;
// So many combinations must have come twice for the number of all to be worked out from that.
constexpr std::size_t kRepeated = 16;

// What it takes to tell in a context whether a family is connected, about, beside finding what is left of it.
constexpr std::size_t kFamilyWork = 12;
// Larger numbers all count the same: totals stay finite.
constexpr double kMostLog = 900.0;

// What some contexts show.
struct Seen {
    std::size_t n_possible = 0;
    std::size_t n_different = 0;
    std::size_t n_once = 0;
    std::size_t n_twice = 0;

    bool has_most() const { return n_possible > 0 && 4 * n_once <= n_different; }
    // Whether combinations repeat often enough to tell how many there are.
    bool is_enough() const { return has_most() || (n_possible > 0 && n_twice >= kRepeated); }
    // How many there are at least, in all likelihood.
    double lower() const {
        const auto once = static_cast<double>(n_once);
        return static_cast<double>(n_different) +
               once * (once - 1.0) / (2.0 * (static_cast<double>(n_twice) + 1.0));
    }
};

// The groups that are connected to the first, when a number is left of each family.
template <class NumberOf>
std::uint64_t reach(std::span<const LeftFamily> families, NumberOf number_of) {
    std::uint64_t reached = 1;
    for (std::uint64_t before = 0; before != reached;) {
        before = reached;
        for (std::size_t f = 0; f < families.size(); ++f) {
            if (families[f].groups.empty()) continue;
            const std::uint64_t groups = families[f].groups[number_of(f)];
            if ((groups & reached) != 0) reached |= groups;
        }
    }
    return reached;
}

// Contexts, and what is left in each.
class Contexts {
  public:
    Contexts(const CombinationTask& task, std::size_t n, bool is_listed)
        : task_(task), n_(n), is_listed_(is_listed), is_possible_(n, 1), places_(n) {
        if (!is_listed) return;
        std::size_t stride = 1;
        for (const std::uint32_t states : task.n_states) {
            listed_.emplace_back(n);
            for (std::size_t i = 0; i < n; ++i)
                listed_.back()[i] = static_cast<std::uint8_t>(i / stride % states);
            stride *= states;
        }
    }

    // Works out what is left in each.
    void find_left(std::size_t& work);
    // How many combinations they show.
    Seen count() const;

  private:
    std::span<const std::uint8_t> states(std::size_t place) const {
        return is_listed_ ? std::span<const std::uint8_t>(listed_[place]) : task_.drawn(place);
    }

    // Where in a family's numbers each context leads.
    void find_places(const LeftFamily& family) {
        std::ranges::fill(places_, 0);
        for (std::size_t k = 0; k < family.places.size(); ++k) {
            const std::span<const std::uint8_t> own = states(family.places[k]);
            for (std::size_t i = 0; i < n_; ++i) places_[i] += own[i] * family.strides[k];
        }
    }

    void rule_out(const LeftFamily& family) {
        if (family.left->impossible == Remainders::kNone) return;
        find_places(family);
        for (std::size_t i = 0; i < n_; ++i)
            if (family.left->numbers[places_[i]] == family.left->impossible) is_possible_[i] = 0;
    }

    std::uint64_t key(std::size_t context) const;

    const CombinationTask& task_;
    std::size_t n_;
    bool is_listed_;
    std::vector<std::vector<std::uint8_t>> listed_;
    std::vector<std::uint8_t> is_possible_;
    std::vector<std::uint32_t> places_;
    std::vector<std::vector<std::uint32_t>> numbers_;  // by family, by context
};

void Contexts::find_left(std::size_t& work) {
    for (const LeftFamily& family : task_.outside) rule_out(family);
    for (const LeftFamily& family : task_.families) {
        work += n_ * (family.places.size() + kFamilyWork);
        find_places(family);
        std::vector<std::uint32_t>& numbers = numbers_.emplace_back(n_);
        for (std::size_t i = 0; i < n_; ++i) {
            numbers[i] = family.left->numbers[places_[i]];
            if (numbers[i] == family.left->impossible) is_possible_[i] = 0;
        }
    }
    work += n_;
}

// A number for what is left in a context of the families that are connected to the first group.
std::uint64_t Contexts::key(std::size_t context) const {
    const auto number_of = [&](std::size_t f) { return numbers_[f][context]; };
    const std::uint64_t reached = reach(task_.families, number_of);
    std::uint64_t hash = 0;
    for (std::size_t f = 0; f < numbers_.size(); ++f) {
        const std::uint32_t number = numbers_[f][context];
        const std::vector<std::uint64_t>& groups = task_.families[f].groups;
        const bool counts = groups.empty() || (groups[number] & reached) != 0;
        hash = (hash ^ (hash >> 29) ^ (counts ? number + std::uint64_t{1} : 0)) * 0xbf58476d1ce4e5b9;
    }
    return hash;
}

Seen Contexts::count() const {
    std::vector<std::uint64_t> keys;
    for (std::size_t i = 0; i < n_; ++i)
        if (is_possible_[i] != 0) keys.push_back(key(i));
    std::ranges::sort(keys);
    Seen seen;
    seen.n_possible = keys.size();
    for (std::size_t first = 0; first < keys.size();) {
        std::size_t end = first + 1;
        while (end < keys.size() && keys[end] == keys[first]) ++end;
        ++seen.n_different;
        seen.n_once += end - first == 1;
        seen.n_twice += end - first == 2;
        first = end;
    }
    return seen;
}

// The ln2 of how many combinations there can be: of states, or of what is left of a family where those are
// fewer than the states that no other family tells apart.
double log_bound(const CombinationTask& task) {
    std::vector<double> log_states;
    for (const std::uint32_t n : task.n_states) log_states.push_back(std::log2(n));
    std::vector<std::uint32_t> n_having(task.n_states.size(), 0);
    std::vector<const LeftFamily*> having;
    for (const LeftFamily& family : task.families) {
        having.push_back(&family);
        for (const std::uint32_t place : family.places) ++n_having[place];
    }
    double sum = 0.0;
    for (std::size_t place = 0; place < log_states.size(); ++place)
        if (n_having[place] > 0) sum += log_states[place];
    for (;;) {
        double most = 1e-9;
        std::size_t best = having.size();
        for (std::size_t i = 0; i < having.size(); ++i) {
            double gain = -std::log2(static_cast<double>(having[i]->left->depends.size()));
            for (const std::uint32_t place : having[i]->places)
                if (n_having[place] == 1) gain += log_states[place];
            if (gain > most) best = i;
            most = std::max(most, gain);
        }
        if (best == having.size()) return sum;
        sum -= most;
        for (const std::uint32_t place : having[best]->places) --n_having[place];
        having.erase(having.begin() + static_cast<std::ptrdiff_t>(best));
    }
}

// Whether every context is possible and leaves something else.
bool is_plain(const CombinationTask& task) {
    const std::uint64_t reached = reach(task.families, [](std::size_t) { return 0; });
    const auto plain = [&](const LeftFamily& family) {
        return family.left->is_plain && (family.groups.empty() || (family.groups[0] & reached) != 0);
    };
    const auto possible = [](const LeftFamily& family) {
        return family.left->impossible == Remainders::kNone;
    };
    return std::ranges::all_of(task.families, plain) && std::ranges::all_of(task.outside, possible);
}

}  // namespace

double count_combinations(const CombinationTask& task, std::size_t& work) {
    double log_contexts = 0.0;
    for (const std::uint32_t n : task.n_states) log_contexts += std::log2(n);
    const double n_contexts = std::round(std::exp2(std::min(log_contexts, kMostLog)));
    if (is_plain(task)) return n_contexts;
    if (n_contexts <= kMostListed) {
        const auto n = static_cast<std::size_t>(n_contexts);
        Contexts listed(task, n, true);
        listed.find_left(work);
        return static_cast<double>(listed.count().n_different);
    }
    double possible = n_contexts;
    for (std::size_t n = kMostListed; n <= task.n_drawn; n *= 4) {
        Contexts contexts(task, n, false);
        contexts.find_left(work);
        const Seen seen = contexts.count();
        // Where none was possible, few are: fewer than one in as many as were drawn.
        possible = n_contexts * std::max(0.5, static_cast<double>(seen.n_possible)) / static_cast<double>(n);
        const bool is_hasty = task.n_drawn == kMostDrawn || 4 * n > task.n_drawn;
        if (!(is_hasty ? seen.is_enough() : seen.has_most())) continue;
        return std::min(possible, seen.lower());
    }
    return std::min(possible, std::exp2(std::min(log_bound(task), kMostLog)));
}

}  // namespace ldag
