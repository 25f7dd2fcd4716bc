#include "counting/columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "support/cpu.hpp"

namespace ldag {

namespace {

// Most times a row is repeated among the single rows: adding one weighted row to a table takes about 0.8
// nanoseconds, counting three single rows with bit planes 0.1 (16 cells) to 1 (256 cells).
constexpr int kMaxRepeats = 3;

// Nanoseconds, measured on random families of the 37 variables of the alarm network (2 to 4 states each) and
// rounded; only their ratios matter. By planes: per cell, and per cell and word of 64 rows. By index: per
// row.
constexpr double kCellTime = 4.0;
constexpr double kRowTime = 0.5;

// No larger table is ever counted faster with bit planes.
constexpr std::size_t kMaxPlaneCells = 512;

// Most states of a column that is stored as bit planes: they then take less than twice the memory of the
// codes.
constexpr std::size_t kMaxPlaneStates = 16;

// Whether a row is repeated among the single rows instead of being weighted.
template <class Weight>
bool is_light(Weight weight) {
    for (int repeats = 0; repeats <= kMaxRepeats; ++repeats)
        if (weight == static_cast<Weight>(repeats)) return true;
    return false;
}

// The code of a cell that nobody observed.
constexpr Code kGap = std::numeric_limits<Code>::max();

void check_codes(std::span<const Code> codes, std::size_t n_rows, std::span<const std::size_t> n_states,
                 Gaps gaps) {
    if (codes.size() != n_states.size() * n_rows)
        throw std::invalid_argument("expected one number of states per column of codes");
    for (std::size_t column = 0; column < n_states.size(); ++column) {
        if (n_states[column] == 0 || n_states[column] > kMostStates)
            throw std::invalid_argument("expected 1 to " + std::to_string(kMostStates) + " states, got " +
                                        std::to_string(n_states[column]));
        Code largest = 0;
        for (const Code code : codes.subspan(column * n_rows, n_rows))
            if (code != kGap || gaps == Gaps::refused) largest = std::max(largest, code);
        if (largest >= n_states[column])
            throw std::invalid_argument("column " + std::to_string(column) + " holds code " +
                                        std::to_string(largest) + " but its variable has " +
                                        std::to_string(n_states[column]) + " states");
    }
}

void check_weights(std::size_t n_weights, std::size_t n_rows) {
    if (n_weights != n_rows) throw std::invalid_argument("expected one weight per row");
}

// Whether rows that count once are counted faster with bit planes, whose time grows with the table, than by
// index, whose time does not: up to about 20 cells for 200 rows, 90 for 1,000, and 350 (without wide
// population counts: 110) for very many.
bool planes_pay(std::size_t table_size, std::size_t largest_n_states, std::size_t n_rows) {
    if (table_size > kMaxPlaneCells || largest_n_states > kMaxPlaneStates) return false;
    const double words = static_cast<double>(n_rows) / BitPlanes::kWordBits;
    return static_cast<double>(table_size) * (kCellTime + bit_count_time() * words) <
           kRowTime * static_cast<double>(n_rows);
}

}  // namespace

// What is counted: variables in order, without those of one state, which do not change the table.
struct Columns::Family {
    std::array<std::size_t, 64> variables;  // a table of 64 or more fits nowhere
    std::size_t n = 0;
    std::size_t table_size = 1;
    std::size_t largest_n_states = 1;
};

Columns::Columns(std::span<const Code> codes, std::size_t n_rows, std::vector<std::size_t> n_states,
                 RowWeights weights, Gaps gaps)
    : n_states_(std::move(n_states)),
      n_counted_(n_states_),
      planes_(std::make_unique<LazyPlanes[]>(n_states_.size())) {
    check_codes(codes, n_rows, n_states_, gaps);
    if (const auto* whole = std::get_if<std::span<const std::int64_t>>(&weights)) {
        check_weights(whole->size(), n_rows);
        split(codes, *whole);
    } else if (const auto* real = std::get_if<std::span<const double>>(&weights)) {
        check_weights(real->size(), n_rows);
        split(codes, *real);
    } else {
        single_ = {{codes.begin(), codes.end()}, n_rows};
        total_ = static_cast<double>(n_rows);
    }
    if (gaps == Gaps::available) mark_gaps();
}

// Gaps become one more state of their variables, whose cells are left out of every table.
void Columns::mark_gaps() {
    for (Rows* rows : {&single_, &weighted_}) {
        for (std::size_t variable = 0; variable < n_states_.size(); ++variable) {
            const auto gap = static_cast<Code>(n_states_[variable]);
            for (Code& code : std::span(rows->codes).subspan(variable * rows->n, rows->n)) {
                if (code != kGap) continue;
                code = gap;
                n_counted_[variable] = n_states_[variable] + 1;
                has_gaps_ = true;
            }
        }
    }
}

// Sorts the rows into single and weighted ones.
template <class Weight>
void Columns::split(std::span<const Code> codes, std::span<const Weight> weights) {
    std::vector<std::size_t> single, weighted;
    std::vector<Weight> kept;
    for (std::size_t row = 0; row < weights.size(); ++row) {
        total_ += std::abs(static_cast<double>(weights[row]));
        if (is_light(weights[row])) {
            single.insert(single.end(), static_cast<std::size_t>(weights[row]), row);
        } else {
            weighted.push_back(row);
            kept.push_back(weights[row]);
        }
    }
    single_ = gather(codes, weights.size(), single);
    weighted_ = gather(codes, weights.size(), weighted);
    weights_ = std::move(kept);
    fits_double_ = total_ < 0x1p52;
}

Columns::Rows Columns::gather(std::span<const Code> codes, std::size_t n_rows,
                              std::span<const std::size_t> rows) const {
    Rows gathered{{}, rows.size()};
    gathered.codes.reserve(n_states_.size() * rows.size());
    for (std::size_t variable = 0; variable < n_states_.size(); ++variable)
        for (const std::size_t row : rows) gathered.codes.push_back(codes[variable * n_rows + row]);
    return gathered;
}

Column Columns::column(const Rows& rows, std::size_t variable) const {
    return {rows.codes.data() + variable * rows.n, n_counted_[variable]};
}

const BitPlanes& Columns::planes(std::size_t variable) const {
    LazyPlanes& lazy = planes_[variable];
    std::call_once(lazy.made, [&] { lazy.planes = BitPlanes(column(single_, variable), single_.n); });
    return lazy.planes;
}

Columns::Family Columns::choose(std::span<const std::size_t> variables) const {
    Family family;
    for (const std::size_t variable : variables) {
        if (variable >= n_states_.size())
            throw std::out_of_range("no column " + std::to_string(variable) + " among " +
                                    std::to_string(n_states_.size()));
        const std::size_t n_states = n_counted_[variable];
        if (n_states == 1) continue;
        if (family.table_size > std::numeric_limits<std::size_t>::max() / n_states)
            throw std::length_error("the table of these columns is too large");
        family.variables[family.n++] = variable;
        family.table_size *= n_states;
        family.largest_n_states = std::max(family.largest_n_states, n_states);
    }
    return family;
}

template <class Weight, class Sum>
void Columns::add_by_index(const Family& family, const Rows& rows, std::span<const Weight> weights,
                           std::span<Sum> table) const {
    std::array<Column, std::tuple_size_v<decltype(Family::variables)>> columns;
    for (std::size_t i = 0; i < family.n; ++i) columns[i] = column(rows, family.variables[i]);
    add_counts<Weight, Sum>({columns.data(), family.n}, rows.n, weights, table);
}

template <class Sum>
void Columns::add_by_planes(const Family& family, std::span<Sum> table) const {
    std::array<const BitPlanes*, std::tuple_size_v<decltype(Family::variables)>> columns;
    for (std::size_t i = 0; i < family.n; ++i) columns[i] = &planes(family.variables[i]);
    std::array<std::int64_t, kMaxPlaneCells> cells;
    count_planes({columns.data(), family.n}, single_.n, {cells.data(), table.size()});
    for (std::size_t cell = 0; cell < table.size(); ++cell) table[cell] += static_cast<Sum>(cells[cell]);
}

template <class Sum>
void Columns::count(const Family& family, std::vector<Sum>& table) const {
    table.assign(family.table_size, Sum{0});
    const std::span<Sum> cells(table);
    if (planes_pay(family.table_size, family.largest_n_states, single_.n))
        add_by_planes(family, cells);
    else
        add_by_index(family, single_, std::span<const std::int64_t>(), cells);
    if (weighted_.n == 0) return;
    if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&weights_))
        add_by_index(family, weighted_, std::span(*whole), cells);
    else if constexpr (std::is_same_v<Sum, double>)
        add_by_index(family, weighted_, std::span(std::get<std::vector<double>>(weights_)), cells);
}

