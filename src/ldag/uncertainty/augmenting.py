"""The posterior over graphs of a table with gaps, by data augmentation.

Given a completed table, the posterior is known: exactly, or by chains. One graph with its labels and parameters is
drawn from it, the gaps are drawn anew under that network, and so on. What every completed table says of edges,
ancestors and parent sets is averaged, which is far surer than counting the graphs that were drawn.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ldag.data import Dataset
from ldag.learning import Checkpoint
from ldag.model import ClassTable, Structure, freeze
from ldag.uncertainty.chains import CONVERGED, FEWEST_SAMPLES, Diagnostics, diagnose
from ldag.uncertainty.component import Component, Floats, NoDags, draw_labelled_dags, sum_edges
from ldag.uncertainty.drawn import DrawnGraph, count_structure, pack_drawn, unpack_drawn
from ldag.uncertainty.exact import OutOfTime
from ldag.uncertainty.families import FamilyLabels, Setting
from ldag.uncertainty.filling import GapFilling
from ldag.uncertainty.space import ParentSets

N_RUNS = 4


class Pace(NamedTuple):
    """How many rounds each run has: forgotten ones, which depend on where it began, then kept ones.

    Unless it is said how many are kept, these are so many at least and at most, until it is sure enough.
    """

    burn_in: int
    fewest: int
    most: int

    @classmethod
    def of(cls, seconds: float) -> "Pace":
        """Return how many rounds there are if one takes so many seconds of CPU and the posterior is exact in each."""
        return cls(50, 100, int(min(max(ALL_SECONDS / (N_RUNS * seconds), 100), 4000)))


ALL_SECONDS = 120.0
"""Seconds of CPU that all rounds together may take, more or less, if it is not said how many there are."""
CHAIN_PACE = Pace(10, 25, 100)
"""Where every completed table gets chains, which take about a second."""
SURE_ENOUGH = 0.01
"""A Monte-Carlo error that no edge may have, if it is not said how many rounds are kept."""
MORE_ROUNDS = 1.25
"""How many times as many rounds are kept before the runs are judged again."""
BLOCK = 10
"""Rounds between two looks at the clock, and two parts of a checkpoint."""
DRAWS_PER_ROUND = 2
MOST_DRAWN = 250
"""Rounds of each run whose drawn graphs are kept, at most; beyond, every second is forgotten."""
RULED_OUT = 1e-6
"""A setting that no round of the burn-in makes more probable than this is not looked at further."""
TELL_EVERY = 0.1
"""Seconds between two looks at how many rounds there are."""

Compute = Callable[[Dataset, tuple[int, ...], int], tuple[Component, ...]]
"""What computes the posterior of a completed table under some of the settings, by number, from a seed."""


class CodedNetwork(NamedTuple):
    """A structure with its parameters."""

    structure: Structure
    probabilities: tuple[ClassTable, ...]


@dataclass(frozen=True, eq=False)
class Augmentation:
    """What all runs share."""

    filling: GapFilling
    compute: Compute
    families: Callable[[Dataset], FamilyLabels]
    """What answers about the labels of a completed table."""
    settings: tuple[Setting, ...]
    sets: ParentSets
    n_rounds: int | None
    """Rounds of each run that are kept; None: until it is sure enough."""
    pace: Pace
    seed: int
    n_jobs: int
    is_over: Callable[[], bool]
    """Whether time is up, or somebody has stopped it."""
    stop: Callable[[], object]
    """Ends all threads."""
    checkpoint: Checkpoint | None = None

    @property
    def most_rounds(self) -> int:
        """How many rounds each run has at most, those of the burn-in included."""
        return self.pace.burn_in + (self.n_rounds or self.pace.most)


@dataclass(eq=False)
class GapRun:
    """One run of rounds: the network that the gaps are drawn under next, and what the completed tables said so far."""

    number: int
    network: CodedNetwork
    n_done: int = 0
    burnt: list[float] = field(default_factory=list)
    """The largest probability of each setting in the burn-in."""
    shares: list[list[float]] = field(default_factory=list)
    """By round that is kept, the probability of each setting."""
    edges: list[Floats] = field(default_factory=list)
    ancestors: list[Floats] = field(default_factory=list)
    sums: dict[int, tuple[Floats, list[Floats]]] = field(default_factory=dict)
    """By setting, sums of ancestors and, by node, of parent sets, each times the probability of the setting."""
    drawn: list[tuple[DrawnGraph, ...]] = field(default_factory=list)
    stride: int = 1
    """Of so many kept rounds, the graphs of one are kept."""

    def advance(self, shared: Augmentation, live: tuple[int, ...], goal: int) -> None:
        """Go on until there are so many rounds, or time is up."""
        while self.n_done < goal and not shared.is_over():
            rng = np.random.default_rng([shared.seed, self.number, self.n_done])
            table = shared.filling.fill(*self.network, rng)
            try:
                components = shared.compute(table, live, int(rng.integers(1 << 31)))
            except OutOfTime:
                return
            families = shared.families(table)
            chosen = draw_labelled_dags(components, families, DRAWS_PER_ROUND, int(rng.integers(1 << 31)))
            name = f"{self.number}.{self.n_done}"
            drawn = tuple(
                DrawnGraph(graph, size, name, count_structure(graph, table.columns)) for graph, size in chosen
            )
            self.network = CodedNetwork(drawn[0].structure, tuple(one.draw(rng) for one in drawn[0].posteriors()))
            shares = [0.0] * len(shared.settings)
            for number, one in zip(live, components, strict=True):
                shares[number] = one.weight
            if self.n_done < shared.pace.burn_in:
                self.burnt = [max(pair) for pair in zip(shares, self.burnt or shares, strict=True)]
            else:
                self._keep(shares, dict(zip(live, components, strict=True)), drawn)
            self.n_done += 1

    def _keep(self, shares: list[float], components: Mapping[int, Component], drawn: tuple[DrawnGraph, ...]) -> None:
        """Add what a completed table says."""
        likely = {number: one for number, one in components.items() if one.weight}
        self.edges.append(np.asarray(sum(one.weight * one.edges for one in likely.values())))
        self.ancestors.append(np.asarray(sum(one.weight * one.ancestors for one in likely.values())))
        for number, one in likely.items():
            if number not in self.sums:
                self.sums[number] = np.zeros_like(one.ancestors), [np.zeros(len(own)) for own in one.sets]
            above, sets = self.sums[number]
            above += one.weight * one.ancestors
            for node, chances in enumerate(one.probabilities):
                sets[node] += one.weight * chances
        if len(self.shares) % self.stride == 0:
            self.drawn.append(drawn)
        if len(self.drawn) == 2 * MOST_DRAWN:
            self.drawn, self.stride = self.drawn[::2], 2 * self.stride
        self.shares.append(shares)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, from which a run goes on."""
        network = DrawnGraph(self.network.structure, 0.0, None, self.network.probabilities)
        return {
            "n_done": self.n_done,
            "network": pack_drawn([network]),
            "burnt": self.burnt,
            "shares": self.shares,
            "edges": [one.tolist() for one in self.edges],
            "ancestors": [one.tolist() for one in self.ancestors],
            "sums": [[number, above.tolist(), [s.tolist() for s in own]] for number, (above, own) in self.sums.items()],
            "drawn": [pack_drawn(drawn) for drawn in self.drawn],
            "stride": self.stride,
        }

    @classmethod
    def from_dict(cls, number: int, given: Mapping[str, Any], n_states: tuple[int, ...]) -> "GapRun":
        """Read what `to_dict` returns."""
        network = next(iter(unpack_drawn(given["network"], n_states)))
        assert network.counts is not None
        return cls(
            number,
            CodedNetwork(network.structure, network.counts),
            given["n_done"],
            given["burnt"],
            given["shares"],
            [np.array(one) for one in given["edges"]],
            [np.array(one) for one in given["ancestors"]],
            {place: (np.array(above), [np.array(s) for s in own]) for place, above, own in given["sums"]},
            [tuple(unpack_drawn(one, n_states)) for one in given["drawn"]],
            given["stride"],
        )


