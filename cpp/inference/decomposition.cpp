#include "inference/decomposition.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <tuple>

namespace ldag {
namespace {

constexpr std::uint32_t kNobody = 0xffffffff;

}  // namespace

Decomposition::Decomposition(const Diagram& diagram, std::span<const Ref> factors) : diagram_(diagram) {
    find_sets();
    for (std::uint32_t i = 0; i < factors.size(); ++i) {
        all_left_.push_back(left_of(factors[i]));
        if (!is_leaf(factors[i])) trees_[sets_[all_left_.back()][0]].starting.push_back(i);
    }
    grow_trees();
    separate();
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
    trees_.resize(n_levels);
}

std::uint32_t Decomposition::set_number(const std::vector<std::uint32_t>& levels) {
    const auto fresh = static_cast<std::uint32_t>(sets_.size());
    const std::uint32_t number = set_table_.find_or_add(
        hash_numbers(2, levels), fresh, [&](std::uint32_t other) { return sets_[other] == levels; });
    if (number == fresh) sets_.push_back(levels);
    return number;
}

// Trees from the deepest variables up; leaves the tops of the largest in `tops_`.
void Decomposition::grow_trees() {
    const auto n_levels = static_cast<std::uint32_t>(trees_.size());
    leader_.resize(n_levels);
    std::iota(leader_.begin(), leader_.end(), 0);
    std::vector<bool> is_below(n_levels, false);
    for (std::uint32_t level = n_levels; level-- > 0;) {
        Tree& tree = trees_[level];
        tree.n_factors = static_cast<std::uint32_t>(tree.starting.size());
        tree.first_factor = tree.starting.empty() ? kNobody : tree.starting[0];
        for (const std::uint32_t factor : tree.starting)
            for (const std::uint32_t other : sets_[all_left_[factor]]) {
                const std::uint32_t top = leader_of(other);
                if (top == level) continue;
                leader_[top] = level;
                is_below[top] = true;
                tree.below.push_back(top);
                tree.n_variables += trees_[top].n_variables;
                tree.n_factors += trees_[top].n_factors;
                tree.first_factor = std::min(tree.first_factor, trees_[top].first_factor);
            }
    }
    std::uint32_t next = 0;
    for (std::uint32_t level = 0; level < n_levels; ++level) {  // those above are placed before
        Tree& tree = trees_[level];
        if (!is_below[level]) {
            tree.place = next;
            next += tree.n_variables;
            if (tree.n_factors > 0) tops_.push_back(level);
        }
        std::uint32_t place = tree.place + 1;
        for (const std::uint32_t top : tree.below) {
            trees_[top].place = place;
            place += trees_[top].n_variables;
        }
    }
}

// Which tree in the list a variable is in.
std::uint32_t Decomposition::tree_of(std::uint32_t level) const {
    const auto after = std::ranges::upper_bound(tops_, trees_[level].place, {},
                                                [&](std::uint32_t top) { return trees_[top].place; });
    return static_cast<std::uint32_t>(after - tops_.begin()) - 1;
}

std::uint32_t Decomposition::leader_of(std::uint32_t tree) {
    while (leader_[tree] != tree) tree = leader_[tree] = leader_[leader_[tree]];
    return tree;
}

// Adds a split: the parts of the cut factors and trees in the lists. Factors hang together with the trees
// that their variables are in.
void Decomposition::separate() {
    leader_.resize(tops_.size());
    std::iota(leader_.begin(), leader_.end(), 0);
    home_.clear();
    for (const std::uint32_t set : left_) {
        const std::uint32_t first = tree_of(sets_[set][0]);
        home_.push_back(first);
        std::uint32_t last = first;
        for (const std::uint32_t level : sets_[set]) {
            const std::uint32_t tree = tree_of(level);
            if (tree != last) leader_[leader_of(tree)] = leader_of(first);
            last = tree;
        }
    }
    sort_groups();
    std::vector<std::uint32_t> by_size(groups_.size());
    std::iota(by_size.begin(), by_size.end(), 0);
    // Small parts first: where one is zero, the others need not be summed.
    std::ranges::sort(by_size, {}, [&](std::uint32_t group) {
        return std::tuple(groups_[group].n_factors, groups_[group].first_factor);
    });
    for (const std::uint32_t group : by_size)
        if (groups_[group].n_factors > 0)  // not a variable that its last factor no longer depends on
            split_parts_.push_back(part_number(groups_[group]));
    first_part_.push_back(split_parts_.size());
}

// Sorts the lists by what hangs together.
void Decomposition::sort_groups() {
    groups_.clear();
    group_of_.assign(tops_.size(), kNobody);
    const auto group_at = [&](std::uint32_t tree) -> Group& {
        std::uint32_t& group = group_of_[leader_of(tree)];
        if (group == kNobody) {
            group = static_cast<std::uint32_t>(groups_.size());
            groups_.push_back({.first_factor = kNobody});
        }
        return groups_[group];
    };
    for (std::uint32_t i = 0; i < tops_.size(); ++i) {
        Group& group = group_at(i);
        ++group.n_tops;
        group.n_factors += trees_[tops_[i]].n_factors;
        group.first_factor = std::min(group.first_factor, trees_[tops_[i]].first_factor);
    }
    for (std::size_t i = 0; i < cut_.size(); ++i) {
        Group& group = group_at(home_[i]);
        ++group.n_cut;
        ++group.n_factors;
        group.first_factor = std::min(group.first_factor, cut_[i]);
    }
    std::uint32_t n_cut = 0;
    std::uint32_t n_tops = 0;
    for (Group& group : groups_) {
        group.first_cut = n_cut += group.n_cut;
        group.first_top = n_tops += group.n_tops;
    }
    cut_by_group_.resize(n_cut);
    left_by_group_.resize(n_cut);
    tops_by_group_.resize(n_tops);
    for (std::size_t i = cut_.size();
         i-- > 0;) {  // from the end: each group's first place moves to its start
        const std::uint32_t place = --group_at(home_[i]).first_cut;
        cut_by_group_[place] = cut_[i];
        left_by_group_[place] = left_[i];
    }
    for (std::size_t i = tops_.size(); i-- > 0;)
        tops_by_group_[--group_at(static_cast<std::uint32_t>(i)).first_top] = tops_[i];
}

// The trees of a part follow from the variables left, so a part is known by its cut factors, or by its only
// tree where it has none.
std::uint32_t Decomposition::part_number(const Group& group) {
    const std::span<const std::uint32_t> cut(cut_by_group_.data() + group.first_cut, group.n_cut);
    const std::span<const std::uint32_t> left(left_by_group_.data() + group.first_cut, group.n_cut);
    const std::span<const std::uint32_t> tops(tops_by_group_.data() + group.first_top, group.n_tops);
    const std::uint64_t begin = numbers_.size();  // made where it will stay if it is new
    const std::uint32_t level = std::ranges::min(tops);
    numbers_.push_back(level);
    numbers_.insert(numbers_.end(), cut.begin(), cut.end());
    numbers_.insert(numbers_.end(), left.begin(), left.end());
    const std::span<const std::uint32_t> key(numbers_.data() + begin, numbers_.size() - begin);
    const auto fresh = static_cast<std::uint32_t>(parts_.size());
    const std::uint32_t number =
        part_table_.find_or_add(hash_numbers(3, key), fresh, [&](std::uint32_t other) {
            return parts_[other].n_cut == cut.size() &&
                   std::equal(key.begin(), key.end(),
                              numbers_.begin() + static_cast<std::ptrdiff_t>(parts_[other].first));
        });
    if (number != fresh) {
        numbers_.resize(begin);
        return number;
    }
    const std::vector<std::uint32_t>& starting = trees_[level].starting;
    auto n_having = static_cast<std::uint32_t>(starting.size());
    for (std::size_t i = 0; i < cut.size(); ++i) {
        if (sets_[left[i]][0] != level) continue;
        numbers_.push_back(cut[i]);
        ++n_having;
    }
    numbers_.insert(numbers_.end(), starting.begin(), starting.end());
    numbers_.insert(numbers_.end(), tops.begin(), tops.end());
    parts_.push_back({begin, group.n_cut, n_having, group.n_tops});
    return number;
}

std::uint32_t Decomposition::split(std::uint32_t part, std::span<const Ref> current) {
    const std::size_t begin = keys_.size();  // the key is made where it will stay if it is new
    keys_.push_back(part);
    for (const std::uint32_t factor : having(part)) keys_.push_back(left_of(current[factor]));
    const std::span<const std::uint32_t> key(keys_.data() + begin, keys_.size() - begin);
    const auto content = [this](std::uint32_t number) {
        return std::span<const std::uint32_t>(&keys_[first_[number]], first_[number + 1] - first_[number]);
    };
    const auto fresh = static_cast<std::uint32_t>(first_.size() - 1);
    const std::uint32_t number = split_table_.find_or_add(
        hash_numbers(4, key), fresh,
        [&](std::uint32_t other) { return std::ranges::equal(content(other), key); });
    if (number != fresh) {
        keys_.resize(begin);
        return number + 1;  // the whole is a split too, the first, without a key
    }
    first_.push_back(keys_.size());
    const Tree& top = trees_[level(part)];
    cut_.clear();
    std::ranges::merge(cut(part), top.starting, std::back_inserter(cut_));
    std::erase_if(cut_, [&](std::uint32_t factor) { return is_leaf(current[factor]); });
    left_.clear();
    for (const std::uint32_t factor : cut_) left_.push_back(left_of(current[factor]));
    tops_.clear();
    for (const std::uint32_t tree : tops(part)) {
        if (tree == level(part))
            tops_.insert(tops_.end(), top.below.begin(), top.below.end());
        else
            tops_.push_back(tree);
    }
    separate();
    return number + 1;
}

std::vector<std::uint32_t> Decomposition::factors(std::uint32_t part) const {
    const std::span<const std::uint32_t> own = cut(part);
    std::vector<std::uint32_t> all(own.begin(), own.end());
    std::vector<std::uint32_t> open(tops(part).begin(), tops(part).end());
    while (!open.empty()) {
        const Tree& tree = trees_[open.back()];
        open.pop_back();
        all.insert(all.end(), tree.starting.begin(), tree.starting.end());
        open.insert(open.end(), tree.below.begin(), tree.below.end());
    }
    std::ranges::sort(all);
    return all;
}

}  // namespace ldag
