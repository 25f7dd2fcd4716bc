#include "scoring/set_scores.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "families/dirichlet.hpp"

namespace ldag {

namespace {

// With so many rows, differences of ln Gamma lose digits, and terms are taken relative to that many.
constexpr double kManyRows = 0x1p20;

// Counts are 32 bits; a larger sample size loses the digits of what the rows add.
constexpr double kMostRows = 0x1p32;
constexpr double kMostSampleSize = 0x1p20;

// Sums stay below 2^62 units.
constexpr double kMostUnits = 62.0;

// Small counts whose terms are tabulated: up to a share of the rows and so many times the mean of a cell,
// within limits. Few cells have larger counts, and there can be thousands of tables, one for every number of
// cells; but wide tables ask so often that as many pay as there are variables.
constexpr std::size_t kRowsPerKnown = 8;
constexpr std::size_t kMeansKnown = 64;
constexpr std::size_t kLeastKnown = 256;
constexpr std::size_t kMostKnown = 4096;

// Sets of one or two variables have an array, if that takes no more than this share of the memory.
constexpr std::size_t kPairsShare = 2;
constexpr std::size_t kNoPair = std::numeric_limits<std::size_t>::max();

// So many further parents at once, and larger sets are not remembered: a climb through a wide table meets
// hardly any of them again, and looking for them takes as long as counting.
constexpr std::size_t kManyFurther = 400;

// Further parents between two looks at the sign to stop.
constexpr std::size_t kAtOnce = 32;

// Of these variables, also with themselves; none if they take too much memory.
std::size_t count_pairs(std::size_t n_variables, std::size_t most_bytes) {
    const std::size_t n = n_variables * (n_variables + 1) / 2;
    return n * sizeof(LogUnits) * kPairsShare <= most_bytes ? n : 0;
}

// No sum of terms is larger in size.
double bound_sums(double n_rows, double sample_size, double max_cells) {
    const double per_row = std::log(n_rows + sample_size + 1.0);
    const double per_cell = std::abs(std::log(sample_size)) + std::log(max_cells) + 1.0;
    return (n_rows + 1.0) * (per_row + per_cell);
}

// Adds up the terms of a table in rows of `n_states` counts, and those of its sums over rows up to each end.
template <std::size_t kStates, class Pair>
Pair add_up(std::span<const std::uint32_t> counts, std::size_t any_n_states,
            std::span<const std::uint32_t> ends, const CellTerm& all, const CellTerm& parents) {
    const std::size_t n_states = kStates > 0 ? kStates : any_n_states;
    std::array<std::uint32_t, (kStates > 0) ? kStates : kMostStates> sums;
    Pair pair;
    const std::uint32_t* count = counts.data();
    for (const std::uint32_t end : ends) {
        std::fill_n(sums.begin(), n_states, 0);
        for (const std::uint32_t* const last = counts.data() + end * n_states; count != last;) {
            for (std::size_t state = 0; state < n_states; ++state, ++count) {
                sums[state] += *count;
                pair.all += all(*count);
            }
        }
        for (std::size_t state = 0; state < n_states; ++state) pair.parents += parents(sums[state]);
    }
    return pair;
}

}  // namespace

CellTerm::CellTerm(double alpha, std::size_t n_rows, std::size_t n_known, double units)
    : alpha_(alpha),
      log_gamma_(log_gamma(alpha)),
      n_rows_(static_cast<double>(n_rows)),
      units_(units),
      known_(n_known) {
    std::vector<double> values(n_known);
    for (std::size_t n = 0; n < n_known; ++n) values[n] = static_cast<double>(n) + alpha;
    log_gamma(values, values);
    const double per_row = n_rows_ < kManyRows ? 0.0 : std::log(n_rows_);
    for (std::size_t n = 1; n < n_known; ++n)
        known_[n] = to_units(values[n] - log_gamma_ - static_cast<double>(n) * per_row);
}

LogUnits CellTerm::compute(std::size_t n) const {
    const auto count = static_cast<double>(n);
    return to_units(n_rows_ < kManyRows ? log_gamma(count + alpha_) - log_gamma_
                                        : log_gamma_of_share(count, alpha_, n_rows_) - log_gamma_);
}

LogUnits CellTerm::to_units(double term) const {
    return static_cast<LogUnits>(std::nearbyint(term * units_));
}

bool SetScores::are_for(const Columns& columns, double equivalent_sample_size, std::size_t max_cells) {
    return columns.is_whole() && columns.has_whole_doubles() && max_cells <= SetCounts::kMaxCells &&
           columns.total() < kMostRows && equivalent_sample_size < kMostSampleSize;
}

SetScores::SetScores(const Columns& columns, double equivalent_sample_size, std::size_t max_cells,
                     std::size_t cache_bytes)
    : columns_(columns),
      sample_size_(equivalent_sample_size),
      units_(std::exp2(kMostUnits - std::ceil(std::log2(bound_sums(columns.total(), equivalent_sample_size,
                                                                   static_cast<double>(max_cells)))))),
      n_rows_(static_cast<std::size_t>(columns.total())),
      pairs_(count_pairs(columns.n_columns(), cache_bytes)),
      cache_(cache_bytes) {
    for (std::uint32_t variable = 0; variable < columns.n_columns(); ++variable)
        keys_.push_back(SetKey::of(variable));
}

const CellTerm& SetScores::rising(std::size_t n_cells) {
    const std::lock_guard lock(mutex_);
    auto& known = rising_[n_cells];
    if (!known) {
        const std::size_t n_known =
            std::clamp(std::min(n_rows_ / kRowsPerKnown, kMeansKnown * n_rows_ / n_cells),
                       std::clamp(keys_.size(), kLeastKnown, kMostKnown), kMostKnown);
        known = std::make_unique<const CellTerm>(sample_size_ / static_cast<double>(n_cells), n_rows_,
                                                 std::min(n_rows_ + 1, n_known), units_);
    }
    return *known;
}

std::size_t SetScores::count_cells(std::span<const std::uint32_t> variables) const {
    std::size_t n_cells = 1;
    for (const std::uint32_t variable : variables) n_cells *= columns_.n_states()[variable];
    return n_cells;
}

// A variable with itself stands for that variable alone.
std::size_t SetScores::pair_of(std::uint32_t a, std::uint32_t b) const {
    if (pairs_.empty()) return kNoPair;
    const std::size_t larger = std::max(a, b);
    return larger * (larger + 1) / 2 + std::min(a, b);
}

std::optional<LogUnits> SetScores::find(const Name& set) {
    if (set.pair == kNoPair) return cache_.find(set.key);
    const LogUnits known = pairs_[set.pair].load(std::memory_order_relaxed);
    return known != 0 ? std::optional(known) : std::nullopt;
}

void SetScores::insert(const Name& set, LogUnits sum) {
    if (set.pair == kNoPair) return cache_.insert(set.key, sum);
    pairs_[set.pair].store(sum, std::memory_order_relaxed);
}

double SetScores::score(std::uint32_t node, std::span<const std::uint32_t> parents) {
    SetKey key;
    for (const std::uint32_t parent : parents) key = key ^ keys_[parent];
    const Name all_name{key ^ keys_[node],
                        parents.size() < 2 ? pair_of(parents.empty() ? node : parents[0], node) : kNoPair};
    const Name above_name{key, parents.size() == 1 ? pair_of(parents[0], parents[0]) : kNoPair};
    const auto all = find(all_name);
    const auto above = find(above_name);
    if (all && above) return difference({*all, *above});
    thread_local std::vector<std::size_t> variables;
    thread_local std::vector<std::int64_t> table;
    variables.assign(parents.begin(), parents.end());
    variables.push_back(node);
    columns_.counts(variables, table);
    const std::size_t n_states = columns_.n_states()[node];
    const std::size_t q = count_cells(parents);
    const CellTerm& of_all = rising(q * n_states);
    const CellTerm& of_parents = rising(q);
    Pair pair;
    for (std::size_t first = 0; first < table.size(); first += n_states) {
        std::int64_t sum = 0;
        for (std::size_t state = 0; state < n_states; ++state) {
            sum += table[first + state];
            pair.all += of_all(static_cast<std::size_t>(table[first + state]));
        }
        pair.parents += of_parents(static_cast<std::size_t>(sum));
    }
    insert(all_name, pair.all);
    insert(above_name, pair.parents);
    return difference(pair);
}

bool SetScores::score_additions(std::uint32_t node, std::span<const std::uint32_t> parents,
                                std::span<const std::uint32_t> further, std::span<double> scores,
                                const std::atomic<bool>* stop) {
    thread_local SetCounts counts;
    thread_local std::vector<std::uint32_t> missing;
    thread_local std::vector<std::size_t> places;
    SetKey key;
    for (const std::uint32_t parent : parents) key = key ^ keys_[parent];
    const SetKey all_key = key ^ keys_[node];
    const auto all_name = [&](std::uint32_t other) {
        return Name{all_key ^ keys_[other], parents.empty() ? pair_of(node, other) : kNoPair};
    };
    const auto above_name = [&](std::uint32_t other) {
        return Name{key ^ keys_[other],
                    parents.size() < 2 ? pair_of(parents.empty() ? other : parents[0], other) : kNoPair};
    };
    const bool remembers = parents.empty() || further.size() < kManyFurther;
    missing.clear();
    places.clear();
    for (std::size_t i = 0; i < further.size(); ++i) {
        const auto all = remembers ? find(all_name(further[i])) : std::nullopt;
        const auto above = all ? find(above_name(further[i])) : std::nullopt;
        if (all && above) {
            scores[i] = difference({*all, *above});
            continue;
        }
        missing.push_back(further[i]);
        places.push_back(i);
    }
    if (missing.empty()) return true;
    counts.share(columns_, parents, node);
    const std::size_t q = count_cells(parents);
    const std::size_t r = columns_.n_states()[node];
    std::array<const CellTerm*, kMostStates + 1> of_all{};  // by states of the further parent
    std::array<const CellTerm*, kMostStates + 1> of_parents{};
    for (std::size_t first = 0; first < missing.size(); first += kAtOnce) {
        if (stop != nullptr && *stop) return false;
        const auto some = std::span(missing).subspan(first, std::min(kAtOnce, missing.size() - first));
        counts.for_each(some, [&](std::size_t i, std::span<const std::uint32_t> table) {
            const std::size_t n_states = columns_.n_states()[some[i]];
            if (of_all[n_states] == nullptr) {
                of_all[n_states] = &rising(q * r * n_states);
                of_parents[n_states] = &rising(q * n_states);
            }
            const auto add = n_states == 2   ? add_up<2, Pair>
                             : n_states == 3 ? add_up<3, Pair>
                             : n_states == 4 ? add_up<4, Pair>
                                             : add_up<0, Pair>;
            const Pair pair = add(table, n_states, counts.ends(), *of_all[n_states], *of_parents[n_states]);
            if (remembers) {
                insert(all_name(some[i]), pair.all);
                insert(above_name(some[i]), pair.parents);
            }
            scores[places[first + i]] = difference(pair);
        });
    }
    return true;
}

}  // namespace ldag
