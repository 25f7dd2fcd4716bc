#include "inference/sample.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "support/random.hpp"

namespace ldag {

namespace {

// A node with what drawing from it needs.
struct Prepared {
    std::size_t node = 0;
    const SampledNode* source = nullptr;
    std::vector<std::size_t> parent_states;
    std::vector<double> table;  // upper ends of the states' intervals in [0, 1); if fixed, log probabilities
};

// Sums of a class's probabilities; 1 from the last possible state on, so that rounding cannot reach others.
void append_upper_ends(std::span<const double> probabilities, std::vector<double>& table) {
    std::size_t n_possible = probabilities.size();
    while (n_possible > 1 && probabilities[n_possible - 1] == 0.0) --n_possible;
    double sum = 0.0;
    for (std::size_t state = 0; state < probabilities.size(); ++state) {
        sum += probabilities[state];
        table.push_back(state + 1 < n_possible ? sum : 1.0);
    }
}

Prepared prepare(std::span<const SampledNode> nodes, std::size_t node) {
    const SampledNode& source = nodes[node];
    Prepared prepared{node, &source, {}, {}};
    for (const std::size_t parent : source.parents) prepared.parent_states.push_back(nodes[parent].n_states);
    prepared.table.reserve(source.probabilities.size());
    if (source.fixed)
        for (const double probability : source.probabilities) prepared.table.push_back(std::log(probability));
    else
        for (std::size_t at = 0; at < source.probabilities.size(); at += source.n_states)
            append_upper_ends(source.probabilities.subspan(at, source.n_states), prepared.table);
    return prepared;
}

// Some consecutive rows of the result; `stride` is the length of a node's row of codes.
struct Block {
    std::uint8_t* codes = nullptr;
    std::size_t stride = 0;
    std::size_t n_rows = 0;
    double* log_weights = nullptr;

    std::uint8_t* of(std::size_t node) const { return codes + node * stride; }
};

using Numbers = std::array<std::size_t, kSampleBlock>;

// The numbers of the configurations that a node's parents have in the rows of a block; the classes, by a
// tree.
void find_numbers(const Prepared& prepared, const Block& block, Numbers& numbers) {
    const ClassMap& classes = prepared.source->classes;
    if (classes.is_tree()) {
        for (std::size_t row = 0; row < block.n_rows; ++row)
            numbers[row] =
                classes.walk([&](std::size_t axis) { return block.of(prepared.source->parents[axis])[row]; });
        return;
    }
    std::fill_n(numbers.begin(), block.n_rows, 0);
    for (std::size_t axis = 0; axis < prepared.parent_states.size(); ++axis) {
        const std::uint8_t* codes = block.of(prepared.source->parents[axis]);
        const std::size_t n_states = prepared.parent_states[axis];
        for (std::size_t row = 0; row < block.n_rows; ++row)
            numbers[row] = numbers[row] * n_states + codes[row];
    }
}

// A row of a table by what was found.
std::size_t row_of(std::span<const std::int32_t> listed, std::size_t number) {
    return listed.empty() ? number : static_cast<std::size_t>(listed[number]);
}

// The state whose interval holds a uniform number: as many as have their upper end at or below it.
std::uint8_t find_state(const double* upper_ends, std::size_t n_states, double uniform) {
    std::size_t code = 0;
    for (std::size_t state = 0; state + 1 < n_states; ++state) code += upper_ends[state] <= uniform;
    return static_cast<std::uint8_t>(code);
}

void draw(const Prepared& prepared, const Block& block, const Numbers& numbers, Random& random) {
    const std::span<const std::int32_t> listed = prepared.source->classes.listed();
    const SampledNode& source = *prepared.source;
    std::uint8_t* codes = block.of(prepared.node);
    for (std::size_t row = 0; row < block.n_rows; ++row) {
        const double* upper_ends = prepared.table.data() + row_of(listed, numbers[row]) * source.n_states;
        codes[row] = find_state(upper_ends, source.n_states, random.uniform());
    }
    // The rest of a block that is not full: rows do not depend on how many there are.
    for (std::size_t row = block.n_rows; row < kSampleBlock; ++row) random.next();
}

void fix(const Prepared& prepared, const Block& block, const Numbers& numbers) {
    const std::span<const std::int32_t> listed = prepared.source->classes.listed();
    const SampledNode& source = *prepared.source;
    std::fill_n(block.of(prepared.node), block.n_rows, *source.fixed);
    if (block.log_weights == nullptr) return;
    for (std::size_t row = 0; row < block.n_rows; ++row)
        block.log_weights[row] +=
            prepared.table[row_of(listed, numbers[row]) * source.n_states + *source.fixed];
}

void sample_block(std::span<const Prepared> nodes, const Block& block, Random random) {
    Numbers numbers;
    if (block.log_weights != nullptr) std::fill_n(block.log_weights, block.n_rows, 0.0);
    for (const Prepared& prepared : nodes) {
        find_numbers(prepared, block, numbers);
        if (prepared.source->fixed)
            fix(prepared, block, numbers);
        else
            draw(prepared, block, numbers, random);
    }
}

}  // namespace

bool sample_rows(std::span<const SampledNode> nodes, std::span<const std::size_t> order, std::size_t n_rows,
                 std::uint64_t seed, std::size_t n_threads, std::span<std::uint8_t> codes,
                 std::span<double> log_weights, const StopPoll& poll) {
    std::vector<Prepared> prepared;
    for (const std::size_t node : order) prepared.push_back(prepare(nodes, node));
    const auto work = [&](std::size_t item, std::size_t) {
        const std::size_t begin = item * kSampleBlock;
        double* weights = log_weights.empty() ? nullptr : log_weights.data() + begin;
        const Block block{codes.data() + begin, n_rows, std::min(kSampleBlock, n_rows - begin), weights};
        sample_block(prepared, block, Random(seed, item));
    };
    return parallel_for(n_threads, (n_rows + kSampleBlock - 1) / kSampleBlock, work, nullptr, poll);
}

}  // namespace ldag
