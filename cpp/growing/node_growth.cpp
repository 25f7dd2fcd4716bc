#include "growing/node_growth.hpp"

#include <algorithm>
#include <numeric>

#include "support/infinity.hpp"

namespace ldag {

namespace {

// Questions that a leaf keeps: once none of them may be asked any more, it looks for others.
constexpr std::size_t kMostKept = 32;

// What is left of sums of real weights after a subtraction is nothing, or not just noise.
constexpr double kNoise = 1e-12;

void snap(std::span<const double> wholes, std::span<double> rests) {
    for (std::size_t k = 0; k < rests.size(); ++k)
        if (rests[k] <= kNoise * wholes[k]) rests[k] = 0.0;
}

}  // namespace

Workshop::Workshop(const Soil& soil)
    : score(soil.options, soil.rows.is_whole(), soil.most_states), left(soil.rows.n_variables(), nullptr) {
    for (std::size_t variable = 0; variable < soil.rows.n_variables(); ++variable)
        all.push_back(StateSet::all(soil.rows.n_states(variable)));
}

NodeGrowth::NodeGrowth(const Soil& soil, std::size_t node, Workshop& workshop)
    : soil_(soil),
      tree_(soil.rows, node, soil.options, workshop.score),
      leaf_price_(static_cast<double>(soil.rows.n_states(node) - 1) * soil.options.log_kappa),
      choice_price_(soil.options.choice_prices[node]),
      is_candidate_(soil.rows.n_variables(), 0),
      is_used_(soil.rows.n_variables(), 0),
      is_awaited_(soil.rows.n_variables(), 0),
      open_(1) {
    for (const Node variable : soil.space.candidates[node])
        is_candidate_[variable] = soil.rows.n_states(variable) > 1 ? 1 : 0;
    for (const Node variable : soil.space.required[node]) {
        if (is_candidate_[variable] == 0) continue;
        is_awaited_[variable] = 1;
        ++n_used_;
        n_kept_ += new_leaves(variable);
    }
    if (soil.options.levels) {
        level_gains_.assign(soil.rows.n_variables(), 0.0);
        level_sizes_.assign(soil.rows.n_variables(), 0);
    }
    score_ = tree_.score(0) + leaf_price_;
}

Cut NodeGrowth::cut_of(std::size_t variable) const {
    if (soil_.options.is_complete) return Cut::complete;
    return soil_.options.ordered[variable] != 0 ? Cut::threshold : Cut::one;
}

// How many leaves a question about a variable adds where it was not asked about before.
std::size_t NodeGrowth::new_leaves(std::size_t variable) const {
    return soil_.options.is_complete ? soil_.rows.n_states(variable) - 1 : 1;
}

// Whether a leaf may ask about a variable. What may not be asked may never be asked later: there are only
// ever more leaves, parents and ancestors.
bool NodeGrowth::may_ask(std::size_t variable) const {
    const std::size_t node = tree_.node();
    if (is_candidate_[variable] == 0) return false;
    const std::size_t kept = n_kept_ - (is_awaited_[variable] != 0 ? new_leaves(variable) : 0);
    if (tree_.n_leaves() + new_leaves(variable) + kept > soil_.options.max_leaves[node]) return false;
    if (is_used_[variable] != 0 || is_awaited_[variable] != 0) return true;
    if (n_used_ >= soil_.space.max_parents[node]) return false;
    return soil_.ancestors == nullptr ||
           !soil_.ancestors->is_above(static_cast<Node>(node), static_cast<Node>(variable));
}

// The best question about a variable whose counts are in the workshop's table; of those that are as good, the
// one with the lowest state. The workshop's score has entered the leaf.
Question NodeGrowth::best_question(std::size_t variable, const StateSet& left, Place leaf,
                                   Workshop& workshop) const {
    const std::size_t r = tree_.counts(leaf).size();
    const std::size_t n_left = left.size();
    const Cut cut = cut_of(variable);
    const double* const table = workshop.table.data();
    const double base = tree_.score(leaf) - leaf_price_;  // of two branches
    Question best{kMinusInfinity, static_cast<std::uint32_t>(variable), cut, 0};
    if (cut == Cut::complete) {
        best.gain = -tree_.score(leaf) + leaf_price_ * static_cast<double>(n_left - 1);
        left.for_each(
            [&](std::size_t state) { best.gain += workshop.score.score({table + state * r, r}, 1, n_left); });
        return best;
    }
    const std::span<const double> whole = tree_.counts(leaf);
    workshop.counts.assign(2 * r, 0.0);
    double* const part = workshop.counts.data();
    double* const rest = part + r;
    const auto offer = [&](std::size_t state, std::size_t n_states) {
        for (std::size_t k = 0; k < r; ++k) rest[k] = whole[k] - part[k];
        if (!soil_.rows.is_whole()) snap(whole, {rest, r});
        const double gain = workshop.score.score({part, r}, n_states, n_left) +
                            workshop.score.score({rest, r}, n_left - n_states, n_left) - base;
        if (gain <= best.gain + kTie) return;
        best.gain = gain;
        best.state = static_cast<Code>(state);
    };
    std::size_t n_below = 0;
    left.for_each([&](std::size_t state) {
        if (cut == Cut::one) {
            if (n_left == 2 && n_below++ == 1) return;  // the same question
            std::copy_n(table + state * r, r, part);
            offer(state, 1);
        } else {
            if (n_below > 0) offer(state, n_below);
            for (std::size_t k = 0; k < r; ++k) part[k] += table[state * r + k];
            ++n_below;
        }
    });
    return best;
}

// Whether several states occur in the workshop's table.
bool NodeGrowth::varies(std::size_t variable, const Workshop& workshop) const {
    const std::size_t k = soil_.rows.n_states(variable);
    const std::size_t r = workshop.table.size() / k;
    std::size_t n_states = 0;
    for (std::size_t state = 0; state < k && n_states < 2; ++state) {
        const auto row = std::span(workshop.table).subspan(state * r, r);
        n_states += std::ranges::any_of(row, [](double count) { return count > 0.0; }) ? 1 : 0;
    }
    return n_states > 1;
}

// Looks at all questions that a leaf may ask: the workshop has those that gain, and sums over leaves change
// by them with this sign.
void NodeGrowth::look_for_questions(Place leaf, Workshop& workshop, double sign) {
    workshop.gains.clear();
    if (tree_.is_empty(leaf)) return;
    const PackedRows& rows = soil_.rows;
    const std::span<const double> totals = tree_.counts(leaf);
    const std::size_t r = totals.size();
    rows.count(tree_.part(leaf), workshop.memory, workshop.sums);
    workshop.score.enter(tree_.leaf(leaf), 2 * soil_.space.candidates[tree_.node()].size());
    tree_.for_each_above(leaf, [&](std::uint32_t variable, const StateSet& left) {
        if (workshop.left[variable] != nullptr) return;
        workshop.left[variable] = &left;
        workshop.asked.push_back(variable);
    });
    for (const Node variable : soil_.space.candidates[tree_.node()]) {
        if (!may_ask(variable)) continue;
        const bool was_asked = workshop.left[variable] != nullptr;
        const StateSet& left = was_asked ? *workshop.left[variable] : workshop.all[variable];
        if (was_asked && left.size() < 2) continue;
        const std::size_t k = rows.n_states(variable);
        workshop.table.resize(k * r);
        for (std::size_t y = 0; y < r; ++y) {
            const double* const sums = workshop.sums.data() + y * rows.n_places() + rows.place(variable);
            double last = totals[y];
            for (std::size_t state = 0; state + 1 < k; ++state) {
                workshop.table[state * r + y] = sums[state];
                last -= sums[state];
            }
            workshop.table[(k - 1) * r + y] = last;
        }
        if (!rows.is_whole()) snap(totals, std::span(workshop.table).subspan((k - 1) * r, r));
        const Question question = best_question(variable, left, leaf, workshop);
        if (question.gain - choice_price_ > kTie) workshop.gains.push_back(question);
        if (sign == 0.0 || !soil_.options.levels || !varies(variable, workshop)) continue;
        level_gains_[variable] += sign * question.gain;
        level_sizes_[variable] += sign > 0.0 ? 1U : ~0U;
    }
    for (const std::uint32_t variable : workshop.asked) workshop.left[variable] = nullptr;
    workshop.asked.clear();
}

void NodeGrowth::start(Workshop& workshop) { open(0, workshop); }

// Enters a leaf that has come to be.
void NodeGrowth::open(Place leaf, Workshop& workshop) {
    open_.resize(tree_.size());
    look_for_questions(leaf, workshop, 1.0);
    reopen(leaf, workshop);
}

// Keeps the best of the questions that were looked for.
void NodeGrowth::reopen(Place leaf, Workshop& workshop) {
    std::vector<Question>& all = workshop.gains;
    const auto is_better = [](const Question& a, const Question& b) {
        return a.gain != b.gain ? a.gain > b.gain : a.variable < b.variable;
    };
    const std::size_t n = std::min(all.size(), kMostKept);
    std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(n), is_better);
    open_[leaf] = {{all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n)}, 0, n < all.size()};
    if (n > 0) queue_.emplace(all[0].gain, leaf);
}

