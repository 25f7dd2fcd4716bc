// Algorithm 1: from singletons, join the line with the best gain as long as one improves the score. The
// same engine merges pairs of neighbouring configurations (partial labels).
#include <algorithm>
#include <limits>

#include "families/classes.hpp"

namespace ldag {

namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// The gain of every join. The best of each block of joins is kept, so that finding the best of all and
// the first that ties with it looks at few of them.
class Gains {
  public:
    explicit Gains(std::size_t n)
        : gains_(n, kNever), best_(n / kBlock + 1, kNever), stale_(best_.size(), 0) {}

    double operator[](std::size_t join) const { return gains_[join]; }

    void set(std::size_t join, double gain) {
        gains_[join] = gain;
        stale_[join / kBlock] = 1;
    }

    double best();

    // The first join from there on with at least this gain; there is one.
    std::uint32_t first(double least, std::size_t from) const;

  private:
    static constexpr std::size_t kBlock = 64;

    std::vector<double> gains_;
    std::vector<double> best_;  // by block, unless stale
    std::vector<std::uint8_t> stale_;
};

double Gains::best() {
    double best = kNever;
    for (std::size_t block = 0; block < best_.size(); ++block) {
        if (stale_[block] != 0) {
            const auto first = gains_.begin() + static_cast<std::ptrdiff_t>(block * kBlock);
            const auto n = std::min(kBlock, gains_.size() - block * kBlock);
            best_[block] = *std::max_element(first, first + static_cast<std::ptrdiff_t>(n));
            stale_[block] = 0;
        }
        best = std::max(best, best_[block]);
    }
    return best;
}

std::uint32_t Gains::first(double least, std::size_t from) const {
    for (std::size_t join = from;;) {
        if (best_[join / kBlock] < least && stale_[join / kBlock] == 0)
            join = (join / kBlock + 1) * kBlock;
        else if (gains_[join] >= least)
            return static_cast<std::uint32_t>(join);
        else
            ++join;
    }
}

class Merger {
  public:
    Merger(const FamilyProblem& problem, const ClassScore& score, const Joins& joins, Classes& classes);

    void run(std::vector<Step>* steps);

  private:
    // A gain that is known once the batch has run.
    struct Pending {
        std::uint32_t join;
        ScoreBatch::Ticket ticket;
        double constant;  // what is added to the score of the union
    };
    // A union that was already asked for, if `step` is the present one.
    struct Memo {
        std::uint32_t step = 0;
        ScoreBatch::Ticket ticket = 0;
    };

    void link_members();
    void find_touched(std::uint32_t join);
    void queue(std::uint32_t join, ScoreBatch::Ticket ticket);
    ScoreBatch::Ticket union_ticket();
    ScoreBatch::Ticket shared_ticket(Cell merged);
    void settle();
    std::uint32_t choose();
    bool stays_allowed(std::uint32_t join);
    Step apply(std::uint32_t join);
    void update(Cell merged);

    const FamilyProblem& problem_;
    const std::vector<Joins::Join>& joins_;
    Classes& classes_;
    Regularity regularity_;
    LabelGuard guard_;
    ScoreBatch batch_;
    Gains gains_;  // kNever inside one class, and where regularity or a fixed label would be lost

    // Every class has a list of members: the open joins that touch it, by the cells they touch it in.
    std::vector<std::uint32_t> first_member_;  // by class
    std::vector<std::uint32_t> next_member_;
    std::vector<std::uint32_t> join_of_member_;

