// Algorithm 1: from singletons, join the line with the best gain as long as one improves the score. The
// same engine merges pairs of neighbouring configurations (partial labels).
#include <algorithm>
#include <cmath>
#include <optional>

#include "families/bundles.hpp"
#include "families/classes.hpp"

namespace ldag {

namespace {

constexpr std::uint32_t kNone = Bundles::kNone;

// How much a class may grow by unvisited cells before what it gains with other classes is scored anew.
constexpr double kGrowth = 1.25;

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
    struct ClassFacts {
        std::uint32_t first_entry = kNone;
        Bundle first_alone = kNone;  // of the bundles that touch no other class
        std::uint32_t changed = 0;   // the last step that changed it
        std::size_t limit = 0;       // the size up to which the bounds of its bundles hold
    };
    struct BundleFacts {
        std::uint32_t n_unvisited;
        std::uint32_t met;                 // the last step that met it
        std::uint32_t next_alike = kNone;  // with the same classes but another number of unvisited cells
        std::uint32_t next_alone = kNone;  // of the same class
        std::uint32_t scored = 0;          // the step that scored it last
        std::uint32_t checked = 0;         // the last step for which its gain is what it is, no bound
        bool is_loose = false;             // whether its gain is a bound
        double exact = 0.0;                // the gain when it was scored last
        double bound = 0.0;                // the most it can become until it is scored again
    };
    // A gain that is known once the batch has run.
    struct Pending {
        Bundle bundle;
        ScoreBatch::Ticket ticket;
        double constant;  // what is added to the score of the union
        double slack;     // how much more it can become
    };

    bool has_name(Cell c) const { return names_all_ || classes_->is_observed(c) || classes_->size(c) > 1; }
    void find_touched(const Join& join);
    bool is_open() const { return named_.size() + n_unvisited_ > 1; }
    void add_bundles();
    Bundle* recall(Cell focus);
    Bundle take_bundle(Cell focus);
    void queue(Bundle bundle);
    void settle();
    bool is_whole();
    bool make_sure(Bundle bundle);
    const Join* first_allowed(Bundle bundle);
    struct Choice {
        Join join;
        double gain;
    };
    std::optional<Choice> choose();
    bool stays_allowed(const Join& join);
    Step apply(const Choice& choice);
    void forget_sure();
    void update_alone(Cell merged);
    void update_bundles(Cell merged);
    bool update_bundle(Bundle bundle, Cell merged);
    void note_alone(Bundle bundle);

    const FamilyProblem* problem_ = nullptr;
    Classes* classes_ = nullptr;
    Joins joins_;
    Regularity regularity_;
    std::optional<LabelGuard> guard_;
    ScoreBatch batch_;
    Bundles bundles_;

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
    std::vector<Memo> memos_;   // by class
    std::vector<Bundle> sure_;  // loose bundles with their exact gains for the present step
    std::optional<bool> is_whole_;
    std::vector<Cell> named_;      // the classes with a name that one join touches
    std::size_t n_unvisited_ = 0;  // and how many without
    std::vector<Cell> touched_;    // all of them
    std::vector<Cell> merged_;     // those of the join being applied
    std::vector<Cell> absorbed_;   // those of them without a name
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
    is_whole_.reset();
    entries_.clear();
    memos_.assign(q, {});
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
                bundles_.put(take_bundle(c), join);
            });
        });
    }
    settle();
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
Merger::Bundle Merger::take_bundle(Cell focus) {
    Bundle* const place = recall(focus);
    if (place != nullptr && *place != kNone) return *place;
    const Bundle bundle = bundles_.make();
    if (place != nullptr) *place = bundle;  // before of_bundle_ may move
    of_bundle_.push_back({static_cast<std::uint32_t>(n_unvisited_), step_});
    for (const Cell c : named_) {
        entries_.push_back({bundle, of_class_[c].first_entry});
        of_class_[c].first_entry = static_cast<std::uint32_t>(entries_.size() - 1);
    }
    note_alone(bundle);
    queue(bundle);
    return bundle;
}

void Merger::note_alone(Bundle bundle) {
    if (named_.size() > 1) return;
    of_bundle_[bundle].next_alone = of_class_[named_.front()].first_alone;
    of_class_[named_.front()].first_alone = bundle;
}

// Has the union of the touched classes scored; the gain is that less their own scores. A class that grows by
// unvisited cells does so because it scores more then, and the union of k + 1 states that occur scores at
// most k ln(s'/s) more at s' cells than at s (families/bound.cpp): what it gains with others stays below a
// bound that is good for some time. Bundles without other classes are scored whenever it grows.
void Merger::queue(Bundle bundle) {
    std::size_t size = n_unvisited_;
    double constant = problem_->class_lost * static_cast<double>(touched_.size() - 1);
    std::fill(sums_.begin(), sums_.end(), 0.0);
    int n_growing = 0;
    for (const Cell c : named_) {
        size += classes_->size(c);
        constant -= classes_->score(c);
        n_growing += of_class_[c].limit > classes_->size(c) ? 1 : 0;
        if (!classes_->is_observed(c)) continue;
        const auto counts = classes_->counts(c);
        for (std::size_t state = 0; state < sums_.size(); ++state) sums_[state] += counts[state];
    }
    double slack = 0.0;
    if (n_growing > 0 && named_.size() > 1) {
        const auto n_occurring = std::ranges::count_if(sums_, [](double sum) { return sum > 0.0; });
        slack = std::log(kGrowth) * n_growing * static_cast<double>(n_occurring - 1);
    }
    pending_.push_back({bundle, batch_.add(sums_, static_cast<double>(size)), constant, slack});
}

