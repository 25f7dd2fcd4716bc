#include "growing/leaf_score.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "families/dirichlet.hpp"

namespace ldag {

namespace {

// Volumes of deep leaves, and shares far below the root, come down to nothing.
constexpr double kLeastAlpha = 1e-300;

// A table of so many numbers pays for every part that is scored.
constexpr std::size_t kTabulatedPerPart = 2;

// Tables for as many different priors as are kept; small leaves need few numbers of each.
constexpr std::size_t kMostKnown = 20'000;

}  // namespace

void RisingLog::reset(double alpha) {
    alpha_ = std::max(alpha, kLeastAlpha);
    log_gamma_ = 0.0;
    log_gamma_ = value(0.0);
    values_.clear();
}

// By the loop that fills tables, which is another than that of single numbers.
double RisingLog::value(double n) const {
    std::array<double, 1> x{alpha_ + n};
    log_gamma(x, x);
    return x[0] - log_gamma_;
}

void RisingLog::tabulate(std::size_t n) {
    const std::size_t first = values_.size();
    if (n < first) return;
    values_.resize(std::max(n + 1, 2 * first));
    for (std::size_t i = first; i < values_.size(); ++i) values_[i] = alpha_ + static_cast<double>(i);
    const std::span<double> fresh = std::span(values_).subspan(first);
    log_gamma(fresh, fresh);
    for (double& value : fresh) value -= log_gamma_;
}

LeafScore::LeafScore(const GrowthOptions& options, bool is_whole, std::size_t most_states)
    : options_(options),
      is_whole_(is_whole),
      most_states_(most_states),
      by_share_(options.prior == LeafPrior::by_volume ? (most_states + 1) * (most_states + 1) : 1) {}

double LeafScore::score_root(std::span<const double> counts) const {
    const auto r = static_cast<double>(counts.size());
    const double alpha = options_.prior == LeafPrior::nested ? 1.0 : options_.equivalent_sample_size / r;
    return score_class(counts, std::vector<double>(counts.size(), alpha));
}

void LeafScore::lean(std::span<const double> counts, std::span<const double> above,
                     std::span<double> shares) const {
    const auto r = static_cast<double>(counts.size());
    const double size = above.empty() ? r : options_.equivalent_sample_size;
    const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
    for (std::size_t k = 0; k < counts.size(); ++k)
        shares[k] = (counts[k] + size * (above.empty() ? 1.0 / r : above[k])) / (total + size);
}

void LeafScore::enter(const Leaf& leaf, std::size_t n_parts) {
    ++leaf_;
    r_ = leaf.counts.size();
    volume_ = leaf.volume;
    if (known_.size() > kMostKnown) known_.clear();
    const double total = std::accumulate(leaf.counts.begin(), leaf.counts.end(), 0.0);
    const auto useful = static_cast<double>(kTabulatedPerPart * n_parts);
    n_tabulated_ = is_whole_ ? static_cast<std::size_t>(std::min(total, useful)) : 0;
    if (options_.prior != LeafPrior::nested) return;
    nested_.resize(r_, RisingLog(1.0));
    for (std::size_t k = 0; k < r_; ++k) {
        nested_[k].reset(options_.equivalent_sample_size * leaf.shares[k]);
        if (n_tabulated_ > 0)
            nested_[k].tabulate(std::min(n_tabulated_, static_cast<std::size_t>(leaf.counts[k])));
    }
}

const RisingLog* LeafScore::rising(double alpha) {
    std::unique_ptr<RisingLog>& own = known_[alpha];
    if (!own) own = std::make_unique<RisingLog>(alpha);
    if (n_tabulated_ > 0) own->tabulate(n_tabulated_);
    return own.get();
}

const LeafScore::Terms& LeafScore::terms_of(std::size_t n_states, std::size_t n_left) {
    const bool by_volume = options_.prior == LeafPrior::by_volume;
    Terms& terms = by_share_[by_volume ? n_left * (most_states_ + 1) + n_states : 0];
    if (terms.leaf == leaf_) return terms;
    terms.leaf = leaf_;
    double size = options_.equivalent_sample_size;
    if (by_volume) size *= volume_ * static_cast<double>(n_states) / static_cast<double>(n_left);
    terms.whole = rising(size);
    const bool is_nested = options_.prior == LeafPrior::nested;
    terms.states = is_nested ? nested_.data() : rising(size / static_cast<double>(r_));
    terms.stride = is_nested ? 1 : 0;
    return terms;
}

double LeafScore::score(std::span<const double> counts, std::size_t n_states, std::size_t n_left) {
    const Terms& terms = terms_of(n_states, n_left);
    double total = 0.0;
    double score = 0.0;
    const RisingLog* state = terms.states;
    for (const double count : counts) {
        total += count;
        score += (*state)(count);
        state += terms.stride;
    }
    if (total + terms.whole->alpha() >= kLargeClass) return score_large(counts, terms);
    return score - (*terms.whole)(total);
}

double LeafScore::score_large(std::span<const double> counts, const Terms& terms) const {
    std::vector<double> alphas(counts.size());
    for (std::size_t k = 0; k < counts.size(); ++k) alphas[k] = terms.states[k * terms.stride].alpha();
    return score_class(counts, alphas);
}

}  // namespace ldag
