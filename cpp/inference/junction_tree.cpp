#include "inference/junction_tree.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>

namespace ldag {
namespace {

// Posteriors of several nodes are read off one product of up to so many cells.
constexpr double kProductCells = 4096.0;
// A clique with so many below it passes the next one on: it sends each of them what all others say.
constexpr std::size_t kMostBelow = 8;

// One propagation. What is no longer needed is forgotten on the way down.
template <class Number>
class Propagation {
  public:
    using Tables = std::vector<TableRef<Number>>;

    Propagation(const JunctionTree& tree, const SumsNetwork& network, const Findings& findings,
                SumsEffort& effort)
        : tree_(tree),
          network_(network),
          findings_(findings),
          effort_(effort),
          own_(tree.cliques().size()),
          up_(tree.cliques().size()),
          down_(tree.cliques().size()),
          offsets_(network.n_states.size()),
          family_offsets_(network.n_states.size()) {
        for (std::size_t c = 0; c < own_.size(); ++c)
            for (const std::uint32_t node : tree.cliques()[c].families)
                own_[c].push_back(family_table<Number>(network, findings, tree.ranking(), node));
        for (const auto& [node, weights] : findings.likelihoods) {
            const Rank rank = tree.ranking().rank_of[node];
            const auto place = std::ranges::find_if(tree.cliques(), [&](const JunctionTree::Clique& clique) {
                return std::ranges::binary_search(clique.members, rank);
            });
            own_[static_cast<std::size_t>(place - tree.cliques().begin())].push_back(
                likelihood_table<Number>(tree.ranking(), node, weights));
        }
        std::exclusive_scan(network.n_states.begin(), network.n_states.end(), offsets_.begin(),
                            std::size_t{0});
        std::size_t offset = 0;
        for (std::size_t node = 0; node < family_offsets_.size(); ++node) {
            family_offsets_[node] = offset;
            offset += network.families[node].probabilities.size();
        }
    }

    // Messages towards the roots; returns ln P(findings).
    double collect() {
        for (std::size_t c = own_.size(); c-- > 0;)
            up_[c] = message(c, kNoRank, tree_.cliques()[c].separator, true);
        return log_total_;
    }

    void distribute(std::span<double> posteriors) {
        descend([&](std::uint32_t c) {
            const std::vector<Rank>& answers = tree_.cliques()[c].answers;
            if (!answers.empty()) answer(gathered(c, kNoRank), answers, posteriors);
        });
    }

    // The posteriors of the classes and states of all families: where they are counted, and how much.
    std::vector<std::pair<std::size_t, double>> families() {
        std::vector<std::pair<std::size_t, double>> shares;
        descend([&](std::uint32_t c) {
            const std::vector<std::uint32_t>& families = tree_.cliques()[c].families;
            if (families.empty()) return;
            const Tables tables = gathered(c, kNoRank);
            for (const std::uint32_t node : families) add_shares(tables, node, shares);
        });
        return shares;
    }

    bool is_reliable() const { return is_sure_ || sizeof(Number) > sizeof(double); }

  private:
    // Messages away from the roots; `use` gets each clique once it knows everything.
    template <class Use>
    void descend(Use use) {
        for (std::uint32_t c = 0; c < own_.size(); ++c) {
            const JunctionTree::Clique& clique = tree_.cliques()[c];
            std::uint32_t silent =
                kNoRank;  // the last one below that said nothing: others like it hear the same
            for (const std::uint32_t below : clique.below) {
                const std::vector<Rank>& separator = tree_.cliques()[below].separator;
                const bool hears_same =
                    up_[below].empty() && silent != kNoRank && tree_.cliques()[silent].separator == separator;
                down_[below] = hears_same ? down_[silent] : message(c, below, separator, false);
                if (up_[below].empty()) silent = below;
            }
            use(c);
            for (const std::uint32_t below : clique.below) up_[below].clear();
            down_[c].clear();
            own_[c].clear();
        }
    }

    // The joint posterior of a family.
    void add_shares(const Tables& tables, std::uint32_t node,
                    std::vector<std::pair<std::size_t, double>>& shares) {
        const FamilyCells cells = family_cells(network_, findings_, tree_.ranking(), node);
        TableList<Number> list(tree_.ranking().n_states, effort_);
        list.add(tables);
        list.reduce_to(cells.scope);
        const Table<Number> joint =
            product<Number>(list.tables(), cells.scope, tree_.ranking().n_states, Joining::kSum, effort_);
        const Number sum = std::accumulate(joint.values.begin(), joint.values.end(), Number{0});
        is_sure_ = is_sure_ && sum > 0 && is_sure<Number>(joint.exponent);
        for (std::size_t cell = 0; cell < joint.values.size(); ++cell)
            shares.emplace_back(family_offsets_[node] + cells.places[cell],
                                static_cast<double>(joint.values[cell] / sum));
    }

