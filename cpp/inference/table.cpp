#include "inference/table.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ldag {
namespace {

// The fastest axes are worked on together, up to about so many cells.
constexpr std::size_t kBlock = 512;

// Where an operand's numbers are while all axes are stepped through.
struct Walk {
    enum class Kind { kOne, kRow, kScattered };

    std::vector<std::size_t> steps;        // by slow axis
    std::vector<std::uint32_t> scattered;  // by cell of a block, if its cells are neither equal nor in a row
    Kind kind = Kind::kOne;
    std::size_t at = 0;

    std::size_t place(std::size_t cell) const {
        return at + (kind == Kind::kOne ? 0 : kind == Kind::kRow ? cell : scattered[cell]);
    }
};

// All axes of a product: slow ones stepped through, fast ones in blocks.
class Axes {
  public:
    Axes(std::span<const Rank> scope, std::span<const std::uint32_t> n_states)
        : scope_(scope), n_states_(n_states) {
        n_slow_ = scope.size();
        while (n_slow_ > 0 && block_ * n_states[scope[n_slow_ - 1]] <= kBlock)
            block_ *= n_states[scope[--n_slow_]];
        if (n_slow_ == scope.size() && n_slow_ > 0) block_ *= n_states[scope[--n_slow_]];
        digits_.resize(n_slow_);
    }

    std::size_t block() const { return block_; }

    // How an operand with some of the axes is walked through.
    Walk walk(std::span<const Rank> own) const {
        Walk walk;
        std::vector<std::size_t> strides(scope_.size(), 0);
        std::size_t stride = 1;
        for (std::size_t i = own.size(), axis = scope_.size(); i-- > 0;) {
            while (scope_[--axis] != own[i]) {
            }
            strides[axis] = stride;
            stride *= n_states_[own[i]];
        }
        walk.steps.assign(strides.begin(), strides.begin() + static_cast<std::ptrdiff_t>(n_slow_));
        const auto fast = std::span(strides).subspan(n_slow_);
        const auto n_own = std::ranges::count_if(fast, [](std::size_t s) { return s != 0; });
        if (n_own == 0) return walk;
        if (n_own == std::ssize(fast)) {
            walk.kind = Walk::Kind::kRow;
            return walk;
        }
        walk.kind = Walk::Kind::kScattered;
        walk.scattered = {0};
        for (std::size_t axis = n_slow_; axis < scope_.size(); ++axis) {
            std::vector<std::uint32_t> next;
            for (const std::uint32_t place : walk.scattered)
                for (std::uint32_t s = 0; s < n_states_[scope_[axis]]; ++s)
                    next.push_back(place + static_cast<std::uint32_t>(s * strides[axis]));
            walk.scattered = std::move(next);
        }
        return walk;
    }

    // Goes on to the next block; tells whether there is one.
    template <class Walks>
    bool next(Walks& walks) {
        for (std::size_t axis = n_slow_; axis-- > 0;) {
            const std::uint32_t n = n_states_[scope_[axis]];
            if (++digits_[axis] < n) {
                for (Walk& walk : walks) walk.at += walk.steps[axis];
                return true;
            }
            digits_[axis] = 0;
            for (Walk& walk : walks) walk.at -= (n - 1) * walk.steps[axis];
        }
        return false;
    }

  private:
    std::span<const Rank> scope_;
    std::span<const std::uint32_t> n_states_;
    std::size_t n_slow_ = 0;
    std::size_t block_ = 1;
    std::vector<std::uint32_t> digits_;
};

template <class Number>
void multiply_block(Number* block, const Number* values, const Walk& walk, std::size_t n) {
    if (walk.kind == Walk::Kind::kRow) {
        const Number* row = values + walk.at;
        for (std::size_t i = 0; i < n; ++i) block[i] *= row[i];
    } else {
        const Number* from = values + walk.at;
        const std::uint32_t* places = walk.scattered.data();
        for (std::size_t i = 0; i < n; ++i) block[i] *= from[places[i]];
    }
}

template <class Number>
void set_block(Number* block, Number scale, const Number* values, const Walk& walk, std::size_t n) {
    const Number* from = values + walk.at;
    if (walk.kind == Walk::Kind::kRow) {
        for (std::size_t i = 0; i < n; ++i) block[i] = scale * from[i];
    } else {
        const std::uint32_t* places = walk.scattered.data();
        for (std::size_t i = 0; i < n; ++i) block[i] = scale * from[places[i]];
    }
}

// Adds a block to the result, or takes the greater numbers.
template <class Number>
void join_block(Number* result, const Walk& walk, const Number* block, std::size_t n, Joining joining) {
    Number* to = result + walk.at;
    if (walk.kind == Walk::Kind::kRow) {
        if (joining == Joining::kSum)
            for (std::size_t i = 0; i < n; ++i) to[i] += block[i];
        else
            for (std::size_t i = 0; i < n; ++i) to[i] = std::max(to[i], block[i]);
    } else if (walk.kind == Walk::Kind::kOne) {
        Number joined = to[0];
        for (std::size_t i = 0; i < n; ++i)
            joined = joining == Joining::kSum ? joined + block[i] : std::max(joined, block[i]);
        to[0] = joined;
    } else {
        for (std::size_t i = 0; i < n; ++i) {
            Number& cell = to[walk.scattered[i]];
            cell = joining == Joining::kSum ? cell + block[i] : std::max(cell, block[i]);
        }
    }
}

}  // namespace