class Augmented(NamedTuple):
    """What all completed tables say together."""

    components: tuple[Component, ...]
    drawn: tuple[DrawnGraph, ...]
    diagnostics: Diagnostics
    table: Dataset
    """The last of them."""


def augment(shared: Augmentation, starts: Sequence[CodedNetwork], tell: Callable[[float, float], object]) -> Augmented:
    """Go through rounds, in threads, until there are enough or time is up; the result does not depend on threads.

    ``tell`` is told how many rounds there are, of how many.
    """
    runs = [_recall(shared, number, start) for number, start in enumerate(starts)]
    every = tuple(range(len(shared.settings)))
    first, fewest, most_kept = shared.pace
    goal = shared.n_rounds or fewest
    with ThreadPoolExecutor(min(shared.n_jobs, len(runs))) as pool:
        try:
            _go_on(pool, shared, runs, every, first, tell)
            most = np.max([run.burnt or [1.0] * len(every) for run in runs], axis=0)
            live = tuple(number for number in every if most[number] > RULED_OUT)
            while True:
                _go_on(pool, shared, runs, live, first + goal, tell)
                diagnostics = _judge(shared, runs, first + goal)
                is_sure = diagnostics.max_mc_error < SURE_ENOUGH and diagnostics.max_r_hat <= CONVERGED
                if shared.n_rounds or diagnostics.stopped or is_sure or goal == most_kept:
                    break
                goal = min(int(MORE_ROUNDS * goal), most_kept)
        finally:
            shared.stop()
    drawn = tuple(one for run in runs for several in run.drawn for one in several)
    last = shared.filling.fill(*runs[0].network, np.random.default_rng(shared.seed))
    return Augmented(tuple(_average(shared, runs)), drawn, diagnostics, last)


