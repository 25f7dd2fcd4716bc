#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include "register.hpp"
#include "scorer.hpp"
#include "search_arrays.hpp"
#include "searching/search.hpp"

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

FoundChain found_of(const ldag::ChainResult& result) {
    return {result.chain,           result.parents, result.score,
            pairs_of(result.trace), result.n_steps, result.n_accepted};
}

ldag::ChainResult chain_of(FoundChain plain) {
    ldag::ChainResult chain;
    Trace trace;
    std::tie(chain.chain, chain.parents, chain.score, trace, chain.n_steps, chain.n_accepted) =
        std::move(plain);
    chain.trace = points_of(trace);
    return chain;
}

// Chains merged, and by chain what it found, where it is, and the state of its random numbers.
using PlainChain = std::tuple<FoundChain, ldag::Parents, std::array<std::uint64_t, 4>>;
using PlainState = std::pair<std::size_t, std::vector<PlainChain>>;

nb::object plain_of(const ldag::ChainState& state) {
    PlainState plain{state.n_merged, {}};
    for (const ldag::ChainResult& chain : state.chains)
        plain.second.emplace_back(found_of(chain), chain.now, chain.random);
    return nb::cast(plain);
}

ldag::ChainState state_of(const nb::object& plain) {
    auto [n_merged, chains] = nb::cast<PlainState>(plain);
    ldag::ChainState state{n_merged, {}};
    for (auto& [result, now, random] : chains) {
        state.chains.push_back(chain_of(std::move(result)));
        state.chains.back().now = std::move(now);
        state.chains.back().random = random;
    }
    return state;
}

// Whether a state can be one of the search: the first of its chains may stand for many.
bool is_of(const ldag::ChainState& state, const ldag::SearchSpace& space, const ldag::ChainOptions& options) {
    if (state.n_merged > options.n_chains || (state.n_merged > 0 && state.chains.empty())) return false;
    std::size_t next = options.first_chain;
    for (std::size_t i = 0; i < state.chains.size(); ++i) {
        const ldag::ChainResult& chain = state.chains[i];
        const bool is_merged = i == 0 && state.n_merged > 0;
        if (chain.chain < next || chain.chain >= options.first_chain + options.n_chains) return false;
        if (is_merged && chain.chain + 1 != options.first_chain + state.n_merged) return false;
        if (!ldag::is_allowed(space, chain.parents)) return false;
        if (!is_merged && !ldag::is_allowed(space, chain.now)) return false;
        next = chain.chain + 1;
    }
    return true;
}

FoundGraph search_chain(Scorer& scorer, ldag::Parents candidates, ldag::Parents required,
                        std::vector<std::size_t> max_parents, std::size_t n_chains, std::uint64_t n_iter,
                        std::uint64_t seed, std::size_t n_threads, ldag::Parents start,
                        std::size_t first_chain, const nb::object& on_progress, const nb::object& resume,
                        const nb::object& keep, double keep_every, std::optional<double> time_limit) {
    const auto space = space_for(scorer, std::move(candidates), std::move(required), std::move(max_parents));
    const ldag::ChainOptions options{n_chains, n_iter, seed, n_threads, std::move(start), first_chain};
    const auto search = [&](ldag::Monitor& monitor, ldag::ChainState* state) {
        if (state != nullptr && !is_of(*state, space, options)) throw BadState();
        return ldag::search_chain(scorer.scorer, space, options, monitor, state);
    };
    return run_watched({on_progress, resume, keep, keep_every, time_limit}, &plain_of, &state_of, search);
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
    std::vector<ldag::ChainResult> results;
    {
        const nb::gil_scoped_release unlocked;
        results = ldag::run_chains(scorer.scorer, space, options, monitor);
    }
    watch.finish();
    std::vector<FoundChain> chains;
    for (const ldag::ChainResult& chain : results) chains.push_back(found_of(chain));
    return chains;
}

FoundGraph merge_chains(std::vector<FoundChain> chains, std::size_t n_chains, std::uint64_t n_iter) {
    if (chains.empty()) throw nb::value_error("expected at least one chain");
    std::vector<ldag::ChainResult> results;
    for (FoundChain& chain : chains) results.push_back(chain_of(std::move(chain)));
    return tuple_of(ldag::merge_chains(results, n_chains, n_iter));
}

template <class Function, class... Extra>
void define(nb::module_& module, const char* name, Function function, const char* text,
            const Extra&... extra) {
    module.def(name, function, nb::arg("scorer"), nb::arg("candidates"), nb::arg("required"),
               nb::arg("max_parents"), nb::arg("n_chains"), nb::arg("n_iter"), nb::arg("seed"),
               nb::arg("n_threads"), nb::arg("start") = ldag::Parents{}, nb::arg("first_chain") = 0,
               nb::arg("on_progress") = nb::none(), extra..., text);
}

}  // namespace

void register_search_chain(nb::module_& module, nb::module_& testing) {
    define(module, "search_chain", &search_chain,
           "The best DAG that any chain visits: parents, score, trace, stopped, n_steps, n_accepted.",
           nb::arg("resume").none() = nb::none(), nb::arg("keep").none() = nb::none(),
           nb::arg("keep_every") = 1.0, nb::arg("time_limit").none() = nb::none());
    define(testing, "run_chains", &run_chains,
           "What each chain finds: its number, parents, score, trace, n_steps, n_accepted.");
    testing.def("merge_chains", &merge_chains, nb::arg("chains"), nb::arg("n_chains"), nb::arg("n_iter"),
                "The answer of search_chain from what chains run in slices found.");
}
