"""Parameters from data with gaps: EM by itself, from how many starts, until when, and what it says of itself."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Protocol, TypedDict, cast

import numpy as np

from ldag.checks import Rng, check_jobs, check_seed, check_whole, is_number
from ldag.data import GAP, Codes, Dataset, Reading
from ldag.errors import ArgumentError, DataError, argument, counted, list_names, tell
from ldag.formats import EMRecord, Estimate
from ldag.graph import LDAG
from ldag.hook import Printable
from ldag.inference import (
    CodedGaps,
    Completions,
    EMControl,
    EMResult,
    ImpossibleRow,
    run_em,
    run_em_from_random_starts,
)
from ldag.model import ClassTable, Smoothing
from ldag.progress import Deadline, Listener, Progress, check_progress, check_time_limit, listen

N_ITER = 10_000
N_RESTARTS = 10
"""Random starts where a variable was never observed: equal probabilities tell its states not apart."""
CLOSE = 1e-10
"""Nats still to be gained at the end: then parameters are right to about six digits, for a few steps more."""
NAMED = 6
"""Pairs of variables that a note names."""
CELLS_NAMED = 40
"""Cells of a row that an error names."""


class Started(Protocol):
    """What EM needs of a network to start from."""

    @property
    def ldag(self) -> LDAG:
        """The graph."""

    @property
    def probabilities(self) -> tuple[ClassTable, ...]:
        """The parameters."""


class EMOptions(TypedDict, total=False):
    """How EM goes on, where data have gaps."""

    start: Started | None
    n_restarts: int | None
    n_iter: int
    tolerance: float
    accelerate: bool
    rng: Rng
    n_jobs: int
    time_limit: float | None
    progress: Progress


class FitOptions(EMOptions, Reading, total=False):
    """The same, and how a table is read."""


def split_fit_options(given: Mapping[str, Any]) -> tuple[EMOptions, Reading]:
    """Return how EM goes on, and how to read."""
    of_em = {name: value for name, value in given.items() if name in EMOptions.__annotations__}
    return cast("EMOptions", of_em), cast("Reading", {n: v for n, v in given.items() if n not in of_em})


@dataclass(frozen=True, repr=False)
class EM(Printable):
    """How parameters were estimated from data with gaps.

    ``log_likelihood`` is that of the observed cells. ``objective`` is what rises from step to step: the same, and the
    sum of the prior's counts times log parameters. ``trace`` has it for the start and after every step that was kept
    (empty in a network that was read from a file). ``converged`` says whether no more than ``tolerance`` was left to be
    gained, ``n_iter`` how many steps it took, and ``starts`` has the objective at the end from every start.
    """

    log_likelihood: float
    objective: float
    trace: tuple[float, ...]
    converged: bool
    n_iter: int
    starts: tuple[float, ...]
    table: CodedGaps | None = field(default=None, compare=False)
    """The data in codes, for the library itself; neither files nor copies in other processes have them."""

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "table"}

    @classmethod
    def from_record(cls, record: EMRecord) -> "EM":
        """Make it of what a file says; for the library itself."""
        starts = tuple(record.starts)
        return cls(record.log_likelihood, record.objective, (), record.converged, record.n_iter, starts)

    def to_record(self) -> EMRecord:
        """Return what a file keeps: all but the trace; for the library itself."""
        return EMRecord(self.log_likelihood, self.objective, self.converged, self.n_iter, self.starts)

    def __str__(self) -> str:
        steps = counted(self.n_iter, "step")
        lines = [
            f"came to its end after {steps}" if self.converged else f"did not come to its end in {steps}",
            f"  log-likelihood of the observed cells {self.log_likelihood:.4f}, objective {self.objective:.4f}",
        ]
        if len(self.starts) > 1:
            ends = f"between {min(self.starts):.4f} and {max(self.starts):.4f}"
            lines.append(f"  best of {len(self.starts)} starts, which ended {ends}")
        return "\n".join(lines)


@dataclass(frozen=True)
class EMPlan:
    """The options of EM, checked."""

    start: tuple[ClassTable, ...] | None
    n_restarts: int | None
    seed: int
    n_iter: int
    tolerance: float
    accelerate: bool
    n_threads: int
    deadline: Deadline
    progress: Progress

    @classmethod
    def check(cls, graph: LDAG, options: EMOptions) -> "EMPlan":
        """Check the options for a graph."""
        start, n_restarts = options.get("start"), options.get("n_restarts")
        if n_restarts is not None:
            check_whole(n_restarts, "n_restarts")
        tolerance = options.get("tolerance", CLOSE)
        if not is_number(tolerance) or not 0 <= tolerance < float("inf"):
            raise ArgumentError(
                f"{argument('tolerance')} must be a number of nats, 0 or more, got {tolerance!r}; 0 takes all of"
                f" {argument('n_iter')}"
            )
        if start is not None and n_restarts is not None:
            raise ArgumentError(
                f"{argument('start')} is one start, and {argument('n_restarts')} draws several; give one"
            )
        return cls(
            None if start is None else _read_start(graph, start),
            n_restarts,
            check_seed(options.get("rng")),
            check_whole(options.get("n_iter", N_ITER), "n_iter"),
            float(tolerance),
            bool(options.get("accelerate", True)),
            check_jobs(options.get("n_jobs", -1)),
            Deadline.after(check_time_limit(options.get("time_limit"))),
            check_progress(options.get("progress")),
        )

    def control(self, listener: Listener | None) -> EMControl:
        """Return when to end, and who hears how far it is."""

        def report(n_steps: int, objective: float) -> None:
            if listener is not None:
                listener({"done": n_steps, "total": 0, "accepted": 0, "best": objective})

        is_over = (lambda: self.deadline.is_over) if self.deadline.is_set else None
        return EMControl(self.n_iter, self.tolerance, self.accelerate, self.n_threads, is_over, report)


def refuse_em_options(options: EMOptions) -> None:
    """Refuse options of EM where there is nothing to do for it."""
    for name in options:
        raise ArgumentError(f"{argument(name)} is for data with gaps, and these have none; leave it out")


def fit_with_gaps(
    graph: LDAG, data: Dataset, smoothing: Smoothing, estimate: Estimate, options: EMOptions
) -> tuple[tuple[ClassTable, ...], EM]:
    """Return the expected counts that the parameters of a graph are estimated from, and how EM found them."""
    plan = EMPlan.check(graph, options)
    aligned = data.aligned_to(graph.schema)
    completions = Completions(graph.structure)
    table = CodedGaps.of(aligned.codes, graph.schema.n_states, aligned.weights)
    assert estimate != "averaged"  # which is for data without gaps
    task = completions, table, smoothing, estimate
    is_unseen = (aligned.codes == GAP).all(axis=1)
    n_restarts = plan.n_restarts or (N_RESTARTS if is_unseen.any() and plan.start is None else 1)
    with listen(plan.progress, "EM", plan.deadline) as listener, _name_row(aligned):
        control = plan.control(listener)
        if plan.start is None and is_unseen.any():
            result, ends = run_em_from_random_starts(*task, control, n_restarts=n_restarts, seed=plan.seed)
        else:
            result = run_em(*task, plan.start, control)
            ends = (result.objective,)
            if n_restarts > 1:
                other, more = run_em_from_random_starts(*task, control, n_restarts=n_restarts - 1, seed=plan.seed)
                result, ends = max(result, other, key=lambda one: one.objective), (*ends, *more)
    tell([*_tell_unseen_pairs(graph, aligned.codes), *_tell_end(result, plan)])
    em = EM(result.log_likelihood, result.objective, result.trace, result.converged, result.n_iter, ends, table)
    return result.counts, em


def need_cells(data: Dataset, what: str, instead: str) -> Dataset:
    """Return data without gaps; say what to do with others."""
    if data.has_gaps:
        raise DataError(f"{what} needs every cell, and these data have gaps; {instead}")
    return data


def _read_start(graph: LDAG, start: Started) -> tuple[ClassTable, ...]:
    """Return the parameters of a network over the same graph."""
    known = getattr(start, "ldag", None)
    if known is None:
        raise ArgumentError(f"{argument('start')} must be a Network of the same graph, got {type(start).__name__}")
    if known.schema != graph.schema or known.structure != graph.structure:
        raise ArgumentError(
            f"{argument('start')} is a network of another graph; it must have the same variables in the same order,"
            " with the same states, parents and labels: Network.from_parameters(graph, ...) makes one"
        )
    return start.probabilities


@contextmanager
def _name_row(data: Dataset) -> Iterator[None]:
    """Say which row a start makes impossible."""
    try:
        yield
    except ImpossibleRow as refused:
        row = np.array(refused.row, dtype=np.uint8)[:, None]
        number = int(np.flatnonzero((data.codes == row).all(axis=0))[0]) + 1
        cells = [
            f"{variable.name} is {'missing' if code == GAP else variable.states[code]}"
            for variable, code in zip(data.variables, refused.row, strict=True)
        ]
        raise ArgumentError(
            f"{argument('start')}: row {number:,} of {counted(data.n_rows, 'different row')} is impossible under this"
            f" network: {list_names(cells, CELLS_NAMED)}; start from probabilities above zero"
        ) from None


def _tell_unseen_pairs(graph: LDAG, codes: Codes) -> Iterator[str]:
    """Say which variables of a family are never seen together: the data cannot tell how they depend on each other."""
    seen = codes != GAP
    is_seen = seen.any(axis=1)
    pairs = {
        pair
        for node, family in enumerate(graph.structure.families)
        for pair in combinations(sorted((node, *family.parents)), 2)
        if is_seen[list(pair)].all() and not (seen[pair[0]] & seen[pair[1]]).any()
    }
    if pairs:
        names = [f"{graph.schema[a].name} and {graph.schema[b].name}" for a, b in sorted(pairs)]
        yield (
            f"{list_names(names, NAMED)}: never seen in the same row, so how they depend on each other is what EM"
            " started from, or what other variables say"
        )


def _tell_end(result: EMResult, plan: EMPlan) -> Iterator[str]:
    """Say that EM did not come to its end."""
    if result.converged or plan.tolerance == 0:
        return
    is_late = result.n_iter < plan.n_iter
    name = "time_limit" if is_late else "n_iter"
    gain = result.trace[-1] - result.trace[-2]
    yield (
        f"EM ended after {counted(result.n_iter, 'step')} by {argument(name)}, before it came to its end (the last step"
        f" gained {gain:.2g} nats); give a larger {argument(name)}, or a larger {argument('tolerance')}"
    )