    std::uint32_t step_ = 0;
    std::uint32_t search_ = 0;
    std::vector<std::uint32_t> join_seen_;   // the step that last saw a join
    std::vector<std::uint32_t> class_seen_;  // the search for touched classes that last saw a class
    std::vector<Memo> by_class_;             // the merged class with one other
    std::vector<Memo> by_empty_size_;        // the merged class with so many unobserved cells
    std::vector<Cell> touched_;              // the classes that one join touches
    std::vector<Cell> merged_;               // those of the join being applied
    std::vector<double> sums_;
    std::vector<Pending> pending_;
};

Merger::Merger(const FamilyProblem& problem, const ClassScore& score, const Joins& joins, Classes& classes)
    : problem_(problem),
      joins_(joins.all),
      classes_(classes),
      regularity_(problem.grid),
      guard_(problem),
      batch_(score),
      gains_(joins.all.size()),
      first_member_(problem.grid.size(), kNone),
      join_seen_(joins.all.size(), 0),
      class_seen_(problem.grid.size(), 0),
      by_class_(problem.grid.size()),
      by_empty_size_(problem.grid.size() + 1),
      sums_(problem.n_states) {
    link_members();
    pending_.reserve(joins_.size());
    for (std::uint32_t join = 0; join < joins_.size(); ++join) {
        find_touched(join);
        if (touched_.size() > 1) queue(join, union_ticket());
    }
    settle();
}

void Merger::link_members() {
    std::size_t n_members = 0;
    for (const Joins::Join& join : joins_) n_members += join.n_cells;
    next_member_.reserve(n_members);
    join_of_member_.reserve(n_members);
    for (std::uint32_t join = 0; join < joins_.size(); ++join) {
        for (std::size_t k = 0; k < joins_[join].n_cells; ++k) {
            std::uint32_t& first = first_member_[classes_.of(joins_[join].cell(k))];
            next_member_.push_back(first);
            first = static_cast<std::uint32_t>(join_of_member_.size());
            join_of_member_.push_back(join);
        }
    }
}

// Lists the distinct classes that a join touches.
void Merger::find_touched(std::uint32_t join) {
    touched_.clear();
    ++search_;
    for (std::size_t k = 0; k < joins_[join].n_cells; ++k) {
        const Cell c = classes_.of(joins_[join].cell(k));
        if (class_seen_[c] == search_) continue;
        class_seen_[c] = search_;
        touched_.push_back(c);
    }
}

// Notes that the gain of joining the touched classes is the score of their union less their own.
void Merger::queue(std::uint32_t join, ScoreBatch::Ticket ticket) {
    double constant = problem_.class_lost * static_cast<double>(touched_.size() - 1);
    for (const Cell c : touched_) constant -= classes_.score(c);
    pending_.push_back({join, ticket, constant});
}

// Has the union of the touched classes scored.
ScoreBatch::Ticket Merger::union_ticket() {
    std::size_t size = 0;
    std::fill(sums_.begin(), sums_.end(), 0.0);
    for (const Cell c : touched_) {
        size += classes_.size(c);
        if (!classes_.is_observed(c)) continue;
        const auto counts = classes_.counts(c);
        for (std::size_t state = 0; state < sums_.size(); ++state) sums_[state] += counts[state];
    }
    return batch_.add(sums_, static_cast<double>(size));
}

// The same, computed once for all joins of this step with one class besides the merged one, and once for
// all those with equally many unobserved cells and nothing else.
ScoreBatch::Ticket Merger::shared_ticket(Cell merged) {
    Cell other = merged;
    std::size_t n_empty = 0;
    bool all_empty = true;
    for (const Cell c : touched_) {
        if (c == merged) continue;
        other = c;
        n_empty += classes_.size(c);
        all_empty &= !classes_.is_observed(c);
    }
    if (!all_empty && touched_.size() > 2) return union_ticket();
    Memo& memo = all_empty ? by_empty_size_[n_empty] : by_class_[other];
    if (memo.step != step_) memo = {step_, union_ticket()};
    return memo.ticket;
}

void Merger::settle() {
    batch_.run();
    for (const Pending& p : pending_) gains_.set(p.join, batch_[p.ticket] + p.constant);
    pending_.clear();
    batch_.clear();
}

// The first join that ties with the best allowed one, or kNone if none improves the score.
std::uint32_t Merger::choose() {
    for (;;) {
        const double best = gains_.best();
        if (!(best > kTie)) return kNone;
        const std::uint32_t top = gains_.first(best, 0);
        if (!stays_allowed(top)) continue;
        for (std::size_t from = 0;;) {
            const std::uint32_t tied = gains_.first(std::max(best - kTie, kTie), from);
            if (tied == top || stays_allowed(tied)) return tied;
            from = tied + 1;
        }
    }
}

// Merging only makes regularity worse, and what lies inside a class stays there; so a join that would lose
// regularity, or put a line into a label that is fixed without it, is out for ever.
bool Merger::stays_allowed(std::uint32_t join) {
    if (!problem_.regular && problem_.fixed.empty()) return true;
    find_touched(join);
    if ((!problem_.regular || regularity_.holds_after(classes_, touched_)) &&
        guard_.holds_after(classes_, touched_))
        return true;
    gains_.set(join, kNever);
    return false;
}

Step Merger::apply(std::uint32_t join) {
    find_touched(join);
    merged_ = touched_;
    const Step step{static_cast<std::int32_t>(joins_[join].axis), joins_[join].line,
                    static_cast<std::int32_t>(merged_.size() - 1), gains_[join]};
    update(classes_.merge(merged_));
    return step;
}

// Gives the merged class the members of its parts, and the joins among them their new gains.
void Merger::update(Cell merged) {
    ++step_;
    std::uint32_t kept = kNone;
    for (const Cell part : merged_) {
        std::uint32_t following = kNone;
        for (std::uint32_t member = first_member_[part]; member != kNone; member = following) {
            following = next_member_[member];
            const std::uint32_t join = join_of_member_[member];
            if (join_seen_[join] == step_ || gains_[join] == kNever) continue;
            join_seen_[join] = step_;
            find_touched(join);
            if (touched_.size() == 1) {
                gains_.set(join, kNever);
                continue;
            }
            queue(join, shared_ticket(merged));
            next_member_[member] = kept;
            kept = member;
        }
    }
    first_member_[merged] = kept;
    settle();
}

void Merger::run(std::vector<Step>* steps) {
    for (std::uint32_t join = choose(); join != kNone; join = choose()) {
        const Step step = apply(join);
        if (steps != nullptr) steps->push_back(step);
    }
}

// From singletons, or from the classes that fixed labels make.
FamilyResult merge_from_finest(const FamilyProblem& problem, const Joins& joins) {
    const ClassScore score(problem.n_states, problem.grid.size(), problem.equivalent_sample_size);
    Classes classes = problem.fixed.empty()
                          ? Classes(problem, score)
                          : Classes(problem, score, finest_classes(problem.fixed, problem.grid));
    std::vector<Step> steps;
    merge_joins(problem, score, joins, classes, &steps);
    return classes.result(std::move(steps));
}

}  // namespace

void merge_joins(const FamilyProblem& problem, const ClassScore& score, const Joins& joins, Classes& classes,
                 std::vector<Step>* steps) {
    Merger(problem, score, joins, classes).run(steps);
}

FamilyResult merge_lines(const FamilyProblem& problem) {
    return merge_from_finest(problem, Joins::lines(problem.grid));
}

FamilyResult merge_neighbours(const FamilyProblem& problem) {
    return merge_from_finest(problem, Joins::neighbours(problem.grid));
}

}  // namespace ldag
