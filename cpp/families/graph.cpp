// Decision graphs: any classes may be merged, and any class split (Chickering, Heckerman & Meek).
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

#include "families/classes.hpp"
#include "families/structures.hpp"
#include "support/infinity.hpp"

namespace ldag {

namespace {

// Merges the best pair of classes as long as one improves. Classes with the same counts and size are of one
// kind, and what two classes gain depends on their kinds alone: most cells of a large grid have few counts or
// none. Every kind remembers its best partner among itself and the later ones; after a merge only those whose
// partner is gone look for a new one.
class PairMerger {
  public:
    PairMerger(const FamilyProblem& problem, const ClassScore& score, Classes& classes);

    void run(std::vector<Step>* steps);

  private:
    using Number = std::uint32_t;  // of a kind
    struct Kind {
        std::vector<double> counts;
        double size;
        double score;
        std::vector<Cell> members;  // ascending
        double best = kMinusInfinity;
        Number partner = 0;
    };
    struct Pair {
        Cell first;
        Cell second;  // the later class
        double gain;
    };

    static bool is_before(Pair a, Pair b) {
        return a.first < b.first || (a.first == b.first && a.second < b.second);
    }
    Number find_kind(Cell c);
    void put(Cell c);
    void take(Cell c);
    void find_gains(Number kind, std::size_t from);
    void find_best(Number kind);
    std::optional<Pair> first_open(Number a, Number b, double gain) const;
    std::optional<Pair> choose();
    Pair first_tied(double least);
    bool stays_regular(Pair pair);
    std::uint64_t key(Cell a, Cell b) const { return std::uint64_t{a} * problem_.grid.size() + b; }
    void apply(Pair pair);

