#include "inference/decomposition.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace ldag {
namespace {

constexpr std::uint32_t kNobody = 0xffffffff;

}  // namespace

Decomposition::Decomposition(const Diagram& diagram, std::span<const Ref> factors) : diagram_(diagram) {
    find_sets();
    std::vector<std::uint32_t> inner;
    std::vector<std::uint32_t> left;
    for (std::uint32_t i = 0; i < factors.size(); ++i) {
        all_left_.push_back(left_of(factors[i]));
        if (is_leaf(factors[i])) continue;
        inner.push_back(i);
        left.push_back(all_left_.back());
    }
    whole_ = separate(inner, left);
}

void Decomposition::find_sets() {
    set_number({});
    std::uint32_t n_levels = 0;
    std::vector<std::uint32_t> levels;
    std::vector<std::uint32_t> joined;
    for (Ref node = 0; node < diagram_.n_nodes(); ++node) {  // children come before their parents
        levels.clear();
        std::uint32_t last = 0;
        for (const Ref child : diagram_.children(node)) {
            const std::uint32_t set = left_of(child);
            if (set == last || set == 0) continue;
            last = set;
            joined.clear();
            std::ranges::set_union(levels, sets_[set], std::back_inserter(joined));
            levels.swap(joined);
        }
        levels.insert(levels.begin(), diagram_.level(node));
        set_of_.push_back(set_number(levels));
        n_levels = std::max(n_levels, levels.back() + 1);
    }
    owner_.assign(n_levels, kNobody);
}

std::uint32_t Decomposition::set_number(const std::vector<std::uint32_t>& levels) {
    const auto fresh = static_cast<std::uint32_t>(sets_.size());
    const std::uint32_t number = set_table_.find_or_add(
        hash_numbers(2, levels), fresh, [&](std::uint32_t other) { return sets_[other] == levels; });
    if (number == fresh) sets_.push_back(levels);
    return number;
}

std::uint32_t Decomposition::part_number(Part part) {
    const auto fresh = static_cast<std::uint32_t>(parts_.size());
    const std::uint32_t number = part_table_.find_or_add(
        hash_numbers(hash_numbers(3, part.factors), part.left), fresh, [&](std::uint32_t other) {
            return parts_[other].factors == part.factors && parts_[other].left == part.left;
        });
    if (number != fresh) return number;
    part.level = kLeafLevel;
    for (const std::uint32_t set : part.left) part.level = std::min(part.level, sets_[set][0]);
    for (std::size_t i = 0; i < part.factors.size(); ++i) {
        if (part.left[i] != all_left_[part.factors[i]]) part.cut.push_back(part.factors[i]);
        if (sets_[part.left[i]][0] == part.level) part.having.push_back(part.factors[i]);
    }
    parts_.push_back(std::move(part));
    return number;
}

std::uint32_t Decomposition::leader_of(std::uint32_t place) {
    while (leader_[place] != place) place = leader_[place] = leader_[leader_[place]];
    return place;
}

// The parts of factors, given the variables left in each: those that share a variable hang together.
std::vector<std::uint32_t> Decomposition::separate(std::span<const std::uint32_t> factors,
                                                   std::span<const std::uint32_t> left) {
    leader_.resize(factors.size());
    std::iota(leader_.begin(), leader_.end(), 0);
    for (std::uint32_t i = 0; i < factors.size(); ++i)
        for (const std::uint32_t level : sets_[left[i]]) {
            if (owner_[level] != kNobody) leader_[leader_of(owner_[level])] = leader_of(i);
            owner_[level] = i;
        }
    for (const std::uint32_t set : left)
        for (const std::uint32_t level : sets_[set]) owner_[level] = kNobody;
    std::vector<Part> apart;
    std::vector<std::uint32_t> place_of(factors.size(), kNobody);
    for (std::uint32_t i = 0; i < factors.size(); ++i) {
        std::uint32_t& place = place_of[leader_of(i)];
        if (place == kNobody) {
            place = static_cast<std::uint32_t>(apart.size());
            apart.emplace_back();
        }
        apart[place].factors.push_back(factors[i]);
        apart[place].left.push_back(left[i]);
    }
    // Small parts first: where one is zero, the others need not be summed.
    std::ranges::stable_sort(apart, {}, [](const Part& part) { return part.factors.size(); });
    std::vector<std::uint32_t> numbers;
    for (Part& part : apart) numbers.push_back(part_number(std::move(part)));
    return numbers;
}

std::uint32_t Decomposition::split(std::uint32_t part, std::span<const Ref> current) {
    const std::size_t begin = keys_.size();  // the key is made where it will stay if it is new
    keys_.push_back(part);
    for (const std::uint32_t factor : parts_[part].having) keys_.push_back(left_of(current[factor]));
    const std::span<const std::uint32_t> key(keys_.data() + begin, keys_.size() - begin);
    const auto content = [this](std::uint32_t number) {
        return std::span<const std::uint32_t>(&keys_[first_[number]], first_[number + 1] - first_[number]);
    };
    const auto fresh = static_cast<std::uint32_t>(splits_.size());
    const std::uint32_t number = split_table_.find_or_add(
        hash_numbers(4, key), fresh,
        [&](std::uint32_t other) { return std::ranges::equal(content(other), key); });
    if (number != fresh) {
        keys_.resize(begin);
        return number;
    }
    first_.push_back(keys_.size());
    std::vector<std::uint32_t> factors;
    std::vector<std::uint32_t> left;
    for (const std::uint32_t factor : parts_[part].factors) {
        if (is_leaf(current[factor])) continue;
        factors.push_back(factor);
        left.push_back(left_of(current[factor]));
    }
    splits_.push_back(separate(factors, left));
    return number;
}

}  // namespace ldag