void Merger::settle() {
    batch_.run();
    for (const Pending& p : pending_) {
        BundleFacts& facts = of_bundle_[p.bundle];
        facts.scored = step_;
        facts.exact = batch_[p.ticket] + p.constant;
        facts.bound = facts.exact + p.slack;
        facts.is_loose = p.slack > 0.0;
        bundles_.set_gain(p.bundle, facts.bound);
    }
    pending_.clear();
    batch_.clear();
}

// Bounds are proven for whole counts only.
bool Merger::is_whole() {
    if (!is_whole_)
        is_whole_ = std::ranges::all_of(problem_->counts, [](double n) { return n == std::floor(n); });
    return *is_whole_;
}

// Tells whether the gain of a bundle is no mere bound; if it is, that is changed for the present step.
bool Merger::make_sure(Bundle bundle) {
    if (!of_bundle_[bundle].is_loose || of_bundle_[bundle].checked == step_) return true;
    const Join* const first = bundles_.first(bundle);
    if (first == nullptr) {
        bundles_.set_gain(bundle, Bundles::kNever);
        return false;
    }
    find_touched(*first);
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

const Join* Merger::first_allowed(Bundle bundle) {
    const Join* first = bundles_.first(bundle);
    while (first != nullptr && !stays_allowed(*first)) {
        bundles_.remove(first->number);
        first = bundles_.first(bundle);
    }
    if (first == nullptr) bundles_.set_gain(bundle, Bundles::kNever);
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
        const Join* const best = first_allowed(top);
        if (best == nullptr) continue;
        Choice chosen{*best, bundles_.gain(top)};
        bundles_.for_each_from(least, [&](Bundle tied) {
            const Join* first = bundles_.first(tied);
            while (first != nullptr && first->number < chosen.join.number) {
                if (stays_allowed(*first)) {
                    chosen = {*first, bundles_.gain(tied)};
                } else {
                    bundles_.remove(first->number);
                    first = bundles_.first(tied);
                }
            }
        });
        return chosen;
    }
}

// Merging only makes regularity worse, and what lies inside a class stays there; so a join that would lose
// regularity, or put a line into a label that is fixed without it, is out for ever.
bool Merger::stays_allowed(const Join& join) {
    if (!problem_->regular && !guard_) return true;
    find_touched(join);
    return (!problem_->regular || regularity_.holds_after(*classes_, touched_)) &&
           (!guard_ || guard_->holds_after(*classes_, touched_));
}

// Joins with a cell that gets a name leave their bundles before these are looked at, and come back after.
Step Merger::apply(const Choice& choice) {
    forget_sure();
    find_touched(choice.join);
    const Step step{static_cast<std::int32_t>(choice.join.axis), choice.join.line,
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
    if (merged_.size() == 1 && classes_->size(merged) <= of_class_[merged].limit)
        update_alone(merged);
    else
        update_bundles(merged);
    for (const Cell cell : absorbed_)
        joins_.for_each_through(cell, [&](const Join& own) {
            if (bundles_.has(own.number)) return;  // by another cell
            find_touched(own);
            if (is_open()) bundles_.put(take_bundle(merged), own);
        });
    settle();
    return step;
}

// A class that has grown by unvisited cells: only what it gains by more of them is scored.
void Merger::update_alone(Cell merged) {
    Bundle following = kNone;
    Bundle bundle = of_class_[merged].first_alone;
    of_class_[merged].first_alone = kNone;
    for (; bundle != kNone; bundle = following) {
        following = of_bundle_[bundle].next_alone;
        update_bundle(bundle, merged);
    }
}

// Gives the merged class the bundles of its parts, and these their new gains.
void Merger::update_bundles(Cell merged) {
    const std::size_t size = classes_->size(merged);
    const bool has_grown = merged_.size() == 1 && is_whole();
    of_class_[merged].limit =
        has_grown ? static_cast<std::size_t>(kGrowth * static_cast<double>(size)) : size;
    of_class_[merged].first_alone = kNone;
    std::uint32_t kept = kNone;
    for (const Cell part : merged_) {
        std::uint32_t following = kNone;
        for (std::uint32_t entry = of_class_[part].first_entry; entry != kNone; entry = following) {
            following = entries_[entry].next;
            if (!update_bundle(entries_[entry].bundle, merged)) continue;
            entries_[entry].next = kept;
            kept = entry;
        }
    }
    of_class_[merged].first_entry = kept;
}

// Tells whether it is still one of the class; not if it was met in this step, is closed, or is now like
// another.
bool Merger::update_bundle(Bundle bundle, Cell merged) {
    if (of_bundle_[bundle].met == step_ || bundles_.gain(bundle) == Bundles::kNever) return false;
    of_bundle_[bundle].met = step_;
    const Join* const first = bundles_.first(bundle);
    if (first != nullptr) find_touched(*first);
    if (first == nullptr || !is_open()) {
        bundles_.set_gain(bundle, Bundles::kNever);
        return false;
    }
    Bundle* const place = recall(merged);
    if (place != nullptr && *place != kNone) {
        bundles_.unite(*place, bundle);
        return false;
    }
    if (place != nullptr) *place = bundle;
    of_bundle_[bundle].next_alike = kNone;
    note_alone(bundle);
    queue(bundle);
    return true;
}

void Merger::run(std::vector<Step>* steps) {
    for (std::optional<Choice> choice = choose(); choice; choice = choose()) {
        const Step step = apply(*choice);
        if (steps != nullptr) steps->push_back(step);
    }
}

// From singletons, or from the classes that fixed labels make.
FamilyResult merge_from_finest(const FamilyProblem& problem, JoinKind kind) {
    const ClassScore score(problem.n_states, problem.grid.size(), problem.equivalent_sample_size);
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
