#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <utility>
#include <vector>

#include "ldag/search.hpp"
#include "register.hpp"
#include "scorer.hpp"
#include "search_arrays.hpp"

namespace nb = nanobind;

namespace {

// chain, parents, score, trace, n_steps, n_accepted.
using FoundChain = std::tuple<std::size_t, ldag::Parents, double,
                              std::vector<std::pair<std::uint64_t, double>>, std::uint64_t, std::uint64_t>;

ldag::SearchSpace space_for(const Scorer& scorer, ldag::Parents candidates, ldag::Parents required,
                            std::vector<std::size_t> max_parents) {
    if (candidates.size() != scorer.columns->n_columns())
        throw nb::value_error("expected candidates of every variable of the data");
    return space_of(std::move(candidates), std::move(required), std::move(max_parents));
}

FoundGraph search_chain(Scorer& scorer, ldag::Parents candidates, ldag::Parents required,
                        std::vector<std::size_t> max_parents, std::size_t n_chains, std::uint64_t n_iter,
                        std::uint64_t seed, std::size_t n_threads, ldag::Parents start,
                        std::size_t first_chain, const nb::object& on_progress) {
    const auto space = space_for(scorer, std::move(candidates), std::move(required), std::move(max_parents));
    const ldag::ChainOptions options{n_chains, n_iter, seed, n_threads, std::move(start), first_chain};
    return run_watched(on_progress, [&](ldag::Monitor& monitor) {
        return ldag::search_chain(scorer.scorer, space, options, monitor);
    });
}

FoundChain found_of(ldag::ChainResult found) {
    std::vector<std::pair<std::uint64_t, double>> trace;
    for (const ldag::TracePoint& point : found.trace) trace.emplace_back(point.step, point.score);
    return {found.chain,   std::move(found.parents), found.score, std::move(trace),
            found.n_steps, found.n_accepted};
}

ldag::ChainResult chain_of(FoundChain found) {
    ldag::ChainResult chain;
    std::vector<std::pair<std::uint64_t, double>> trace;
    std::tie(chain.chain, chain.parents, chain.score, trace, chain.n_steps, chain.n_accepted) =
        std::move(found);
    for (const auto& [step, score] : trace) chain.trace.push_back({step, score});
    return chain;
}

std::vector<FoundChain> run_chains(Scorer& scorer, ldag::Parents candidates, ldag::Parents required,
                                   std::vector<std::size_t> max_parents, std::size_t n_chains,
                                   std::uint64_t n_iter, std::uint64_t seed, std::size_t n_threads,
                                   ldag::Parents start, std::size_t first_chain,
                                   const nb::object& on_progress) {
    const auto space = space_for(scorer, std::move(candidates), std::move(required), std::move(max_parents));
    const ldag::ChainOptions options{n_chains, n_iter, seed, n_threads, std::move(start), first_chain};
    ldag::Monitor monitor;
    Watch watch(monitor, on_progress);
    std::vector<ldag::ChainResult> found;
    {
        const nb::gil_scoped_release unlocked;
        found = ldag::run_chains(scorer.scorer, space, options, monitor);
    }
    watch.finish();
    std::vector<FoundChain> chains;
    for (ldag::ChainResult& chain : found) chains.push_back(found_of(std::move(chain)));
    return chains;
}

FoundGraph merge_chains(std::vector<FoundChain> chains, std::size_t n_chains, std::uint64_t n_iter) {
    if (chains.empty()) throw nb::value_error("expected at least one chain");
    std::vector<ldag::ChainResult> found;
    for (FoundChain& chain : chains) found.push_back(chain_of(std::move(chain)));
    return tuple_of(ldag::merge_chains(found, n_chains, n_iter));
}

template <class Function>
void define(nb::module_& module, const char* name, Function function, const char* text) {
    module.def(name, function, nb::arg("scorer"), nb::arg("candidates"), nb::arg("required"),
               nb::arg("max_parents"), nb::arg("n_chains"), nb::arg("n_iter"), nb::arg("seed"),
               nb::arg("n_threads"), nb::arg("start") = ldag::Parents{}, nb::arg("first_chain") = 0,
               nb::arg("on_progress") = nb::none(), text);
}

}  // namespace

void register_search_chain(nb::module_& module) {
    define(module, "search_chain", &search_chain,
           "The best DAG that any chain visits: parents, score, trace, stopped, n_steps, n_accepted.");
    define(module, "run_chains", &run_chains,
           "What each chain finds: its number, parents, score, trace, n_steps, n_accepted.");
    module.def("merge_chains", &merge_chains, nb::arg("chains"), nb::arg("n_chains"), nb::arg("n_iter"),
               "The answer of search_chain from what chains run in slices found.");
}
