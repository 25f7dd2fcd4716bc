// An encoded data set, made once, that counts any family quickly and from many threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <variant>
#include <vector>

#include "counting/counts.hpp"

namespace ldag {

// What codes beyond the states are: an error, or the last byte a gap. Then a table is that of the rows in
// which all its variables are seen: the available cases.
enum class Gaps { refused, available };

// How often each row occurs: once, or as often as whole or real weights say.
using RowWeights = std::variant<std::monostate, std::span<const std::int64_t>, std::span<const double>>;

class Columns {
  public:
    // `codes` holds one run of `n_rows` codes per variable. Everything is copied. Throws
    // std::invalid_argument if the sizes do not fit together or a code is not below its variable's number of
    // states.
    Columns(std::span<const Code> codes, std::size_t n_rows, std::vector<std::size_t> n_states,
            RowWeights weights = {}, Gaps gaps = Gaps::refused);

    std::size_t n_columns() const { return n_states_.size(); }
    std::size_t n_rows() const { return single_.n + weighted_.n; }  // light rows as often as they count
    std::span<const std::size_t> n_states() const { return n_states_; }

    // Whether some rows are left out of some tables.
    bool has_gaps() const { return has_gaps_; }

    // Whether counts are whole numbers: there are no weights, or they are whole, and there are no gaps, so
    // that tables add up.
    bool is_whole() const { return !has_gaps_ && !std::holds_alternative<std::vector<double>>(weights_); }

    // Whether counts are whole numbers that doubles hold exactly.
    bool has_whole_doubles() const { return is_whole() && fits_double_; }

    // The sum of all counts; of whole ones if doubles hold them.
    double total() const { return total_; }

    // The table of some variables, the last one fastest; `table` gets the size it needs. Throws
    // std::out_of_range for an unknown variable and std::length_error for a table beyond 64 bits.
    void counts(std::span<const std::size_t> variables, std::vector<double>& table) const;

    // The same, exact for sums of weights below 2^63; throws std::logic_error unless is_whole().
    void counts(std::span<const std::size_t> variables, std::vector<std::int64_t>& table) const;

  private:
    friend class PackedRows;
    friend class RowGroups;
    friend class SetCounts;
    friend class SharedCounts;
    friend class SharedPlanes;

    // Rows of equal standing, one run of codes per column.
    struct Rows {
        std::vector<Code> codes;
        std::size_t n = 0;
    };
    struct LazyPlanes {
        std::once_flag made;
        BitPlanes planes;
    };
    struct Family;

    template <class Weight>
    void split(std::span<const Code> codes, std::span<const Weight> weights);
    Rows gather(std::span<const Code> codes, std::size_t n_rows, std::span<const std::size_t> rows) const;
    Column column(const Rows& rows, std::size_t variable) const;
    const BitPlanes& planes(std::size_t variable) const;
    Family choose(std::span<const std::size_t> variables) const;
    template <class Weight, class Sum>
    void add_by_index(const Family& family, const Rows& rows, std::span<const Weight> weights,
                      std::span<Sum> table) const;
    template <class Sum>
    void add_by_planes(const Family& family, std::span<Sum> table) const;
    template <class Sum>
    void count(const Family& family, std::vector<Sum>& table) const;
    void mark_gaps();
    void count_available(const Family& family, std::vector<double>& table) const;

    std::vector<std::size_t> n_states_;
    std::vector<std::size_t> n_counted_;  // the same, and one more where there are gaps: the last state
    bool has_gaps_ = false;
    Rows single_;    // rows that count once; a row of small weight is repeated here
    Rows weighted_;  // the other rows
    std::variant<std::vector<std::int64_t>, std::vector<double>> weights_;  // of weighted_
    double total_ = 0.0;                                                    // of the sizes of all weights
    bool fits_double_ = true;  // whether doubles hold every sum of whole weights exactly
    std::unique_ptr<LazyPlanes[]> planes_;
};

}  // namespace ldag
