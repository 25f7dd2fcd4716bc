"""Parameters by codes: one distribution for every class of a node, the Dirichlet posterior behind it, and intervals.

The probability of one state has a Beta distribution. Its distribution function is the continued fraction of the
incomplete Beta function (Numerical Recipes, 6.4), inverted by Newton's steps inside a bracket, for many distributions
at a time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import lgamma, log
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldag.model.partition import Partition

Counts = NDArray[np.float64]
"""How often each state of a node occurs: a row per parent configuration, a column per state.

Where a tree tells the classes there is a row per class, as there may be no end of configurations."""

ClassTable = NDArray[np.float64]
"""One row per class of a node, one column per state."""


Spread = Literal["configurations", "classes", "nested"]
"""How the observations that a prior counts for are spread: evenly over the configurations of the parents, so that large
classes get more of them, or so many to every class, however large it is; or so many to every leaf of a tree, spread as
those of the node above it are."""


class Smoothing(NamedTuple):
    """How many observations the prior over parameters counts for, and how they are spread."""

    size: float
    spread: Spread = "configurations"

    @property
    def kappa(self) -> None:
        """No prunings are averaged."""
        return None

    def in_words(self) -> str:
        """Return the size, and what has it if that is not the whole table."""
        words = {"configurations": "", "classes": " for each class", "nested": " on the node above"}
        return f"{self.size:g}{words[self.spread]}"

    def of_classes(self, partition: Partition) -> NDArray[np.float64]:
        """Return how many observations each class gets; its states share them evenly."""
        if self.spread != "configurations":
            return np.full(partition.n_classes, self.size)
        return partition.shares(self.size)


class PruningAverage(NamedTuple):
    """How leaves of trees are estimated by the average over all prunings: the prior of every node, and its price."""

    size: float
    spread: Spread
    kappa: float
    """What a parameter more costs a pruning."""

    @property
    def of_leaves(self) -> Smoothing:
        """The prior of the leaves by themselves."""
        return Smoothing(self.size, self.spread)

    def in_words(self) -> str:
        """Return the prior of every node, and the price."""
        return f"{self.of_leaves.in_words()}, averaged over prunings (kappa {self.kappa:g})"


def smoothing_of(parts: Sequence[Any]) -> Smoothing | PruningAverage:
    """Return what has two parts, or three."""
    return Smoothing(*parts) if len(parts) == len(Smoothing._fields) else PruningAverage(*parts)


@dataclass(frozen=True, eq=False)
class ClassPosteriors:
    """The Dirichlet posteriors of a node's classes: what the prior counts for and what was counted, kept apart.

    Both arrays are read-only and have a row per class and a column per state.
    """

    prior: ClassTable
    counts: ClassTable

    @classmethod
    def of(cls, partition: Partition, smoothing: Smoothing, counts: ClassTable) -> "ClassPosteriors":
        """Make the posteriors from counts by class; the paper's prior is N |S| / (r q) for each state of a class S."""
        n_states = counts.shape[1]
        if smoothing.spread == "nested":
            return cls(freeze(partition.lean_on_above(counts, smoothing.size)), freeze(counts))
        share = smoothing.of_classes(partition) / n_states
        return cls(freeze(np.repeat(share[:, None], n_states, axis=1)), freeze(counts))

    def mean(self) -> ClassTable:
        """Return the posterior means: (prior + counts) / their sum."""
        return normalise(self.prior + self.counts)

    def maximum_likelihood(self) -> ClassTable:
        """Return the relative frequencies; a class that was never observed gets equal probabilities."""
        seen = self.counts.sum(axis=1, keepdims=True) > 0
        return normalise(np.where(seen, self.counts, 1.0))

    def draw(self, rng: np.random.Generator) -> ClassTable:
        """Return probabilities drawn from the posteriors."""
        return freeze(np.array([rng.dirichlet(row) for row in self.prior + self.counts]))


def estimate_means(partition: Partition, smoothing: Smoothing | PruningAverage, counts: ClassTable) -> ClassTable:
    """Return the distribution of every class from counts by class: the means of the posterior, or of all prunings."""
    if isinstance(smoothing, Smoothing):
        return ClassPosteriors.of(partition, smoothing, counts).mean()
    size, spread, kappa = smoothing
    return freeze(partition.average_prunings(counts, size, spread == "classes", log(kappa)))


def class_counts(counts: Counts, partition: Partition) -> ClassTable:
    """Return counts by class from counts by configuration."""
    return freeze(partition.add_up(counts))


def count_classes(
    partition: Partition,
    above: NDArray[np.uint8],
    codes: NDArray[np.uint8],
    n_states: int,
    weights: NDArray[np.int64] | NDArray[np.float64] | None = None,
) -> ClassTable:
    """Return counts by class from the codes of a node and, an array row each, of its parents; no grid is made."""
    cells = partition.classes_of_rows(above).astype(np.int64) * n_states + codes
    counts = np.bincount(cells, weights, partition.n_classes * n_states).astype(np.float64)
    return freeze(counts.reshape(-1, n_states))


def configuration_counts(counts: ClassTable, partition: Partition) -> Counts:
    """Return counts by configuration that add up to the counts by class: all of a class's are in its first one.

    The likelihood of a partition knows them by class only, so it makes no difference where in a class they are.
    """
    if partition.as_tree() is not None:
        return counts
    table = np.zeros((partition.grid.size, counts.shape[1]))
    table[partition.first] = counts
    return table


