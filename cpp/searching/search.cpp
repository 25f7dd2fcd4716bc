#include "searching/search.hpp"

#include <algorithm>

namespace ldag {

double score_dag(FamilyScorer& scorer, const Parents& parents) {
    double score = 0.0;
    for (std::size_t node = 0; node < parents.size(); ++node)
        score += scorer.score({static_cast<Node>(node), parents[node]});
    return score;
}

bool is_acyclic(const Parents& parents) {
    std::vector<std::size_t> missing(parents.size());
    Parents children(parents.size());
    std::vector<Node> free;
    for (std::size_t node = 0; node < parents.size(); ++node) {
        missing[node] = parents[node].size();
        for (const Node parent : parents[node]) children[parent].push_back(static_cast<Node>(node));
        if (missing[node] == 0) free.push_back(static_cast<Node>(node));
    }
    std::size_t n_placed = 0;
    while (!free.empty()) {
        const Node node = free.back();
        free.pop_back();
        ++n_placed;
        for (const Node child : children[node])
            if (--missing[child] == 0) free.push_back(child);
    }
    return n_placed == parents.size();
}

bool is_allowed(const SearchSpace& space, const Parents& parents) {
    if (parents.size() != space.n_nodes()) return false;
    for (std::size_t node = 0; node < parents.size(); ++node) {
        const std::vector<Node>& own = parents[node];
        if (own.size() > space.max_parents[node] || !std::ranges::is_sorted(own) ||
            !std::ranges::includes(space.candidates[node], own) ||
            !std::ranges::includes(own, space.required[node]))
            return false;
    }
    return is_acyclic(parents);
}

}  // namespace ldag
