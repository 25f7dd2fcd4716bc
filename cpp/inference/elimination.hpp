// Orders of elimination by greedy search on the graph of who stands in a table with whom.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <vector>

namespace ldag {

struct EliminationStopped : std::runtime_error {
    EliminationStopped() : std::runtime_error("the search for an order was stopped") {}
};

// What is to be eliminated from a product of tables.
struct EliminationTask {
    static constexpr std::uint8_t kAbsent = 0;
    static constexpr std::uint8_t kKept = 255;

    std::vector<std::uint32_t> n_states;
    std::vector<std::vector<std::uint32_t>> scopes;  // of the tables; absent nodes in them do not count
    std::vector<std::uint8_t> stages;  // by node: those of lower stages are eliminated first; kAbsent, kKept
};

// An order, and with what each node stands in a table when it is eliminated.
struct Elimination {
    std::vector<std::uint32_t> order;
    std::vector<std::vector<std::uint32_t>> scopes;  // ascending, in the order of elimination
    double n_cells = 0.0;                            // of all tables together

    // The place in the order of the largest table, and its cells.
    std::size_t largest(std::span<const std::uint32_t> n_states) const;
};

// How an order is looked for: ties broken `n_tries` times by `seed` for each of three rules (least fill-in,
// smallest tables filled in, smallest table), fewer where trying costs more than the tables do.
struct EliminationSearch {
    std::size_t n_tries = 10;
    std::uint64_t seed = 0;
    std::size_t n_best = 1;
    std::function<bool()> poll = {};
    double least_words = 0x1p14;  // of neighbours that are looked at for all orders, even if tables are small
};

// The best orders that are found, the one with the fewest cells first.
std::vector<Elimination> find_eliminations(const EliminationTask& task, const EliminationSearch& search);

// The tables of a given order of the nodes that are not kept.
Elimination follow_order(const EliminationTask& task, std::span<const std::uint32_t> order);

// The cells of a table over a node and others, as a number that never overflows.
double count_cells(std::span<const std::uint32_t> n_states, std::uint32_t node,
                   std::span<const std::uint32_t> others);

}  // namespace ldag