    const FamilyProblem& problem_;
    Classes& classes_;
    Regularity regularity_;
    ScoreBatch batch_;
    std::vector<Kind> kinds_;
    std::map<std::vector<double>, Number> numbers_;  // by counts and size
    std::vector<Number> present_;                    // kinds with members, ascending
    std::vector<Number> kind_;                       // by class
    std::unordered_set<std::uint64_t> lost_;         // pairs of classes that would lose regularity
    std::vector<double> gains_;                      // of one kind with each of the present ones
    std::vector<double> sums_;
};

PairMerger::PairMerger(const FamilyProblem& problem, const ClassScore& score, Classes& classes)
    : problem_(problem),
      classes_(classes),
      regularity_(problem.grid),
      batch_(score),
      kind_(problem.grid.size()),
      sums_(problem.n_states) {
    for (Cell cell = 0; cell < problem.grid.size(); ++cell)
        if (classes_.of(cell) == cell) put(cell);
    for (const Number kind : present_) find_best(kind);
}

PairMerger::Number PairMerger::find_kind(Cell c) {
    const auto counts = classes_.counts(c);
    const auto size = static_cast<double>(classes_.size(c));
    std::vector<double> key(counts.begin(), counts.end());
    key.push_back(size);
    const auto [place, is_new] = numbers_.emplace(std::move(key), static_cast<Number>(kinds_.size()));
    if (is_new) kinds_.push_back({{counts.begin(), counts.end()}, size, classes_.score(c), {}});
    return place->second;
}

void PairMerger::put(Cell c) {
    const Number kind = kind_[c] = find_kind(c);
    std::vector<Cell>& members = kinds_[kind].members;
    if (members.empty()) present_.insert(std::ranges::lower_bound(present_, kind), kind);
    members.insert(std::ranges::lower_bound(members, c), c);
}

void PairMerger::take(Cell c) {
    std::vector<Cell>& members = kinds_[kind_[c]].members;
    members.erase(std::ranges::lower_bound(members, c));
    if (members.empty()) present_.erase(std::ranges::lower_bound(present_, kind_[c]));
}

// The first pair of classes of two kinds that has not been found to lose regularity.
std::optional<PairMerger::Pair> PairMerger::first_open(Number a, Number b, double gain) const {
    std::optional<Pair> first;
    const std::vector<Cell>& others = kinds_[b].members;
    for (const Cell one : kinds_[a].members) {
        if (first && one > first->first && others.front() >= first->first) break;
        const auto other = std::ranges::find_if(others, [&](Cell c) {
            return c != one && (lost_.empty() || !lost_.contains(key(std::min(one, c), std::max(one, c))));
        });
        if (other == others.end()) continue;
        const Pair pair{std::min(one, *other), std::max(one, *other), gain};
        if (!first || is_before(pair, *first)) first = pair;
    }
    return first;
}

// The gains of a kind with each of the present ones from that place on.
void PairMerger::find_gains(Number kind, std::size_t from) {
    const Kind& own = kinds_[kind];
    for (std::size_t i = from; i < present_.size(); ++i) {
        const Kind& other = kinds_[present_[i]];
        std::ranges::transform(own.counts, other.counts, sums_.begin(), std::plus());
        batch_.add(sums_, own.size + other.size);
    }
    batch_.run();
    gains_.resize(present_.size());
    for (std::size_t i = from; i < present_.size(); ++i) {
        const Number other = present_[i];
        const double gain = batch_[static_cast<ScoreBatch::Ticket>(i - from)] - own.score -
                            kinds_[other].score + problem_.class_lost;
        const bool may_be_out = other == kind || !lost_.empty();
        gains_[i] = may_be_out && !first_open(kind, other, gain) ? kMinusInfinity : gain;
    }
    batch_.clear();
}

// The best partner of a kind among itself and the later ones.
void PairMerger::find_best(Number number) {
    const auto from = static_cast<std::size_t>(std::ranges::lower_bound(present_, number) - present_.begin());
    find_gains(number, from);
    Kind& kind = kinds_[number];
    kind.best = kMinusInfinity;
    for (std::size_t i = from; i < present_.size(); ++i) {
        if (!(gains_[i] > kind.best)) continue;
        kind.best = gains_[i];
        kind.partner = present_[i];
    }
}

bool PairMerger::stays_regular(Pair pair) {
    const Cell joined[] = {pair.first, pair.second};
    if (!problem_.regular || regularity_.holds_after(classes_, joined)) return true;
    lost_.insert(key(pair.first, pair.second));
    find_best(std::min(kind_[pair.first], kind_[pair.second]));
    return false;
}

// The lowest pair of classes with at least this gain; there is one.
PairMerger::Pair PairMerger::first_tied(double least) {
    std::optional<Pair> first;
    for (std::size_t k = 0; k < present_.size(); ++k) {
        if (!(kinds_[present_[k]].best >= least)) continue;
        find_gains(present_[k], k);
        for (std::size_t i = k; i < present_.size(); ++i) {
            if (!(gains_[i] >= least)) continue;
            const Pair pair = *first_open(present_[k], present_[i], gains_[i]);
            if (!first || is_before(pair, *first)) first = pair;
        }
    }
    return *first;
}

// The first pair that ties with the best regular one, if one improves the score.
std::optional<PairMerger::Pair> PairMerger::choose() {
    for (;;) {
        const Number top =
            *std::ranges::max_element(present_, {}, [&](Number number) { return kinds_[number].best; });
        const double best = kinds_[top].best;
        if (!(best > kTie)) return std::nullopt;
        if (!stays_regular(*first_open(top, kinds_[top].partner, best))) continue;
        const Pair first = first_tied(std::max(best - kTie, kTie));
        if (stays_regular(first)) return first;
    }
}

void PairMerger::apply(Pair pair) {
    const Number gone[] = {kind_[pair.first], kind_[pair.second]};
    take(pair.first);
    take(pair.second);
    const Cell joined[] = {pair.first, pair.second};
    classes_.merge(joined);
    put(pair.first);
    const Number merged = kind_[pair.first];
    find_gains(merged, 0);
    for (std::size_t i = 0; i < present_.size() && present_[i] < merged; ++i) {
        Kind& other = kinds_[present_[i]];
        if (!(gains_[i] > other.best)) continue;
        other.best = gains_[i];
        other.partner = merged;
    }
    const auto has_changed = [&](Number number) { return std::ranges::find(gone, number) != std::end(gone); };
    for (const Number number : present_) {
        const Kind& kind = kinds_[number];
        const bool lost_partner = kind.best > kMinusInfinity &&
                                  (has_changed(number) || has_changed(kind.partner)) &&
                                  !first_open(number, kind.partner, kind.best);
        if (number == merged || lost_partner) find_best(number);
    }
}

void PairMerger::run(std::vector<Step>* steps) {
    while (classes_.n_classes() > 1) {
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