def _recall(shared: Augmentation, number: int, start: CodedNetwork) -> GapRun:
    """Begin a run, or take it up where a checkpoint has it."""
    known = None if shared.checkpoint is None else shared.checkpoint.parts.get(f"run {number}")
    return (
        GapRun.from_dict(number, known, start.structure.n_states) if isinstance(known, dict) else GapRun(number, start)
    )


def _go_on(
    pool: ThreadPoolExecutor,
    shared: Augmentation,
    runs: Sequence[GapRun],
    live: tuple[int, ...],
    goal: int,
    tell: Callable[[float, float], object],
) -> None:
    """Let every run come to so many rounds, some at a time, so that a checkpoint has what is done."""
    while min(run.n_done for run in runs) < goal and not shared.is_over():
        behind = [run for run in runs if run.n_done < goal]
        jobs: list[Future[None]] = [
            pool.submit(run.advance, shared, live, min(run.n_done + BLOCK, goal)) for run in behind
        ]
        while wait(jobs, timeout=TELL_EVERY).not_done:
            tell(sum(run.n_done for run in runs), shared.most_rounds * len(runs))
        for job in jobs:
            job.result()
        tell(sum(run.n_done for run in runs), shared.most_rounds * len(runs))
        if shared.checkpoint is not None:
            for run in behind:
                shared.checkpoint.parts[f"run {run.number}"] = run.to_dict()
            shared.checkpoint.save()


def _judge(shared: Augmentation, runs: Sequence[GapRun], goal: int) -> Diagnostics:
    """Judge whether the runs agree."""
    n_kept = min(len(run.shares) for run in runs)
    if n_kept < FEWEST_SAMPLES:
        raise OutOfTime
    edges = np.array([run.edges[:n_kept] for run in runs])
    ancestors = np.array([run.ancestors[:n_kept] for run in runs])
    shares = np.array([run.shares[:n_kept] for run in runs])
    pairs = {(parent, node) for node, own in enumerate(shared.sets.by_node) for parents in own for parent in parents}
    series = {(i, j): edges[:, :, i, j] for i, j in sorted(pairs)}
    return diagnose(series, ancestors, shares, (), any(run.n_done < goal for run in runs))


def _average(shared: Augmentation, runs: Sequence[GapRun]) -> Iterator[Component]:
    """Go through the settings with what all rounds of all runs say under them."""
    totals = np.sum([np.sum(run.shares, axis=0) for run in runs], axis=0)
    n_nodes = len(shared.sets.by_node)
    for number, setting in enumerate(shared.settings):
        there = [run.sums[number] for run in runs if number in run.sums]
        if not there:
            yield Component.ruled_out(setting, n_nodes, None)
            continue
        probabilities = tuple(
            freeze(sum(own) / totals[number]) for own in zip(*(sets for _, sets in there), strict=True)
        )
        yield Component(
            setting,
            float(totals[number] / totals.sum()),
            shared.sets.by_node,
            probabilities,
            sum_edges(shared.sets.by_node, probabilities),
            np.asarray(sum(above for above, _ in there) / totals[number]),
            None,
            NoDags(n_nodes),
        )
