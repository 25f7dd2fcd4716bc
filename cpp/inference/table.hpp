// Tables of numbers over some variables, multiplied and summed without the product being built.
//
// Variables are ranks: their places in an order of elimination. A table's axes ascend, the last is fastest,
// so that the variable that is eliminated first is the slowest: summing it out adds long rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

namespace ldag {

using Rank = std::uint32_t;

struct SumsStopped : std::runtime_error {
    SumsStopped() : std::runtime_error("summing was stopped") {}
};

// Counts cells, and asks now and then whether to go on.
struct SumsEffort {
    const std::function<bool()>& poll;
    std::uint64_t n_cells = 0;

    void add(std::uint64_t more) {
        constexpr std::uint64_t kPollEvery = std::uint64_t{1} << 24;
        const std::uint64_t before = n_cells;
        n_cells += more;
        if (n_cells / kPollEvery != before / kPollEvery && poll && poll()) throw SumsStopped();
    }
};

// values * 2^exponent. Where the sum over `heads` is 1 for every state of the others, they are listed.
template <class Number>
struct Table {
    std::vector<Rank> scope;
    std::vector<Number> values;
    std::int64_t exponent = 0;
    std::vector<Rank> heads = {};
    bool repeats = false;  // a family with fewer classes than configurations
};

template <class Number>
using TableRef = std::shared_ptr<const Table<Number>>;

enum class Joining { kSum, kMax };

// The union of the scopes, ascending.
template <class Number>
std::vector<Rank> joint_scope(std::span<const TableRef<Number>> factors);

// Scales by a power of two, so that the greatest number is between 1 and 2, unless all are zero.
template <class Number>
void normalise(Table<Number>& table);

// The variables of which a product sums to 1, after others were summed out: those of a table are added if no
// variable that it is conditioned on is a head of the others, or the other way round.
template <class Number>
std::vector<Rank> heads_of(std::span<const TableRef<Number>> factors, std::span<const Rank> kept);

// The product of tables, with all variables but `kept` (ascending) summed or maximised out; its greatest
// number is between 1 and 2, unless all are zero.
template <class Number>
Table<Number> product(std::span<const TableRef<Number>> factors, std::span<const Rank> kept,
                      std::span<const std::uint32_t> n_states, Joining joining, SumsEffort& effort);

}  // namespace ldag
