// Algorithm 1: from singletons, join the line with the best gain as long as one improves the score. The
// same engine merges pairs of neighbouring configurations (partial labels).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "families/bundles.hpp"
#include "families/classes.hpp"
#include "families/drift.hpp"
#include "families/structures.hpp"

namespace ldag {

namespace {

constexpr std::uint32_t kNone = Bundles::kNone;

// A gain that may come to be more than this beyond what it is now is scored whenever a class of it changes.
constexpr double kMuch = 0.5;

// Scores of classes of so many cells are prepared for in any case.
constexpr std::size_t kFewCells = 64;

// A merger is used again and again, so that small families do not pay for its memory.
class Merger {
  public:
    void begin(const FamilyProblem& problem, const ClassScore& score, JoinKind kind, Classes& classes);

    void run(std::vector<Step>* steps);

  private:
    using Bundle = Bundles::Bundle;

    // The bundles that touch a class are in a list of it; those that gain no more may be in it, too.
    struct Entry {
        Bundle bundle;
        std::uint32_t next;
    };
    // The bundles met in this step that touch the class in focus and one other class (or itself: no other),
    // one for every number of unvisited cells.
    struct Memo {
        std::uint32_t step = 0;
        Bundle first = kNone;
    };
    // The bundles of a class, by the changes of it after which they are scored: those that leave it not even
    // near to what it was, besides those that bring rows, or all.
    enum Rescored : std::uint8_t { kFar, kByRows, kAlways };
    struct ClassFacts {
        std::array<std::uint32_t, 3> first_entry{kNone, kNone, kNone};
        std::uint32_t changed = 0;  // the last step that changed it
    };
    struct BundleFacts {
        Join join;  // one of its own, or one that was
        std::uint32_t n_unvisited;
        std::uint32_t met;                 // the last step that met it
        std::uint32_t next_alike = kNone;  // with the same classes but another number of unvisited cells
        std::uint32_t scored = 0;          // the step that scored it last
        std::uint32_t checked = 0;         // the last step for which its gain is what it is, no bound
        bool is_loose = false;             // whether its gain is a bound
        Rescored when = kFar;              // its classes have it in this list or a later one
        double exact = 0.0;                // the gain when it was scored last
        double bound = 0.0;                // the most it can become until it is scored again
    };
    // A gain that is known once the batch has run.
    struct Pending {
        Bundle bundle;
        ScoreBatch::Ticket ticket;  // kNone: it is below the constant, and that is enough
        double constant;            // what is added to the score of the union
        Drift::Slack slack;         // how much more it can become
        bool is_alone;              // whether it has no other class
        std::uint32_t entry;        // of the merged class, to be put into one of its lists
    };

    bool has_name(Cell c) const { return names_all_ || classes_->is_observed(c) || classes_->size(c) > 1; }
    void find_touched(const Join& join);
    bool is_open() const { return named_.size() + n_unvisited_ > 1; }
    void add_bundles();
    Bundle* recall(Cell focus);
    Bundle take_bundle(Cell focus, const Join& join);
    bool touch(Bundle bundle);
    void queue(Bundle bundle, std::uint32_t entry = kNone);
    void settle(Cell merged = kNone);
    void note(Bundle bundle, Cell c);
    void note_all(Bundle bundle, Cell but);
    bool make_sure(Bundle bundle);
    std::uint32_t first_allowed(Bundle bundle);
    struct Choice {
        std::uint32_t join;
        double gain;
    };
    std::optional<Choice> choose();
    bool stays_allowed(std::uint32_t join);
    Step apply(const Choice& choice);
    void forget_sure();
    void update_bundles(Cell merged);
    void update_bundle(std::uint32_t entry, Cell merged);

    const FamilyProblem* problem_ = nullptr;
    Classes* classes_ = nullptr;
    Joins joins_;
    Regularity regularity_;
    std::optional<LabelGuard> guard_;
    ScoreBatch batch_;
    Bundles bundles_;
    Drift drift_;

    // A cell that no row visits has nothing to tell it from others like it, and joining such cells with each
    // other gains nothing as long as lost classes gain nothing. So they have no name until they join a class
    // that has one, and lines without a name are not looked at.
    bool names_all_ = false;

