"""The posterior over DAGs from coupled Markov chains, by number: candidates, runs, and whether they have mixed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldag import _native
from ldag.constraints import SearchSpace
from ldag.graph import LDAG
from ldag.hook import Printable
from ldag.model import Schema
from ldag.uncertainty.component import Component, Drawn, Floats, KeptDags, ParentSet, sum_edges
from ldag.uncertainty.exact import OutOfTime, Weighing
from ldag.uncertainty.families import Setting
from ldag.uncertainty.space import MAX_CONFIGURATIONS, ParentSets

CONVERGED = 1.05
"""Chains with a larger R-hat have not converged."""


@dataclass(frozen=True, eq=False, repr=False)
class Diagnostics(Printable):
    """How chains went: by pair of variables (from, to), and over all."""

    n_runs: int
    n_samples: int
    r_hat: Floats
    effective_sizes: Floats
    edge_errors: Floats
    ancestor_errors: Floats
    swap_rates: tuple[float, ...]
    stopped: bool
    setting_r_hat: float = 1.0
    """The largest R-hat of how often a setting was visited."""

    @property
    def max_r_hat(self) -> float:
        """The largest R-hat of any edge or setting; 1 is perfect."""
        return float(self.r_hat.max(initial=self.setting_r_hat))

    @property
    def max_mc_error(self) -> float:
        """The largest Monte-Carlo error of any edge."""
        return float(self.edge_errors.max(initial=0.0))

    @property
    def converged(self) -> bool:
        """Whether the runs agree: the R-hat of every edge and setting is at most 1.05, and none was cut short."""
        return not self.stopped and self.max_r_hat <= CONVERGED

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, and what follows from them."""
        plain = {f.name: getattr(self, f.name) for f in fields(self)}
        arrays = {name: value.tolist() for name, value in plain.items() if isinstance(value, np.ndarray)}
        more = {"max_r_hat": self.max_r_hat, "max_mc_error": self.max_mc_error, "converged": self.converged}
        return {**plain, **arrays, **more}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "Diagnostics":
        """Read what `to_dict` returns."""
        own = {f.name: given[f.name] for f in fields(cls) if f.name in given}  # older files have fewer
        arrays = {f.name: np.array(own[f.name], dtype=np.float64) for f in fields(cls) if f.type is Floats}
        return cls(**{**own, **arrays, "swap_rates": tuple(own["swap_rates"])})

    def __str__(self) -> str:
        verdict = "converged" if self.converged else "NOT converged"
        if self.stopped:
            verdict += ", stopped early"
        return (
            f"{verdict}: {self.n_runs} runs of {self.n_samples:,} samples, largest R-hat {self.max_r_hat:.3f}"
            f" (at most {CONVERGED} is wanted), largest Monte-Carlo error {self.max_mc_error:.3f}"
        )


def split_r_hat(chains: Floats) -> float:
    """Return the split R-hat of chains, a row each (Gelman et al., Bayesian Data Analysis, 3rd ed., 11.4).

    Constant chains that agree have 1, those that differ infinity.
    """
    halves = _split(chains)
    n = halves.shape[1]
    within = halves.var(axis=1, ddof=1).mean()
    between = n * halves.mean(axis=1).var(ddof=1)
    if within <= 1e-30:
        return 1.0 if between <= 1e-24 else float("inf")
    return float(np.sqrt(((n - 1) / n * within + between / n) / within))


def effective_size(chains: Floats) -> float:
    """Return the effective sample size of chains, by Geyer's initial monotone sequence on split chains."""
    return float(_effective_sizes(chains[None])[0])


