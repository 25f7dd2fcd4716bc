#include "inference/class_sums.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace ldag {
namespace {

// Stepping through classes costs more than through a cell of a product.
constexpr double kStepCost = 2.0;
// Looking for classes, which may be in vain, may cost such a share of the product.
constexpr double kWorkShare = 4.0;
// Cells of the products that summing variables out one by one takes, for each cell of the first.
constexpr double kDenseCost = 2.0;

// The class of every configuration of some variables.
struct Partition {
    std::vector<std::uint32_t> class_of;
    std::uint32_t n_classes = 1;
};

double count_configurations(std::span<const Rank> scope, std::span<const std::uint32_t> n_states) {
    double n = 1.0;
    for (const Rank rank : scope) n *= n_states[rank];
    return n;
}

// For every configuration of `scope`, the last fastest, the sum of its states times strides.
std::vector<std::uint32_t> places(std::span<const Rank> scope, std::span<const std::uint32_t> strides,
                                  std::span<const std::uint32_t> n_states) {
    std::vector<std::uint32_t> result = {0};
    std::size_t size = 1;
    for (const Rank rank : scope) size *= n_states[rank];
    result.reserve(size);
    for (std::size_t axis = scope.size(); axis-- > 0;) {
        const std::size_t n = result.size();
        for (std::uint32_t state = 1; state < n_states[scope[axis]]; ++state)
            for (std::size_t i = 0; i < n; ++i) result.push_back(result[i] + state * strides[axis]);
    }
    return result;
}

// What two partitions tell apart together, numbered as met.
Partition join(const Partition& some, const Partition& others) {
    const std::size_t n = some.class_of.size();
    Partition joined{std::vector<std::uint32_t>(n), 0};
    const std::size_t n_pairs = std::size_t{some.n_classes} * others.n_classes;
    if (some.n_classes == n || others.n_classes == 1) return some;
    if (others.n_classes == n || some.n_classes == 1) return others;
    const auto pair = [&](std::size_t i) {
        return std::size_t{some.class_of[i]} * others.n_classes + others.class_of[i];
    };
    if (n_pairs <= 16 * n) {
        std::vector<std::uint32_t> number(n_pairs, 0);
        for (std::size_t i = 0; i < n; ++i) {
            std::uint32_t& own = number[pair(i)];
            if (own == 0) own = ++joined.n_classes;
            joined.class_of[i] = own - 1;
        }
    } else {
        std::unordered_map<std::size_t, std::uint32_t> number;
        for (std::size_t i = 0; i < n; ++i)
            joined.class_of[i] =
                number.try_emplace(pair(i), static_cast<std::uint32_t>(number.size())).first->second;
        joined.n_classes = static_cast<std::uint32_t>(number.size());
    }
    return joined;
}

// Rows of numbers that are equal have one class; `first` gets a row of each.
template <class Number>
Partition equal_rows(const Number* values, std::span<const std::uint32_t> rows,
                     std::span<const std::uint32_t> columns, std::vector<std::uint32_t>& first) {
    Partition result{std::vector<std::uint32_t>(rows.size()), 0};
    std::unordered_map<std::uint64_t, std::uint32_t> number;
    first.clear();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::uint64_t hash = 0;
        for (const std::uint32_t column : columns)
            hash = (std::rotl(hash, 5) ^
                    std::bit_cast<std::uint64_t>(static_cast<double>(values[rows[i] + column]))) *
                   0x9e3779b97f4a7c15ULL;
        const auto is_equal = [&](std::uint32_t other) {
            return std::ranges::all_of(columns, [&](std::uint32_t column) {
                return values[rows[i] + column] == values[other + column];
            });
        };
        auto place = number.try_emplace(hash, static_cast<std::uint32_t>(first.size()));
        while (!place.second && !is_equal(first[place.first->second]))
            place = number.try_emplace(++hash, static_cast<std::uint32_t>(first.size()));
        if (place.second) first.push_back(rows[i]);
        result.class_of[i] = place.first->second;
    }
    result.n_classes = static_cast<std::uint32_t>(first.size());
    return result;
}