// Takes a leaf that is to be split out of all sums.
void NodeGrowth::close(Place leaf, Workshop& workshop) {
    const Open& open = open_[leaf];
    if (open.next < open.questions.size()) queue_.erase({open.questions[open.next].gain, leaf});
    open_[leaf] = {};
    if (soil_.options.levels) look_for_questions(leaf, workshop, -1.0);
}

std::optional<NodeGrowth::Step> NodeGrowth::best_split(Workshop& workshop) {
    for (auto top = queue_.begin(); top != queue_.end() && top->first >= queue_.begin()->first - kTie;) {
        const Place leaf = top->second;
        Open& own = open_[leaf];
        if (may_ask(own.questions[own.next].variable)) {
            ++top;
            continue;
        }
        queue_.erase(top);
        while (own.next < own.questions.size() && !may_ask(own.questions[own.next].variable)) ++own.next;
        if (own.next < own.questions.size()) {
            queue_.emplace(own.questions[own.next].gain, leaf);
        } else if (own.has_more) {
            look_for_questions(leaf, workshop, 0.0);
            reopen(leaf, workshop);
        }
        top = queue_.begin();
    }
    if (queue_.empty()) return {};
    const double least = queue_.begin()->first - kTie;
    Place leaf = queue_.begin()->second;
    for (auto tied = queue_.begin(); tied != queue_.end() && tied->first >= least; ++tied)
        if (tied->second != leaf && tree_.is_lower(tied->second, leaf)) leaf = tied->second;
    const Question question = choose(open_[leaf], least);
    return Step{question.gain - choice_price_, question, leaf};
}

