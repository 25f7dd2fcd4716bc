// Scores of full tables by sets of variables: that of a node with some parents is the difference of two.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "counting/columns.hpp"
#include "counting/set_counts.hpp"
#include "scoring/set_cache.hpp"

namespace ldag {

// A logarithm as a whole number of small units: sums of them are the same in whatever order they are added
// up.
using LogUnits = std::int64_t;

// ln Gamma(n + alpha) - ln Gamma(alpha) for one alpha, tabulated for small n; of very many rows, less n times
// the logarithm of their number, which comes to the same for all sets of variables and leaves sums their
// digits.
class CellTerm {
  public:
    CellTerm(double alpha, std::size_t n_rows, std::size_t n_known, double units);

    LogUnits operator()(std::size_t n) const { return n < known_.size() ? known_[n] : compute(n); }

  private:
    LogUnits compute(std::size_t n) const;
    LogUnits to_units(double term) const;

    double alpha_;
    double log_gamma_;
    double n_rows_;
    double units_;
    std::vector<LogUnits> known_;
};

// A set of variables S with q configurations scores the sum over these of
//     ln Gamma(n + N / q) - ln Gamma(N / q)
// for n rows, and a family of v with parents P, under the paper's prior, scores that of P with v less that of
// P. Families over the same variables share what is counted.
class SetScores {
  public:
    // Whether the counts are whole, and small enough for the units.
    static bool are_for(const Columns& columns, double equivalent_sample_size, std::size_t max_cells);

    // Families have tables of at most `max_cells` cells. The data set outlives this.
    SetScores(const Columns& columns, double equivalent_sample_size, std::size_t max_cells,
              std::size_t cache_bytes);

    // The log marginal likelihood of a family; safe from many threads.
    double score(std::uint32_t node, std::span<const std::uint32_t> parents);

    // The same with each of some further parents. Returns whether it came to the end before `stop` was set.
    bool score_additions(std::uint32_t node, std::span<const std::uint32_t> parents,
                         std::span<const std::uint32_t> further, std::span<double> scores,
                         const std::atomic<bool>* stop);

    CacheStatistics statistics() const { return cache_.statistics(); }

  private:
    // Of a family's variables, and of its parents.
    struct Pair {
        LogUnits all = 0;
        LogUnits parents = 0;
    };

    double difference(const Pair& pair) const {
        return static_cast<double>(pair.all - pair.parents) / units_;
    }
    // A set as it is remembered: two variables at most have a place of their own.
    struct Name {
        SetKey key;
        std::size_t pair;
    };
    std::size_t pair_of(std::uint32_t a, std::uint32_t b) const;
    std::optional<LogUnits> find(const Name& set);
    void insert(const Name& set, LogUnits sum);

    const CellTerm& rising(std::size_t n_cells);
    std::size_t count_cells(std::span<const std::uint32_t> variables) const;

    const Columns& columns_;
    double sample_size_;
    double units_;  // for 1
    std::size_t n_rows_;
    std::vector<SetKey> keys_;  // by variable
    std::mutex mutex_;
    std::unordered_map<std::size_t, std::unique_ptr<const CellTerm>> rising_;  // by number of cells
    std::vector<std::atomic<LogUnits>> pairs_;  // a triangle by larger variable, 0 where not known
    SetCache cache_;                            // the other sets
};

}  // namespace ldag