def _effective_sizes(series: Floats) -> Floats:
    """Return those of several series: by series, run and sample."""
    halves = _split(series)
    _, m, n = halves.shape
    within = halves.var(axis=2, ddof=1).mean(axis=1)
    varies = within > 1e-30
    halves, within = halves[varies], within[varies]
    between = n * halves.mean(axis=2).var(axis=1, ddof=1)
    pooled = (n - 1) / n * within + between / n
    rho = 1.0 - (within[:, None] - _autocovariances(halves)) / pooled[:, None]
    pairs = rho[:, 0 : n - 1 : 2] + rho[:, 1:n:2]
    goes_on = np.logical_and.accumulate(pairs >= 0, axis=1)
    total = np.where(goes_on, np.minimum.accumulate(pairs, axis=1), 0.0).sum(axis=1)
    sizes = np.full(len(series), float(m * n))
    sizes[varies] /= np.maximum(2 * total - 1, 1 / np.log10(m * n))
    return sizes


AT_ONCE = 64
"""Series that are looked at together: more would leave the cache."""


def _split(chains: Floats) -> Floats:
    """Return the halves of chains, by run and sample, as twice as many; of several series at once, too."""
    half = chains.shape[-1] // 2
    return np.concatenate([chains[..., :half], chains[..., -half:]], axis=-2)


def _autocovariances(series: Floats) -> Floats:
    """Return by series the autocovariances, means over its chains, each divided by the length less one."""
    n = series.shape[2]
    centred = series - series.mean(axis=2, keepdims=True)
    spectrum = np.fft.rfft(centred, 1 << (2 * n - 1).bit_length())
    power = (spectrum.real**2 + spectrum.imag**2).mean(axis=1)
    return np.asarray(np.fft.irfft(power)[:, :n] / (n - 1))


N_RUNS = 4
N_CANDIDATES = 12
"""Candidate parents of a node, those that help most by themselves and beside its best parents."""
N_ITER = 4000
LONGER = 4
"""Runs that disagree begin anew with so many times the rounds, where it was not said how many."""
THIN = 6
FEWEST_SAMPLES = 8
"""Fewer of a run say nothing."""


@dataclass(frozen=True)
class ChainSettings:
    """How long chains run."""

    n_iter: int = N_ITER
    n_runs: int = N_RUNS
    seed: int = 0
    is_timed: bool = False
    """Whether time may be up before the end: then all runs go on side by side."""
    may_lengthen: bool = False
    """Whether there may be more rounds, if the runs disagree."""


def choose_candidates(weighing: Weighing, schema: Schema, space: SearchSpace, learned: LDAG) -> tuple[ParentSet, ...]:
    """Choose the candidate parents of every node.

    All of them if there are few. Otherwise the required ones, the parents in a graph that a search has learned, and
    then those that gain most: by themselves, or added to the parents that a greedy choice has found so far, whichever
    is more.
    """
    chosen = []
    for node in range(len(schema)):
        varies = schema[node].n_states > 1
        free = [p for p in space.candidates[node] if varies and schema[p].n_states > 1]
        if len(free) <= N_CANDIDATES:
            chosen.append(tuple(sorted({*free, *space.required[node]})))
            continue
        gains = _gains(weighing, schema, space, node, free)
        best = sorted(free, key=lambda p: (-gains[p], p))
        known = [p for p in schema.nodes(learned.parents(schema[node].name)) if p in free]
        kept = dict.fromkeys((*space.required[node], *sorted(known, key=lambda p: (-gains[p], p)), *best))
        chosen.append(tuple(sorted(list(kept)[: max(N_CANDIDATES, len(space.required[node]))])))
    return tuple(chosen)


def _gains(weighing: Weighing, schema: Schema, space: SearchSpace, node: int, free: Sequence[int]) -> dict[int, float]:
    """Return the largest gain that each possible parent was seen to make, under any setting."""
    parents: ParentSet = tuple(space.required[node])
    gains = dict.fromkeys(free, -np.inf)
    limit = min(space.max_parents[node], 3)
    while True:
        added = [p for p in free if p not in parents]
        sets = [parents, *(tuple(sorted((*parents, p))) for p in added)]
        if prod(schema.n_states[p] for p in parents) * max(schema.n_states[p] for p in free) > MAX_CONFIGURATIONS:
            return gains  # beyond, full tables would say little of what labels gain
        weights = weighing.weights_of(node, sets)
        own = (weights - weights[:, :1]).max(axis=0)
        for parent, gain in zip(added, own[1:].tolist(), strict=True):
            gains[parent] = max(gains[parent], gain)
        best = int(np.argmax(own))
        if best == 0 or len(parents) >= limit:
            return gains
        parents = sets[best]
        gains[added[best - 1]] = np.inf