    // All tables of a clique and of the messages to it, but the one from `without`.
    Tables gathered(std::size_t c, std::uint32_t without) const {
        Tables all = own_[c];
        all.insert(all.end(), down_[c].begin(), down_[c].end());
        for (const std::uint32_t below : tree_.cliques()[c].below)
            if (below != without) all.insert(all.end(), up_[below].begin(), up_[below].end());
        return all;
    }

    Tables message(std::size_t c, std::uint32_t without, std::span<const Rank> separator, bool counts) {
        TableList<Number> list(tree_.ranking().n_states, effort_);
        list.add(gathered(c, without));
        list.reduce_to(separator);
        Tables kept;
        for (const TableRef<Number>& table : list.tables()) {
            is_sure_ = is_sure_ && is_sure<Number>(table->exponent);
            if (!table->scope.empty()) {
                kept.push_back(table);
                continue;
            }
            is_sure_ = is_sure_ && table->values[0] > 0;
            if (counts) log_total_ += log_of(*table);
        }
        return kept;
    }

    // The posteriors of some nodes of a clique: of few cells at once, or of two halves in turn.
    void answer(const Tables& tables, std::span<const Rank> ranks, std::span<double> posteriors) {
        TableList<Number> list(tree_.ranking().n_states, effort_);
        list.add(tables);
        list.reduce_to(ranks);
        double size = 1.0;
        for (const Rank rank : ranks) size *= tree_.ranking().n_states[rank];
        if (ranks.size() > 1 && size > kProductCells) {
            const std::size_t half = ranks.size() / 2;
            answer(list.tables(), ranks.first(half), posteriors);
            answer(list.tables(), ranks.subspan(half), posteriors);
            return;
        }
        const Table<Number> joint =
            product<Number>(list.tables(), ranks, tree_.ranking().n_states, Joining::kSum, effort_);
        const auto shared = std::make_shared<Table<Number>>(joint);
        const std::vector<TableRef<Number>> one = {shared};
        for (const Rank rank : ranks) write(one, rank, posteriors);
    }

    void write(std::span<const TableRef<Number>> joint, Rank rank, std::span<double> posteriors) {
        const Table<Number> own =
            product<Number>(joint, std::span(&rank, 1), tree_.ranking().n_states, Joining::kSum, effort_);
        const std::uint32_t node = tree_.ranking().node_at[rank];
        const std::span<double> out = posteriors.subspan(offsets_[node], network_.n_states[node]);
        if (own.scope.empty()) {  // it was seen
            std::ranges::fill(out, 1.0);
            return;
        }
        const Number sum = std::accumulate(own.values.begin(), own.values.end(), Number{0});
        is_sure_ = is_sure_ && sum > 0 && is_sure<Number>(own.exponent);
        for (std::size_t s = 0; s < out.size(); ++s) out[s] = static_cast<double>(own.values[s] / sum);
    }

