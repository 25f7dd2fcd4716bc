#include "inference/order_cost.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "support/random.hpp"

namespace ldag {
namespace {

constexpr std::uint32_t kNowhere = 0xffffffff;
// So many numbers of what is left are kept, about, before they are forgotten.
constexpr std::size_t kMostKept = std::size_t{1} << 24;
// What it takes to meet a family, about.
constexpr std::size_t kVisitWork = 16;
// A product of more than two factors takes more than one gate, some of which are those of other products: so
// much of a gate for each further factor, as seen on well-known networks.
constexpr double kNotShared = 0.3;

}  // namespace

OrderCosts::OrderCosts(const NetworkShape& network, bool with_care)
    : network_(network),
      n_drawn_(with_care ? kMostDrawnWithCare : kMostDrawn),
      families_of_(network.n_states.size()),
      drawn_(network.n_states.size()),
      family_seen_(network.n_states.size(), 0),
      node_seen_(network.n_states.size(), 0),
      place_in_cut_(network.n_states.size(), kNowhere),
      leader_(network.n_states.size()) {
    for (std::uint32_t node = 0; node < network.n_states.size(); ++node) {
        families_.emplace_back(network, node);
        n_cells_ += families_[node].n_made();
        for (const std::uint32_t member : families_[node].members()) families_of_[member].push_back(node);
    }
}

void OrderCosts::forget_some() {
    if (n_kept_ <= kMostKept) return;
    for (FamilyRemainders& family : families_) family.forget();
    n_kept_ = 0;
}

const Remainders& OrderCosts::given(std::uint32_t family, std::uint64_t set) {
    const std::size_t before = families_[family].n_made();
    const Remainders& left = families_[family].given(set);
    const std::size_t n_made = families_[family].n_made() - before;
    work_ += n_made;
    n_kept_ += n_made;
    return left;
}

// Meets a family, and all that hangs together with it through nodes that are gone.
void OrderCosts::look_below(std::uint32_t family, const std::vector<bool>& is_gone, Around& around) {
    std::size_t next = around.families.size();
    around.families.push_back(family);
    family_seen_[family] = n_steps_;
    for (; next < around.families.size(); ++next)
        for (const std::uint32_t member : families_[around.families[next]].members()) {
            if (node_seen_[member] == n_steps_) continue;
            node_seen_[member] = n_steps_;
            if (!is_gone[member]) {
                around.cut.push_back(member);
                continue;
            }
            leader_[member] = member;
            for (const std::uint32_t other : families_of_[member]) {
                if (family_seen_[other] == n_steps_) continue;
                family_seen_[other] = n_steps_;
                around.families.push_back(other);
            }
        }
}

OrderCosts::Around OrderCosts::look_around(std::uint32_t node, const std::vector<bool>& is_gone) {
    ++n_steps_;
    Around around;
    node_seen_[node] = n_steps_;
    leader_[node] = node;
    for (const std::uint32_t family : families_of_[node]) {
        if (family_seen_[family] == n_steps_) continue;
        ++around.n_factors;
        look_below(family, is_gone, around);
    }
    std::ranges::sort(around.cut);
    std::ranges::sort(around.families);
    return around;
}

std::uint32_t OrderCosts::leader_of(std::uint32_t node) {
    while (leader_[node] != node) node = leader_[node] = leader_[leader_[node]];
    return node;
}

// The members of a family that are in the cut, as bits.
std::uint64_t OrderCosts::members_in_cut(std::uint32_t family) const {
    std::uint64_t set = 0;
    const std::vector<std::uint32_t>& members = families_[family].members();
    for (std::size_t axis = 0; axis < members.size(); ++axis)
        if (place_in_cut_[members[axis]] != kNowhere) set |= std::uint64_t{1} << axis;
    return set;
}

LeftFamily OrderCosts::left_of(std::uint32_t family, std::uint64_t set) {
    LeftFamily made{&given(family, set), {}, {}, {}};
    const std::vector<std::uint32_t>& members = families_[family].members();
    std::uint32_t stride = 1;
    for (std::size_t axis = members.size(); axis-- > 0;) {
        if ((set >> axis & 1) == 0) continue;
        made.places.push_back(place_in_cut_[members[axis]]);
        made.strides.push_back(stride);
        stride *= network_.n_states[members[axis]];
    }
    return made;
}

// Families that have no members in the cut connect what they depend on in every context.
void OrderCosts::join_groups(std::span<const std::uint32_t> families) {
    for (const std::uint32_t family : families) {
        if (members_in_cut(family) != 0) continue;
        std::uint32_t first = kNowhere;
        for (std::uint64_t set = given(family, 0).depends[0]; set != 0; set &= set - 1) {
            const std::uint32_t member =
                families_[family].members()[static_cast<std::size_t>(std::countr_zero(set))];
            if (first != kNowhere) leader_[leader_of(member)] = leader_of(first);
            first = member;
        }
    }
}

// Tells for everything that can be left of the families which groups of nodes below it connects, unless there
// are too many groups.
void OrderCosts::add_groups(std::uint32_t node, std::span<const std::uint32_t> kept,
                            std::vector<LeftFamily>& left) {
    std::vector<std::uint32_t> leaders = {leader_of(node)};
    std::vector<std::vector<std::uint64_t>> bits(kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i)
        for (const std::uint32_t member : families_[kept[i]].members()) {
            bits[i].push_back(0);
            if (place_in_cut_[member] != kNowhere) continue;
            const std::uint32_t leader = leader_of(member);
            const auto place = std::ranges::find(leaders, leader);
            bits[i].back() = std::uint64_t{1} << ((place - leaders.begin()) & 63);
            if (place == leaders.end()) leaders.push_back(leader);
        }
    if (leaders.size() > 64) return;
    for (std::size_t i = 0; i < kept.size(); ++i)
        for (std::uint64_t depends : left[i].left->depends) {
            std::uint64_t groups = 0;
            for (; depends != 0; depends &= depends - 1)
                groups |= bits[i][static_cast<std::size_t>(std::countr_zero(depends))];
            left[i].groups.push_back(groups);
        }
}

// Other families with members in the cut that rule contexts out, whatever their other members are.
std::vector<LeftFamily> OrderCosts::find_outside(std::span<const std::uint32_t> cut) {
    std::vector<LeftFamily> outside;
    for (const std::uint32_t node : cut)
        for (const std::uint32_t family : families_of_[node]) {
            if (family_seen_[family] == n_steps_) continue;
            family_seen_[family] = n_steps_;
            const std::uint64_t set = members_in_cut(family);
            const bool has_zeros = given(family, families_[family].all()).impossible != Remainders::kNone;
            if (has_zeros && given(family, set).impossible != Remainders::kNone)
                outside.push_back(left_of(family, set));
        }
    return outside;
}

std::span<const std::uint8_t> OrderCosts::drawn(std::uint32_t node) {
    std::vector<std::uint8_t>& states = drawn_[node];
    if (states.empty()) {
        Random random(node, kMostDrawn);
        for (std::size_t i = 0; i < n_drawn_; ++i)
            states.push_back(static_cast<std::uint8_t>(random.below(network_.n_states[node])));
    }
    return states;
}

StepCost OrderCosts::step(std::uint32_t node, const std::vector<bool>& is_gone) {
    forget_some();
    Around around = look_around(node, is_gone);
    for (std::size_t place = 0; place < around.cut.size(); ++place)
        place_in_cut_[around.cut[place]] = static_cast<std::uint32_t>(place);
    join_groups(around.families);
    CombinationTask task;
    std::vector<std::uint32_t> kept;
    for (const std::uint32_t family : around.families) {
        const std::uint64_t set = members_in_cut(family);
        if (set == 0) continue;
        kept.push_back(family);
        task.families.push_back(left_of(family, set));
    }
    add_groups(node, kept, task.families);
    task.outside = find_outside(around.cut);
    for (const std::uint32_t other : around.cut) task.n_states.push_back(network_.n_states[other]);
    task.n_drawn = n_drawn_;
    task.drawn = [&](std::size_t place) { return drawn(around.cut[place]); };
    StepCost cost;
    cost.n_sums = count_combinations(task, work_);
    const auto n_more = static_cast<double>(std::max<std::size_t>(around.n_factors, 2) - 2);
    cost.n_products = cost.n_sums * network_.n_states[node] * (1.0 + kNotShared * n_more);
    for (const std::uint32_t other : around.cut) place_in_cut_[other] = kNowhere;
    work_ += kVisitWork * around.families.size();
    cost.cut = std::move(around.cut);
    return cost;
}

}  // namespace ldag
