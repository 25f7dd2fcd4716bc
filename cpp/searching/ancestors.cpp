#include "searching/ancestors.hpp"

#include <algorithm>
#include <numeric>

namespace ldag {

Ancestors::Ancestors(std::size_t n_nodes)
    : n_words_((n_nodes + 63) / 64),
      bits_(n_nodes * n_words_),
      gathered_(n_words_),
      order_(n_nodes),
      position_(n_nodes) {
    std::iota(order_.begin(), order_.end(), Node{0});
    std::iota(position_.begin(), position_.end(), std::uint32_t{0});
}

void Ancestors::add(Node parent, Node child) {
    if (is_above(parent, child)) return;
    if (position_[parent] > position_[child]) put_in_order(parent, child);
    std::copy_n(bits_.begin() + static_cast<std::ptrdiff_t>(parent * n_words_), n_words_, gathered_.begin());
    gathered_[parent / 64] |= std::uint64_t{1} << (parent % 64);
    for_each_from(child, [&](Node node) {
        std::uint64_t* const row = bits_.data() + node * n_words_;
        for (std::size_t word = 0; word < n_words_; ++word) row[word] |= gathered_[word];
    });
}

// Between the two, moves the child and all below it behind the parent.
void Ancestors::put_in_order(Node parent, Node child) {
    const auto first = order_.begin() + position_[child];
    const auto last = order_.begin() + position_[parent] + 1;
    std::stable_partition(first, last, [&](Node node) { return node != child && !is_above(child, node); });
    for (auto place = first; place != last; ++place)
        position_[*place] = static_cast<std::uint32_t>(place - order_.begin());
}

// Sets the ancestors of a node from its parents'.
void Ancestors::gather(Node node, std::span<const Node> parents) {
    std::ranges::fill(gathered_, 0);
    for (const Node parent : parents) {
        const std::uint64_t* const row = bits_.data() + parent * n_words_;
        for (std::size_t word = 0; word < n_words_; ++word) gathered_[word] |= row[word];
        gathered_[parent / 64] |= std::uint64_t{1} << (parent % 64);
    }
    std::ranges::copy(gathered_, bits_.begin() + static_cast<std::ptrdiff_t>(node * n_words_));
}

}  // namespace ldag