// Of the questions that gain so much, the one about the lowest variable.
Question NodeGrowth::choose(const Open& open, double least) const {
    Question chosen = open.questions[open.next];
    for (std::size_t i = open.next; i < open.questions.size() && open.questions[i].gain >= least; ++i) {
        const Question& question = open.questions[i];
        if (question.variable < chosen.variable && may_ask(question.variable)) chosen = question;
    }
    return chosen;
}

std::optional<NodeGrowth::Step> NodeGrowth::best_level() const {
    std::optional<Step> best;
    const std::size_t room = soil_.options.max_leaves[tree_.node()] - tree_.n_leaves();
    double most = kMinusInfinity;
    const auto is_open = [&](std::size_t variable) {
        const std::size_t kept = n_kept_ - (is_awaited_[variable] != 0 ? new_leaves(variable) : 0);
        return level_sizes_[variable] > 1 && level_gains_[variable] - choice_price_ > kTie &&
               may_ask(variable) && level_sizes_[variable] * new_leaves(variable) + kept <= room;
    };
    std::vector<std::uint32_t> open;
    for (const Node variable : soil_.space.candidates[tree_.node()]) {
        if (!is_open(variable)) continue;
        open.push_back(variable);
        most = std::max(most, level_gains_[variable]);
    }
    for (const std::uint32_t variable : open) {
        const double gain = level_gains_[variable];
        if (gain < most - kTie) continue;
        best = Step{gain - choice_price_, {gain, variable, cut_of(variable), 0}, {}};
        break;
    }
    return best;
}