@dataclass(frozen=True, eq=False)
class ChainRuns:
    """What chains have seen, cut to the same number of samples: series by run and sample."""

    settings: tuple[Setting, ...]
    sets: ParentSets
    sums: list[list[list[Floats]]]
    """By run, setting and node, sums of the probabilities of parent sets."""
    totals: Floats
    """How often each setting was visited, by all runs."""
    edges: Mapping[tuple[int, int], Floats]
    dags: Drawn
    visited: Drawn
    swap_rates: tuple[float, ...]
    n_iter: int
    is_short: bool

    @property
    def n_samples(self) -> int:
        """How many samples there are of each run."""
        return int(self.visited.shape[1])

    @cached_property
    def above(self) -> NDArray[np.bool_]:
        """Who is above whom."""
        return _ancestors(self.dags, self.sets)

    def components(self) -> tuple[Component, ...]:
        """Put together what all runs say under every setting."""
        components = []
        for number, setting in enumerate(self.settings):
            is_here = self.visited == number
            if not is_here.any():
                components.append(Component.ruled_out(setting, len(self.sets.by_node), None))
                continue
            sums = [of_settings[number] for of_settings in self.sums]
            probabilities = tuple(np.asarray(sum(own)) / self.totals[number] for own in zip(*sums, strict=True))
            share, edges = float(self.totals[number] / self.totals.sum()), sum_edges(self.sets.by_node, probabilities)
            above, draw = self.above[is_here].mean(axis=0), KeptDags(self.dags[is_here], is_all=False)
            components.append(Component(setting, share, self.sets.by_node, probabilities, edges, above, None, draw))
        return tuple(components)

    @cached_property
    def diagnostics(self) -> Diagnostics:
        """Whether the runs agree."""
        shares = np.stack([self.visited == number for number in range(len(self.settings))], axis=-1)
        return diagnose(self.edges, self.above, shares.astype(np.float64), self.swap_rates, self.is_short)


def run_chains(
    weighing: Weighing, candidates: tuple[ParentSet, ...], sets: ParentSets, settings: ChainSettings
) -> ChainRuns:
    """Run chains over ordered partitions and settings, and longer ones if these disagree and may be lengthened."""
    weights = weighing.log_weights(sets)
    runs = _run_once(weighing, weights, candidates, sets, settings)
    if not settings.may_lengthen or runs.is_short or runs.diagnostics.converged:
        return runs
    try:
        longer = _run_once(weighing, weights, candidates, sets, replace(settings, n_iter=LONGER * settings.n_iter))
    except OutOfTime:
        return replace(runs, is_short=True)
    return longer if longer.n_samples > runs.n_samples else replace(runs, is_short=True)


