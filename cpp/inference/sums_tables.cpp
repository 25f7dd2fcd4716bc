#include "inference/sums_tables.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>

#include "inference/class_sums.hpp"

namespace ldag {
namespace {

template <class Number>
bool has(const TableRef<Number>& table, Rank rank) {
    return std::ranges::binary_search(table->scope, rank);
}

}  // namespace

Ranking::Ranking(std::span<const std::uint32_t> states_of_nodes, std::vector<std::uint32_t> order)
    : rank_of(states_of_nodes.size(), kNoRank), node_at(std::move(order)) {
    for (std::uint32_t rank = 0; rank < node_at.size(); ++rank) {
        rank_of[node_at[rank]] = rank;
        n_states.push_back(states_of_nodes[node_at[rank]]);
    }
}

namespace {

// Goes through the cells of a family that findings leave, the last variable of the scope fastest.
class CellWalk {
  public:
    CellWalk(const SumsNetwork& network, const Findings& findings, const Ranking& ranking, std::uint32_t node)
        : family_(network.families[node]),
          n_own_(network.n_states[node]),
          states_(family_.parents.size() + 1, 0) {
        const auto put = [&](std::uint32_t member, std::size_t by_configuration, std::size_t by_state,
                             std::size_t place) {
            if (findings.seen[member] == Findings::kUnseen) {
                axes_.push_back(
                    {ranking.rank_of[member], network.n_states[member], by_configuration, by_state, place});
            } else {
                states_[place] = static_cast<std::size_t>(findings.seen[member]);
                configuration_ += by_configuration * states_[place];
                state_ += by_state * states_[place];
            }
        };
        std::size_t stride = 1;
        for (std::size_t i = family_.parents.size(); i-- > 0;) {
            put(family_.parents[i], stride, 0, i);
            stride *= network.n_states[family_.parents[i]];
        }
        put(node, 0, 1, family_.parents.size());
        std::ranges::sort(axes_, {}, &Axis::rank);
    }

    std::vector<Rank> scope() const {
        std::vector<Rank> scope;
        for (const Axis& axis : axes_) scope.push_back(axis.rank);
        return scope;
    }

    std::size_t size() const {
        std::size_t size = 1;
        for (const Axis& axis : axes_) size *= axis.n_states;
        return size;
    }

    // Gives each place among the family's probabilities, a class's row after the other; once.
    template <class Use>
    void run(Use use) {
        if (axes_.empty()) return use(place());
        const Axis last = axes_.back();
        axes_.pop_back();
        do {
            for (std::size_t own = 0; own < last.n_states; ++own) {
                states_[last.member] = own;
                use(place());
                configuration_ += last.configuration;
                state_ += last.state;
            }
            configuration_ -= last.n_states * last.configuration;
            state_ -= last.n_states * last.state;
        } while (step());
    }

  private:
    struct Axis {
        Rank rank;
        std::uint32_t n_states;
        std::size_t configuration;  // what a step adds to the number of the parents' configuration
        std::size_t state;          // and to the node's own state
        std::size_t member;         // its place among the parents, the node itself after them
    };

    std::size_t place() const {
        return family_.classes.find(configuration_, [&](std::size_t axis) { return states_[axis]; }) *
                   n_own_ +
               state_;
    }

    // To the next states of all but the last variable; tells whether there are any.
    bool step() {
        for (std::size_t i = axes_.size(); i-- > 0;) {
            const Axis& axis = axes_[i];
            configuration_ += axis.configuration;
            state_ += axis.state;
            if (++states_[axis.member] < axis.n_states) return true;
            states_[axis.member] = 0;
            configuration_ -= axis.n_states * axis.configuration;
            state_ -= axis.n_states * axis.state;
        }
        return false;
    }