    const JunctionTree& tree_;
    const SumsNetwork& network_;
    const Findings& findings_;
    SumsEffort& effort_;
    std::vector<Tables> own_;
    std::vector<Tables> up_;                   // by clique: its message to the one above
    std::vector<Tables> down_;                 // and the one from above to it
    std::vector<std::size_t> offsets_;         // where the states of a node start among all
    std::vector<std::size_t> family_offsets_;  // and the classes and states of its family
    double log_total_ = 0.0;
    bool is_sure_ = true;
};

}  // namespace

JunctionTree::JunctionTree(const SumsNetwork& network, const Elimination& elimination)
    : ranking_(network.n_states, elimination.order), home_of_(elimination.order.size()) {
    for (auto rank = static_cast<Rank>(elimination.order.size()); rank-- > 0;) {
        std::vector<Rank> separator;
        for (const std::uint32_t other : elimination.scopes[rank])
            separator.push_back(ranking_.rank_of[other]);
        std::ranges::sort(separator);
        std::uint32_t above = separator.empty() ? kNoRank : home_of_[separator[0]];
        if (above != kNoRank && separator.size() == cliques_[above].members.size()) {
            cliques_[above].members.insert(cliques_[above].members.begin(), rank);
            home_of_[rank] = above;
            continue;
        }
        home_of_[rank] = static_cast<std::uint32_t>(cliques_.size());
        if (above != kNoRank) {
            above = with_room(above, separator);
            cliques_[above].below.push_back(home_of_[rank]);
        }
        std::vector<Rank> members = {rank};
        members.insert(members.end(), separator.begin(), separator.end());
        cliques_.push_back({std::move(members), std::move(separator), above, {}, {}, {}});
    }
    std::vector<double> least(ranking_.node_at.size(), std::numeric_limits<double>::infinity());
    std::vector<std::uint32_t> smallest(ranking_.node_at.size());
    for (std::uint32_t c = 0; c < cliques_.size(); ++c) {
        const double size = size_of(cliques_[c].members);
        n_cells_ += size;
        n_bytes_ += 2 * sizeof(double) * size_of(cliques_[c].separator);
        for (const Rank rank : cliques_[c].members) {
            if (size < least[rank]) smallest[rank] = c;
            least[rank] = std::min(least[rank], size);
        }
    }
    // What is made on the way inside a clique lacks a variable, of two states at least.
    if (!cliques_.empty()) n_bytes_ += sizeof(double) * size_of(largest().members) / 2;
    for (Rank rank = 0; rank < smallest.size(); ++rank) cliques_[smallest[rank]].answers.push_back(rank);
    for (std::uint32_t node = 0; node < network.n_states.size(); ++node) {
        Rank first = ranking_.rank_of[node];
        for (const std::uint32_t parent : network.families[node].parents)
            first = std::min(first, ranking_.rank_of[parent]);
        cliques_[home_of_[first]].families.push_back(node);
    }
}

// A clique at or below one, with few below itself, that has all of a separator if there is one.
std::uint32_t JunctionTree::with_room(std::uint32_t clique, std::span<const Rank> separator) const {
    while (cliques_[clique].below.size() >= kMostBelow) {
        std::uint32_t next = kNoRank;
        for (const std::uint32_t below : cliques_[clique].below)
            if (std::ranges::includes(cliques_[below].members, separator) &&
                (next == kNoRank || cliques_[below].below.size() < cliques_[next].below.size()))
                next = below;
        if (next == kNoRank) break;
        clique = next;
    }
    return clique;
}

double JunctionTree::size_of(std::span<const Rank> members) const {
    double size = 1.0;
    for (const Rank rank : members) size *= ranking_.n_states[rank];
    return size;
}

const JunctionTree::Clique& JunctionTree::largest() const {
    return *std::ranges::max_element(cliques_, {},
                                     [&](const Clique& clique) { return size_of(clique.members); });
}

double JunctionTree::marginals(const SumsNetwork& network, const Findings& findings,
                               std::span<double> posteriors, const SumsLimits& limits) const {
    SumsEffort effort{limits.poll};
    const auto run = [&]<class Number>(Number) {
        Propagation<Number> propagation(*this, network, findings, effort);
        const double log_probability = propagation.collect();
        if (!propagation.is_reliable()) return std::pair(log_probability, false);
        if (log_probability > -std::numeric_limits<double>::infinity()) propagation.distribute(posteriors);
        return std::pair(log_probability, propagation.is_reliable());
    };
    std::pair<double, bool> done = run(double{});
    if (!done.second) done = run(static_cast<long double>(0));
    std::size_t at = 0;
    for (std::uint32_t node = 0; node < network.n_states.size(); at += network.n_states[node++]) {
        if (!(done.first > -std::numeric_limits<double>::infinity())) {
            std::fill_n(posteriors.begin() + static_cast<std::ptrdiff_t>(at), network.n_states[node],
                        std::numeric_limits<double>::quiet_NaN());
        } else if (findings.seen[node] != Findings::kUnseen) {
            std::fill_n(posteriors.begin() + static_cast<std::ptrdiff_t>(at), network.n_states[node], 0.0);
            posteriors[at + static_cast<std::size_t>(findings.seen[node])] = 1.0;
        }
    }
    return done.first;
}

double JunctionTree::add_counts(const SumsNetwork& network, const Findings& findings, double weight,
                                std::span<double> counts, const SumsLimits& limits) const {
    SumsEffort effort{limits.poll};
    std::vector<std::pair<std::size_t, double>> shares;
    const auto run = [&]<class Number>(Number) {
        Propagation<Number> propagation(*this, network, findings, effort);
        const double log_probability = propagation.collect();
        if (!propagation.is_reliable()) return std::pair(log_probability, false);
        shares.clear();
        if (log_probability > -std::numeric_limits<double>::infinity()) shares = propagation.families();
        return std::pair(log_probability, propagation.is_reliable());
    };
    std::pair<double, bool> done = run(double{});
    if (!done.second) done = run(static_cast<long double>(0));
    if (done.first > -std::numeric_limits<double>::infinity())
        for (const auto& [place, share] : shares) counts[place] += weight * share;
    return done.first;
}

}  // namespace ldag
