#include "inference/remainders.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "inference/diagram.hpp"

namespace ldag {
namespace {

constexpr std::uint64_t bit(std::size_t axis) { return std::uint64_t{1} << axis; }

bool are_plain(const Remainders& made) {
    return made.impossible == Remainders::kNone && made.depends.size() == made.numbers.size() &&
           std::ranges::all_of(made.depends, [&](std::uint64_t set) { return set == made.depends[0]; });
}

}  // namespace

FamilyRemainders::FamilyRemainders(const NetworkShape& network, std::uint32_t node) {
    const NetworkFamily& family = network.families[node];
    std::vector<std::size_t> strides;  // of the members among the configurations of the parents
    std::size_t offset = 0;
    std::vector<std::int32_t> made;
    std::span<const std::int32_t> classes = family.classes.listed();
    if (family.classes.is_tree()) {
        std::vector<std::uint32_t> n_above;
        for (const std::uint32_t parent : family.parents) n_above.push_back(network.n_states[parent]);
        classes = made = list_classes(family.classes, n_above);
    }
    std::size_t stride = classes.size();
    std::uint32_t state = network.fixed[node] == kUnobserved ? 0 : network.fixed[node];
    for (const std::uint32_t parent : family.parents) {
        stride /= network.n_states[parent];
        if (network.fixed[parent] != kUnobserved) {
            offset += stride * network.fixed[parent];
            continue;
        }
        members_.push_back(parent);
        n_states_.push_back(network.n_states[parent]);
        strides.push_back(stride);
    }
    const std::uint32_t n_own = network.fixed[node] == kUnobserved ? network.n_states[node] : 1;
    std::vector<std::uint32_t> offsets = {static_cast<std::uint32_t>(offset)};
    for (std::size_t axis = 0; axis < members_.size(); ++axis) {
        std::vector<std::uint32_t> more;
        more.reserve(offsets.size() * n_states_[axis]);
        for (const std::uint32_t before : offsets)
            for (std::uint32_t s = 0; s < n_states_[axis]; ++s)
                more.push_back(before + static_cast<std::uint32_t>(s * strides[axis]));
        offsets = std::move(more);
    }
    if (n_own > 1 || network.fixed[node] == kUnobserved) {
        members_.push_back(node);
        n_states_.push_back(n_own);
    }
    all_ = members_.size() == 64 ? ~std::uint64_t{0} : bit(members_.size()) - 1;
    Remainders whole;  // parameters in the order in which they come first
    std::unordered_map<std::int32_t, std::uint32_t> number_of;
    for (const std::uint32_t place : offsets) {
        const std::size_t row = static_cast<std::size_t>(classes[place]) * network.n_states[node];
        for (std::uint32_t s = 0; s < n_own; ++s) {
            const std::int32_t parameter = family.parameters[row + state + s];
            const auto [entry, is_new] =
                number_of.try_emplace(parameter, static_cast<std::uint32_t>(number_of.size()));
            if (is_new && parameter == kImpossible) whole.impossible = entry->second;
            whole.numbers.push_back(entry->second);
        }
    }
    whole.depends.assign(number_of.size(), 0);
    add(all_, std::move(whole));
}

const Remainders& FamilyRemainders::given(std::uint64_t set) {
    const auto known = known_.find(set);
    if (known != known_.end()) return known->second;
    // Joined from those with one member more, which were seen already or else are made first.
    std::uint64_t missing = all_ & ~set;
    std::size_t axis = 0;
    for (; missing != 0; missing &= missing - 1) {
        axis = static_cast<std::size_t>(std::countr_zero(missing));
        if (known_.contains(set | bit(axis))) break;
    }
    add(set, joined(given(set | bit(axis)), set, axis));
    return known_.at(set);
}

// What is left when `axis` has no state, from what is left when it has.
Remainders FamilyRemainders::joined(const Remainders& more, std::uint64_t set, std::size_t axis) const {
    const std::uint32_t n = n_states_[axis];
    std::size_t inner = 1;  // configurations of the members of the set after the axis
    for (std::size_t other = axis + 1; other < members_.size(); ++other)
        if ((set & bit(other)) != 0) inner *= n_states_[other];
    Remainders made;
    NumberTable table;
    std::vector<std::uint32_t> contents;  // of each function one after the other, what it is in each state
    std::vector<std::uint32_t> wanted(n);
    for (std::size_t first = 0; first < more.numbers.size(); first += inner * n)
        for (std::size_t at = first; at < first + inner; ++at) {
            for (std::uint32_t s = 0; s < n; ++s) wanted[s] = more.numbers[at + s * inner];
            const auto fresh = static_cast<std::uint32_t>(made.depends.size());
            const std::uint32_t number =
                table.find_or_add(hash_numbers(5, wanted), fresh, [&](std::uint32_t other) {
                    return std::equal(wanted.begin(), wanted.end(),
                                      contents.begin() + static_cast<std::ptrdiff_t>(std::size_t{other} * n));
                });
            made.numbers.push_back(number);
            if (number != fresh) continue;
            contents.insert(contents.end(), wanted.begin(), wanted.end());
            const bool is_same = std::ranges::all_of(wanted, [&](std::uint32_t w) { return w == wanted[0]; });
            std::uint64_t depends = is_same ? 0 : bit(axis);
            for (const std::uint32_t w : wanted) depends |= more.depends[w];
            made.depends.push_back(depends);
            if (is_same && wanted[0] == more.impossible) made.impossible = fresh;
        }
    return made;
}

void FamilyRemainders::add(std::uint64_t set, Remainders made) {
    made.is_plain = are_plain(made);
    n_made_ += made.numbers.size() + made.depends.size();
    known_.emplace(set, std::move(made));
}

void FamilyRemainders::forget() {
    Remainders whole = std::move(known_.at(all_));
    known_.clear();
    known_.emplace(all_, std::move(whole));
}

}  // namespace ldag
