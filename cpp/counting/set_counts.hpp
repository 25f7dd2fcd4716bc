// Tables of many sets of variables that have all but one in common, as far as scores of full tables need
// them: whole numbers, in rows of states of the variable that is not in common, for the configurations of the
// others that occur. Where rows are counted one by one, several variables are counted in one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "counting/columns.hpp"
#include "counting/shared_planes.hpp"

namespace ldag {

class SetCounts {
  public:
    // Most configurations of the variables in common.
    static constexpr std::size_t kMaxCells = std::size_t{1} << 16;

    // Takes the data set and the variables in common: some parents and a node. The data set has whole counts
    // that add up to less than 2^32, and outlives this.
    void share(const Columns& columns, std::span<const std::uint32_t> parents, std::uint32_t node);

    // Rows of a table that have the same configuration of the parents: where each of these ends. There may be
    // rows without any counts.
    std::span<const std::uint32_t> ends() const { return ends_; }

    // Calls visit(i, counts) for the i-th of some further variables and its table, in any order.
    template <class Visit>
    void for_each(std::span<const std::uint32_t> others, Visit visit) {
        pack_.clear();
        places_.clear();
        const auto flush = [&] {
            count_pack();
            std::size_t begin = 0;
            for (std::size_t i = 0; i < pack_.size(); ++i) {
                const std::size_t size = n_rows_ * columns_->n_states()[pack_[i]];
                visit(places_[i], std::span<const std::uint32_t>(tables_).subspan(begin, size));
                begin += size;
            }
            pack_.clear();
            places_.clear();
        };
        for (std::size_t i = 0; i < others.size(); ++i) {
            if (planes_pay(others[i])) {
                count_planes(others[i]);
                visit(i, std::span<const std::uint32_t>(counts_));
                continue;
            }
            if (!pack_.empty() && !fits_pack(others[i])) flush();
            pack_.push_back(others[i]);
            places_.push_back(i);
        }
        if (!pack_.empty()) flush();
    }

  private:
    void make_index(const Columns::Rows& rows, std::vector<std::uint16_t>& index) const;
    void rank(std::size_t n_states);
    bool planes_pay(std::size_t other) const;
    bool fits_pack(std::size_t other) const;
    void count_planes(std::size_t other);
    void count_pack();
    bool has_small_counts() const;
    template <class Count>
    void count_pack(std::vector<Count>& parts);
    template <class Index, class Count>
    void add_rows(std::vector<Count>& parts, std::size_t size, std::size_t n_copies);
    template <class Index, class Count>
    void add_weighted(std::vector<Count>& parts);
    template <class Count>
    void take_apart(std::vector<Count>& parts);

    const Columns* columns_ = nullptr;
    std::vector<std::size_t> variables_;  // of two states or more
    std::size_t size_ = 1;                // configurations of them
    std::size_t n_rows_ = 1;              // and those that have a row in tables
    bool may_use_planes_ = false;
    bool has_planes_ = false;
    bool is_ranked_ = false;  // whether only configurations that occur have rows
    std::vector<std::uint32_t> ends_;
    std::vector<std::uint16_t> index_;           // for every observation that counts once, the row of its
                                                 // configuration
    std::vector<std::uint16_t> weighted_index_;  // and for those with weights
    std::vector<std::uint16_t> ranks_;           // by configuration
    SharedPlanes planes_;
    std::vector<std::uint32_t> plane_counts_;
    std::vector<std::uint32_t> counts_;
    std::vector<std::uint32_t> pack_;         // variables that are counted together
    std::vector<std::size_t> places_;         // of these
    std::vector<std::uint32_t> parts_;        // their table, the last one fastest
    std::vector<std::uint16_t> small_parts_;  // the same where no count is large
    std::vector<std::uint32_t> tables_;       // one after the other
};

}  // namespace ldag