def _run_once(
    weighing: Weighing,
    weights: tuple[Floats, ...],
    candidates: tuple[ParentSet, ...],
    sets: ParentSets,
    settings: ChainSettings,
) -> ChainRuns:
    runs = _native.run_coupled_chains(
        [list(own) for own in candidates],
        sets.masks(candidates),
        weights,
        weighing.log_priors.tolist(),
        settings.n_runs,
        settings.n_iter,
        THIN,
        settings.seed,
        max(weighing.n_threads, settings.n_runs) if settings.is_timed else weighing.n_threads,
        weighing.on_progress,
    )
    longest = max(len(dags) for _, _, dags, _, _ in runs)
    is_short = min(len(dags) for _, _, dags, _, _ in runs) < settings.n_iter // THIN
    runs = [run for run in runs if 2 * len(run[2]) > longest]  # of those cut short, such as are of use together
    n_samples = min((len(dags) for _, _, dags, _, _ in runs), default=0)
    if n_samples < FEWEST_SAMPLES:
        raise OutOfTime
    series = np.array([of_edges[:n_samples] for _, of_edges, _, _, _ in runs])
    pairs = [(parent, node) for node, own in enumerate(candidates) for parent in own]
    counts = [np.bincount(numbers, minlength=len(weighing.settings)) for _, _, _, numbers, _ in runs]
    return ChainRuns(
        weighing.settings,
        sets,
        [of_settings for of_settings, *_ in runs],
        np.sum(counts, axis=0),
        {pair: series[:, :, column] for column, pair in enumerate(pairs)},
        np.array([drawn[:n_samples] for _, _, drawn, _, _ in runs]),
        np.array([numbers[:n_samples] for _, _, _, numbers, _ in runs]),
        tuple(np.mean([swaps for *_, swaps in runs], axis=0).tolist()),
        settings.n_iter,
        is_short,
    )


def _ancestors(dags: Drawn, sets: ParentSets) -> NDArray[np.bool_]:
    """Return for every run and sample who is above whom."""
    n = dags.shape[2]
    all_above = np.zeros((*dags.shape, n), dtype=np.bool_)
    for drawn, above in zip(dags, all_above, strict=True):
        reached = np.zeros(above.shape, dtype=np.float32)
        for node, own in enumerate(sets.by_node):
            are_parents = np.zeros((len(own), n), dtype=np.float32)
            for number, parents in enumerate(own):
                are_parents[number, list(parents)] = 1
            reached[:, :, node] = are_parents[drawn[:, node]]
        while not np.array_equal(above, reached):
            above[:] = reached
            reached = np.minimum(reached + reached @ reached, 1)
    return all_above


def diagnose(
    edges: Mapping[tuple[int, int], Floats],
    above: NDArray[np.bool_],
    shares: Floats,
    swap_rates: tuple[float, ...],
    stopped: bool,
) -> Diagnostics:
    """Judge every edge that is possible, ancestors, and the settings: series by run and sample."""
    n_runs, n_samples, n, _ = above.shape
    r_hat, sizes = np.ones((n, n)), np.full((n, n), float(n_runs * n_samples))
    errors, above_errors = np.zeros((n, n)), np.zeros((n, n))
    pairs = list(edges)
    for first in range(0, len(pairs), AT_ONCE):
        own = pairs[first : first + AT_ONCE]
        series = np.stack([edges[pair] for pair in own])
        places = tuple(np.array(own).T)
        sizes[places] = _effective_sizes(series)
        errors[places] = series.std(axis=(1, 2)) / np.sqrt(sizes[places])
        for pair, chains in zip(own, series, strict=True):
            if _tells(chains):
                r_hat[pair] = split_r_hat(chains)
    share = above.mean(axis=(0, 1))
    varies = np.argwhere((share > 0) & (share < 1))
    for some in np.split(varies, range(AT_ONCE, len(varies), AT_ONCE)):
        places = tuple(some.T)
        series = np.moveaxis(above[:, :, *places], -1, 0).astype(np.float64)
        above_errors[places] = series.std(axis=(1, 2)) / np.sqrt(_effective_sizes(series))
    of_settings = max((split_r_hat(chains) for chains in np.moveaxis(shares, -1, 0) if _tells(chains)), default=1.0)
    return Diagnostics(n_runs, n_samples, r_hat, sizes, errors, above_errors, swap_rates, stopped, of_settings)


def _tells(chains: Floats) -> bool:
    """Whether something is neither sure nor impossible, or the runs disagree about it."""
    return bool(0.01 < chains.mean() < 0.99 or np.ptp(chains.mean(axis=1)) > 0.01)
