// The grid of configurations of a set of parents: mixed radix, the last parent fastest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ldag {

class Grid {
  public:
    // `ordered` has an entry per axis, or is empty if no axis has an order.
    explicit Grid(std::vector<std::size_t> n_states, std::vector<std::uint8_t> ordered = {});

    std::size_t size() const { return size_; }
    std::size_t n_axes() const { return n_states_.size(); }
    std::size_t n_states(std::size_t axis) const { return n_states_[axis]; }
    std::size_t stride(std::size_t axis) const { return strides_[axis]; }
    std::span<const std::size_t> n_states() const { return n_states_; }

    // Whether the order of a parent's states means something: then only neighbours in it can act alike.
    bool is_ordered(std::size_t axis) const { return !ordered_.empty() && ordered_[axis] != 0; }

    // Number of lines along an axis: one per configuration of the other parents.
    std::size_t n_lines(std::size_t axis) const { return size_ / n_states_[axis]; }

    // First cell of a line; cell k of it is that plus k * stride(axis).
    std::size_t line_start(std::size_t axis, std::size_t line) const {
        const std::size_t stride = strides_[axis];
        return line / stride * stride * n_states_[axis] + line % stride;
    }

    std::size_t state(std::size_t cell, std::size_t axis) const {
        return cell / strides_[axis] % n_states_[axis];
    }

  private:
    std::vector<std::size_t> n_states_;
    std::vector<std::uint8_t> ordered_;
    std::vector<std::size_t> strides_;
    std::size_t size_;
};

}  // namespace ldag
