// Scores of the parts into which questions cut one leaf: the marginal likelihood of equation 6, for very many
// parts of the same leaf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "growing/growth.hpp"
#include "growing/questions.hpp"

namespace ldag {

// ln Gamma(alpha + n) - ln Gamma(alpha) for one alpha and many n, whole ones from a table.
class RisingLog {
  public:
    explicit RisingLog(double alpha) { reset(alpha); }

    void reset(double alpha);
    double alpha() const { return alpha_; }

    // Tabulates 0 to n. The table changes no number, only time.
    void tabulate(std::size_t n);
    std::size_t n_tabulated() const { return values_.size(); }

    double operator()(double n) const {
        const auto place = static_cast<std::size_t>(n);
        return place < values_.size() ? values_[place] : value(n);
    }

  private:
    double value(double n) const;

    double alpha_ = 1.0;
    double log_gamma_ = 0.0;
    std::vector<double> values_;
};

// Belongs to one thread.
class LeafScore {
  public:
    // `is_whole`: all counts are whole numbers.
    LeafScore(const GrowthOptions& options, bool is_whole, std::size_t most_states);

    // A tree node: its counts, and where the prior is nested, the shares of the states that parts lean on.
    struct Leaf {
        std::span<const double> counts;
        double volume;
        std::span<const double> shares;
    };

    // The score of the root.
    double score_root(std::span<const double> counts) const;

    // The shares of a tree node under the nested prior; `above` is empty at the root.
    void lean(std::span<const double> counts, std::span<const double> above, std::span<double> shares) const;

    // From now on, parts of this leaf are scored, about so many.
    void enter(const Leaf& leaf, std::size_t n_parts);

    // The score of a part of the leaf: its counts, and how many of the states left it has.
    double score(std::span<const double> counts, std::size_t n_states, std::size_t n_left);

  private:
    // The terms of equation 6 for one prior: those of the states, one for all or one each, and of their sum.
    struct Terms {
        const RisingLog* states = nullptr;
        std::size_t stride = 0;
        const RisingLog* whole = nullptr;
        std::uint64_t leaf = 0;  // the number of the leaf they were made for
    };

    const Terms& terms_of(std::size_t n_states, std::size_t n_left);
    const RisingLog* rising(double alpha);
    double score_large(std::span<const double> counts, const Terms& terms) const;

    const GrowthOptions& options_;
    bool is_whole_;
    std::size_t most_states_;
    std::uint64_t leaf_ = 0;
    std::size_t r_ = 0;
    std::size_t n_tabulated_ = 0;  // how far tables pay for this leaf
    double volume_ = 1.0;
    std::vector<Terms> by_share_;                                   // by states left, then states of the part
    std::unordered_map<double, std::unique_ptr<RisingLog>> known_;  // by alpha
    std::vector<RisingLog> nested_;
};

}  // namespace ldag