void Columns::counts(std::span<const std::size_t> variables, std::vector<std::int64_t>& table) const {
    if (!is_whole()) throw std::logic_error("real weights have no whole counts");
    count(choose(variables), table);
}

// Counts gaps, too, and keeps the cells without any, which move to the front one by one.
void Columns::count_available(const Family& family, std::vector<double>& table) const {
    count(family, table);
    std::array<std::size_t, std::tuple_size_v<decltype(Family::variables)>> states{};
    std::size_t n_kept = 0;
    for (const double cell : table) {
        bool has_gap = false;
        for (std::size_t i = 0; i < family.n; ++i) has_gap |= states[i] == n_states_[family.variables[i]];
        if (!has_gap) table[n_kept++] = cell;
        for (std::size_t i = family.n; i-- > 0;) {
            if (++states[i] < n_counted_[family.variables[i]]) break;
            states[i] = 0;
        }
    }
    table.resize(n_kept);
}

void Columns::counts(std::span<const std::size_t> variables, std::vector<double>& table) const {
    if (has_gaps_) return count_available(choose(variables), table);
    if (fits_double_ || !is_whole()) return count(choose(variables), table);
    std::vector<std::int64_t> whole;
    count(choose(variables), whole);
    table.assign(whole.begin(), whole.end());
}

}  // namespace ldag
