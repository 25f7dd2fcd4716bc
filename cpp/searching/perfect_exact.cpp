// The best perfect DAG. Every node hangs on its last parent, and its parents are parents of that one, or that
// one itself: so what hangs on a clique falls into parts that know nothing of each other.
#include <bit>

#include "searching/perfect.hpp"
#include "support/infinity.hpp"
#include "support/parallel.hpp"

namespace ldag {

namespace {

std::vector<Node> list(FewNodes set) {
    std::vector<Node> nodes;
    for (; set != 0; set &= set - 1) nodes.push_back(static_cast<Node>(std::countr_zero(set)));
    return nodes;
}

bool has_family(const SearchSpace& space, Node node, FewNodes parents) {
    if (static_cast<std::size_t>(std::popcount(parents)) > space.max_parents[node]) return false;
    FewNodes candidates = 0;
    for (const Node candidate : space.candidates[node]) candidates |= FewNodes{1} << candidate;
    return (parents & ~candidates) == 0;
}

class PerfectTables {
  public:
    PerfectTables(std::span<const double> scores, std::size_t n) : scores_(scores), n_(n) {
        std::size_t power = 1;
        ternary_.assign(std::size_t{1} << n, 0);
        for (std::size_t node = 0; node < n; ++node, power *= 3)
            for (FewNodes set = FewNodes{1} << node; set < FewNodes{2} << node; ++set)
                ternary_[set] = ternary_[set ^ (FewNodes{1} << node)] + power;
        one_part_.assign(power, kMinusInfinity);
        below_.assign(power, kMinusInfinity);
        parts_.assign(power, kMinusInfinity);
    }

    // Fills the tables; false if stopped.
    bool fill(const std::atomic<bool>& stop) {
        const FewNodes all = (FewNodes{1} << n_) - 1;
        for (FewNodes clique = 0; clique <= all; ++clique) parts_[at(clique, 0)] = 0.0;
        for (FewNodes part = 1; part <= all; ++part) {
            if (stop) return false;
            const FewNodes rest = all & ~part;
            for_subsets(rest, [&](FewNodes clique) { fill_one(clique, part); });
            for_subsets(rest, [&](FewNodes clique) { fill_below(clique, part); });
            for_subsets(rest, [&](FewNodes clique) { fill_parts(clique, part); });
        }
        return true;
    }

    Parents best() const {
        Parents parents(n_);
        trace_parts(0, (FewNodes{1} << n_) - 1, parents);
        return parents;
    }

  private:
    // Sets ascend, so that subsets come first.
    template <class Call>
    static void for_subsets(FewNodes of, Call call) {
        FewNodes set = 0;
        do {
            call(set);
            set = (set - of) & of;
        } while (set != 0);
    }

    std::size_t at(FewNodes clique, FewNodes part) const { return ternary_[clique] + 2 * ternary_[part]; }

    double with_first(FewNodes clique, FewNodes part, Node node) const {
        const FewNodes bit = FewNodes{1} << node;
        return scores_[(std::size_t{node} << n_) | clique] + parts_[at(clique | bit, part ^ bit)];
    }

    // The first node of the part has the whole clique as its parents.
    void fill_one(FewNodes clique, FewNodes part) {
        double best = kMinusInfinity;
        for (FewNodes left = part; left != 0; left &= left - 1)
            best = std::max(best, with_first(clique, part, static_cast<Node>(std::countr_zero(left))));
        one_part_[at(clique, part)] = best;
    }

    // Or a subset of it.
    void fill_below(FewNodes clique, FewNodes part) {
        double best = one_part_[at(clique, part)];
        for (FewNodes left = clique; left != 0; left &= left - 1)
            best = std::max(best, below_[at(clique & ~(left & -left), part)]);
        below_[at(clique, part)] = best;
    }

    // Several parts, of which the first has the lowest node.
    template <class Call>
    void for_first_parts(FewNodes clique, FewNodes part, Call call) const {
        const FewNodes lowest = part & -part;
        for_subsets(part ^ lowest, [&](FewNodes further) {
            const FewNodes first = further | lowest;
            call(first, below_[at(clique, first)] + parts_[at(clique, part ^ first)]);
        });
    }

