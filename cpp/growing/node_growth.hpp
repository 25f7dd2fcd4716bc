// The next step of one node: what its leaves would gain by asking, kept up to date from step to step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "growing/growing_tree.hpp"
#include "searching/ancestors.hpp"

namespace ldag {

// What the trees of one growth share.
struct Soil {
    const PackedRows& rows;
    const SearchSpace& space;
    const GrowthOptions& options;
    const Ancestors* ancestors;  // null if no candidates can close a cycle
    std::size_t most_states;
};

// Memory of one thread.
struct Workshop {
    explicit Workshop(const Soil& soil);

    LeafScore score;
    PackedRows::Memory memory;
    std::vector<double> sums;
    std::vector<double> table;          // of one variable, by its state, then that of the node
    std::vector<double> counts;         // of one branch
    std::vector<const StateSet*> left;  // by variable, where it was asked about above
    std::vector<std::uint32_t> asked;   // those
    std::vector<StateSet> all;          // by variable, all its states
    std::vector<Question> gains;
};

class NodeGrowth {
  public:
    using Place = GrowingTree::Place;

    struct Step {
        double gain;  // with the price of the choice
        Question question;
        std::optional<Place> leaf;  // none: the question's variable for all leaves
    };

    NodeGrowth(const Soil& soil, std::size_t node, Workshop& workshop);

    // Has the root look for questions. Before that no step gains.
    void start(Workshop& workshop);

    // The best step, if any gains. Asked again after ancestors were added, it can only be another one, and
    // gains no more.
    const std::optional<Step>& best(Workshop& workshop);

    // The least bad question about a required variable that was never asked about, if there is one.
    std::optional<Step> best_required(Workshop& workshop) const;

    // Takes a step. Unless it is the last one, leaves that are new look for questions of their own.
    void take(const Step& step, Workshop& workshop, bool is_last = false);

    std::size_t node() const { return tree_.node(); }
    bool has_asked(std::size_t variable) const { return is_used_[variable] != 0; }
    double score() const { return score_; }
    GrownTree result() const;

  private:
    using Queue = std::set<std::pair<double, Place>, std::greater<>>;

    // The questions of a leaf that gain, the best first; some that gain less may have been left out.
    struct Open {
        std::vector<Question> questions;
        std::size_t next = 0;
        bool has_more = false;
    };

    struct Split {
        Place leaf;
        Question question;
    };

    Cut cut_of(std::size_t variable) const;
    std::size_t new_leaves(std::size_t variable) const;
    bool may_ask(std::size_t variable) const;
    Question best_question(std::size_t variable, const StateSet& left, Place leaf, Workshop& workshop) const;
    bool varies(std::size_t variable, const Workshop& workshop) const;
    void look_for_questions(Place leaf, Workshop& workshop, double sign);
    void open(Place leaf, Workshop& workshop);
    void reopen(Place leaf, Workshop& workshop);
    void close(Place leaf, Workshop& workshop);
    std::optional<Step> best_split(Workshop& workshop);
    std::optional<Step> best_level() const;
    Question choose(const Open& open, double least) const;
    std::vector<Split> splits_of_level(std::size_t variable, Workshop& workshop) const;

    const Soil& soil_;
    GrowingTree tree_;
    double leaf_price_;  // (r - 1) ln kappa
    double choice_price_;
    std::vector<std::uint8_t> is_candidate_;
    std::vector<std::uint8_t> is_used_;
    std::vector<std::uint8_t> is_awaited_;    // required and not used yet
    std::size_t n_used_ = 0;                  // or awaited
    std::size_t n_kept_ = 0;                  // leaves that those awaited will take
    std::vector<Open> open_;                  // by place
    Queue queue_;                             // leaves by what their next question gains
    std::vector<double> level_gains_;         // by variable, the sum over all leaves where it varies
    std::vector<std::uint32_t> level_sizes_;  // and how many these are
    std::optional<Step> best_;
    bool is_known_ = false;  // whether best_ is up to date but for ancestors
    double score_ = 0.0;
    std::vector<Place> asked_;
    std::vector<std::int32_t> steps_;
    std::vector<double> gains_;
};

}  // namespace ldag
