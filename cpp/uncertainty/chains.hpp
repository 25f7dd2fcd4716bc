// DAGs drawn by Markov chains over ordered partitions of the nodes, their layers, for more nodes than sums
// over all DAGs can take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "searching/search.hpp"
#include "uncertainty/chain_nodes.hpp"

namespace ldag {

// Most candidate parents of a node: sums are tabulated over their subsets.
inline constexpr std::size_t kMaxChainCandidates = 16;

struct CoupledOptions {
    std::uint64_t n_rounds = 1000;  // kept, after as many as a quarter of them are left out
    std::uint64_t n_steps = 8;      // of every chain between two rounds of swaps
    std::uint64_t thin = 5;         // rounds between two samples
    std::size_t n_runs = 4;
    std::uint64_t seed = 0;
    std::size_t n_threads = 1;
};

// The state of a chain is an ordered partition and a setting; after every round of moves the setting is drawn
// anew given the partition, in proportion to prior and weight. So settings are visited as they are probable.
//
// One run: chains at powers 1 > ... > smallest of the weight, coupled by swaps of neighbours (Geyer 1991).
// Only the first is sampled, and only in it are DAGs of the layers changed as well. The powers are set in the
// part that is left out, such that swaps are about equally often accepted.
struct CoupledRun {
    std::size_t n_samples = 0;
    std::vector<std::vector<std::vector<double>>> parent_sets;  // by setting and node, sums over samples
    std::vector<std::uint32_t> settings;                        // by sample
    std::vector<double> edges;        // by sample, node and candidate: probability of the edge
    std::vector<std::uint32_t> dags;  // by sample and node: the number of a drawn parent set
    std::vector<double> powers;
    std::vector<double> swap_rates;
};

// The runs, which depend on the seed and their numbers only. Stopped early, they have fewer samples.
// `log_priors` are those of the settings.
std::vector<CoupledRun> run_coupled_chains(const std::vector<CandidateSets>& nodes,
                                           const std::vector<double>& log_priors,
                                           const CoupledOptions& options, Monitor& monitor);

}  // namespace ldag