    std::uint32_t step_ = 0;
    std::uint32_t search_ = 0;
    std::vector<std::uint32_t> class_seen_;  // the search for touched classes that last saw a class
    std::vector<ClassFacts> of_class_;
    std::vector<BundleFacts> of_bundle_;
    std::vector<Entry> entries_;
    std::vector<Memo> memos_;      // by class
    std::vector<Bundle> sure_;     // loose bundles with their exact gains for the present step
    std::vector<Cell> named_;      // the classes with a name that one join touches
    std::size_t n_unvisited_ = 0;  // and how many without
    std::vector<Cell> touched_;    // all of them
    std::vector<Cell> merged_;     // those of the join being applied
    std::vector<Cell> absorbed_;   // those of them without a name
    double log_states_ = 0.0;
    std::vector<double> sums_;
    std::vector<Pending> pending_;
};

void Merger::begin(const FamilyProblem& problem, const ClassScore& score, JoinKind kind, Classes& classes) {
    const std::size_t q = problem.grid.size();
    problem_ = &problem;
    classes_ = &classes;
    names_all_ = problem.class_lost > 0.0;
    joins_.reset(problem.grid, kind);
    regularity_.reset(problem.grid);
    if (problem.fixed.empty())
        guard_.reset();
    else
        guard_.emplace(problem);
    batch_.reset(score);
    bundles_.clear(joins_.size());
    step_ = search_ = 0;
    class_seen_.assign(q, 0);
    of_class_.assign(q, {});
    of_bundle_.clear();
    sure_.clear();
    drift_.reset(classes, score, q);
    entries_.clear();
    memos_.assign(q, {});
    log_states_ = std::log(static_cast<double>(problem.n_states));
    sums_.resize(problem.n_states);
    add_bundles();
}

// Lists the distinct classes that a join touches.
void Merger::find_touched(const Join& join) {
    named_.clear();
    touched_.clear();
    n_unvisited_ = 0;
    ++search_;
    for (std::size_t k = 0; k < join.n_cells; ++k) {
        const Cell c = classes_->of(join.cell(k));
        if (class_seen_[c] == search_) continue;
        class_seen_[c] = search_;
        touched_.push_back(c);
        if (has_name(c))
            named_.push_back(c);
        else
            ++n_unvisited_;
    }
}

// Every open join goes to the bundle of the lowest class with a name that it touches.
void Merger::add_bundles() {
    for (Cell c = 0; c < problem_->grid.size(); ++c) {
        if (classes_->of(c) != c || !has_name(c)) continue;
        ++step_;
        classes_->for_each_cell(c, [&](Cell cell) {
            joins_.for_each_through(cell, [&](const Join& join) {
                if (bundles_.has(join.number)) return;
                find_touched(join);
                if (!is_open() || std::ranges::min(named_) != c) return;
                bundles_.put(take_bundle(c, join), join.number);
            });
        });
    }
    settle();
}

// Lists the classes that the joins of a bundle touch; false if it has none left.
bool Merger::touch(Bundle bundle) {
    const std::uint32_t number = bundles_.any(bundle);
    if (number == kNone) return false;
    Join& join = of_bundle_[bundle].join;
    if (join.number != number) join = joins_[number];
    find_touched(join);
    return true;
}

// Where the bundle of the touched classes, one of them the focus, is or would be remembered; null if there
// are so many that few joins are alike.
Merger::Bundle* Merger::recall(Cell focus) {
    if (named_.size() > 2) return nullptr;
    const Cell other = named_.front() != focus ? named_.front() : named_.back();
    Memo& memo = memos_[other];
    if (memo.step != step_) memo = {step_, kNone};
    Bundle* place = &memo.first;
    while (*place != kNone && of_bundle_[*place].n_unvisited != n_unvisited_)
        place = &of_bundle_[*place].next_alike;
    return place;
}

// The bundle of the touched classes, made if there is none.
Merger::Bundle Merger::take_bundle(Cell focus, const Join& join) {
    Bundle* const place = recall(focus);
    if (place != nullptr && *place != kNone) return *place;
    const Bundle bundle = bundles_.make();
    if (place != nullptr) *place = bundle;  // before of_bundle_ may move
    of_bundle_.push_back({join, static_cast<std::uint32_t>(n_unvisited_), step_});
    for (const Cell c : named_) note(bundle, c);
    queue(bundle);
    return bundle;
}

void Merger::note(Bundle bundle, Cell c) {
    std::uint32_t& first = of_class_[c].first_entry[of_bundle_[bundle].when];
    entries_.push_back({bundle, first});
    first = static_cast<std::uint32_t>(entries_.size() - 1);
}

// Has the union of the touched classes scored; the gain is that less their own scores. A union with rows
// scores less than -ln r: where that is too little, it is all that need be known until a class changes.
void Merger::queue(Bundle bundle, std::uint32_t entry) {
    double constant = problem_->class_lost * static_cast<double>(touched_.size() - 1);
    bool is_observed = false;
    bool is_watched = false;
    for (const Cell c : named_) {
        constant -= classes_->score(c);
        is_observed |= classes_->is_observed(c);
        is_watched |= drift_.is_watched(c);
    }
    if (!is_watched && is_observed && constant <= log_states_) {
        pending_.push_back({bundle, kNone, constant - log_states_, {}, false, entry});
        return;
    }
    std::size_t size = n_unvisited_;
    std::fill(sums_.begin(), sums_.end(), 0.0);
    for (const Cell c : named_) {
        size += classes_->size(c);
        if (!classes_->is_observed(c)) continue;
        const auto counts = classes_->counts(c);
        for (std::size_t state = 0; state < sums_.size(); ++state) sums_[state] += counts[state];
    }
    const auto n_cells = static_cast<double>(size);
    pending_.push_back({bundle, batch_.add(sums_, n_cells), constant,
                        is_watched ? drift_.slack(named_, sums_, n_cells) : Drift::Slack{},
                        named_.size() == 1, entry});
}

// Bundles that can come to gain much more, and might then be chosen, are scored more often instead.
void Merger::settle(Cell merged) {
    batch_.run();
    for (const Pending& p : pending_) {
        BundleFacts& facts = of_bundle_[p.bundle];
        facts.scored = step_;
        facts.exact = p.ticket == kNone ? p.constant : batch_[p.ticket] + p.constant;
        const Rescored before = facts.when;
        facts.when = p.is_alone                                                   ? kAlways
                     : p.slack.near <= kMuch || facts.exact + p.slack.near <= 0.0 ? kFar
                                                                                  : kByRows;
        const double slack = p.is_alone ? 0.0 : facts.when == kFar ? p.slack.near : p.slack.by_cells;
        facts.is_loose = slack > 0.0;
        facts.bound = facts.exact + slack;
        bundles_.set_gain(p.bundle, facts.bound);
        if (p.entry != kNone) {
            std::uint32_t& first = of_class_[merged].first_entry[facts.when];
            entries_[p.entry].next = first;
            first = p.entry;
        }
        if (facts.when > before) note_all(p.bundle, p.entry != kNone ? merged : kNone);
    }
    pending_.clear();
    batch_.clear();
}

void Merger::note_all(Bundle bundle, Cell but) {
    touch(bundle);
    for (const Cell c : named_)
        if (c != but) note(bundle, c);
}

// Tells whether the gain of a bundle is no mere bound; if it is, that is changed for the present step.
bool Merger::make_sure(Bundle bundle) {
    if (!of_bundle_[bundle].is_loose || of_bundle_[bundle].checked == step_) return true;
    if (!touch(bundle)) {
        bundles_.set_gain(bundle, Bundles::kNever);
        return false;
    }
    const auto has_changed = [&](Cell c) { return of_class_[c].changed > of_bundle_[bundle].scored; };
    if (std::ranges::any_of(named_, has_changed)) {
        queue(bundle);
        settle();
    }
    of_bundle_[bundle].checked = step_;
    bundles_.set_gain(bundle, of_bundle_[bundle].exact);
    sure_.push_back(bundle);
    return false;
}

void Merger::forget_sure() {
    for (const Bundle bundle : sure_)
        if (bundles_.gain(bundle) != Bundles::kNever) bundles_.set_gain(bundle, of_bundle_[bundle].bound);
    sure_.clear();
}

std::uint32_t Merger::first_allowed(Bundle bundle) {
    std::uint32_t first = bundles_.first(bundle);
    while (first != kNone && !stays_allowed(first)) {
        bundles_.remove(first);
        first = bundles_.first(bundle);
    }
    if (first == kNone) bundles_.set_gain(bundle, Bundles::kNever);
    return first;
}

// The first join that ties with the best allowed one, if one improves the score.
std::optional<Merger::Choice> Merger::choose() {
    for (;;) {
        const Bundle top = bundles_.best();
        if (top == kNone || !(bundles_.gain(top) > kTie)) return std::nullopt;
        if (!make_sure(top)) continue;
        const double least = std::max(bundles_.gain(top) - kTie, kTie);
        bool is_sure = true;
        bundles_.for_each_from(least, [&](Bundle tied) { is_sure &= make_sure(tied); });
        if (!is_sure) continue;
        const std::uint32_t best = first_allowed(top);
        if (best == kNone) continue;
        Choice chosen{best, bundles_.gain(top)};
        bundles_.for_each_from(least, [&](Bundle tied) {
            std::uint32_t first = bundles_.first(tied);
            while (first != kNone && first < chosen.join) {
                if (stays_allowed(first)) {
                    chosen = {first, bundles_.gain(tied)};
                } else {
                    bundles_.remove(first);
                    first = bundles_.first(tied);
                }
            }
        });
        return chosen;
    }
}

// Merging only makes regularity worse, and what lies inside a class stays there; so a join that would lose
// regularity, or put a line into a label that is fixed without it, is out for ever.
bool Merger::stays_allowed(std::uint32_t join) {
    if (!problem_->regular && !guard_) return true;
    find_touched(joins_[join]);
    return (!problem_->regular || regularity_.holds_after(*classes_, touched_)) &&
           (!guard_ || guard_->holds_after(*classes_, touched_));
}

// Joins with a cell that gets a name leave their bundles before these are looked at, and come back after.
Step Merger::apply(const Choice& choice) {
    forget_sure();
    const Join join = joins_[choice.join];
    find_touched(join);
    const Step step{static_cast<std::int32_t>(join.axis), join.line,
                    static_cast<std::int32_t>(touched_.size() - 1), choice.gain};
    merged_ = named_;
    absorbed_.clear();
    for (const Cell c : touched_)
        if (!has_name(c)) absorbed_.push_back(c);
    const Cell largest = *std::ranges::max_element(named_, {}, [&](Cell c) { return classes_->size(c); });
    const Cell merged = classes_->merge_into(largest, touched_);
    ++step_;
    for (const Cell cell : absorbed_)
        joins_.for_each_through(cell, [&](const Join& own) { bundles_.remove(own.number); });
    of_class_[merged].changed = step_;
    update_bundles(merged);
    for (const Cell cell : absorbed_)
        joins_.for_each_through(cell, [&](const Join& own) {
            if (bundles_.has(own.number)) return;  // by another cell
            find_touched(own);
            if (is_open()) bundles_.put(take_bundle(merged, own), own.number);
        });
    settle(merged);
    return step;
}

// Gives the merged class the bundles of its parts, and these their new gains. If the class that the others
// were joined to has not drifted far, those of its own that need not be scored stay as they are.
void Merger::update_bundles(Cell merged) {
    const Drift::Change change = drift_.change(merged);
    if (change == Drift::Change::far && !names_all_) drift_.watch(merged, merged_.size() == 1);
    const Rescored from = change == Drift::Change::far    ? kFar
                          : change == Drift::Change::near ? kByRows
                                                          : kAlways;
    std::array<std::uint32_t, 3> kept{kNone, kNone, kNone};
    for (std::size_t list = from; list < kept.size(); ++list)
        std::swap(kept[list], of_class_[merged].first_entry[list]);
    for (const Cell part : merged_)
        for (std::uint32_t entry : part == merged ? kept : of_class_[part].first_entry)
            while (entry != kNone) {
                const std::uint32_t following = entries_[entry].next;
                update_bundle(entry, merged);
                entry = following;
            }
}

// Has a bundle scored that is still one of the class; not if it was met in this step, is closed, or is now
// like another.
void Merger::update_bundle(std::uint32_t entry, Cell merged) {
    const Bundle bundle = entries_[entry].bundle;
    if (of_bundle_[bundle].met == step_ || bundles_.gain(bundle) == Bundles::kNever) return;
    of_bundle_[bundle].met = step_;
    if (!touch(bundle) || !is_open()) {
        bundles_.set_gain(bundle, Bundles::kNever);
        return;
    }
    Bundle* const place = recall(merged);
    if (place != nullptr && *place != kNone) {
        bundles_.unite(*place, bundle);
        return;
    }
    if (place != nullptr) *place = bundle;
    of_bundle_[bundle].next_alike = kNone;
    queue(bundle, entry);
}

void Merger::run(std::vector<Step>* steps) {
    for (std::optional<Choice> choice = choose(); choice; choice = choose()) {
        const Step step = apply(*choice);
        if (steps != nullptr) steps->push_back(step);
    }
}

// From singletons, or from the classes that fixed labels make.
FamilyResult merge_from_finest(const FamilyProblem& problem, JoinKind kind) {
    const ClassScore score(problem.n_states, problem.grid.size(), problem.equivalent_sample_size, kFewCells);
    Classes classes = problem.fixed.empty()
                          ? Classes(problem, score)
                          : Classes(problem, score, finest_classes(problem.fixed, problem.grid));
    std::vector<Step> steps;
    merge_joins(problem, score, kind, classes, &steps);
    return classes.result(std::move(steps));
}

}  // namespace

void merge_joins(const FamilyProblem& problem, const ClassScore& score, JoinKind kind, Classes& classes,
                 std::vector<Step>* steps) {
    thread_local Merger merger;
    merger.begin(problem, score, kind, classes);
    merger.run(steps);
}

FamilyResult merge_lines(const FamilyProblem& problem) { return merge_from_finest(problem, JoinKind::line); }

FamilyResult merge_neighbours(const FamilyProblem& problem) {
    return merge_from_finest(problem, JoinKind::pair);
}

}  // namespace ldag
