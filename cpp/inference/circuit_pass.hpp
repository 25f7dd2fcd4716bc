// One evaluation of a circuit, upward and downward, for a block of rows at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/circuit.hpp"

namespace ldag {

// Rows side by side in a pass, which pay as long as their numbers stay near the processor; larger circuits do
// single rows.
inline constexpr std::size_t kLanes = 8;
inline constexpr std::size_t kLaneBytes = std::size_t{1} << 24;
// Memory of all threads together stays below this, by fewer threads.
inline constexpr std::size_t kWorkBytes = std::size_t{1} << 30;
// Below this, sums may have lost terms to underflow; such rows are done again with scaled numbers.
inline constexpr double kTooSmall = 1e-200;

inline bool has_lanes(const Circuit& circuit) {
    return circuit.n_gates() * kLanes * 2 * sizeof(double) <= kLaneBytes;
}

template <class Algebra, std::size_t B>
class Pass {
  public:
    using Number = typename Algebra::Number;

    Pass(const Circuit& circuit, std::span<const double> parameters)
        : circuit_(circuit), numbers_(circuit.n_gates() * 2 * B) {
        for (std::size_t b = 0; b < B; ++b) {
            value(kZeroGate)[b] = Algebra::zero();
            value(kOneGate)[b] = Algebra::one();
            derivative(kZeroGate)[b] = derivative(kOneGate)[b] = Algebra::zero();
        }
        for (const Input& input : circuit.inputs)
            weights_.push_back(Algebra::from(parameters[input.parameter]));
    }

    // The value of every gate; `states` are B rows of evidence.
    void upward(std::span<const std::uint8_t> states) {
        set_inputs(states);
        Number* out = value(circuit_.first_inner());
        const Factors* term = circuit_.terms.data();
        for (std::size_t i = 0; i < circuit_.n_sums(); ++i, out += 2 * B) {
            Number sum[B];
            multiply(*term, sum);
            for (const Factors* end = circuit_.terms.data() + circuit_.first[i + 1]; ++term != end;)
                add(*term, sum);
            for (std::size_t b = 0; b < B; ++b) out[b] = sum[b];
            for (std::size_t b = 0; b < B; ++b) out[B + b] = Algebra::zero();
        }
    }

    // The derivative of the root by every gate, after upward().
    void downward() {
        std::fill_n(derivative(kOneGate), B, Algebra::zero());
        std::fill_n(derivative(circuit_.root), B, Algebra::one());
        const Gate first_inner = circuit_.first_inner();
        for (std::size_t i = circuit_.n_sums(); i-- > 0;) {
            Number d[B];  // a copy: no addition below can change it
            std::copy_n(derivative(first_inner + static_cast<Gate>(i)), B, d);
            bool is_needed = false;  // where rows rule a state out, most derivatives are zero
            for (std::size_t b = 0; b < B; ++b) is_needed |= !Algebra::is_zero(d[b]);
            if (!is_needed) continue;
            const Factors* end = circuit_.terms.data() + circuit_.first[i + 1];
            for (const Factors* term = circuit_.terms.data() + circuit_.first[i]; term != end; ++term)
                add_products(*term, d);
        }
    }

    Number root(std::size_t b) const { return value(circuit_.root)[b]; }
    bool is_impossible(std::size_t b) const { return Algebra::is_zero(root(b)); }

    // w dP/dw / P of an input: the posterior probability that its parameter is used.
    double share(std::size_t input, std::size_t b) const {
        const Gate gate = kFirstInput + static_cast<Gate>(input);
        return Algebra::ratio(Algebra::multiply(value(gate)[b], derivative(gate)[b]), root(b));
    }

    // Adds w dP/dw of every input, times what each row counts for, to sums by input and row.
    void add_uses(std::span<const double> factors, std::span<double> sums) const {
        for (std::size_t i = 0; i < circuit_.inputs.size(); ++i) {
            const Number* w = value(kFirstInput + static_cast<Gate>(i));
            for (std::size_t b = 0; b < B; ++b) sums[i * B + b] += w[b] * w[B + b] * factors[b];
        }
    }

    // dP/dw / P of an input.
    double slope(std::size_t input, std::size_t b) const {
        return Algebra::ratio(derivative(kFirstInput + static_cast<Gate>(input))[b], root(b));
    }

    // The states along which the root got its value, when sums are maxima.
    void trace(std::span<std::uint8_t> states) const {
        std::vector<Gate> todo;
        follow(todo, states, [this](std::size_t sum) { return greatest_term(sum); });
    }

