// How far large classes have drifted since the joins around them were scored: while they have not drifted
// far, what such a join gains stays below a bound, and it need not be scored anew whenever the class grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "families/classes.hpp"

namespace ldag {

class Drift {
  public:
    // Watches no class of these.
    void reset(const Classes& classes, const ClassScore& score, std::size_t n_cells);

    // Watches a class from now on, if its counts are whole; a small one only if it has got cells without
    // rows.
    void watch(Cell c, bool is_by_cells);
    bool is_watched(Cell c) const { return facts_[c].is_watched; }

    // What a class that has grown is to one that was watched: the same but for some cells that no row visits,
    // near to it, or anything else. After the second, it is the first of what comes then.
    enum class Change : std::uint8_t { cells, near, far };
    Change change(Cell c);

    // The most that a union can come to gain beyond what it gains now, as long as of its watched classes none
    // changes by more than that, and the others do not change.
    struct Slack {
        double by_cells = 0.0;
        double near = 0.0;  // infinite if nothing is known
    };
    // For the union of some classes and unvisited cells; `sums` are its counts and `size` is its cells.
    Slack slack(std::span<const Cell> joined, std::span<const double> sums, double size) const;

  private:
    struct Facts {
        bool is_watched = false;
        bool is_small = false;        // with rows, it is not near any more
        std::uint32_t n_missing = 0;  // states that do not occur
        double most_cells = 0.0;
        double n = 0.0;      // N
        double total = 0.0;  // X
        double logs = 0.0;   // 1 + ln N
    };

    void note_size(Cell c, double n);
    double slack_of_large(Cell c, std::span<const double> sums, double size) const;
    bool renew(Cell c);

    const Classes* classes_ = nullptr;
    const ClassScore* score_ = nullptr;
    std::size_t n_states_ = 0;
    std::vector<Facts> facts_;
    std::vector<double> limits_;    // by large class and state: the most its share may be, as a logarithm
    std::vector<double> headroom_;  // the same, less what it is
};

}  // namespace ldag
