// Arithmetic circuits: a network's joint distribution, summed over everything, as shared sums and products.
//
// The inputs are w = lambda_x * theta: a parameter of a node's state x, or 0 where the evidence rules x out.
// One pass upward gives P(evidence); one pass downward the derivative by every input, and with it all
// posterior marginals: P(x, evidence) is the sum of w dP/dw over the inputs of x (Darwiche, 2003). With max
// in place of sums, the same circuit gives the most probable explanation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace ldag {

using Gate = std::uint32_t;

inline constexpr Gate kZeroGate = 0;
inline constexpr Gate kOneGate = 1;
inline constexpr Gate kFirstInput = 2;
inline constexpr std::uint8_t kUnobserved = 255;

// An input gate: a parameter that counts while the node may be in the state.
struct Input {
    std::uint32_t node;
    std::uint32_t state;
    std::uint32_t parameter;

    friend bool operator==(const Input&, const Input&) = default;
};

// A product of two gates.
struct Factors {
    Gate a;
    Gate b;
};

// Gates 0 and 1 are constants, then come the inputs, then sums of products of two gates, those before the
// sum.
struct Circuit {
    std::vector<std::uint32_t> n_states;
    std::vector<Input> inputs;
    std::vector<std::uint32_t> first;  // of each sum: where its terms start; one more at the end
    std::vector<Factors> terms;
    Gate root = kOneGate;

    Gate first_inner() const { return kFirstInput + static_cast<Gate>(inputs.size()); }
    std::size_t n_sums() const { return first.size() - 1; }
    std::size_t n_gates() const { return first_inner() + n_sums(); }
};

// Rows evaluated on several threads; `poll` asks about every 50 ms whether to stop.
struct Running {
    std::size_t n_threads = 1;
    std::function<bool()> poll = {};
};

// A circuit with values of its parameters. Questions may be asked from several threads at once; they return
// whether they were stopped. Rows of evidence are one after the other, a state per node or kUnobserved.
class Evaluator {
  public:
    Evaluator(std::shared_ptr<const Circuit> circuit, std::vector<double> parameters);
    ~Evaluator();
    Evaluator(Evaluator&&) noexcept;

    const Circuit& circuit() const { return *circuit_; }

    // ln P(evidence) of every row; minus infinity where it is impossible.
    bool log_probabilities(std::span<const std::uint8_t> rows, std::span<double> log_probability,
                           const Running& running) const;

    // The same, and P(node = state | evidence) of every row, node and state; not a number where the evidence
    // is impossible.
    bool marginals(std::span<const std::uint8_t> rows, std::span<double> log_probability,
                   std::span<double> marginals, const Running& running) const;

    // How often each parameter is expected to be used given one row of evidence: P(its configurations, its
    // state | evidence).
    void expected_uses(std::span<const std::uint8_t> row, std::span<double> uses) const;

    // The derivative of ln P(evidence) by each parameter, given one row of evidence.
    void log_derivatives(std::span<const std::uint8_t> row, std::span<double> derivatives) const;

    // The most probable states of all nodes given every row, and ln of their joint probability; of equally
    // probable ones those of the first gates. States stay as they are where the evidence is impossible.
    bool most_probable(std::span<const std::uint8_t> rows, std::span<std::uint8_t> states,
                       std::span<double> log_probability, const Running& running) const;

  private:
    class Pool;

    std::shared_ptr<const Circuit> circuit_;
    std::vector<double> parameters_;
    std::unique_ptr<Pool> pool_;  // memory of earlier evaluations, used again
};

}  // namespace ldag
