#include "growing/growing_tree.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace ldag {

namespace {

// Moves each row to the rows of its branch, whose order stays; returns where the branches end.
template <class Row>
std::vector<Row> distribute(std::span<Row> rows, Row begin, const Code* codes,
                            const std::array<Code, kMostStates + 1>& branch_of, std::size_t n_branches) {
    std::vector<Row> ends(n_branches + 1, 0);
    for (const Row row : rows) ++ends[branch_of[codes[row]] + std::size_t{1}];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    const std::vector<Row> old(rows.begin(), rows.end());
    for (const Row row : old) rows[ends[branch_of[codes[row]]]++] = row;
    ends.pop_back();
    for (Row& end : ends) end += begin;
    return ends;
}

}  // namespace

GrowingTree::GrowingTree(const PackedRows& rows, std::size_t node, const GrowthOptions& options,
                         const LeafScore& score)
    : rows_(rows),
      node_(node),
      r_(rows.n_states(node)),
      is_nested_(options.prior == LeafPrior::nested),
      log_prior_of_leaf_(static_cast<double>(r_ - 1) * options.log_kappa),
      single_(rows.n_single()),
      weighted_(rows.n_weighted()) {
    std::array<Code, kMostStates + 1> own_state{};
    std::iota(own_state.begin(), own_state.end(), Code{0});
    std::iota(single_.begin(), single_.end(), Row{0});
    distribute<Row>(single_, 0, rows.single(node), own_state, r_);
    std::iota(weighted_.begin(), weighted_.end(), Row{0});
    TreeNode root{};
    root.end = static_cast<Row>(single_.size());
    root.wend = static_cast<Row>(weighted_.size());
    root.volume = 1.0;
    nodes_.push_back(root);
    add_counts(0);
    nodes_[0].score = score.score_root(counts(0));
    add_shares(0, score);
}

void GrowingTree::add_counts(Place place) {
    counts_.resize((place + std::size_t{1}) * r_);
    double* const own = counts_.data() + place * r_;
    const PackedRows::Part rows = part(place);
    for (const Row row : rows.single) own[rows_.single(node_)[row]] += 1.0;
    for (const Row row : rows.weighted) own[rows_.weighted(node_)[row]] += rows_.weight(row);
}

void GrowingTree::add_shares(Place place, const LeafScore& score) {
    if (!is_nested_) return;
    shares_.resize((place + std::size_t{1}) * r_);
    const std::span<double> all(shares_);
    const Place above = nodes_[place].above;
    const std::span<const double> leant_on = place == 0 ? all.first(0) : all.subspan(above * r_, r_);
    score.lean(counts(place), leant_on, all.subspan(place * r_, r_));
}

PackedRows::Part GrowingTree::part(Place place) const {
    const TreeNode& own = nodes_[place];
    return {node_, std::span(single_).subspan(own.begin, own.end - own.begin),
            std::span(weighted_).subspan(own.wbegin, own.wend - own.wbegin)};
}

bool GrowingTree::is_empty(Place place) const {
    return std::ranges::all_of(counts(place), [](double count) { return count == 0.0; });
}

LeafScore::Leaf GrowingTree::leaf(Place place) const {
    const std::span<const double> shares(shares_);
    return {counts(place), nodes_[place].volume, is_nested_ ? shares.subspan(place * r_, r_) : shares};
}

StateSet GrowingTree::left(Place place, std::size_t variable) const {
    for (; nodes_[place].above != place; place = nodes_[place].above)
        if (nodes_[nodes_[place].above].variable == variable) return nodes_[place].states;
    return StateSet::all(rows_.n_states(variable));
}

void GrowingTree::count(Place place, std::size_t variable, std::vector<double>& table) const {
    table.assign(rows_.n_states(variable) * r_, 0.0);
    const PackedRows::Part rows = part(place);
    for (const Row row : rows.single)
        table[rows_.single(variable)[row] * r_ + rows_.single(node_)[row]] += 1.0;
    for (const Row row : rows.weighted)
        table[rows_.weighted(variable)[row] * r_ + rows_.weighted(node_)[row]] += rows_.weight(row);
}

