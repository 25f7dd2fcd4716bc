#include "uncertainty/chain_nodes.hpp"

#include <algorithm>

#include "families/exact.hpp"
#include "support/infinity.hpp"

namespace ldag {

ChainNode::ChainNode(const CandidateSets& given) : given_(given) {
    for (const std::vector<double>& log_weights : given.log_weights) {
        std::vector<double> sums(std::size_t{1} << given.candidates.size(), kMinusInfinity);
        std::vector<Weighed> sorted;
        for (std::size_t i = 0; i < given.sets.size(); ++i) {
            sums[given.sets[i]] = log_weights[i];
            sorted.push_back({given.sets[i], static_cast<std::uint32_t>(i), log_weights[i]});
        }
        for (std::size_t bit = 1; bit < sums.size(); bit <<= 1)
            for (std::size_t set = 0; set < sums.size(); ++set)
                if ((set & bit) != 0) sums[set] = log_add(sums[set], sums[set ^ bit]);
        std::ranges::stable_sort(sorted, std::greater{}, &Weighed::log_weight);
        log_sums_.push_back(std::move(sums));
        by_weight_.push_back(std::move(sorted));
    }
}

double ChainNode::range() const {
    double largest = 0.0;
    for (std::size_t s = 0; s < log_sums_.size(); ++s)
        largest = std::max(largest, log_sums_[s].back() - given_.log_weights[s].front());
    return largest;
}

double ChainNode::log_sum(std::size_t setting, const Room& room) const {
    const std::vector<double>& sums = log_sums_[setting];
    const double whole = sums[room.earlier];
    if (room.is_free || whole == kMinusInfinity) return whole;
    if (room.needed == 0) return kMinusInfinity;
    const double lost = sums[room.earlier & ~room.needed] - whole;
    if (lost < kNegligibleShare) return whole;
    const double share = std::exp(lost);
    return share < 1.0 - 1e-8 ? whole + std::log1p(-share) : log_sum_of_few(setting, room);
}

// Where almost all would cancel: the sets themselves.
double ChainNode::log_sum_of_few(std::size_t setting, const Room& room) const {
    double largest = kMinusInfinity;
    double sum = 0.0;
    for (const Weighed& one : by_weight_[setting]) {
        if (one.log_weight < largest + kNegligibleShare || one.log_weight == kMinusInfinity) break;
        if (!room.fits(one.set)) continue;
        if (largest == kMinusInfinity) largest = one.log_weight;
        sum += std::exp(one.log_weight - largest);
    }
    return largest + std::log(sum);
}

std::uint32_t ChainNode::draw(std::size_t setting, const Room& room, Random& random) const {
    double left = random.uniform();
    std::uint32_t drawn = 0;
    for_each_likely(setting, room, log_sum(setting, room),
                    [&](CandidateMask, std::uint32_t number, double share) {
                        drawn = number;
                        left -= share;
                        return left >= 0.0;
                    });
    return drawn;
}

ChainProblem::ChainProblem(const std::vector<CandidateSets>& given, std::vector<double> priors)
    : log_priors(std::move(priors)), children(given.size()) {
    for (std::size_t t = 0; t < given.size(); ++t) {
        nodes.emplace_back(given[t]);
        for (std::size_t i = 0; i < given[t].candidates.size(); ++i)
            children[given[t].candidates[i]].emplace_back(t, CandidateMask{1} << i);
    }
}

}  // namespace ldag