// Nothing is rounded unless it is too small to matter.
template <class Number>
void normalise(Table<Number>& table) {
    Number greatest = 0;
    for (const Number value : table.values) greatest = std::max(greatest, value);
    if (!(greatest > 0) || (greatest >= 1 && greatest < 2)) return;
    const int exponent = std::ilogb(greatest);
    const Number scale = std::scalbn(Number{1}, -exponent / 2);
    const Number rest = std::scalbn(Number{1}, -exponent - -exponent / 2);  // in two steps: each is finite
    for (Number& value : table.values) value = value * scale * rest;
    table.exponent += exponent;
}

template <class Number>
std::vector<Rank> heads_of(std::span<const TableRef<Number>> factors, std::span<const Rank> kept) {
    std::vector<Rank> heads;
    std::vector<Rank> scope;
    for (const TableRef<Number>& factor : factors) {
        if (factor->heads.empty()) return {};
        const auto meets = [](const std::vector<Rank>& some, const std::vector<Rank>& others) {
            return std::ranges::any_of(some, [&](Rank r) { return std::ranges::binary_search(others, r); });
        };
        if (meets(factor->heads, heads) || (meets(heads, factor->scope) && meets(factor->heads, scope)))
            return {};
        std::vector<Rank> joined;
        std::ranges::set_union(heads, factor->heads, std::back_inserter(joined));
        heads = std::move(joined);
        joined.clear();
        std::ranges::set_union(scope, factor->scope, std::back_inserter(joined));
        scope = std::move(joined);
    }
    std::size_t n_gone = 0;
    for (const Rank rank : scope)
        if (!std::ranges::binary_search(kept, rank)) {
            if (!std::ranges::binary_search(heads, rank)) return {};  // summed over a condition
            ++n_gone;
        }
    if (n_gone > 0) std::erase_if(heads, [&](Rank r) { return !std::ranges::binary_search(kept, r); });
    return heads;
}

template <class Number>
std::vector<Rank> joint_scope(std::span<const TableRef<Number>> factors) {
    std::vector<Rank> scope;
    for (const TableRef<Number>& factor : factors) {
        std::vector<Rank> joined;
        std::ranges::set_union(scope, factor->scope, std::back_inserter(joined));
        scope = std::move(joined);
    }
    return scope;
}

template <class Number>
Table<Number> product(std::span<const TableRef<Number>> factors, std::span<const Rank> kept,
                      std::span<const std::uint32_t> n_states, Joining joining, SumsEffort& effort) {
    const std::vector<Rank> scope = joint_scope(factors);
    Table<Number> result;
    std::ranges::set_intersection(scope, kept, std::back_inserter(result.scope));
    std::size_t size = 1;
    for (const Rank rank : result.scope) size *= n_states[rank];
    result.values.assign(size, Number{0});
    if (joining == Joining::kSum) result.heads = heads_of(factors, kept);
    Axes axes(scope, n_states);
    std::vector<Walk> walks;
    for (const TableRef<Number>& factor : factors) {
        walks.push_back(axes.walk(factor->scope));
        result.exponent += factor->exponent;
    }
    walks.push_back(axes.walk(result.scope));
    const std::size_t n = axes.block();
    std::vector<Number> block(n);
    do {
        effort.add(n);
        Number scale = 1;
        for (std::size_t f = 0; f < factors.size(); ++f)
            if (walks[f].kind == Walk::Kind::kOne) scale *= factors[f]->values[walks[f].at];
        if (scale == 0) continue;
        bool is_set = false;
        for (std::size_t f = 0; f < factors.size(); ++f) {
            if (walks[f].kind == Walk::Kind::kOne) continue;
            if (is_set)
                multiply_block(block.data(), factors[f]->values.data(), walks[f], n);
            else
                set_block(block.data(), scale, factors[f]->values.data(), walks[f], n);
            is_set = true;
        }
        if (!is_set) std::ranges::fill(block, scale);
        join_block(result.values.data(), walks.back(), block.data(), n, joining);
    } while (axes.next(walks));
    normalise(result);
    return result;
}

template void normalise(Table<double>&);
template void normalise(Table<long double>&);
template std::vector<Rank> heads_of(std::span<const TableRef<double>>, std::span<const Rank>);
template std::vector<Rank> heads_of(std::span<const TableRef<long double>>, std::span<const Rank>);
template std::vector<Rank> joint_scope(std::span<const TableRef<double>>);
template std::vector<Rank> joint_scope(std::span<const TableRef<long double>>);
template Table<double> product(std::span<const TableRef<double>>, std::span<const Rank>,
                               std::span<const std::uint32_t>, Joining, SumsEffort&);
template Table<long double> product(std::span<const TableRef<long double>>, std::span<const Rank>,
                                    std::span<const std::uint32_t>, Joining, SumsEffort&);

}  // namespace ldag
