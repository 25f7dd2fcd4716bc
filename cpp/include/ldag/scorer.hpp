// Scores of families on one data set: counted, optimised, and remembered. What every search over graphs
// calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ldag/cache.hpp"
#include "ldag/columns.hpp"
#include "ldag/family.hpp"
#include "ldag/parallel.hpp"

namespace ldag {

// What kappa is paid for: every parameter that classes save (equation 9), every parameter (equation 8), or
// nothing.
enum class PriorKind : std::uint8_t { labels, parameters, uniform };

struct ScorerOptions {
    double equivalent_sample_size = 1.0;
    double log_kappa = 0.0;
    PriorKind prior = PriorKind::labels;
    StructureKind structure = StructureKind::ldag;
    LabelSearch search = LabelSearch::greedy;
    bool regular = true;
    RefineOptions refine = {};
};

// A node and its parents in increasing order.
struct FamilyKey {
    std::uint32_t node;
    std::span<const std::uint32_t> parents;
};

class FamilyScorer {
  public:
    FamilyScorer(std::shared_ptr<const Columns> columns, const ScorerOptions& options,
                 std::size_t cache_bytes);

    // Log marginal likelihood plus log prior of the best partition found; safe from many threads.
    double score(const FamilyKey& family);

    // The same for many families; stopped early, the rest are not a number.
    std::vector<double> scores(std::span<const FamilyKey> families, std::size_t n_threads,
                               const StopPoll& poll = {});

    CacheStatistics cache_statistics() const { return cache_.statistics(); }

  private:
    double compute(const FamilyKey& family) const;

    std::shared_ptr<const Columns> columns_;
    ScorerOptions options_;
    FamilyCache<double> cache_;
};

}  // namespace ldag
