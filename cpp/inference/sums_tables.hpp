// What sums over tables share: ranks of nodes, families as tables, and lists of tables with variables to sum
// out.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "inference/sums.hpp"
#include "inference/table.hpp"

namespace ldag {

inline constexpr std::uint32_t kNoRank = 0xffffffff;

// Nodes by their place in an order.
struct Ranking {
    std::vector<std::uint32_t> rank_of;   // by node, or kNoRank
    std::vector<std::uint32_t> node_at;   // by rank
    std::vector<std::uint32_t> n_states;  // by rank

    Ranking(std::span<const std::uint32_t> states_of_nodes, std::vector<std::uint32_t> order);
};

// A family with what was seen put in: the members that were not, ascending, and for every combination of
// their states, the last fastest, where its probability is among those of the family.
struct FamilyCells {
    std::vector<Rank> scope;
    std::vector<std::size_t> places;
};
FamilyCells family_cells(const SumsNetwork& network, const Findings& findings, const Ranking& ranking,
                         std::uint32_t node);

// P(node | parents) as a table, what was seen put in.
template <class Number>
TableRef<Number> family_table(const SumsNetwork& network, const Findings& findings, const Ranking& ranking,
                              std::uint32_t node);

template <class Number>
TableRef<Number> likelihood_table(const Ranking& ranking, std::uint32_t node,
                                  std::span<const double> weights);

// Below 2^-600, numbers of other terms may have been lost in a plain number.
template <class Number>
bool is_sure(std::int64_t exponent) {
    return sizeof(Number) > sizeof(double) || exponent > -600;
}

// The ln of a table without variables, which may be zero.
template <class Number>
double log_of(const Table<Number>& scalar) {
    return static_cast<double>(std::log(scalar.values[0])) +
           static_cast<double>(scalar.exponent) * 0.69314718055994530942;
}

// A list of tables, from which variables are summed out, the one with the smallest product first.
template <class Number>
class TableList {
  public:
    TableList(std::span<const std::uint32_t> n_states, SumsEffort& effort)
        : n_states_(n_states), effort_(effort) {}

    void add(const TableRef<Number>& table) { tables_.push_back(table); }
    void add(const std::vector<TableRef<Number>>& tables) {
        tables_.insert(tables_.end(), tables.begin(), tables.end());
    }
    // Keeps these variables (ascending) alone.
    void reduce_to(std::span<const Rank> kept);
    const std::vector<TableRef<Number>>& tables() const { return tables_; }

  private:
    bool drop_barren(std::vector<Rank>& gone);
    void sum_out(Rank rank, double size, std::vector<Rank>& gone);
    void merge_contained();
    double product_size(Rank rank) const;

    std::span<const std::uint32_t> n_states_;
    SumsEffort& effort_;
    std::vector<TableRef<Number>> tables_;
};

}  // namespace ldag