// The first configuration as the variables that are not in their first state, ascending, each with its state.
std::vector<std::pair<std::size_t, std::size_t>> GrowingTree::raised_states(Place place) const {
    std::vector<std::pair<std::size_t, std::size_t>> states;
    for_each_above(place, [&](std::size_t variable, const StateSet& left) {
        if (std::ranges::find(states, variable, &std::pair<std::size_t, std::size_t>::first) == states.end())
            states.emplace_back(variable, left.lowest());
    });
    std::erase_if(states, [](const auto& state) { return state.second == 0; });
    std::ranges::sort(states);
    return states;
}

bool GrowingTree::is_lower(Place place, Place other) const {
    const auto own = raised_states(place), others = raised_states(other);
    const auto [a, b] = std::ranges::mismatch(own, others);
    if (a == own.end() || b == others.end()) return a == own.end() && b != others.end();
    return a->first == b->first ? a->second < b->second : a->first > b->first;
}

void GrowingTree::split(Place place, const Question& question, LeafScore& score) {
    const StateSet states = left(place, question.variable);
    const std::vector<StateSet> branches = branches_of(question, states);
    std::array<Code, kMostStates + 1> branch_of{};
    for (std::size_t k = 0; k < branches.size(); ++k)
        branches[k].for_each([&](std::size_t state) { branch_of[state] = static_cast<Code>(k); });
    const TreeNode own = nodes_[place];
    const std::vector<Row> ends =
        distribute(std::span(single_).subspan(own.begin, own.end - own.begin), own.begin,
                   rows_.single(question.variable), branch_of, branches.size());
    const std::vector<Row> wends =
        distribute(std::span(weighted_).subspan(own.wbegin, own.wend - own.wbegin), own.wbegin,
                   rows_.weighted(question.variable), branch_of, branches.size());
    const auto n_left = static_cast<double>(states.size());
    nodes_[place].variable = question.variable;
    nodes_[place].first_branch = static_cast<Place>(nodes_.size());
    nodes_[place].n_branches = static_cast<std::uint32_t>(branches.size());
    n_leaves_ += branches.size() - 1;
    for (std::size_t k = 0; k < branches.size(); ++k) {
        TreeNode branch{};
        branch.above = place;
        branch.states = branches[k];
        branch.begin = k == 0 ? own.begin : ends[k - 1];
        branch.end = ends[k];
        branch.wbegin = k == 0 ? own.wbegin : wends[k - 1];
        branch.wend = wends[k];
        branch.volume = own.volume * static_cast<double>(branches[k].size()) / n_left;
        nodes_.push_back(branch);
        const auto last = static_cast<Place>(nodes_.size() - 1);
        add_counts(last);
        nodes_[last].score = score.score(counts(last), branches[k].size(), states.size());
        add_shares(last, score);
    }
}

std::pair<GrownTree, std::vector<std::int32_t>> GrowingTree::flatten() const {
    GrownTree tree;
    std::vector<std::int32_t> numbers(nodes_.size());
    std::vector<Place> order, waiting{0};
    while (!waiting.empty()) {
        const Place place = waiting.back();
        waiting.pop_back();
        numbers[place] = static_cast<std::int32_t>(order.size());
        order.push_back(place);
        for (Place k = nodes_[place].n_branches; k-- > 0;) waiting.push_back(nodes_[place].first_branch + k);
    }
    for (const Place place : order) {
        const TreeNode& own = nodes_[place];
        tree.counts.insert(tree.counts.end(), counts(place).begin(), counts(place).end());
        tree.axes.push_back(is_leaf(place) ? -1 : static_cast<std::int32_t>(own.variable));
        if (is_leaf(place)) {
            tree.log_marginal_likelihood += own.score;
            continue;
        }
        const std::size_t first = tree.targets.size();
        tree.targets.resize(first + rows_.n_states(own.variable), -1);
        for (Place branch = own.first_branch; branch < own.first_branch + own.n_branches; ++branch)
            nodes_[branch].states.for_each(
                [&](std::size_t state) { tree.targets[first + state] = numbers[branch]; });
    }
    tree.log_prior = static_cast<double>(n_leaves_) * log_prior_of_leaf_;
    return {std::move(tree), std::move(numbers)};
}

}  // namespace ldag