    const SumsFamily& family_;
    std::size_t n_own_;
    std::vector<Axis> axes_;
    std::size_t configuration_ = 0;  // its number, which means nothing where they cannot be listed
    std::size_t state_ = 0;
    std::vector<std::size_t> states_;  // of the parents, and the node's own
};

}  // namespace

FamilyCells family_cells(const SumsNetwork& network, const Findings& findings, const Ranking& ranking,
                         std::uint32_t node) {
    CellWalk walk(network, findings, ranking, node);
    FamilyCells cells;
    cells.scope = walk.scope();
    cells.places.reserve(walk.size());
    walk.run([&](std::size_t place) { cells.places.push_back(place); });
    return cells;
}

template <class Number>
TableRef<Number> family_table(const SumsNetwork& network, const Findings& findings, const Ranking& ranking,
                              std::uint32_t node) {
    const SumsFamily& family = network.families[node];
    CellWalk walk(network, findings, ranking, node);
    auto table = std::make_shared<Table<Number>>();
    table->scope = walk.scope();
    if (findings.seen[node] == Findings::kUnseen && network.is_normalised)
        table->heads = {ranking.rank_of[node]};
    table->repeats = static_cast<double>(family.probabilities.size()) <
                     count_cells(network.n_states, node, family.parents);
    table->values.resize(walk.size());
    Number* next = table->values.data();
    walk.run([&](std::size_t place) { *next++ = static_cast<Number>(family.probabilities[place]); });
    return table;
}

template <class Number>
TableRef<Number> likelihood_table(const Ranking& ranking, std::uint32_t node,
                                  std::span<const double> weights) {
    auto table = std::make_shared<Table<Number>>();
    table->scope = {ranking.rank_of[node]};
    table->values.assign(weights.begin(), weights.end());
    return table;
}

template <class Number>
double TableList<Number>::product_size(Rank rank) const {
    std::vector<Rank> scope;
    for (const TableRef<Number>& table : tables_) {
        if (!has(table, rank)) continue;
        std::vector<Rank> joined;
        std::ranges::set_union(scope, table->scope, std::back_inserter(joined));
        scope = std::move(joined);
    }
    double size = 1.0;
    for (const Rank other : scope) size *= n_states_[other];
    return size;
}

// A variable that is in one table only, which sums to 1 over it, makes no difference.
template <class Number>
bool TableList<Number>::drop_barren(std::vector<Rank>& gone) {
    bool dropped = false;
    for (std::size_t i = 0; i < gone.size();) {
        std::size_t only = tables_.size();
        std::size_t n = 0;
        for (std::size_t t = 0; t < tables_.size() && n < 2; ++t)
            if (has(tables_[t], gone[i])) {
                only = t;
                ++n;
            }
        const bool is_barren =
            n == 1 && tables_[only]->heads.size() == 1 && tables_[only]->heads[0] == gone[i];
        if (is_barren) tables_.erase(tables_.begin() + static_cast<std::ptrdiff_t>(only));
        if (is_barren || n == 0)
            gone.erase(gone.begin() + static_cast<std::ptrdiff_t>(i));
        else
            ++i;
        dropped = dropped || is_barren;
    }
    return dropped;
}

// Sums out a variable of those that are to go, from a product of so many cells, and others with it where
// classes make that cheap.
template <class Number>
void TableList<Number>::sum_out(Rank rank, double size, std::vector<Rank>& gone) {
    std::vector<Rank> out = {rank};
    if (size >= kLeastProduct) out = summed_together<Number>(tables_, rank, gone, n_states_);
    const auto take = [&] {
        return std::ranges::stable_partition(tables_,
                                             [&](const TableRef<Number>& table) {
                                                 return std::ranges::none_of(
                                                     out, [&](Rank r) { return has(table, r); });
                                             })
            .begin();
    };
    auto middle = take();
    std::optional<Table<Number>> summed;
    if (out.size() > 1)
        summed = sum_classes<Number>(std::span<const TableRef<Number>>(middle, tables_.end()), out, n_states_,
                                     effort_);
    if (!summed) {
        out = {rank};
        middle = take();
        const std::span<const TableRef<Number>> factors(middle, tables_.end());
        std::vector<Rank> kept = joint_scope<Number>(factors);
        std::erase(kept, rank);
        summed = product<Number>(factors, kept, n_states_, Joining::kSum, effort_);
    }
    tables_.erase(middle, tables_.end());
    tables_.push_back(std::make_shared<Table<Number>>(std::move(*summed)));
    std::erase_if(gone, [&](Rank r) { return std::ranges::binary_search(out, r); });
}

// Multiplies tables into others that have all of their variables, unless one is known to sum to 1.
template <class Number>
void TableList<Number>::merge_contained() {
    for (std::size_t i = 0; i < tables_.size();) {
        std::size_t into = tables_.size();
        for (std::size_t k = 0; k < tables_.size() && tables_[i]->heads.empty(); ++k)
            if (k != i && tables_[k]->heads.empty() && !tables_[i]->scope.empty() &&
                std::ranges::includes(tables_[k]->scope, tables_[i]->scope)) {
                into = k;
                break;
            }
        if (into == tables_.size()) {
            ++i;
            continue;
        }
        const std::vector<TableRef<Number>> both = {tables_[into], tables_[i]};
        tables_[into] = std::make_shared<Table<Number>>(
            product<Number>(both, both[0]->scope, n_states_, Joining::kSum, effort_));
        tables_.erase(tables_.begin() + static_cast<std::ptrdiff_t>(i));
        i = 0;
    }
}

template <class Number>
void TableList<Number>::reduce_to(std::span<const Rank> kept) {
    std::vector<Rank> gone;
    std::ranges::set_difference(joint_scope<Number>(tables_), kept, std::back_inserter(gone));
    for (;;) {
        while (drop_barren(gone)) {
        }
        if (gone.empty()) break;
        std::size_t best = 0;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < gone.size(); ++i) {
            const double size = product_size(gone[i]);
            if (size < least) best = i;
            least = std::min(least, size);
        }
        sum_out(gone[best], least, gone);
    }
    merge_contained();
}

template class TableList<double>;
template class TableList<long double>;
template TableRef<double> family_table(const SumsNetwork&, const Findings&, const Ranking&, std::uint32_t);
template TableRef<long double> family_table(const SumsNetwork&, const Findings&, const Ranking&,
                                            std::uint32_t);
template TableRef<double> likelihood_table(const Ranking&, std::uint32_t, std::span<const double>);
template TableRef<long double> likelihood_table(const Ranking&, std::uint32_t, std::span<const double>);

}  // namespace ldag
