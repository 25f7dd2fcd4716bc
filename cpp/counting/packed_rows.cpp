#include "counting/packed_rows.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "counting/bit_sums.hpp"
#include "counting/meets.hpp"

namespace ldag {

namespace {

// A variable with more states is counted by its codes.
constexpr std::size_t kMostNarrow = 16;

// Parts of at least one in so many rows are counted by planes, whose time does not depend on the part.
constexpr std::size_t kLargePart = 6;

}  // namespace

PackedRows::PackedRows(const Columns& columns) : columns_(columns), places_(columns.n_columns()) {
    if (columns.has_gaps()) throw std::invalid_argument("rows with gaps are not packed");
    if (std::max(n_single(), n_weighted()) > std::numeric_limits<Row>::max())
        throw std::length_error("too many rows to pack");
    std::visit([this](const auto& weights) { weights_.assign(weights.begin(), weights.end()); },
               columns.weights_);
    for (std::size_t variable = 0; variable < n_variables(); ++variable)
        (n_states(variable) <= kMostNarrow ? narrow_ : wide_).push_back(variable);
    for (const std::size_t variable : narrow_) {
        places_[variable] = n_places_;
        n_places_ += n_states(variable) - 1;
    }
    n_words_ = (n_places_ + BitPlanes::kWordBits - 1) / BitPlanes::kWordBits;
    n_places_ = n_words_ * BitPlanes::kWordBits;
    for (const std::size_t variable : wide_) {
        places_[variable] = n_places_;
        n_places_ += n_states(variable) - 1;
    }
    bits_.assign(n_single() * n_words_, 0);
    for (const std::size_t variable : narrow_) {
        const Code* const codes = single(variable);
        for (std::size_t row = 0; row < n_single(); ++row) {
            if (codes[row] + std::size_t{1} == n_states(variable)) continue;
            const std::size_t bit = places_[variable] + codes[row];
            bits_[row * n_words_ + bit / BitPlanes::kWordBits] |= Word{1} << (bit % BitPlanes::kWordBits);
        }
    }
}

void PackedRows::count(const Part& part, Memory& memory, std::vector<double>& sums) const {
    sums.assign(n_states(part.node) * n_places_, 0.0);
    if (part.single.size() >= n_single() / kLargePart + 1)
        add_planes(part, memory, sums);
    else
        add_single(part, sums);
    add_weighted(part, sums);
}

// The rows of each state of the node as a plane, which meets those of all variables.
void PackedRows::add_planes(const Part& part, Memory& memory, std::span<double> sums) const {
    const std::size_t r = n_states(part.node);
    const std::size_t n_words = (n_single() + BitPlanes::kWordBits - 1) / BitPlanes::kWordBits;
    const Code* const codes = single(part.node);
    memory.planes.assign(r * n_words, 0);
    for (const Row row : part.single)
        memory.planes[codes[row] * n_words + row / BitPlanes::kWordBits] |= Word{1}
                                                                            << (row % BitPlanes::kWordBits);
    memory.meets.resize(r * kMostMet);
    MetPlanes planes{};
    std::array<std::size_t, kMostMet> places{};
    std::size_t n = 0;
    const auto meet = [&] {
        if (n > 0) count_meets(memory.planes, r, planes, n, n_words, memory.meets);
        for (std::size_t state = 0; state < r; ++state)
            for (std::size_t i = 0; i < n; ++i)
                sums[state * n_places_ + places[i]] = memory.meets[state * n + i];
        n = 0;
    };
    for (const std::size_t variable : narrow_) {
        const BitPlanes& own = columns_.planes(variable);
        for (std::size_t state = 0; state + 1 < own.n_states(); ++state) {
            planes[n] = own.plane(state);
            places[n++] = places_[variable] + state;
            if (n == kMostMet) meet();
        }
    }
    meet();
    if (wide_.empty()) return;
    for (const Row row : part.single) add_wide({&row, 1}, sums.subspan(codes[row] * n_places_));
}

void PackedRows::add_single(const Part& part, std::span<double> sums) const {
    const Code* const codes = single(part.node);
    auto begin = part.single.begin();
    for (std::size_t state = 0; state < n_states(part.node); ++state) {
        const auto end =
            std::partition_point(begin, part.single.end(), [&](Row row) { return codes[row] <= state; });
        const std::span<const Row> rows(begin, end);
        const std::span<double> own = sums.subspan(state * n_places_, n_places_);
        add_bits(bits_, n_words_, rows, own);
        add_wide(rows, own);
        begin = end;
    }
}

void PackedRows::add_wide(std::span<const Row> rows, std::span<double> sums) const {
    for (const std::size_t variable : wide_) {
        const Code* const codes = single(variable);
        double* const own = sums.data() + places_[variable];
        for (const Row row : rows)
            if (codes[row] + std::size_t{1} < n_states(variable)) own[codes[row]] += 1.0;
    }
}

void PackedRows::add_weighted(const Part& part, std::span<double> sums) const {
    if (part.weighted.empty()) return;
    const Code* const node = weighted(part.node);
    for (std::size_t variable = 0; variable < n_variables(); ++variable) {
        const Code* const codes = weighted(variable);
        for (const Row row : part.weighted)
            if (codes[row] + std::size_t{1} < n_states(variable))
                sums[node[row] * n_places_ + places_[variable] + codes[row]] += weights_[row];
    }
}

}  // namespace ldag