    void fill_parts(FewNodes clique, FewNodes part) {
        double best = kMinusInfinity;
        for_first_parts(clique, part, [&](FewNodes, double score) { best = std::max(best, score); });
        parts_[at(clique, part)] = best;
    }

    void trace_parts(FewNodes clique, FewNodes part, Parents& parents) const {
        if (part == 0) return;
        FewNodes chosen = 0;
        for_first_parts(clique, part, [&](FewNodes first, double score) {
            if (chosen == 0 && score == parts_[at(clique, part)]) chosen = first;
        });
        trace_below(clique, chosen, parents);
        trace_parts(clique, part ^ chosen, parents);
    }

    void trace_below(FewNodes clique, FewNodes part, Parents& parents) const {
        const double score = below_[at(clique, part)];
        FewNodes own = clique;
        for (bool is_smaller = true; is_smaller && one_part_[at(own, part)] != score;) {
            is_smaller = false;
            for (FewNodes left = own; left != 0 && !is_smaller; left &= left - 1) {
                const FewNodes smaller = own & ~(left & -left);
                is_smaller = below_[at(smaller, part)] == score;
                if (is_smaller) own = smaller;
            }
        }
        for (FewNodes left = part; left != 0; left &= left - 1) {
            const auto node = static_cast<Node>(std::countr_zero(left));
            if (with_first(own, part, node) != score) continue;
            parents[node] = list(own);
            return trace_parts(own | (FewNodes{1} << node), part ^ (FewNodes{1} << node), parents);
        }
    }

    std::span<const double> scores_;
    std::size_t n_;
    std::vector<std::size_t> ternary_;
    std::vector<double> one_part_;  // by clique and part: of parts whose first node has it as its parents
    std::vector<double> below_;     // or a subset of it
    std::vector<double> parts_;     // of any number of parts
};

}  // namespace

bool is_perfect(const Parents& parents) {
    const auto joins = [&](Node child, Node parent) {
        return std::ranges::find(parents[child], parent) != parents[child].end();
    };
    for (const std::vector<Node>& above : parents)
        for (const Node one : above)
            for (const Node other : above)
                if (one < other && !joins(one, other) && !joins(other, one)) return false;
    return is_acyclic(parents);
}

std::vector<double> score_families(FamilyScorer& scorer, const SearchSpace& space, std::size_t n_threads,
                                   Monitor& monitor) {
    const std::size_t n = space.n_nodes();
    std::vector<double> scores(n << n, kMinusInfinity);
    monitor.total = scores.size() / 2;
    const bool is_stopped = parallel_for(
        n_threads, scores.size(),
        [&](std::size_t item, std::size_t) {
            const auto node = static_cast<Node>(item >> n);
            const auto parents = static_cast<FewNodes>(item & ((std::size_t{1} << n) - 1));
            if (!has_family(space, node, parents)) return;
            scores[item] = scorer.score_uncached({node, list(parents)});
            monitor.done.fetch_add(1, std::memory_order_relaxed);
        },
        &monitor.stop, monitor.poll);
    return is_stopped ? std::vector<double>{} : scores;
}

SearchResult search_perfect_exact(FamilyScorer& scorer, const SearchSpace& space, std::size_t n_threads,
                                  Monitor& monitor) {
    SearchResult result;
    result.parents.assign(space.n_nodes(), {});
    result.score = score_dag(scorer, result.parents);
    result.trace.push_back({space.n_nodes(), result.score});
    const std::vector<double> scores = score_families(scorer, space, n_threads, monitor);
    result.n_steps = monitor.done;
    result.stopped = scores.empty();
    if (result.stopped) return result;
    PerfectTables tables(scores, space.n_nodes());
    bool is_whole = false;
    parallel_for(
        1, 1, [&](std::size_t, std::size_t) { is_whole = tables.fill(monitor.stop); }, &monitor.stop,
        monitor.poll);
    result.stopped = !is_whole;
    if (!is_whole) return result;
    result.parents = tables.best();
    const double before = result.score;
    result.score = score_dag(scorer, result.parents);
    if (result.score > before) result.trace.push_back({result.n_steps, result.score});
    monitor.best = result.score;
    return result;
}

}  // namespace ldag
