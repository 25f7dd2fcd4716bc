#include "growing/questions.hpp"

namespace ldag {

std::vector<StateSet> branches_of(const Question& question, const StateSet& left) {
    std::vector<StateSet> branches;
    if (question.cut == Cut::complete) {
        left.for_each([&](std::size_t state) { branches.emplace_back().add(state); });
        return branches;
    }
    branches.resize(2);
    const auto is_cut_off = [&](std::size_t state) {
        return question.cut == Cut::one ? state == question.state : state >= question.state;
    };
    const bool lowest = is_cut_off(left.lowest());
    left.for_each([&](std::size_t state) { branches[is_cut_off(state) == lowest ? 0 : 1].add(state); });
    return branches;
}

}  // namespace ldag
