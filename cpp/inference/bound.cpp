#include "inference/bound.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "inference/diagram.hpp"

namespace ldag {
namespace {

// Larger numbers of sums all count the same: totals stay finite.
constexpr double kMostLog = 900.0;

// A family as a function of its free members, the one eliminated last first.
struct Function {
    std::vector<std::uint32_t> members;
    std::vector<double> log_widths;  // of how many functions are left once the first so many have a state
};

class FunctionOf {
  public:
    FunctionOf(const NetworkShape& network, std::span<const std::uint32_t> rank_of, std::uint32_t node)
        : network_(network), node_(node) {
        const NetworkFamily& family = network.families[node];
        std::size_t stride = 1;
        for (std::size_t axis = family.parents.size(); axis-- > 0;) {
            place(family.parents[axis], stride);
            stride *= network.n_states[family.parents[axis]];
        }
        place(node, 0);
        std::ranges::sort(axes_, std::greater<>{}, [&](const Axis& axis) { return rank_of[axis.node]; });
    }

    Function make() {
        Function made;
        for (const Axis& axis : axes_) made.members.push_back(axis.node);
        std::vector<std::uint32_t> left;  // a number for each function that is left, equal ones alike
        list(0, offset_, state_, left);
        made.log_widths.assign(axes_.size() + 1, 0.0);
        for (std::size_t depth = axes_.size(); depth-- > 0;) {
            made.log_widths[depth] = std::log2(join(left, network_.n_states[axes_[depth].node]));
        }
        return made;
    }

  private:
    struct Axis {
        std::uint32_t node;
        std::size_t stride;  // 0 for the node itself
    };

    void place(std::uint32_t member, std::size_t stride) {
        if (network_.fixed[member] == kUnobserved)
            axes_.push_back({member, stride});
        else if (stride == 0)
            state_ = network_.fixed[member];
        else
            offset_ += stride * network_.fixed[member];
    }

    void list(std::size_t depth, std::size_t offset, std::uint32_t state,
              std::vector<std::uint32_t>& cells) const {
        if (depth == axes_.size()) {
            const NetworkFamily& family = network_.families[node_];
            const std::size_t row =
                static_cast<std::size_t>(family.classes[offset]) * network_.n_states[node_];
            // A parameter is that of one state, and an impossible state is like no other.
            cells.push_back(static_cast<std::uint32_t>(family.parameters[row + state] + 1));
            return;
        }
        const Axis& axis = axes_[depth];
        for (std::uint32_t s = 0; s < network_.n_states[axis.node]; ++s)
            list(depth + 1, offset + s * axis.stride, axis.stride == 0 ? s : state, cells);
    }

    // Puts each `n` neighbours together; returns how many different ones there are.
    static double join(std::vector<std::uint32_t>& left, std::size_t n) {
        NumberTable table;
        std::vector<std::size_t> firsts;  // where each different one comes first
        std::vector<std::uint32_t> joined;
        const auto content = [&](std::size_t first) {
            return std::span<const std::uint32_t>(&left[first], n);
        };
        for (std::size_t first = 0; first < left.size(); first += n) {
            const auto fresh = static_cast<std::uint32_t>(firsts.size());
            const std::uint32_t number =
                table.find_or_add(hash_numbers(5, content(first)), fresh, [&](std::uint32_t other) {
                    return std::ranges::equal(content(firsts[other]), content(first));
                });
            if (number == fresh) firsts.push_back(first);
            joined.push_back(number);
        }
        left = std::move(joined);
        return static_cast<double>(firsts.size());
    }

    const NetworkShape& network_;
    std::uint32_t node_;
    std::vector<Axis> axes_;
    std::size_t offset_ = 0;
    std::uint32_t state_ = 0;
};

// What is left of a family when a variable is summed out, as far as it was given states.
struct CutFunction {
    std::span<const std::uint32_t> members;
    double log_width;
};

// The ln2 of how many combinations there can be: of states, or of what is left of a family where those are
// fewer than the states that no other family tells apart.
double log_combinations(std::vector<CutFunction> cut, std::span<const double> log_states,
                        std::vector<std::uint32_t>& n_having) {
    double sum = 0.0;
    for (const CutFunction& function : cut)
        for (const std::uint32_t member : function.members)
            if (n_having[member]++ == 0) sum += log_states[member];
    for (;;) {
        double most = 1e-9;
        std::size_t best = cut.size();
        for (std::size_t i = 0; i < cut.size(); ++i) {
            double gain = -cut[i].log_width;
            for (const std::uint32_t member : cut[i].members)
                if (n_having[member] == 1) gain += log_states[member];
            if (gain > most) best = i;
            most = std::max(most, gain);
        }
        if (best == cut.size()) break;
        sum -= most;
        for (const std::uint32_t member : cut[best].members) --n_having[member];
        cut.erase(cut.begin() + static_cast<std::ptrdiff_t>(best));
    }
    for (const CutFunction& function : cut)
        for (const std::uint32_t member : function.members) n_having[member] = 0;
    return sum;
}

}  // namespace

CircuitBound bound_circuit(const NetworkShape& network, std::span<const std::uint32_t> order) {
    const std::size_t n = network.n_states.size();
    std::vector<std::uint32_t> rank_of(n);
    for (std::uint32_t rank = 0; rank < order.size(); ++rank) rank_of[order[rank]] = rank;
    std::vector<double> log_states(n);
    for (std::size_t node = 0; node < n; ++node) log_states[node] = std::log2(network.n_states[node]);
    std::vector<Function> functions;
    std::vector<std::vector<std::uint32_t>> waiting(n);  // by node: functions that it is the next to go of
    for (std::uint32_t node = 0; node < n; ++node) {
        functions.push_back(FunctionOf(network, rank_of, node).make());
        if (!functions.back().members.empty()) waiting[functions.back().members.back()].push_back(node);
    }
    std::vector<std::uint32_t> n_having(n, 0);
    CircuitBound bound;
    double largest = -1.0;
    for (const std::uint32_t node : order) {
        std::vector<std::uint32_t> own = std::move(waiting[node]);
        std::ranges::sort(own);
        own.erase(std::ranges::unique(own).begin(), own.end());
        std::vector<CutFunction> cut;
        std::vector<std::uint32_t> kept;
        std::uint32_t next = node;  // of what is left the first to be eliminated: it takes all of these along
        for (const std::uint32_t number : own) {
            const Function& function = functions[number];
            const auto above = std::ranges::partition_point(
                function.members, [&](std::uint32_t member) { return rank_of[member] > rank_of[node]; });
            const auto n_above = static_cast<std::size_t>(above - function.members.begin());
            if (n_above == 0) continue;
            cut.push_back({std::span(function.members).first(n_above), function.log_widths[n_above]});
            kept.push_back(number);
            const std::uint32_t last = function.members[n_above - 1];
            if (next == node || rank_of[last] < rank_of[next]) next = last;
        }
        const double log_terms = log_combinations(std::move(cut), log_states, n_having) + log_states[node];
        bound.n_terms += std::exp2(std::min(log_terms, kMostLog));
        if (log_terms > largest) bound.node = node;
        largest = std::max(largest, log_terms);
        if (next != node) waiting[next].insert(waiting[next].end(), kept.begin(), kept.end());
    }
    return bound;
}

}  // namespace ldag
