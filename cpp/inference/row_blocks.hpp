// Sums over rows, in blocks that depend on nothing but how many rows and numbers there are: each block is
// added up by one thread, and blocks are added in their order, so that any number of threads gives the same
// digits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace ldag {

class RowBlocks {
  public:
    RowBlocks(std::size_t n_rows, std::size_t width) : n_rows_(n_rows), width_(width) {
        const std::size_t fit =
            std::max(kFewBlocks, kBytes / (sizeof(double) * std::max<std::size_t>(1, width)));
        const std::size_t n_wanted = std::min(kMostBlocks, fit);
        const std::size_t even = (n_rows + n_wanted - 1) / n_wanted;
        step_ = std::max(kFewRows, (even + kLanes - 1) / kLanes * kLanes);
        sums_.assign(size() * width, 0.0);
    }

    std::size_t size() const { return (n_rows_ + step_ - 1) / step_; }
    std::size_t begin(std::size_t block) const { return block * step_; }
    std::size_t end(std::size_t block) const { return std::min(n_rows_, begin(block) + step_); }
    std::span<double> sums(std::size_t block) { return std::span(sums_).subspan(block * width_, width_); }

    void add_up(std::span<double> totals) const {
        std::ranges::fill(totals, 0.0);
        for (auto sum = sums_.begin(); sum != sums_.end();)
            for (double& total : totals) total += *sum++;
    }

  private:
    static constexpr std::size_t kLanes = 8;  // blocks begin where rows side by side do
    static constexpr std::size_t kFewRows = 64;
    static constexpr std::size_t kMostBlocks = 64;
    static constexpr std::size_t kFewBlocks = 4;
    static constexpr std::size_t kBytes = std::size_t{1} << 26;

    std::size_t n_rows_;
    std::size_t width_;
    std::size_t step_;
    std::vector<double> sums_;
};

}  // namespace ldag
