// The scorer as Python holds it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "names.hpp"
#include "scoring/predictive.hpp"
#include "scoring/scorer.hpp"

// By node: fixed labels as a parent and contexts, which are pairs of a variable and its state.
using NodeRules = std::vector<
    std::vector<std::pair<std::uint32_t, std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>>>>>;

std::vector<ldag::LabelRules> rules_of(const NodeRules& given, const ldag::Columns& columns);

// An entry per variable, or none at all.
inline std::vector<std::uint8_t> checked(std::vector<std::uint8_t> ordered, const ldag::Columns& columns) {
    if (!ordered.empty() && ordered.size() != columns.n_columns())
        throw std::invalid_argument("expected whether each variable has an order, or nothing");
    return ordered;
}

// The scorer keeps the data set alive.
struct Scorer {
    std::shared_ptr<const ldag::Columns> columns;
    ldag::FamilyScorer scorer;

    Scorer(std::shared_ptr<ldag::Columns> data, double equivalent_sample_size, double parameter_saved,
           double parameter_of_table, const std::string& structure, const std::string& labels, bool regular,
           std::uint64_t seed, std::size_t n_restarts, std::size_t cache_bytes, const NodeRules& label_rules,
           std::vector<std::uint8_t> ordered, bool normalised, bool per_class)
        : columns(data),
          scorer(columns,
                 {equivalent_sample_size,
                  parameter_saved,
                  parameter_of_table,
                  normalised,
                  &structure_of(structure),
                  search_of(labels),
                  regular,
                  {seed, n_restarts},
                  rules_of(label_rules, *columns),
                  checked(std::move(ordered), *columns),
                  per_class},
                 cache_bytes) {}
};

// Refuses a scorer whose families cannot be scored for several prices at once.
inline void check_priced(const Scorer& scorer) {
    const ldag::ScorerOptions& options = scorer.scorer.options();
    if (!options.structure->has_greedy_prices() || options.search != ldag::LabelSearch::greedy ||
        !options.label_rules.empty() || options.normalised)
        throw std::invalid_argument("expected greedy labels, without rules, and not normalised");
}

// Pairs of a sample size, and whether it is that of every class.
using PlainSmoothings = std::vector<std::pair<double, bool>>;

inline std::vector<ldag::Smoothing> smoothings_of(const PlainSmoothings& plain) {
    std::vector<ldag::Smoothing> smoothings;
    for (const auto& [size, per_class] : plain) smoothings.push_back({size, per_class});
    return smoothings;
}

// Refuses new rows that a scorer's families cannot predict.
inline void check_fresh(const Scorer& scorer, const ldag::Columns& fresh) {
    if (!std::ranges::equal(scorer.columns->n_states(), fresh.n_states()))
        throw std::invalid_argument("expected new rows of the same variables");
    if (!scorer.columns->is_whole() || !fresh.is_whole())
        throw std::invalid_argument("expected whole counts");
}

// The families of a graph, which must live as long.
inline std::vector<ldag::FamilyKey> families_of(const std::vector<std::vector<std::uint32_t>>& parents) {
    std::vector<ldag::FamilyKey> families;
    for (std::uint32_t node = 0; node < parents.size(); ++node) families.push_back({node, parents[node]});
    return families;
}
