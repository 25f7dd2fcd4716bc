#include "inference/counting_tables.hpp"

#include <algorithm>
#include <atomic>

#include "inference/row_blocks.hpp"
#include "support/parallel.hpp"

namespace ldag {
namespace {

Findings findings_of(std::span<const std::uint8_t> row) {
    Findings findings;
    for (const std::uint8_t code : row)
        findings.seen.push_back(code == kUnobserved ? Findings::kUnseen : static_cast<std::int32_t>(code));
    return findings;
}

}  // namespace

bool expected_counts(const JunctionTree& tree, const SumsNetwork& network, const WeightedRows& table,
                     std::span<double> log_probability, std::span<double> counts, double max_bytes,
                     const Running& running) {
    const std::size_t width = network.n_states.size();
    RowBlocks blocks(log_probability.size(), counts.size());
    const auto fit =
        static_cast<std::size_t>(std::clamp(max_bytes / std::max(tree.n_bytes(), 1.0), 1.0, 1e6));
    std::atomic<bool> stop = false;
    const SumsLimits limits{max_bytes, [&stop] { return stop.load(); }};
    const auto work = [&](std::size_t block, std::size_t) {
        for (std::size_t row = blocks.begin(block); row < blocks.end(block) && !stop; ++row)
            log_probability[row] =
                tree.add_counts(network, findings_of(table.rows.subspan(row * width, width)),
                                table.weights[row], blocks.sums(block), limits);
    };
    bool stopped = false;
    try {
        stopped = parallel_for(std::min(count_threads(running.n_threads), fit), blocks.size(), work, &stop,
                               running.poll);
    } catch (const SumsStopped&) {
        stopped = true;
    }
    blocks.add_up(counts);
    return stopped;
}

}  // namespace ldag