// A table by the classes that it tells apart, of configurations summed out and kept: a row for each of the
// first.
template <class Number>
struct Factor {
    Partition gone;
    Partition kept;
    std::vector<Number> values;
};

template <class Number>
class Classing {
  public:
    Classing(std::span<const Rank> gone, std::span<const Rank> kept, std::span<const std::uint32_t> n_states)
        : gone_(gone), kept_(kept), n_states_(n_states) {}

    Factor<Number> classed(const Table<Number>& table) const {
        const Side gone = side(table, gone_);
        const Side kept = side(table, kept_);
        std::vector<std::uint32_t> rows;
        std::vector<std::uint32_t> columns;
        const Partition by_row = equal_rows(table.values.data(), gone.offsets, kept.offsets, rows);
        const Partition by_column = equal_rows(table.values.data(), kept.offsets, rows, columns);
        Factor<Number> factor{spread(gone_, gone, by_row), spread(kept_, kept, by_column), {}};
        for (const std::uint32_t row : rows)
            for (const std::uint32_t column : columns) factor.values.push_back(table.values[row + column]);
        return factor;
    }

  private:
    // A table's own variables among those of a side: where their configurations are, and how to number them.
    struct Side {
        std::vector<std::uint32_t> offsets;
        std::vector<std::uint32_t> strides;  // by variable of the whole side
    };

    Side side(const Table<Number>& table, std::span<const Rank> whole) const {
        Side result;
        std::vector<Rank> own;
        std::vector<std::uint32_t> own_strides;
        std::uint32_t stride = 1;
        std::uint32_t number = 1;
        result.strides.assign(whole.size(), 0);
        for (std::size_t axis = table.scope.size(); axis-- > 0; stride *= n_states_[table.scope[axis]]) {
            const auto place = std::ranges::lower_bound(whole, table.scope[axis]);
            if (place == whole.end() || *place != table.scope[axis]) continue;
            own.push_back(table.scope[axis]);
            own_strides.push_back(stride);
            result.strides[static_cast<std::size_t>(place - whole.begin())] = number;
            number *= n_states_[table.scope[axis]];
        }
        std::ranges::reverse(own);
        std::ranges::reverse(own_strides);
        result.offsets = places(own, own_strides, n_states_);
        return result;
    }

    Partition spread(std::span<const Rank> whole, const Side& side, const Partition& own) const {
        Partition result{places(whole, side.strides, n_states_), own.n_classes};
        for (std::uint32_t& place : result.class_of) place = own.class_of[place];
        return result;
    }

    std::span<const Rank> gone_;
    std::span<const Rank> kept_;
    std::span<const std::uint32_t> n_states_;
};

// The order in which tables are multiplied in, and what is told apart then.
struct Schedule {
    std::vector<std::size_t> order;
    std::vector<Partition> gone;  // by place: what this table and later ones tell apart of what is summed out
    std::vector<Partition> kept;  // what this table and earlier ones tell apart of what is kept
    double n_steps = 0.0;
};

