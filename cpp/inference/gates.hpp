// A circuit while it grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/circuit.hpp"
#include "inference/diagram.hpp"

namespace ldag {

// Makes sums and products, each content once; 0 and 1 are left out of products and sums.
class Gates {
  public:
    Gate input(std::uint32_t node, std::uint32_t state, std::uint32_t parameter);
    Gate multiply(Gate a, Gate b);
    Gate add(std::span<const Gate> terms);

    // Arguments so far.
    std::size_t size() const { return arguments_.size(); }
    // The circuit of what `root` needs; nothing can be added after this.
    Circuit finish(std::vector<std::uint32_t> n_states, Gate root);

  private:
    enum class Kind : std::uint8_t { kInput, kProduct, kSum };

    Gate gate(Kind kind, std::span<const Gate> arguments);
    std::span<const Gate> arguments_of(Gate gate) const {
        return {arguments_.data() + first_[gate], arguments_.data() + first_[gate + 1]};
    }
    std::vector<Factors> terms_of(Gate gate) const;
    std::vector<bool> used_by(Gate root) const;
    std::vector<Gate> numbered(const std::vector<bool>& used, Circuit& circuit) const;

    std::vector<Input> inputs_;
    std::vector<Gate> input_gates_;  // by number of the input
    NumberTable input_table_;
    std::vector<Kind> kinds_ = {Kind::kInput, Kind::kInput};
    std::vector<std::uint32_t> first_ = {0, 0, 0};
    std::vector<Gate> arguments_;
    NumberTable table_;
};

}  // namespace ldag
