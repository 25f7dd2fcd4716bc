// How what chains of climbs found is put together.
#include <numeric>

#include "searching/climb.hpp"

namespace ldag::climb {

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
