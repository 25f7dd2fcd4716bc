// Decision graphs: any classes may be merged, and any class split (Chickering, Heckerman & Meek).
#include <algorithm>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

#include "families/classes.hpp"
#include "families/structures.hpp"
#include "support/infinity.hpp"

namespace ldag {

namespace {

// Merges the best pair of classes as long as one improves. Every class remembers its best partner among
// the later ones; after a merge only the classes whose partner changed look for a new one.
class PairMerger {
  public:
    PairMerger(const FamilyProblem& problem, const ClassScore& score, Classes& classes);

    void run(std::vector<Step>* steps);

  private:
    struct Pair {
        Cell first;
        Cell second;  // the later class
        double gain;
    };
    struct Best {
        double gain = kMinusInfinity;
        Cell partner = 0;
    };
    struct Memo {
        std::uint32_t row = 0;
        ScoreBatch::Ticket ticket = 0;
    };

    void find_kind(Cell c);
    void find_gains(Cell c, std::size_t from);
    ScoreBatch::Ticket union_ticket(Cell a, Cell b);
    void find_best(std::size_t index);
    std::optional<Pair> choose();
    bool stays_regular(Pair pair);
    Pair first_tied(Cell c, double least);
    std::size_t index_of(Cell c) const;
    std::uint64_t key(Cell a, Cell b) const { return std::uint64_t{a} * problem_.grid.size() + b; }
    void apply(Pair pair);