// From the last to the first, the one that has least to be told apart before it. Those that only weigh what
// is summed out come first of all, and what they tell apart is forgotten.
template <class Number>
Schedule schedule(std::span<const Factor<Number>> factors, double most_steps) {
    Schedule result;
    const std::size_t n = factors.size();
    std::vector<std::size_t> left(n);
    std::iota(left.begin(), left.end(), std::size_t{0});
    std::ranges::stable_sort(left, {}, [&](std::size_t f) {
        return std::pair(factors[f].kept.n_classes == 1, factors[f].gone.n_classes);
    });
    auto n_tried = static_cast<std::size_t>(
        std::ranges::count_if(left, [&](std::size_t f) { return factors[f].kept.n_classes > 1; }));
    Partition after{std::vector<std::uint32_t>(factors[0].gone.class_of.size(), 0), 1};
    while (!left.empty()) {
        std::size_t best = 0;
        Partition least = join(after, factors[left[0]].gone);
        for (std::size_t i = 1; i < n_tried && least.n_classes > after.n_classes; ++i) {
            Partition other = join(after, factors[left[i]].gone);
            if (other.n_classes >= least.n_classes) continue;
            best = i;
            least = std::move(other);
        }
        result.order.push_back(left[best]);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
        if (n_tried > 0) --n_tried;
        after = least;
        result.gone.push_back(std::move(least));
    }
    std::ranges::reverse(result.order);
    std::ranges::reverse(result.gone);
    Partition before{std::vector<std::uint32_t>(factors[0].kept.class_of.size(), 0), 1};
    for (std::size_t k = 0; k < n && result.n_steps < most_steps; ++k) {
        before = join(before, factors[result.order[k]].kept);
        result.kept.push_back(before);
        result.n_steps += static_cast<double>(result.gone[k].n_classes) * before.n_classes;
    }
    return result;
}

// For every class of a finer partition, the one of a coarser that it is in.
std::vector<std::uint32_t> coarser(const Partition& fine, const Partition& coarse) {
    std::vector<std::uint32_t> result(fine.n_classes);
    for (std::size_t i = 0; i < fine.class_of.size(); ++i) result[fine.class_of[i]] = coarse.class_of[i];
    return result;
}

// Sums by class of what is still to be summed out, a row each, and of what is kept.
template <class Number>
class ClassTable {
  public:
    ClassTable(const Partition& gone, std::size_t n_kept)
        : gone_(gone), kept_{std::vector<std::uint32_t>(n_kept, 0), 1}, values_(gone.n_classes, Number{0}) {
        for (const std::uint32_t own : gone.class_of) values_[own] += 1;
    }

    void multiply(const Factor<Number>& factor, const Partition& next_gone, const Partition& next_kept) {
        const std::vector<std::uint32_t> to = coarser(gone_, next_gone);
        const std::vector<std::uint32_t> row_of = coarser(gone_, factor.gone);
        const std::vector<std::uint32_t> from = coarser(next_kept, kept_);
        const std::vector<std::uint32_t> column_of = coarser(next_kept, factor.kept);
        std::vector<Number> next(std::size_t{next_gone.n_classes} * next_kept.n_classes, Number{0});
        for (std::size_t row = 0; row < gone_.n_classes; ++row) {
            const Number* own = values_.data() + row * kept_.n_classes;
            const Number* by = factor.values.data() + std::size_t{row_of[row]} * factor.kept.n_classes;
            Number* out = next.data() + std::size_t{to[row]} * next_kept.n_classes;
            for (std::size_t i = 0; i < next_kept.n_classes; ++i) out[i] += own[from[i]] * by[column_of[i]];
        }
        values_ = std::move(next);
        gone_ = next_gone;
        kept_ = next_kept;
    }

    std::vector<Number> by_configuration() const {
        std::vector<Number> result;
        result.reserve(kept_.class_of.size());
        for (const std::uint32_t own : kept_.class_of) result.push_back(values_[own]);
        return result;
    }

  private:
    Partition gone_;
    Partition kept_;
    std::vector<Number> values_;
};

}  // namespace