def log_likelihood(counts: ClassTable, probabilities: ClassTable) -> float:
    """Return the log probability of counts by class; minus infinity if something impossible was counted."""
    seen = counts > 0
    if np.any(probabilities[seen] == 0):
        return -np.inf
    return float(counts[seen] @ np.log(probabilities[seen]))


def log_marginals(counts: ClassTable, prior: ClassTable) -> NDArray[np.float64]:
    """Return the log marginal likelihood of each row of counts, given what the prior counts for in each state."""
    sizes = prior.sum(axis=1)
    gained = _log_gamma(sizes) - _log_gamma(sizes + counts.sum(axis=1))
    return np.asarray(gained + (_log_gamma(prior + counts) - _log_gamma(prior)).sum(axis=1))


def _log_gamma(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array(list(map(lgamma, values.reshape(-1).tolist()))).reshape(values.shape)


def normalise(table: ClassTable) -> ClassTable:
    """Return rows that sum to 1, read-only."""
    return freeze(table / table.sum(axis=1, keepdims=True))


def freeze(table: ClassTable) -> ClassTable:
    """Return an array, now read-only, in the layout that the native loops want."""
    table = np.ascontiguousarray(table, dtype=np.float64)
    table.flags.writeable = False
    return table


_TINY = 1e-300
_STEPS = 10_000
_CLOSE = 1e-13
_BISECTIONS = 200


def beta_intervals(a: NDArray[np.float64], b: NDArray[np.float64], level: float) -> NDArray[np.float64]:
    """Return the ends of the equal-tailed interval that each Beta(a, b) variable falls into with a probability.

    Examples
    --------
    >>> beta_intervals(np.array([2.0, 5.0]), np.array([2.0, 0.0]), 0.5).round(4).tolist()
    [[0.3264, 0.6736], [1.0, 1.0]]
    """
    pairs, places = np.unique(np.column_stack([a, b]), axis=0, return_inverse=True)  # large tables have few of them
    ends = np.where(pairs[:, :1] > 0, np.ones((len(pairs), 2)), 0.0)  # a variable with one state has no width
    free = (pairs > 0).all(axis=1)
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    first, second = (np.repeat(pairs[free, side], 2) for side in (0, 1))
    ends[free] = _quantiles(first, second, np.tile(tails, int(free.sum()))).reshape(-1, 2)
    return ends[places.reshape(-1)]


def _quantiles(a: NDArray[np.float64], b: NDArray[np.float64], p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the numbers below which Beta(a, b) variables fall with probabilities p."""
    log_beta = np.array([lgamma(x) + lgamma(y) - lgamma(x + y) for x, y in zip(a.tolist(), b.tolist(), strict=True)])
    low, high, x = np.zeros_like(a), np.ones_like(a), a / (a + b)
    with np.errstate(all="ignore"):  # at the ends, densities are 0 or infinite, and a step in the middle is taken
        for _ in range(_BISECTIONS):
            rest = np.flatnonzero(high - low > _CLOSE)
            if not rest.size:
                break
            at = x[rest]
            above = _cdf(a[rest], b[rest], at, log_beta[rest]) - p[rest]
            low[rest[above < 0]], high[rest[above >= 0]] = at[above < 0], at[above >= 0]
            density = np.exp((a[rest] - 1) * np.log(at) + (b[rest] - 1) * np.log1p(-at) - log_beta[rest])
            newton = at - above / density
            is_inside = (newton > low[rest]) & (newton < high[rest])
            x[rest] = np.where(is_inside, newton, (low[rest] + high[rest]) / 2)
            settled = rest[is_inside & (np.abs(newton - at) <= _CLOSE * at)]
            low[settled] = high[settled] = x[settled]
    return x


def _cdf(
    a: NDArray[np.float64], b: NDArray[np.float64], x: NDArray[np.float64], log_beta: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the probabilities that Beta(a, b) variables are at most x, strictly between 0 and 1."""
    front = np.exp(a * np.log(x) + b * np.log1p(-x) - log_beta)
    is_left = x < (a + 1) / (a + b + 2)
    tail = front * _fraction(np.where(is_left, a, b), np.where(is_left, b, a), np.where(is_left, x, 1 - x))
    return np.where(is_left, tail / a, 1 - tail / b)


def _fraction(a: NDArray[np.float64], b: NDArray[np.float64], x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Evaluate the continued fractions by Lentz's method, each until it changes no more."""
    c, d = np.ones_like(a), 1 / _keep_from_zero(1 - (a + b) * x / (a + 1))
    result, done = d.copy(), np.zeros_like(a)
    rest = np.arange(len(a))
    for m in range(1, _STEPS):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _keep_from_zero(1 + numerator * d)
            c = _keep_from_zero(1 + numerator / c)
            change = c * d
            result *= change
        moves = np.abs(change - 1) >= 1e-15
        if not moves.all():
            done[rest[~moves]] = result[~moves]
            rest = rest[moves]
            a, b, x, c, d, result = (part[moves] for part in (a, b, x, c, d, result))
            if not rest.size:
                break
    done[rest] = result
    return done


def _keep_from_zero(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(np.abs(values) > _TINY, values, _TINY)
