#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "counting/packed_rows.hpp"
#include "family_arrays.hpp"
#include "growing/growth.hpp"
#include "register.hpp"
#include "search_arrays.hpp"

namespace nb = nanobind;

namespace {

using Numbers = Array<std::int32_t>;
using Rows = nb::ndarray<nb::numpy, double, nb::ndim<2>>;
// axes, targets, counts; what asked in its order, by step; gains by step; log marginal likelihood and log
// prior.
using PlainTree = std::tuple<Numbers, Numbers, Rows, Numbers, Numbers, Array<double>, double, double>;

constexpr auto same = [](auto value) { return value; };

PlainTree plain_of(const ldag::GrownTree& tree) {
    const std::size_t n_nodes = tree.axes.size();
    auto values = std::make_unique<std::vector<double>>(tree.counts);
    nb::capsule owner(values.get(),
                      [](void* data) noexcept { delete static_cast<std::vector<double>*>(data); });
    std::vector<double>& counts = *values.release();
    return {array_of<std::int32_t>(tree.axes, same),
            array_of<std::int32_t>(tree.targets, same),
            Rows(counts.data(), {n_nodes, counts.size() / n_nodes}, owner),
            array_of<std::int32_t>(tree.asked, same),
            array_of<std::int32_t>(tree.steps, same),
            array_of<double>(tree.gains, same),
            tree.log_marginal_likelihood,
            tree.log_prior};
}

// "uniform" is the prior on parameters of "parameters".
ldag::LeafPrior prior_of(const std::string& name, double log_kappa) {
    if (!(log_kappa <= 0.0)) throw nb::value_error("the logarithm of kappa is not above 0");
    if (name == "uniform" && log_kappa != 0.0) throw nb::value_error("a uniform prior has no kappa");
    if (name == "parameters" || name == "uniform") return ldag::LeafPrior::by_volume;
    if (name == "leaves") return ldag::LeafPrior::per_leaf;
    if (name == "nested") return ldag::LeafPrior::nested;
    throw nb::value_error("expected the prior parameters, leaves, nested or uniform");
}

// Whether the space and the options are of these columns, and every node has leaves for what is required.
void check(const ldag::Columns& columns, const ldag::SearchSpace& space, const ldag::GrowthOptions& options) {
    const std::size_t n = columns.n_columns();
    if (space.n_nodes() != n || options.ordered.size() != n || options.choice_prices.size() != n ||
        options.max_leaves.size() != n)
        throw nb::value_error(
            "expected candidates, whether there is an order, a price of the choice and most leaves of every "
            "column");
    if (!(options.equivalent_sample_size > 0.0) || !std::isfinite(options.equivalent_sample_size))
        throw nb::value_error("expected an equivalent sample size above 0");
    for (std::size_t node = 0; node < n; ++node) {
        if (!(options.choice_prices[node] >= 0.0))
            throw nb::value_error("the price of a choice is not below 0");
        std::size_t n_leaves = 1;
        for (const ldag::Node parent : space.required[node])
            n_leaves += options.is_complete ? columns.n_states()[parent] - 1
                                            : std::min<std::size_t>(columns.n_states()[parent] - 1, 1);
        if (n_leaves > options.max_leaves[node])
            throw nb::value_error("what is required takes more leaves than there may be");
    }
}

std::tuple<std::vector<PlainTree>, std::uint64_t, bool> grow_trees(
    const std::shared_ptr<ldag::Columns>& columns, ldag::Parents candidates, ldag::Parents required,
    std::vector<std::size_t> max_parents, std::vector<std::size_t> max_leaves, const std::string& prior,
    double equivalent_sample_size, double log_kappa, const std::string& splits,
    std::vector<std::uint8_t> ordered, bool levels, std::vector<double> choice_prices, std::size_t n_threads,
    const nb::object& on_progress, std::optional<double> time_limit) {
    if (splits != "complete" && splits != "binary")
        throw nb::value_error("expected complete or binary splits");
    const ldag::SearchSpace space =
        space_of(std::move(candidates), std::move(required), std::move(max_parents));
    const ldag::GrowthOptions options{prior_of(prior, log_kappa), equivalent_sample_size, log_kappa,
                                      splits == "complete",       std::move(ordered),     levels,
                                      std::move(choice_prices),   std::move(max_leaves),  n_threads};
    check(*columns, space, options);
    ldag::Monitor monitor;
    Watch watch(monitor, on_progress, time_limit);
    ldag::Growth growth;
    {
        const nb::gil_scoped_release unlocked;
        const ldag::PackedRows rows(*columns);
        growth = ldag::grow_trees(rows, space, options, monitor);
    }
    watch.finish();
    std::vector<PlainTree> trees;
    for (const ldag::GrownTree& tree : growth.trees) trees.push_back(plain_of(tree));
    return {std::move(trees), growth.n_steps, growth.stopped || watch.was_interrupted()};
}

}  // namespace

void register_growing(nb::module_& module) {
    module.def(
        "grow_trees", &grow_trees, nb::arg("columns"), nb::arg("candidates"), nb::arg("required"),
        nb::arg("max_parents"), nb::arg("max_leaves"), nb::arg("prior"), nb::arg("equivalent_sample_size"),
        nb::arg("log_kappa"), nb::arg("splits"), nb::arg("ordered"), nb::arg("levels"),
        nb::arg("choice_prices"), nb::arg("n_threads"), nb::arg("on_progress").none() = nb::none(),
        nb::arg("time_limit").none() = nb::none(),
        "Trees for the families of a graph, grown from rows, by node: axes, targets and counts of their "
        "nodes in depth-first order, the nodes that asked and their steps, gains by step, log marginal "
        "likelihood and log prior; how many steps there were, and whether growth was stopped.");
}
