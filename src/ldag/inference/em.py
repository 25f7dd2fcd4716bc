"""EM by numbers: the parameters of a structure from a table with gaps, by expected counts.

A step takes the expected counts under the parameters at hand and estimates from them as from counts. It never lowers
the objective: the log-likelihood of the observed cells, and the sum of pseudo-counts times log parameters. Where gaps
are many, steps become small; then every second one is followed by a leap along the way they point (SQUAREM, Varadhan
& Roland 2008), which is taken if the objective allows it.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from math import inf, isfinite
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ldag._native import Columns
from ldag.data import GAP, Codes, Weights, count_family, merge_rows
from ldag.inference.circuit import Numbers, Rows
from ldag.inference.completing import Completions
from ldag.inference.wide import is_wide
from ldag.model import ClassTable, Smoothing, Structure, class_counts, count_classes, freeze

LEAST_STEPS = 3
"""Steps that are taken in any case: what is still to be gained is told from three objectives."""
PLAIN_STEPS = 20
"""Steps before leaps begin: with few scattered gaps it is over by then, and leaps gain nothing."""
LEAST_LOG = -690.0
"""A leap leaves no probability below e to this: what is zero stays zero."""
NO_LEAP = 1.1
"""A leap that is no longer than so many second steps is not worth trying again."""
N_RATES = 10
"""Leaps whose rates tell how slow steps are."""
ROUNDING = 1e-15
"""Digits of an objective beyond which nothing is gained."""
SHORT_STEPS = 20
"""Steps from every random start before the best go on."""
N_BEST = 3
"""Random starts that go on to the end."""
CONCENTRATION = 2.0
"""Of the Dirichlet distribution that random starts are drawn from."""

Probabilities = Sequence[ClassTable]


class ImpossibleRow(Exception):
    """A row that parameters say is impossible; its codes are ``row``."""

    def __init__(self, row: Sequence[int]) -> None:
        super().__init__(row)
        self.row = tuple(row)


@dataclass(frozen=True, eq=False)
class CodedGaps:
    """A table with gaps: its complete rows, and apart from them the distinct rows with gaps and their weights."""

    n_states: tuple[int, ...]
    complete: Codes
    complete_weights: Weights | None
    rows: Rows
    weights: Numbers

    @classmethod
    def of(cls, codes: Codes, n_states: Sequence[int], weights: Weights | None) -> "CodedGaps":
        """Take a table apart whose columns, an array row each, are the nodes of a structure in order."""
        codes, weights = merge_rows(codes, n_states, weights)
        gappy = (codes == GAP).any(axis=0)
        own = np.ones(codes.shape[1]) if weights is None else weights.astype(np.float64)
        complete = np.ascontiguousarray(codes[:, ~gappy])
        rows = np.ascontiguousarray(codes[:, gappy].T)
        return cls(tuple(n_states), complete, None if weights is None else weights[~gappy], rows, own[gappy])

    @property
    def has_unobserved(self) -> bool:
        """Whether a column has gaps only."""
        return self.complete.shape[1] == 0 and bool((self.rows == GAP).all(axis=0).any())

    def counts(self, structure: Structure) -> tuple[ClassTable, ...]:
        """Return the counts of the complete rows, by class and state."""
        columns = Columns(self.complete, self.n_states, self.complete_weights)
        counted = []
        for node, family in enumerate(structure.families):
            if is_wide(family):
                above = self.complete[list(family.parents)]
                own, n_states = self.complete[node], self.n_states[node]
                counted.append(count_classes(family.partition, above, own, n_states, self.complete_weights))
                continue
            counts = count_family(columns, self.n_states, node, family.parents)
            counted.append(class_counts(counts.astype(np.float64), family.partition))
        return tuple(counted)


@dataclass(frozen=True)
class EMControl:
    """How long EM goes on: ``tolerance`` is what may still be gained at the end, in nats; 0 takes ``n_iter`` steps.

    ``is_over`` may end it after any step; ``tell`` hears after every step how many were taken, and the objective.
    """

    n_iter: int = 10_000
    tolerance: float = 1e-4
    accelerate: bool = True
    n_threads: int = 0
    is_over: Callable[[], bool] | None = None
    tell: Callable[[int, float], object] | None = None


@dataclass(frozen=True, eq=False)
class EMResult:
    """Where EM ended. The probabilities are estimated from ``counts``, which hold the complete rows too.

    ``expected`` are the counts under the probabilities themselves, the next step's. ``trace`` has the objective of the
    start and after every step that was kept; ``n_iter`` counts those too that were not.
    """

    probabilities: tuple[ClassTable, ...]
    counts: tuple[ClassTable, ...]
    expected: tuple[ClassTable, ...]
    log_likelihood: float
    objective: float
    trace: tuple[float, ...]
    converged: bool
    n_iter: int


def run_em(
    completions: Completions,
    table: CodedGaps,
    smoothing: Smoothing,
    estimate: Literal["mean", "likelihood"] = "mean",
    start: Probabilities | None = None,
    control: EMControl | None = None,
) -> EMResult:
    """Estimate the parameters of the structure of ``completions``, from equal probabilities or a start."""
    climb = _Climb(_Task(completions, table, smoothing, estimate), control or EMControl())
    return climb.run(start)


def run_em_from_random_starts(
    completions: Completions,
    table: CodedGaps,
    smoothing: Smoothing,
    estimate: Literal["mean", "likelihood"],
    control: EMControl,
    *,
    n_restarts: int,
    seed: int,
) -> tuple[EMResult, tuple[float, ...]]:
    """Take a few steps from each of some random starts, the best of them to the end; return the best, and all ends.

    Start i depends on the seed and i alone. Ends are objectives, in the order of the starts.
    """
    task = _Task(completions, table, smoothing, estimate)
    starts = [draw_start(completions.structure, seed, i) for i in range(n_restarts)]
    short = _Climb(task, replace(control, n_iter=min(SHORT_STEPS, control.n_iter)))
    results = [short.run(start) for start in starts]
    order = sorted(range(n_restarts), key=lambda i: (-results[i].objective, i))
    for i in order[:N_BEST]:
        if results[i].n_iter == SHORT_STEPS and not results[i].converged:
            further = _Climb(task, control).run(starts[i])
            results[i] = max(results[i], further, key=lambda one: one.objective)  # time may have been up
    best = max(order[:N_BEST], key=lambda i: results[i].objective)
    return results[best], tuple(result.objective for result in results)


def equal_probabilities(structure: Structure) -> tuple[ClassTable, ...]:
    """Return the parameters that say nothing."""
    families = zip(structure.families, structure.n_states, strict=True)
    return tuple(np.full((family.partition.n_classes, n), 1.0 / n) for family, n in families)


def draw_start(structure: Structure, seed: int, number: int) -> tuple[ClassTable, ...]:
    """Draw parameters to start from."""
    rng = np.random.default_rng((seed, number))
    families = zip(structure.families, structure.n_states, strict=True)
    return tuple(rng.dirichlet(np.full(n, CONCENTRATION), family.partition.n_classes) for family, n in families)


def tell_left(trace: Sequence[float]) -> float:
    """Return what is still to be gained after three objectives, by Aitken's estimate: steps shrink at one rate.

    Examples
    --------
    >>> tell_left([-8.0, -4.0, -2.0])
    2.0
    >>> tell_left([-3.0, -2.0, -1.0])
    inf
    """
    before, middle, after = trace[-3:]
    first, second = middle - before, after - middle
    if second <= 0.0:
        return 0.0
    if not isfinite(first):
        return inf
    return second * second / (first - second) if second < first else inf


@dataclass(frozen=True, eq=False)
class _Point:
    """Parameters, all in one row, with what was worked out for them."""

    theta: Numbers
    counts: Numbers
    log_likelihood: float
    objective: float
    made_of: Numbers | None
    """The counts that the parameters were estimated from; None at the start and after a leap."""


@dataclass(frozen=True, eq=False)
class _Task:
    """What does not change from step to step; parameters of all nodes, classes and states stand in one row."""

    completions: Completions
    table: CodedGaps
    smoothing: Smoothing
    estimate: Literal["mean", "likelihood"]
    shapes: tuple[tuple[int, int], ...] = field(init=False)

    def __post_init__(self) -> None:
        structure = self.completions.structure
        shapes = tuple((f.partition.n_classes, n) for f, n in zip(structure.families, structure.n_states, strict=True))
        object.__setattr__(self, "shapes", shapes)

    @cached_property
    def complete(self) -> Numbers:
        return _join(self.table.counts(self.completions.structure))

    @cached_property
    def pseudo_counts(self) -> Numbers:
        """What the prior adds to every count."""
        if self.estimate == "likelihood":
            return np.zeros(sum(n * m for n, m in self.shapes))
        families = zip(self.completions.structure.families, self.shapes, strict=True)
        shares = [np.repeat(self.smoothing.of_classes(f.partition) / n, n) for f, (_, n) in families]
        return np.concatenate(shares)

    @cached_property
    def widths(self) -> NDArray[np.intp]:
        """How many states each class has a parameter for."""
        return np.concatenate([np.full(n_classes, n_states) for n_classes, n_states in self.shapes])

    @cached_property
    def first(self) -> NDArray[np.intp]:
        return np.cumsum(self.widths) - self.widths

    def split(self, row: Numbers) -> tuple[ClassTable, ...]:
        parts = np.split(row, list(accumulate(n * m for n, m in self.shapes))[:-1])
        return tuple(freeze(part.reshape(shape)) for part, shape in zip(parts, self.shapes, strict=True))

    def normalise(self, row: Numbers) -> Numbers:
        """Make every class sum to 1; one that has nothing gets equal probabilities."""
        totals = np.add.reduceat(row, self.first)
        if not totals.all():
            row = np.where(np.repeat(totals, self.widths) > 0, row, 1.0)
            totals = np.add.reduceat(row, self.first)
        return np.asarray(row / np.repeat(totals, self.widths))

    def evaluate(self, theta: Numbers, made_of: Numbers | None, n_threads: int) -> _Point:
        rows, weights = self.table.rows, self.table.weights
        logs, counts = self.completions.expected_counts(self.split(theta), rows, weights, n_threads)
        if np.isneginf(logs).any():
            raise ImpossibleRow(rows[np.isneginf(logs)][0].tolist())
        counted, weighted = self.complete > 0, self.pseudo_counts > 0
        if (theta[counted] == 0).any():
            raise ImpossibleRow(self._find_impossible(theta))
        log_likelihood = float((weights * logs).sum() + (self.complete[counted] * np.log(theta[counted])).sum())
        with np.errstate(divide="ignore"):
            prior = float((self.pseudo_counts[weighted] * np.log(theta[weighted])).sum())
        return _Point(theta, self.complete + _join(counts), log_likelihood, log_likelihood + prior, made_of)

    def step(self, point: _Point, n_threads: int) -> _Point:
        return self.evaluate(self.normalise(point.counts + self.pseudo_counts), point.counts, n_threads)

    def _find_impossible(self, theta: Numbers) -> list[int]:
        rows = np.ascontiguousarray(self.table.complete.T)
        logs = self.completions.log_probabilities(self.split(theta), rows)
        codes: list[int] = rows[np.isneginf(logs)][0].tolist()
        return codes


class _Climb:
    """One run of EM."""

    def __init__(self, task: _Task, control: EMControl) -> None:
        self._task, self._control = task, control
        self._trace: list[float] = []
        self._rates: deque[float] = deque(maxlen=N_RATES)
        self._n_steps = 0

    def run(self, start: Probabilities | None) -> EMResult:
        given = equal_probabilities(self._task.completions.structure) if start is None else start
        self._trace, self._n_steps = [], 0
        self._rates.clear()
        point = self._task.evaluate(_join(given), None, self._control.n_threads)
        self._trace.append(point.objective)
        converged = False
        while not converged and not self._is_over(point):
            if self._control.accelerate and PLAIN_STEPS <= self._n_steps <= self._control.n_iter - LEAST_STEPS:
                point, converged = self._leap(point)
            else:
                point = self._keep(self._step(point))
                converged = self._is_done()
        return self._result(point, converged)

    def _is_over(self, point: _Point) -> bool:
        """Whether to end here, where parameters are estimated from counts."""
        if self._n_steps >= self._control.n_iter:
            return True
        is_over = self._control.is_over
        return point.made_of is not None and is_over is not None and is_over()

    def _is_done(self) -> bool:
        return self._n_steps >= LEAST_STEPS and tell_left(self._trace) < self._tolerance

    @property
    def _tolerance(self) -> float:
        """What may be left; no less than rounding leaves."""
        given = self._control.tolerance
        return max(given, ROUNDING * abs(self._trace[-1])) if given > 0 else 0.0

    def _step(self, point: _Point) -> _Point:
        self._n_steps += 1
        return self._task.step(point, self._control.n_threads)

    def _keep(self, point: _Point) -> _Point:
        self._trace.append(point.objective)
        if self._control.tell is not None:
            self._control.tell(self._n_steps, point.objective)
        return point

    def _leap(self, base: _Point) -> tuple[_Point, bool]:
        """Take a step, look where a second would lead, and leap; tell whether it is done instead.

        A leap that would lose is halved; at last it is the second step itself.
        """
        one = self._keep(self._step(base))
        theta = self._task.normalise(one.counts + self._task.pseudo_counts)
        way = _Leap.of(base.theta, one.theta, theta, one.counts + self._task.pseudo_counts)
        self._rates.append(way.rate)
        if self._is_little_left(one.objective - base.objective):
            return one, True
        length = way.length
        while length > 1.0 and self._n_steps < self._control.n_iter - 1:
            self._n_steps += 1
            far = self._task.evaluate(self._task.normalise(way.at(length)), None, self._control.n_threads)
            if far.objective >= one.objective:
                return self._keep(far), False
            length = (length + 1.0) / 2 if length > NO_LEAP else 1.0
        return self._keep(self._step(one)), False

    def _is_little_left(self, gain: float) -> bool:
        """Tell from the gain of a step and the slowest rate of late; right after a leap, steps shrink faster."""
        if len(self._rates) == 1:
            before, middle, after = self._trace[-4:-1]
            first, second = middle - before, after - middle
            self._rates.append(min(second / first, 1.0) ** 0.5 if first > 0.0 < second else 0.0)
        rate = max(self._rates) ** 2
        return self._tolerance > 0 and gain * rate < self._tolerance * (1.0 - rate)

    def _result(self, point: _Point, converged: bool) -> EMResult:
        assert point.made_of is not None, "the last step is plain"
        return EMResult(
            self._task.split(point.theta),
            self._task.split(point.made_of),
            self._task.split(point.counts),
            point.log_likelihood,
            point.objective,
            tuple(self._trace),
            converged,
            self._n_steps,
        )


@dataclass(frozen=True, eq=False)
class _Leap:
    """Where two steps point, in logarithms of the parameters that are not zero."""

    logs: Numbers
    first: Numbers
    bend: Numbers
    positive: NDArray[np.bool_]
    length: float
    """How far to leap; 1 is the second step."""
    rate: float
    """How much shorter the second step is than the first; 1 if it is not."""

    @classmethod
    def of(cls, before: Numbers, middle: Numbers, after: Numbers, counts: Numbers) -> "_Leap":
        """Measure steps by what they mean for the objective: changes of logarithms, by how often each counts."""
        positive = (before > 0) & (middle > 0) & (after > 0)
        logs = [np.log(theta[positive]) for theta in (before, middle, after)]
        first, second = logs[1] - logs[0], logs[2] - logs[1]
        bend, weights = second - first, counts[positive]
        sizes = [float(np.sqrt((weights * step * step).sum())) for step in (first, second, bend)]
        length = sizes[0] / sizes[2] if sizes[2] > 0 else 1.0
        rate = min(sizes[1] / sizes[0], 1.0) if sizes[0] > 0 else 0.0
        return cls(logs[0], first, bend, positive, length, rate)

    def at(self, length: float) -> Numbers:
        """Return parameters, not yet normalised, so far along the way."""
        theta = np.zeros(len(self.positive))
        logs = self.logs + 2.0 * length * self.first + length * length * self.bend
        theta[self.positive] = np.exp(np.clip(logs, LEAST_LOG, 0.0))
        return theta


def _join(tables: Sequence[ClassTable]) -> Numbers:
    return np.concatenate([table.reshape(-1) for table in tables])
