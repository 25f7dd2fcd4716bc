#include <vector>

#include "growing/questions.hpp"
#include "tests/check.hpp"

namespace {

using ldag::Cut;
using ldag::StateSet;

std::vector<std::vector<std::size_t>> branches(Cut cut, ldag::Code state, const StateSet& left) {
    std::vector<std::vector<std::size_t>> lists;
    for (const StateSet& branch : ldag::branches_of({0.0, 0, cut, state}, left))
        branch.for_each([&, &list = lists.emplace_back()](std::size_t one) { list.push_back(one); });
    return lists;
}

using Lists = std::vector<std::vector<std::size_t>>;

TEST(branches_stand_in_the_order_of_their_lowest_states) {
    StateSet left = StateSet::all(5);
    CHECK((branches(Cut::one, 0, left) == Lists{{0}, {1, 2, 3, 4}}));
    CHECK((branches(Cut::one, 3, left) == Lists{{0, 1, 2, 4}, {3}}));
    CHECK((branches(Cut::threshold, 2, left) == Lists{{0, 1}, {2, 3, 4}}));
    left.remove(0);
    left.remove(2);
    CHECK((branches(Cut::complete, 0, left) == Lists{{1}, {3}, {4}}));
    CHECK((branches(Cut::one, 1, left) == Lists{{1}, {3, 4}}));
}

TEST(sets_hold_as_many_states_as_a_variable_has) {
    StateSet set = StateSet::all(255);
    CHECK(set.size() == 255);
    for (std::size_t state = 0; state < 200; ++state) set.remove(state);
    CHECK(set.size() == 55);
    CHECK(set.lowest() == 200);
    CHECK(set.contains(254));
    CHECK(!set.contains(199));
}

}  // namespace
