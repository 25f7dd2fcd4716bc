#include <cmath>
#include <memory>
#include <vector>

#include "scoring/scorer.hpp"
#include "searching/climb_pace.hpp"
#include "searching/climb_pool.hpp"
#include "tests/check.hpp"

namespace {

using ldag::ClimbOptions;
using ldag::ClimbState;
using ldag::climb::Pace;

// Ten nodes, each of which may have all others as parents: 90 candidates in all.
ldag::SearchSpace ten_nodes() {
    ldag::SearchSpace space{ldag::Parents(10), ldag::Parents(10), std::vector<std::size_t>(10, 9)};
    for (ldag::Node child = 0; child < 10; ++child)
        for (ldag::Node parent = 0; parent < 10; ++parent)
            if (parent != child) space.candidates[child].push_back(parent);
    return space;
}

ClimbOptions patient(std::size_t n_restarts) {
    ClimbOptions options;
    options.n_restarts = n_restarts;
    options.patience = 2;
    return options;
}

TEST(after_a_usual_climb_all_restarts_are_made) {
    const ldag::SearchSpace space = ten_nodes();
    const ClimbOptions options = patient(400);
    const Pace pace(space, options);
    ClimbState state;
    state.n_first = 8 * 90;
    CHECK(pace.per_chain(state) == 8);
    CHECK(pace.most_around(state) == 12 * 8 * 90);
    CHECK(pace.most_of_one(state) > pace.most_around(state));
}

TEST(after_a_long_climb_less_is_made_of_what_takes_longer) {
    const ldag::SearchSpace space = ten_nodes();
    const ClimbOptions options = patient(400);
    const Pace pace(space, options);
    ClimbState state;
    state.n_first = 4 * 8 * 90;
    CHECK(pace.per_chain(state) == 2);
    CHECK(pace.n_restarts(state) == 25 && pace.per_round(state) == 8);
    CHECK(pace.most_around(state) == 12 * 8 * 90);
    CHECK(pace.most_of_one(state) == 12 * 8 * 9);
    state.n_first = 1000 * 8 * 90;
    CHECK(pace.per_chain(state) == 1 && pace.n_restarts(state) == 1);
}

TEST(restarts_that_were_asked_for_are_made_in_any_case) {
    const ldag::SearchSpace space = ten_nodes();
    ClimbOptions options = patient(400);
    options.patience = 0;
    const Pace pace(space, options);
    ClimbState state;
    state.n_first = 1000 * 8 * 90;
    CHECK(pace.n_restarts(state) == 400);
}

// As many nodes as asked for, each with so many parents.
ldag::Parents regular(std::size_t n_nodes, std::size_t n_parents) {
    return ldag::Parents(n_nodes, std::vector<ldag::Node>(n_parents, 0));
}

TEST(graphs_are_small_unless_they_have_many_nodes_or_many_parents_of_them) {
    CHECK(ldag::climb::is_small(regular(80, 3)) && !ldag::climb::is_small(regular(81, 1)));
    CHECK(!ldag::climb::is_small(regular(80, 4)));
    CHECK(ldag::climb::is_small(regular(30, 9)) && !ldag::climb::is_small(regular(31, 9)));
}

TEST(a_round_of_a_large_graph_is_worth_another_if_it_gains_a_share_of_the_score) {
    const ldag::SearchSpace space = ten_nodes();
    const ClimbOptions options = patient(400);
    const Pace pace(space, options);
    ClimbState state;
    state.best.score = -100000.0;
    state.best.parents = regular(80, 1);
    CHECK(pace.is_worthwhile(0.1, state) && !pace.is_worthwhile(0.0, state));
    state.best.parents = regular(81, 1);
    CHECK(pace.is_worthwhile(10.1, state) && !pace.is_worthwhile(9.9, state));
}

TEST(after_a_climb_to_a_dense_graph_a_few_rounds_are_all) {
    const ldag::SearchSpace space = ten_nodes();
    const ClimbOptions options = patient(400);
    const Pace pace(space, options);
    ClimbState state;
    state.n_first = 6 * 90;
    CHECK(pace.settles(state) && pace.n_restarts(state) == 400);
    state.n_first = 6 * 90 + 1;
    CHECK(!pace.settles(state) && pace.n_restarts(state) == 4 * pace.per_round(state));
}

TEST(searches_of_large_graphs_begin_at_random_unless_there_are_too_many_sets) {
    const ldag::SearchSpace space = ten_nodes();
    const ClimbOptions options = patient(400);
    const Pace pace(space, options);
    ClimbState state;
    state.best.parents = regular(81, 1);
    const std::size_t most = std::size_t{1} << 25;
    CHECK(ldag::climb::kClose == 16 && ldag::climb::kAfresh == 5);
    CHECK(pace.kicks_afresh(0, state) == 40 && pace.kicks_afresh(most / 40, state) == 40);
    CHECK(pace.kicks_afresh(most / 20, state) == 20);
    CHECK(pace.kicks_afresh(most / 10, state) == 10 && pace.kicks_afresh(most / 9, state) == 0);
    state.best.parents = regular(80, 1);
    CHECK(pace.kicks_afresh(0, state) == 0);
}

// Scorers of two columns with 800 rows.
ldag::FamilyScorer scorer(const ldag::Structure& structure, double kappa) {
    ldag::ScorerOptions options;
    options.structure = &structure;
    options.parameter_saved = std::log(kappa);
    const std::vector<ldag::Code> codes(2 * 800, 0);
    const std::vector<std::size_t> n_states{2, 2};
    return {std::make_shared<ldag::Columns>(codes, 800, n_states), options, 1 << 16};
}

TEST(labels_of_large_families_are_more_work_the_less_a_class_costs) {
    const auto work = [](const ldag::Structure& structure, double kappa, std::size_t n_cells) {
        return scorer(structure, kappa).work(n_cells);
    };
    const ldag::Structure& table = ldag::structure_named("table");
    const ldag::Structure& tree = ldag::structure_named("tree");
    const ldag::Structure& labels = ldag::structure_named("ldag");
    CHECK(work(table, 1.0, 10000) == 1 && work(tree, 1.0, 10000) == 1);
    CHECK(work(labels, 1.0, 10) == 1);
    CHECK(work(labels, 1.0, 10000) == 101);
    CHECK(work(labels, 0.5, 10000) == 2);
    CHECK(work(labels, 0.1, 10000) == 1);
    CHECK(work(labels, 1.0, 100000) == 1);  // too large to be looked at
}

}  // namespace
