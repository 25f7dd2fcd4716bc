// The rows of a data set in groups of equal values of some variables, which are added and removed one after
// the other: how often every configuration occurs, for very many sets of variables in turn. A row that is
// alone in its group stays alone, so that large sets take less and less.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "counting/columns.hpp"

namespace ldag {

class RowGroups {
  public:
    // The data set has whole counts (Columns::is_whole), fewer than 2^32 rows, and outlives this.
    explicit RowGroups(const Columns& columns);

    // Splits the groups by one more variable, and takes the last one back.
    void push(std::size_t variable);
    void pop() { --depth_; }

    // Calls visit(count, n) for every configuration that occurs, or for n of them with the same count.
    template <class Visit>
    void for_each(Visit visit) const {
        const Level& level = levels_[depth_];
        visit_alone(level, visit);
        for (const Group& group : level.groups) visit(group.count, std::size_t{1});
    }

    // The same with one more variable.
    template <class Visit>
    void for_each_with(std::size_t variable, Visit visit) {
        const Level& level = levels_[depth_];
        visit_alone(level, visit);
        for (const Group& group : level.groups) {
            add_up(level, group, variable);
            for (std::size_t state = 0; state < n_states_[variable]; ++state)
                if (parts_[state].n > 0) visit(parts_[state].count, std::size_t{1});
        }
    }

  private:
    // Several rows that differ in other variables; rows of the level from the end of the group before on.
    struct Group {
        std::uint32_t end;
        std::uint64_t count;
    };
    struct Level {
        std::vector<std::uint32_t> rows;
        std::vector<Group> groups;
        std::size_t n_once = 0;            // rows that are alone and count once
        std::vector<std::uint64_t> alone;  // counts of the other rows that are alone
    };
    struct Part {
        std::uint32_t n;
        std::uint32_t place;
        std::uint64_t count;
    };

    template <class Visit>
    static void visit_alone(const Level& level, Visit& visit) {
        if (level.n_once > 0) visit(std::uint64_t{1}, level.n_once);
        for (const std::uint64_t count : level.alone) visit(count, std::size_t{1});
    }
    static std::uint32_t begin_of(const Level& level, const Group& group) {
        return &group == level.groups.data() ? 0 : (&group - 1)->end;
    }
    void add_up(const Level& level, const Group& group, std::size_t variable);

    std::vector<std::size_t> n_states_;
    std::vector<std::vector<Code>> codes_;  // of distinct rows, by variable
    std::vector<std::uint64_t> weights_;    // of distinct rows
    std::vector<Level> levels_;             // by number of variables
    std::size_t depth_ = 0;
    std::vector<Part> parts_;  // of one group, by state
};

}  // namespace ldag
