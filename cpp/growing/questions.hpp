// What a tree asks: a question about one variable, which cuts the states that are left into branches.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "counting/counts.hpp"

namespace ldag {

// Some states of one variable.
class StateSet {
  public:
    static StateSet all(std::size_t n_states) {
        StateSet set;
        for (std::size_t state = 0; state < n_states; ++state) set.add(state);
        return set;
    }

    void add(std::size_t state) { words_[state / 64] |= std::uint64_t{1} << (state % 64); }
    void remove(std::size_t state) { words_[state / 64] &= ~(std::uint64_t{1} << (state % 64)); }
    bool contains(std::size_t state) const { return (words_[state / 64] >> (state % 64) & 1) != 0; }
    std::size_t size() const {
        int n = 0;
        for (const std::uint64_t word : words_) n += std::popcount(word);
        return static_cast<std::size_t>(n);
    }
    std::size_t lowest() const {
        std::size_t state = 0;
        while (!contains(state)) ++state;
        return state;
    }
    // Calls visit(state), ascending.
    template <class Visit>
    void for_each(Visit visit) const {
        for (std::size_t i = 0; i < words_.size(); ++i)
            for (std::uint64_t left = words_[i]; left != 0; left &= left - 1)
                visit(i * 64 + static_cast<std::size_t>(std::countr_zero(left)));
    }

  private:
    std::array<std::uint64_t, kMostStates / 64 + 1> words_{};
};

// How a question about a variable cuts its states: one branch each, one against the rest, or those below a
// state against the others.
enum class Cut : std::uint8_t { complete, one, threshold };

struct Question {
    double gain;  // what asking it adds to the score of the leaf
    std::uint32_t variable;
    Cut cut;
    Code state;  // the one, or the first above the threshold
};

// The branches of a question where some states are left, in the order of their lowest states.
std::vector<StateSet> branches_of(const Question& question, const StateSet& left);

}  // namespace ldag