    // States of row `b`, each term of a sum with the probability that it has of the sum; `choices` says
    // which.
    template <class Choices>
    void draw(std::size_t b, Choices& choices, std::vector<Gate>& todo,
              std::span<std::uint8_t> states) const {
        follow(todo, states, [&](std::size_t sum) { return chosen_term(sum, b, choices); });
    }

  private:
    // Goes down from the root along one term of every sum, and writes the states of the inputs met.
    template <class Choose>
    void follow(std::vector<Gate>& todo, std::span<std::uint8_t> states, Choose choose) const {
        todo.assign(1, circuit_.root);
        while (!todo.empty()) {
            const Gate gate = todo.back();
            todo.pop_back();
            if (gate < kFirstInput) continue;
            if (gate < circuit_.first_inner()) {
                const Input& input = circuit_.inputs[gate - kFirstInput];
                states[input.node] = static_cast<std::uint8_t>(input.state);
                continue;
            }
            const Factors term = choose(gate - circuit_.first_inner());
            todo.push_back(term.a);
            todo.push_back(term.b);
        }
    }

    // The term in whose part of the sum the choice falls; of what rounding leaves over, the last possible
    // one.
    template <class Choices>
    Factors chosen_term(std::size_t sum, std::size_t b, Choices& choices) const {
        const Factors* term = circuit_.terms.data() + circuit_.first[sum];
        const Factors* end = circuit_.terms.data() + circuit_.first[sum + 1];
        if (end - term == 1) return *term;
        const Number total = value(circuit_.first_inner() + static_cast<Gate>(sum))[b];
        const Factors* chosen = term;
        double low = 0.0;
        double width = 0.0;
        for (; term != end && (width == 0.0 || choices.at() >= low + width); ++term) {
            const double share =
                Algebra::ratio(Algebra::multiply(value(term->a)[b], value(term->b)[b]), total);
            if (share == 0.0) continue;
            low += width;
            width = share;
            chosen = term;
        }
        choices.narrow(low, width);
        return *chosen;
    }

    // The first of the greatest terms of a sum.
    Factors greatest_term(std::size_t sum) const {
        const auto product = [this](const Factors& term) {
            return Algebra::multiply(*value(term.a), *value(term.b));
        };
        const Factors* terms = circuit_.terms.data();
        return *std::ranges::max_element(terms + circuit_.first[sum], terms + circuit_.first[sum + 1], {},
                                         product);
    }

    Number* value(Gate gate) { return numbers_.data() + std::size_t{gate} * 2 * B; }
    const Number* value(Gate gate) const { return numbers_.data() + std::size_t{gate} * 2 * B; }
    Number* derivative(Gate gate) { return value(gate) + B; }
    const Number* derivative(Gate gate) const { return value(gate) + B; }

    void set_inputs(std::span<const std::uint8_t> states) {
        const std::size_t n = circuit_.n_states.size();
        for (std::size_t i = 0; i < circuit_.inputs.size(); ++i) {
            const Input& input = circuit_.inputs[i];
            Number* out = value(kFirstInput + static_cast<Gate>(i));
            for (std::size_t b = 0; b < B; ++b) {
                const std::uint8_t seen = states[b * n + input.node];
                out[b] = seen == kUnobserved || seen == input.state ? weights_[i] : Algebra::zero();
                out[B + b] = Algebra::zero();
            }
        }
    }

    void multiply(const Factors& term, Number* out) const {
        const Number* x = value(term.a);
        const Number* y = value(term.b);
        for (std::size_t b = 0; b < B; ++b) out[b] = Algebra::multiply(x[b], y[b]);
    }

    void add(const Factors& term, Number* sum) const {
        const Number* x = value(term.a);
        const Number* y = value(term.b);
        for (std::size_t b = 0; b < B; ++b) sum[b] = Algebra::add(sum[b], Algebra::multiply(x[b], y[b]));
    }

    void add_products(const Factors& term, const Number* d) {
        Number* a = value(term.a);
        Number* b = value(term.b);
        for (std::size_t i = 0; i < B; ++i) {
            const Number x = a[i];
            const Number y = b[i];
            a[B + i] = Algebra::add(a[B + i], Algebra::multiply(d[i], y));
            b[B + i] = Algebra::add(b[B + i], Algebra::multiply(d[i], x));
        }
    }

    const Circuit& circuit_;
    std::vector<Number> numbers_;  // of each gate B values, and beside them B derivatives
    std::vector<Number> weights_;
};

}  // namespace ldag