template <class Number>
std::vector<Rank> summed_together(std::span<const TableRef<Number>> tables, Rank rank,
                                  std::span<const Rank> candidates, std::span<const std::uint32_t> n_states) {
    const auto has = [](const TableRef<Number>& table, Rank r) {
        return std::ranges::binary_search(table->scope, r);
    };
    std::vector<TableRef<Number>> own;
    std::ranges::copy_if(tables, std::back_inserter(own),
                         [&](const auto& table) { return has(table, rank); });
    const std::vector<Rank> scope = joint_scope<Number>(own);
    const bool repeats = std::ranges::any_of(own, [](const auto& table) { return table->repeats; });
    if (!repeats || own.size() < 2 || count_configurations(scope, n_states) < kLeastProduct) return {rank};
    std::vector<std::ptrdiff_t> shared(candidates.size(), 0);
    for (std::size_t i = 0; i < candidates.size(); ++i)
        if (candidates[i] != rank)
            shared[i] =
                std::ranges::count_if(own, [&](const auto& table) { return has(table, candidates[i]); });
    const std::ptrdiff_t most = candidates.empty() ? 0 : std::ranges::max(shared);
    std::vector<TableRef<Number>> common = own;  // that all have which are summed out together
    std::vector<Rank> together = {rank};
    double n_gone = n_states[rank];
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const bool is_alike = shared[i] > 0 && 2 * shared[i] >= most;
        if (!is_alike || n_gone * n_states[candidates[i]] > kMostConfigurations) continue;
        if (std::ranges::any_of(tables, [&](const auto& table) {
                return has(table, candidates[i]) && !std::ranges::includes(scope, table->scope);
            }))
            continue;
        std::vector<TableRef<Number>> still;
        std::ranges::copy_if(common, std::back_inserter(still),
                             [&](const auto& table) { return has(table, candidates[i]); });
        if (still.empty()) continue;
        common = std::move(still);
        together.push_back(candidates[i]);
        n_gone *= n_states[candidates[i]];
    }
    std::ranges::sort(together);
    return together;
}

template <class Number>
std::optional<Table<Number>> sum_classes(std::span<const TableRef<Number>> factors,
                                         std::span<const Rank> gone, std::span<const std::uint32_t> n_states,
                                         SumsEffort& effort) {
    Table<Number> result;
    const std::vector<Rank> scope = joint_scope(factors);
    const double n_dense = kDenseCost * count_configurations(scope, n_states);
    std::ranges::set_difference(scope, gone, std::back_inserter(result.scope));
    const double n_gone = count_configurations(gone, n_states);
    const double n_kept = count_configurations(result.scope, n_states);
    double n_work = static_cast<double>(factors.size()) * (n_gone + n_kept);
    for (const TableRef<Number>& factor : factors) n_work += 4.0 * static_cast<double>(factor->values.size());
    if (n_gone > kMostConfigurations || kWorkShare * n_work > n_dense) return std::nullopt;
    const Classing<Number> classing(gone, result.scope, n_states);
    std::vector<Factor<Number>> classed;
    for (const TableRef<Number>& factor : factors) {
        classed.push_back(classing.classed(*factor));
        result.exponent += factor->exponent;
    }
    const double most_steps = (n_dense - n_work) / kStepCost;
    const Schedule plan = schedule<Number>(classed, most_steps);
    effort.add(static_cast<std::uint64_t>(n_work));
    if (plan.n_steps >= most_steps) return std::nullopt;
    const Partition all{std::vector<std::uint32_t>(plan.gone[0].class_of.size(), 0), 1};
    ClassTable<Number> table(plan.gone[0], plan.kept[0].class_of.size());
    for (std::size_t k = 0; k < plan.order.size(); ++k) {
        const Partition& next = k + 1 < plan.order.size() ? plan.gone[k + 1] : all;
        effort.add(std::uint64_t{plan.gone[k].n_classes} * plan.kept[k].n_classes);
        table.multiply(classed[plan.order[k]], next, plan.kept[k]);
    }
    result.values = table.by_configuration();
    result.heads = heads_of(factors, result.scope);
    normalise(result);
    return result;
}

template std::optional<Table<double>> sum_classes(std::span<const TableRef<double>>, std::span<const Rank>,
                                                  std::span<const std::uint32_t>, SumsEffort&);
template std::optional<Table<long double>> sum_classes(std::span<const TableRef<long double>>,
                                                       std::span<const Rank>, std::span<const std::uint32_t>,
                                                       SumsEffort&);
template std::vector<Rank> summed_together(std::span<const TableRef<double>>, Rank, std::span<const Rank>,
                                           std::span<const std::uint32_t>);
template std::vector<Rank> summed_together(std::span<const TableRef<long double>>, Rank,
                                           std::span<const Rank>, std::span<const std::uint32_t>);

}  // namespace ldag