const std::optional<NodeGrowth::Step>& NodeGrowth::best(Workshop& workshop) {
    if (is_known_ && (!best_ || may_ask(best_->question.variable))) return best_;
    best_ = best_split(workshop);
    is_known_ = true;
    if (!soil_.options.levels) return best_;
    const std::optional<Step> level = best_level();
    if (level && (!best_ || level->gain > best_->gain + kTie)) best_ = level;
    return best_;
}

std::optional<NodeGrowth::Step> NodeGrowth::best_required(Workshop& workshop) const {
    std::vector<Step> steps;
    double most = kMinusInfinity;
    for (const Node variable : soil_.space.required[tree_.node()]) {
        for (Place leaf = 0; is_awaited_[variable] != 0 && leaf < tree_.size(); ++leaf) {
            if (!tree_.is_leaf(leaf)) continue;
            tree_.count(leaf, variable, workshop.table);
            workshop.score.enter(tree_.leaf(leaf), 2);
            const Question question = best_question(variable, workshop.all[variable], leaf, workshop);
            steps.push_back({question.gain - choice_price_, question, leaf});
            most = std::max(most, steps.back().gain);
        }
    }
    std::optional<Step> best;
    for (const Step& step : steps)
        if (step.gain >= most - kTie && (!best || tree_.is_lower(*step.leaf, *best->leaf))) best = step;
    return best;
}

void NodeGrowth::take(const Step& step, Workshop& workshop, bool is_last) {
    const std::uint32_t variable = step.question.variable;
    const std::vector<Split> splits =
        step.leaf ? std::vector<Split>{{*step.leaf, step.question}} : splits_of_level(variable, workshop);
    for (const Split& split : splits) close(split.leaf, workshop);
    if (is_awaited_[variable] != 0)
        n_kept_ -= new_leaves(variable);
    else if (is_used_[variable] == 0)
        ++n_used_;
    is_awaited_[variable] = 0;
    is_used_[variable] = 1;
    is_known_ = false;
    for (const Split& split : splits) {
        const auto first = static_cast<Place>(tree_.size());
        workshop.score.enter(tree_.leaf(split.leaf), 2);
        tree_.split(split.leaf, split.question, workshop.score);
        asked_.push_back(split.leaf);
        steps_.push_back(static_cast<std::int32_t>(gains_.size()));
        open_.resize(tree_.size());
        for (Place branch = first; !is_last && branch < tree_.size(); ++branch) open(branch, workshop);
    }
    gains_.push_back(step.gain);
    score_ += step.gain + choice_price_;
}

// Every leaf in which the variable varies, with its own best question about it.
std::vector<NodeGrowth::Split> NodeGrowth::splits_of_level(std::size_t variable, Workshop& workshop) const {
    std::vector<Split> splits;
    for (Place leaf = 0; leaf < tree_.size(); ++leaf) {
        if (!tree_.is_leaf(leaf) || tree_.is_empty(leaf)) continue;
        const StateSet left = tree_.left(leaf, variable);
        tree_.count(leaf, variable, workshop.table);
        if (left.size() < 2 || !varies(variable, workshop)) continue;
        workshop.score.enter(tree_.leaf(leaf), 2);
        splits.push_back({leaf, best_question(variable, left, leaf, workshop)});
    }
    return splits;
}

GrownTree NodeGrowth::result() const {
    auto [flat, numbers] = tree_.flatten();
    GrownTree tree = std::move(flat);
    for (const Place place : asked_) tree.asked.push_back(numbers[place]);
    tree.steps = steps_;
    tree.gains = gains_;
    return tree;
}

}  // namespace ldag