    const FamilyProblem& problem_;
    Classes& classes_;
    Regularity regularity_;
    ScoreBatch batch_;
    std::vector<Cell> present_;               // the classes, ascending
    std::vector<Best> best_;                  // by class
    std::unordered_set<std::uint64_t> lost_;  // pairs that would lose regularity
    std::vector<double> gains_;               // of one row: a class with each of the present ones
    std::vector<ScoreBatch::Ticket> tickets_;
    std::vector<std::size_t> again_;                      // classes that lost their partner
    std::map<std::vector<double>, std::uint32_t> kinds_;  // by counts and size
    std::vector<std::uint32_t> kind_;                     // by class
    std::vector<Memo> by_kind_;
    std::uint32_t row_ = 0;
    std::vector<double> sums_;
};

PairMerger::PairMerger(const FamilyProblem& problem, const ClassScore& score, Classes& classes)
    : problem_(problem),
      classes_(classes),
      regularity_(problem.grid),
      batch_(score),
      best_(problem.grid.size()),
      kind_(problem.grid.size()),
      sums_(problem.n_states) {
    for (Cell cell = 0; cell < problem.grid.size(); ++cell)
        if (classes_.of(cell) == cell) present_.push_back(cell);
    for (const Cell c : present_) find_kind(c);
    gains_.resize(present_.size());
    tickets_.resize(present_.size());
    for (std::size_t i = 0; i < present_.size(); ++i) find_best(i);
}

ScoreBatch::Ticket PairMerger::union_ticket(Cell a, Cell b) {
    const auto first = classes_.counts(a);
    const auto second = classes_.counts(b);
    for (std::size_t state = 0; state < sums_.size(); ++state) sums_[state] = first[state] + second[state];
    return batch_.add(sums_, static_cast<double>(classes_.size(a) + classes_.size(b)));
}

// Classes with the same counts and size are of one kind.
void PairMerger::find_kind(Cell c) {
    const auto counts = classes_.counts(c);
    std::vector<double> key(counts.begin(), counts.end());
    key.push_back(static_cast<double>(classes_.size(c)));
    kind_[c] = kinds_.emplace(std::move(key), static_cast<std::uint32_t>(kinds_.size())).first->second;
    by_kind_.resize(kinds_.size());
}

// The gain of merging c with each present class from that index on. Those of one kind share a score: most
// cells of a large grid have few counts or none.
void PairMerger::find_gains(Cell c, std::size_t from) {
    ++row_;
    for (std::size_t i = from; i < present_.size(); ++i) {
        const Cell other = present_[i];
        if (other == c) continue;
        Memo& memo = by_kind_[kind_[other]];
        if (memo.row != row_) memo = {row_, union_ticket(c, other)};
        tickets_[i] = memo.ticket;
    }
    batch_.run();
    for (std::size_t i = from; i < present_.size(); ++i) {
        const Cell other = present_[i];
        const bool is_out =
            other == c || (!lost_.empty() && lost_.contains(key(std::min(c, other), std::max(c, other))));
        gains_[i] =
            is_out ? kMinusInfinity
                   : batch_[tickets_[i]] - classes_.score(c) - classes_.score(other) + problem_.class_lost;
    }
    batch_.clear();
}

// The best partner of a class among the later ones.
void PairMerger::find_best(std::size_t index) {
    const Cell c = present_[index];
    best_[c] = {};
    find_gains(c, index + 1);
    for (std::size_t i = index + 1; i < present_.size(); ++i)
        if (gains_[i] > best_[c].gain) best_[c] = {gains_[i], present_[i]};
}

std::size_t PairMerger::index_of(Cell c) const {
    return static_cast<std::size_t>(std::lower_bound(present_.begin(), present_.end(), c) - present_.begin());
}

bool PairMerger::stays_regular(Pair pair) {
    const Cell joined[] = {pair.first, pair.second};
    if (!problem_.regular || regularity_.holds_after(classes_, joined)) return true;
    lost_.insert(key(pair.first, pair.second));
    find_best(index_of(pair.first));
    return false;
}

// The lowest partner of a class with at least this gain; there is one.
PairMerger::Pair PairMerger::first_tied(Cell c, double least) {
    std::size_t i = index_of(c) + 1;
    find_gains(c, i);
    while (!(gains_[i] >= least)) ++i;
    return {c, present_[i], gains_[i]};
}

// The first pair that ties with the best regular one, if one improves the score.
std::optional<PairMerger::Pair> PairMerger::choose() {
    for (;;) {
        Cell top = present_.front();
        for (const Cell c : present_)
            if (best_[c].gain > best_[top].gain) top = c;
        const double best = best_[top].gain;
        if (!(best > kTie)) return std::nullopt;
        if (!stays_regular({top, best_[top].partner, best})) continue;
        const double least = std::max(best - kTie, kTie);
        const auto ties = [&](Cell c) { return best_[c].gain >= least; };
        const Pair first = first_tied(*std::find_if(present_.begin(), present_.end(), ties), least);
        if (stays_regular(first)) return first;
    }
}

void PairMerger::apply(Pair pair) {
    const Cell joined[] = {pair.first, pair.second};
    classes_.merge(joined);
    find_kind(pair.first);
    present_.erase(present_.begin() + static_cast<std::ptrdiff_t>(index_of(pair.second)));
    find_gains(pair.first, 0);
    Best& own = best_[pair.first];
    own = {};
    again_.clear();
    for (std::size_t i = 0; i < present_.size(); ++i) {
        const Cell c = present_[i];
        if (c > pair.first && gains_[i] > own.gain) own = {gains_[i], c};
        if (c == pair.first) continue;
        const bool lost_partner = best_[c].partner == pair.second || best_[c].partner == pair.first;
        if (c < pair.second && lost_partner)
            again_.push_back(i);
        else if (c < pair.first && gains_[i] > best_[c].gain)
            best_[c] = {gains_[i], pair.first};
    }
    for (const std::size_t i : again_) find_best(i);
}

void PairMerger::run(std::vector<Step>* steps) {
    while (present_.size() > 1) {
        const std::optional<Pair> pair = choose();
        if (!pair) return;
        apply(*pair);
        if (steps != nullptr) steps->push_back({-1, pair->second, 1, pair->gain});
    }
}

// Splits classes in two, each time by the best of all the ways it looks at.
class Splitter {
  public:
    Splitter(const FamilyProblem& problem, const ClassScore& score, Classes& classes)
        : problem_(problem),
          classes_(classes),
          digits_(problem.grid),
          batch_(score),
          best_(problem.grid.size()) {}

    bool run(std::vector<Step>* steps);

  private:
    // The part of a class in one state of an axis, or one cell of it (axis -1).
    struct Split {
        double gain = kMinusInfinity;
        std::int32_t axis = -1;
        std::size_t value = 0;  // the state or the cell
    };

    void find_best(Cell c);
    void consider(Cell c, std::span<const double> part, std::size_t size, Split split);
    bool is_in(const Split& split, Cell cell) const;
    Step apply(Cell c);

