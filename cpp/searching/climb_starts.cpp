// Where chains of climbs begin besides the graph without edges, and how what they found is put together.
#include <algorithm>
#include <numeric>

#include "searching/climb.hpp"

namespace ldag::climb {

namespace {

constexpr auto ignore = [](const GainColumn&) {};

// Nodes placed one after the other, each with parents among those before it.
class Placing {
  public:
    Placing(ColumnStore& store, const SearchSpace& space)
        : store_(store), space_(space), is_placed_(space.n_nodes(), 0), free_scores_(space.n_nodes()) {}

    // Tells whether it came to its end.
    bool run(Random* random);

    std::vector<ColumnPointer> take() { return std::move(columns_); }

  private:
    bool begin();
    bool place(Node next);
    Node choose(Random* random) const;

    ColumnStore& store_;
    const SearchSpace& space_;
    std::vector<std::uint8_t> is_placed_;
    std::vector<double> free_scores_;     // with the parents found if all candidates are allowed
    std::vector<ColumnPointer> columns_;  // with those found among the nodes placed
};

bool Placing::begin() {
    columns_ = store_.find_all(space_.required);
    for (Node child = 0; child < columns_.size(); ++child) {
        const ColumnPointer free =
            columns_[child] ? grow_and_shrink(
                                  store_, child, columns_[child], [](Node) { return true; }, ignore)
                            : nullptr;
        if (!free) return false;
        free_scores_[child] = free->score;
    }
    return true;
}

// The node that loses least; with `random`, each further one half as likely as the one before.
Node Placing::choose(Random* random) const {
    std::vector<Node> open;
    for (Node node = 0; node < is_placed_.size(); ++node) {
        const auto is_placed = [&](Node parent) { return is_placed_[parent] != 0; };
        if (is_placed_[node] == 0 && std::ranges::all_of(space_.required[node], is_placed))
            open.push_back(node);
    }
    std::size_t rank = 0;
    while (random != nullptr && rank + 1 < open.size() && random->below(2) == 0) ++rank;
    const auto loss = [&](Node node) {
        const double score = columns_[node]->score;
        return score == kNever ? 0.0 : free_scores_[node] - score;
    };
    const auto chosen = open.begin() + static_cast<std::ptrdiff_t>(rank);
    std::ranges::nth_element(open, chosen, [&](Node a, Node b) {
        const double loss_a = loss(a);
        const double loss_b = loss(b);
        return loss_a != loss_b ? loss_a < loss_b : a < b;
    });
    return *chosen;
}

bool Placing::place(Node next) {
    is_placed_[next] = 1;
    for (Node child = 0; child < columns_.size(); ++child) {
        if (is_placed_[child] != 0) continue;
        const std::uint32_t place = store_.candidates().place(child, next);
        if (place == kNone || !(columns_[child]->gains[place] > kTie)) continue;
        columns_[child] = grow_and_shrink(
            store_, child, std::move(columns_[child]), [&](Node parent) { return is_placed_[parent] != 0; },
            ignore);
        if (!columns_[child]) return false;
    }
    return true;
}

bool Placing::run(Random* random) {
    if (!begin()) return false;
    for (std::size_t n = 0; n < columns_.size(); ++n)
        if (!place(choose(random))) return false;
    return true;
}

}  // namespace

std::optional<Graph> start_by_order(ColumnStore& store, const SearchSpace& space, Random* random) {
    Placing placing(store, space);
    if (!placing.run(random)) return std::nullopt;
    return Graph(store, placing.take());
}

namespace {

// Which of the nodes with different parents belong together: those with an edge between them in either graph.
std::vector<Node> parts_of(const Parents& a, const Parents& b) {
    std::vector<Node> root(a.size());
    std::iota(root.begin(), root.end(), Node{0});
    const auto find = [&](Node node) {
        while (root[node] != node) node = root[node] = root[root[node]];
        return node;
    };
    for (Node child = 0; child < a.size(); ++child) {
        if (a[child] == b[child]) continue;
        for (const Parents* graph : {&a, &b})
            for (const Node parent : (*graph)[child])
                if (a[parent] != b[parent]) root[find(parent)] = find(child);
    }
    for (Node node = 0; node < root.size(); ++node) root[node] = find(node);
    return root;
}

}  // namespace

Parents combine(FamilyScorer& scorer, const Parents& a, const Parents& b) {
    const std::vector<Node> part = parts_of(a, b);
    std::vector<double> gains(a.size(), 0.0);
    for (Node node = 0; node < a.size(); ++node)
        if (a[node] != b[node])
            gains[part[node]] += scorer.score({node, b[node]}) - scorer.score({node, a[node]});
    Parents combined = a;
    for (Node root = 0; root < a.size(); ++root) {
        if (!(gains[root] > kTie)) continue;
        Parents changed = combined;
        for (Node node = 0; node < a.size(); ++node)
            if (part[node] == root) changed[node] = b[node];
        if (is_acyclic(changed)) combined = std::move(changed);
    }
    return combined;
}

}  // namespace ldag::climb
