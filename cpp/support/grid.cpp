#include "support/grid.hpp"

#include <utility>

namespace ldag {

Grid::Grid(std::vector<std::size_t> n_states, std::vector<std::uint8_t> ordered)
    : n_states_(std::move(n_states)), ordered_(std::move(ordered)), strides_(n_states_.size()), size_(1) {
    for (std::size_t axis = n_states_.size(); axis-- > 0;) {
        strides_[axis] = size_;
        size_ *= n_states_[axis];
    }
}

}  // namespace ldag