    const FamilyProblem& problem_;
    Classes& classes_;
    Digits digits_;
    ScoreBatch batch_;
    std::vector<Split> best_;    // by class
    std::vector<Split> queued_;  // each with two tickets in the batch: the part and the rest
    std::vector<double> rest_;
    std::vector<double> sums_;        // by state of an axis, then of the node
    std::vector<std::size_t> sizes_;  // by state of an axis
    Groups groups_;
};

// Queues the split of a class into a part and the rest.
void Splitter::consider(Cell c, std::span<const double> part, std::size_t size, Split split) {
    if (size == 0 || size == classes_.size(c)) return;
    rest_.assign(classes_.counts(c).begin(), classes_.counts(c).end());
    for (std::size_t state = 0; state < rest_.size(); ++state)
        rest_[state] = std::max(0.0, rest_[state] - part[state]);
    batch_.add(part, static_cast<double>(size));
    batch_.add(rest_, static_cast<double>(classes_.size(c) - size));
    queued_.push_back(split);
}

// The best split of one class: axes ascending, then states, then single cells.
void Splitter::find_best(Cell c) {
    best_[c] = {};
    if (classes_.size(c) == 1 || (!classes_.is_observed(c) && problem_.class_lost >= 0.0)) return;
    const std::size_t r = problem_.n_states;
    queued_.clear();
    for (std::size_t axis = 0; axis < problem_.grid.n_axes(); ++axis) {
        sums_.assign(problem_.grid.n_states(axis) * r, 0.0);
        sizes_.assign(problem_.grid.n_states(axis), 0);
        classes_.for_each_cell(c, [&](Cell cell) {
            const std::size_t value = digits_.state(cell, axis);
            ++sizes_[value];
            for (std::size_t state = 0; state < r; ++state)
                sums_[value * r + state] += problem_.row(cell)[state];
        });
        for (std::size_t value = 0; value < sizes_.size(); ++value)
            consider(c, std::span(sums_).subspan(value * r, r), sizes_[value],
                     {0.0, static_cast<std::int32_t>(axis), value});
    }
    classes_.for_each_cell(c, [&](Cell cell) { consider(c, problem_.row(cell), 1, {0.0, -1, cell}); });
    batch_.run();
    for (ScoreBatch::Ticket i = 0; i < queued_.size(); ++i) {
        const double gain = batch_[2 * i] + batch_[2 * i + 1] - classes_.score(c) - problem_.class_lost;
        if (gain > best_[c].gain + kTie) best_[c] = {gain, queued_[i].axis, queued_[i].value};
    }
    batch_.clear();
}

bool Splitter::is_in(const Split& split, Cell cell) const {
    if (split.axis < 0) return cell == split.value;
    return digits_.state(cell, static_cast<std::size_t>(split.axis)) == split.value;
}

Step Splitter::apply(Cell c) {
    const Split split = best_[c];
    groups_.clear();
    for (const bool in_part : {true, false}) {
        classes_.for_each_cell(c, [&](Cell cell) {
            if (is_in(split, cell) == in_part) groups_.cells.push_back(cell);
        });
        groups_.close();
    }
    classes_.regroup(groups_);
    const auto lowest = [&](std::size_t i) {
        return *std::min_element(groups_[i].begin(), groups_[i].end());
    };
    find_best(lowest(0));
    find_best(lowest(1));
    return {split.axis, lowest(0), -1, split.gain};
}

bool Splitter::run(std::vector<Step>* steps) {
    const std::size_t n_before = classes_.n_classes();
    for (Cell cell = 0; cell < best_.size(); ++cell)
        if (classes_.of(cell) == cell) find_best(cell);
    for (;;) {
        Cell top = 0;
        for (Cell cell = 1; cell < best_.size(); ++cell)
            if (best_[cell].gain > best_[top].gain + kTie) top = cell;
        if (!(best_[top].gain > kTie)) return classes_.n_classes() > n_before;
        const Step step = apply(top);
        if (steps != nullptr) steps->push_back(step);
    }
}

}  // namespace

void merge_pairs(const FamilyProblem& problem, const ClassScore& score, Classes& classes,
                 std::vector<Step>* steps) {
    PairMerger(problem, score, classes).run(steps);
}

bool split_classes(const FamilyProblem& problem, const ClassScore& score, Classes& classes,
                   std::vector<Step>* steps) {
    return Splitter(problem, score, classes).run(steps);
}

FamilyResult merge_classes(const FamilyProblem& problem) {
    const ClassScore score(problem.n_states, problem.grid.size(), problem.equivalent_sample_size);
    Classes classes(problem, score);
    std::vector<Step> steps;
    do merge_pairs(problem, score, classes, &steps);
    while (split_classes(problem, score, classes, &steps));
    return classes.result(std::move(steps));
}

}  // namespace ldag
