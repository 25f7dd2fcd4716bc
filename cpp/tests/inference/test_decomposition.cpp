// How products of diagrams come apart, against looking for who shares a variable with whom.
#include <algorithm>
#include <set>
#include <vector>

#include "inference/decomposition.hpp"
#include "inference/diagram.hpp"
#include "support/random.hpp"
#include "tests/check.hpp"

namespace {

using ldag::Decomposition;
using ldag::Diagram;
using ldag::Ref;

constexpr std::uint32_t kLevels = 6;
constexpr std::uint32_t kStates = 2;

// A function of some of the variables from a level on; in some contexts it does not depend on some of them.
Ref random_function(Diagram& diagram, ldag::Random& random, std::uint32_t level,
                    const std::vector<bool>& scope) {
    while (level < kLevels && !scope[level]) ++level;
    if (level == kLevels) return ldag::leaf_of(static_cast<ldag::Gate>(2 + random.below(3)));
    std::vector<Ref> children;
    for (std::uint32_t s = 0; s < kStates; ++s) {
        std::vector<bool> below = scope;
        for (std::uint32_t other = level + 1; other < kLevels; ++other)
            if (random.below(3) == 0) below[other] = false;
        children.push_back(random_function(diagram, random, level + 1, below));
    }
    return diagram.node(level, children);
}

std::vector<Ref> random_functions(Diagram& diagram, std::uint64_t seed) {
    ldag::Random random(seed);
    std::vector<Ref> factors;
    for (std::uint64_t i = 0, n = 1 + random.below(5); i < n; ++i) {
        std::vector<bool> scope(kLevels);
        for (int k = 0; k < 3; ++k) scope[random.below(kLevels)] = true;
        factors.push_back(random_function(diagram, random, 0, scope));
    }
    return factors;
}

std::set<std::uint32_t> variables(const Diagram& diagram, Ref ref) {
    if (ldag::is_leaf(ref)) return {};
    std::set<std::uint32_t> result = {diagram.level(ref)};
    for (const Ref child : diagram.children(ref)) result.merge(variables(diagram, child));
    return result;
}

using Groups = std::set<std::vector<std::uint32_t>>;

// The factors that hang together, by joining groups until none share a variable.
Groups groups_of(const Diagram& diagram, const std::vector<std::uint32_t>& factors,
                 const std::vector<Ref>& current) {
    struct Group {
        std::set<std::uint32_t> members;
        std::set<std::uint32_t> levels;
    };
    std::vector<Group> groups;
    for (const std::uint32_t factor : factors) {
        Group joined{{factor}, variables(diagram, current[factor])};
        if (joined.levels.empty()) continue;
        for (std::size_t g = 0; g < groups.size();) {
            const bool meets = std::ranges::any_of(
                groups[g].levels, [&](std::uint32_t level) { return joined.levels.contains(level); });
            if (!meets) {
                ++g;
                continue;
            }
            joined.members.merge(groups[g].members);
            joined.levels.merge(groups[g].levels);
            groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(g));
            g = 0;
        }
        groups.push_back(std::move(joined));
    }
    Groups result;
    for (const Group& group : groups) result.emplace(group.members.begin(), group.members.end());
    return result;
}

// Spans of it hold only until the next split.
std::vector<std::uint32_t> parts_of(const Decomposition& parts, std::uint32_t split) {
    const std::span<const std::uint32_t> result = parts.parts_of(split);
    return {result.begin(), result.end()};
}

// Goes through all states of a part's variables, and compares at every step.
void walk(const Diagram& diagram, Decomposition& parts, std::uint32_t part, std::vector<Ref>& current) {
    const std::vector<std::uint32_t> factors = parts.factors(part);
    const std::uint32_t level = parts.level(part);
    std::uint32_t topmost = ldag::kLeafLevel;
    for (const std::uint32_t factor : factors)
        topmost = std::min(topmost, *variables(diagram, current[factor]).begin());
    CHECK(level == topmost);
    const std::vector<Ref> before = current;
    for (std::uint32_t s = 0; s < kStates; ++s) {
        for (const std::uint32_t factor : parts.having(part)) {
            CHECK(diagram.level(before[factor]) == level);
            current[factor] = diagram.child(before[factor], level, s);
        }
        const std::uint32_t split = parts.split(part, current);
        CHECK(split == parts.split(part, current));  // worked out once
        const std::vector<std::uint32_t> below = parts_of(parts, split);
        Groups result;
        for (const std::uint32_t next : below) result.insert(parts.factors(next));
        CHECK(result == groups_of(diagram, factors, current));
        for (const std::uint32_t next : below) walk(diagram, parts, next, current);
        current = before;
    }
}

TEST(products_come_apart_where_no_variable_is_shared) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        Diagram diagram;
        std::vector<Ref> current = random_functions(diagram, seed);
        Decomposition parts(diagram, current);
        Groups result;
        std::vector<std::uint32_t> all;
        for (std::uint32_t i = 0; i < current.size(); ++i) all.push_back(i);
        for (const std::uint32_t part : parts.whole()) result.insert(parts.factors(part));
        CHECK(result == groups_of(diagram, all, current));
        const std::vector<std::uint32_t> whole = parts_of(parts, 0);
        for (const std::uint32_t part : whole) walk(diagram, parts, part, current);
    }
}

// f(x, y, z) depends on y alone where x is 0, and on z alone where x is 1; g(y) and h(z) go with it in turn.
TEST(labels_take_products_apart) {
    Diagram diagram;
    const std::vector<Ref> leaves = {ldag::leaf_of(2), ldag::leaf_of(3)};
    const Ref of_y = diagram.node(1, leaves);
    const Ref of_z = diagram.node(2, leaves);
    const std::vector<Ref> choice = {of_y, of_z};
    std::vector<Ref> factors = {diagram.node(0, choice), of_y, of_z};
    Decomposition parts(diagram, factors);
    CHECK(parts.whole().size() == 1);
    const std::uint32_t whole = parts.whole()[0];
    factors[0] = of_y;
    const std::vector<std::uint32_t> first = parts_of(parts, parts.split(whole, factors));
    CHECK(first.size() == 2 && parts.factors(first[0]) == std::vector<std::uint32_t>{2});
    CHECK(parts.factors(first[1]) == (std::vector<std::uint32_t>{0, 1}));
    factors[0] = of_z;
    const std::vector<std::uint32_t> second = parts_of(parts, parts.split(whole, factors));
    CHECK(second.size() == 2 && parts.factors(second[0]) == std::vector<std::uint32_t>{1});
    CHECK(parts.factors(second[1]) == (std::vector<std::uint32_t>{0, 2}));
}

}  // namespace
