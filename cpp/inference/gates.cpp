#include "inference/gates.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ldag {

Gate Gates::input(std::uint32_t node, std::uint32_t state, std::uint32_t parameter) {
    const Input wanted{node, state, parameter};
    const auto fresh = static_cast<std::uint32_t>(inputs_.size());
    const std::uint32_t gate =
        input_table_.find_or_add(hash_numbers(0, std::array{node, state, parameter}), fresh,
                                 [&](std::uint32_t other) { return inputs_[other] == wanted; });
    if (gate == fresh) {
        inputs_.push_back(wanted);
        input_gates_.push_back(static_cast<Gate>(kinds_.size()));
        kinds_.push_back(Kind::kInput);
        first_.push_back(first_.back());
    }
    return input_gates_[gate];
}

Gate Gates::multiply(Gate a, Gate b) {
    if (a == kZeroGate || b == kZeroGate) return kZeroGate;
    if (a == kOneGate) return b;
    if (b == kOneGate) return a;
    return gate(Kind::kProduct, std::array{std::min(a, b), std::max(a, b)});
}

Gate Gates::add(std::span<const Gate> terms) {
    if (terms.empty()) return kZeroGate;
    return terms.size() == 1 ? terms[0] : gate(Kind::kSum, terms);
}

Gate Gates::gate(Kind kind, std::span<const Gate> arguments) {
    const auto fresh = static_cast<Gate>(kinds_.size());
    const auto equal = [&](Gate other) {
        return kinds_[other] == kind && std::ranges::equal(arguments_of(other), arguments);
    };
    const std::uint32_t hash = hash_numbers(static_cast<std::uint64_t>(kind), arguments);
    const Gate gate = table_.find_or_add(hash, fresh, equal);
    if (gate == fresh) {
        kinds_.push_back(kind);
        arguments_.insert(arguments_.end(), arguments.begin(), arguments.end());
        first_.push_back(static_cast<std::uint32_t>(arguments_.size()));
    }
    return gate;
}

// What a gate adds up: products are taken apart once, so that few of them need a gate of their own.
std::vector<Factors> Gates::terms_of(Gate gate) const {
    const std::span<const Gate> arguments = arguments_of(gate);
    if (kinds_[gate] == Kind::kProduct) return {{arguments[0], arguments[1]}};
    std::vector<Factors> terms;
    for (const Gate argument : arguments) {
        const std::span<const Gate> inner = arguments_of(argument);
        const bool is_product = kinds_[argument] == Kind::kProduct;
        terms.push_back(is_product ? Factors{inner[0], inner[1]} : Factors{argument, kOneGate});
    }
    return terms;
}

std::vector<bool> Gates::used_by(Gate root) const {
    std::vector<bool> used(kinds_.size(), false);
    used[root] = true;
    for (Gate gate = static_cast<Gate>(kinds_.size()); gate-- > kFirstInput;) {
        if (!used[gate] || kinds_[gate] == Kind::kInput) continue;
        for (const Factors& term : terms_of(gate)) used[term.a] = used[term.b] = true;
    }
    return used;
}

// The new number of every used gate: inputs first, the others in the order they were made.
std::vector<Gate> Gates::numbered(const std::vector<bool>& used, Circuit& circuit) const {
    std::vector<Gate> number(kinds_.size(), kZeroGate);
    number[kOneGate] = kOneGate;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        if (!used[input_gates_[i]]) continue;
        number[input_gates_[i]] = circuit.first_inner();
        circuit.inputs.push_back(inputs_[i]);
    }
    Gate next = circuit.first_inner();
    for (Gate old = kFirstInput; old < kinds_.size(); ++old)
        if (used[old] && kinds_[old] != Kind::kInput) number[old] = next++;
    return number;
}

Circuit Gates::finish(std::vector<std::uint32_t> n_states, Gate root) {
    table_ = input_table_ = NumberTable();
    const std::vector<bool> used = used_by(root);
    Circuit circuit;
    circuit.n_states = std::move(n_states);
    const std::vector<Gate> number = numbered(used, circuit);
    circuit.first.push_back(0);
    for (Gate old = kFirstInput; old < kinds_.size(); ++old) {
        if (!used[old] || kinds_[old] == Kind::kInput) continue;
        for (const Factors& term : terms_of(old)) circuit.terms.push_back({number[term.a], number[term.b]});
        circuit.first.push_back(static_cast<std::uint32_t>(circuit.terms.size()));
    }
    circuit.root = number[root];
    return circuit;
}

}  // namespace ldag
