#include "inference/class_map.hpp"

#include <algorithm>
#include <numeric>

#include "support/parallel.hpp"

namespace ldag {

std::vector<std::int32_t> list_classes(const ClassMap& classes, std::span<const std::uint32_t> n_states) {
    if (!classes.is_tree()) return {classes.listed().begin(), classes.listed().end()};
    const std::size_t size =
        std::accumulate(n_states.begin(), n_states.end(), std::size_t{1}, std::multiplies<>());
    std::vector<std::int32_t> listed(size);
    std::vector<std::uint32_t> states(n_states.size(), 0);
    for (std::int32_t& number : listed) {
        number = static_cast<std::int32_t>(classes.walk([&](std::size_t axis) { return states[axis]; }));
        for (std::size_t axis = states.size(); axis-- > 0;) {
            if (++states[axis] < n_states[axis]) break;
            states[axis] = 0;
        }
    }
    return listed;
}

void find_classes(const ClassMap& tree, std::span<const std::uint8_t* const> columns,
                  std::span<std::int32_t> classes, std::size_t n_threads) {
    constexpr std::size_t kBlock = std::size_t{1} << 14;
    const auto work = [&](std::size_t block, std::size_t) {
        const std::size_t end = std::min(classes.size(), (block + 1) * kBlock);
        for (std::size_t row = block * kBlock; row < end; ++row)
            classes[row] =
                static_cast<std::int32_t>(tree.walk([&](std::size_t axis) { return columns[axis][row]; }));
    };
    parallel_for(n_threads, (classes.size() + kBlock - 1) / kBlock, work);
}

}  // namespace ldag
