"""Cut points that serve a model: chosen with a graph, after Friedman & Goldszmidt (1996).

A graph and the cut points of all measurements have one score: the log marginal likelihood of every family, in full
tables; minus the logarithm of the width of its bin for every value, since density is even in a bin, so that numbers of
bins compare; minus the logarithm of how many ways there are to choose as many cut points. In turn, a graph is climbed
to, and every column is cut best for the graph and the other columns, until nothing changes or twice more.

The score of a column is a sum over its bins as soon as their number is given: the best cut points of each number are
found by dynamic programming over its cells, many quantiles whose neighbours are joined.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import comb, log, pi, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldag import _native
from ldag.data.gaps import GAP
from ldag.data.rows import Weights
from ldag.model import Parents

SAMPLE_SIZE = 10.0
"""The equivalent sample size of every family."""

MOST_BINS = 12
"""Bins of a column."""

FIRST_BINS = 4
"""Quantiles that the first graph is climbed to with."""

N_CLIMBS = 3
"""Climbs, none of them with restarts: one to begin with, and two more after columns were cut; more change nothing."""

LARGEST = 1 << 21
"""Numbers that are worked on at once."""

FEW_CONFIGURATIONS = 1 << 12
"""Configurations that are counted whether they occur or not, which is quicker than to look for those that do."""

CACHE_BYTES = 1 << 26
"""For the scores of families."""

Integers = NDArray[np.int64]
Vector = NDArray[np.float64]


def cut_by_model(
    codes: Integers, n_states: Sequence[int], weights: Vector, widths: Mapping[int, Vector], keeps_gaps: bool = False
) -> dict[int, list[int]]:
    """Join neighbouring cells of some columns so that the score with a graph is best, as far as climbing finds it.

    Parameters
    ----------
    codes
        A row per column, a code per observation, -1 for a gap.
    n_states
        States of each column; cells, where it is to be cut.
    weights
        How often each observation occurs.
    widths
        The widths of the cells of the columns to cut.
    keeps_gaps
        Whether a gap is no state: then families are counted in the rows in which all of them are seen, scaled up to all
        rows. Else it is a state of its own.

    Returns
    -------
    For each such column, the last cell of every bin but the last.
    """
    columns = Cutting(codes, n_states, weights, widths, keeps_gaps)
    parents: Parents = [[]] * len(codes)
    for _ in range(N_CLIMBS):
        parents = columns.climb(parents)
        before = dict(columns.ends)
        columns.cut(parents)
        if columns.ends == before:
            break
    return columns.ends


class Cutting:
    """All columns, as they are cut so far; ``ends`` are the last cells of the bins of those that are."""

    def __init__(
        self,
        codes: Integers,
        n_states: Sequence[int],
        weights: Vector,
        widths: Mapping[int, Vector],
        keeps_gaps: bool = False,
    ) -> None:
        self.ends: dict[int, list[int]] = {}
        self._weights = weights
        self._gaps = codes < 0 if keeps_gaps and (codes < 0).any() else None  # that are no states
        self._is_whole = self._gaps is None and not (weights % 1).any()
        self._widths = widths
        self._has_gaps = [self._gaps is None and bool(row.any()) for row in codes < 0]
        self._cells = np.where(codes < 0, np.array(n_states)[:, None], codes)  # a gap is the last
        self._n_cells = list(n_states)
        self._codes = self._cells.copy()
        self._sizes = [n + has_gaps for n, has_gaps in zip(n_states, self._has_gaps, strict=True)]
        for place in widths:
            self._join(place, self._even_ends(place))

    def _even_ends(self, place: int) -> list[int]:
        """Return the cells after which about equal shares of the values end."""
        n_cells = self._n_cells[place]
        reached = np.cumsum(np.bincount(self._cells[place], self._weights, minlength=n_cells)[:n_cells])
        shares = np.arange(1, FIRST_BINS) / FIRST_BINS * reached[-1]
        return sorted(set(np.minimum(np.searchsorted(reached, shares), n_cells - 2).tolist()))

    def _join(self, place: int, ends: list[int]) -> None:
        """Cut a column."""
        self.ends[place] = ends
        last = [*ends, self._n_cells[place] - 1]
        self._codes[place] = np.searchsorted(np.array(last), self._cells[place], side="left")
        self._sizes[place] = len(last) + self._has_gaps[place]

    def climb(self, start: Parents) -> Parents:
        """Return the parents of every column in a graph that no single edge improves."""
        codes = self._codes if self._gaps is None else np.where(self._gaps, GAP, self._codes)
        columns = _native.Columns(codes.astype(np.uint8), self._sizes, self._weights, self._gaps is not None)
        scorer = _native.FamilyScorer(columns, SAMPLE_SIZE, 0.0, 0.0, "table", "greedy", True, 0, 0, CACHE_BYTES)
        nodes = range(len(self._sizes))
        others = [[other for other in nodes if other != node] for node in nodes]
        most = [len(nodes) - 1 for _ in nodes]
        none: Parents = [[] for _ in nodes]
        parents, _, _, is_stopped, *_ = _native.search_climb(scorer, others, none, most, 0, 0, 0, 1, 0, start)
        if is_stopped:
            raise KeyboardInterrupt
        return parents

    def cut(self, parents: Parents) -> None:
        """Cut every column in turn, best for a graph and for the others as they are cut then."""
        for place in self._widths:
            self._join(place, self.find_ends(place, parents))

    def find_ends(self, place: int, parents: Parents) -> list[int]:
        """Return the best ends of the bins of a column, for a graph and the bins of the others."""
        n_cells = self._n_cells[place]
        low, high = np.triu_indices(n_cells + 1, 1)  # every bin that there may be, from one edge to another
        numbers = range(2, min(MOST_BINS, n_cells) + 1)
        best, best_ends = -np.inf, self.ends[place]
        for n_bins, total in zip(numbers, self._score_bins(place, parents, numbers, low, high), strict=True):
            scores = np.full((n_cells + 1, n_cells + 1), -np.inf)
            scores[low, high] = total[:-1]
            score, ends = divide(scores, n_bins)
            score += total[-1] - log(comb(n_cells - 1, n_bins - 1))
            if score > best:
                best, best_ends = score, ends
        return best_ends

    def _score_bins(self, place: int, parents: Parents, numbers: range, low: Integers, high: Integers) -> Vector:
        """Return what every bin of a column adds to the score, and last what gaps do, a row per number of bins."""
        edges = np.concatenate([[0.0], np.cumsum(self._widths[place])])
        alone = self._count(place, np.zeros_like(self._cells[place]), self._weigh([place]))
        times = _add_up(alone, low, high)[:-1, 0]
        density = np.append(-times * np.log(edges[high] - edges[low]), 0.0)
        totals = np.tile(density, (len(numbers), 1))
        for sign, divisor, table in self._tables(place, parents):
            counts = _add_up(table, low, high)
            for row, n_bins in enumerate(numbers):
                n_states = n_bins + self._has_gaps[place]
                totals[row] += sign * _sum_rising(SAMPLE_SIZE / (divisor * n_states), counts)
        return totals

    def _tables(self, place: int, parents: Parents) -> Iterator[tuple[int, int, Weights]]:
        """Go through the counts that the score of a column depends on, cells in rows.

        Each with its sign in the sum, and with how many parts the sample size of a bin is divided into.
        """
        size, numbers = self._number_configurations(parents[place])
        weights = self._weigh([place, *parents[place]])
        yield from ((1, size, part) for part in self._count_parts(place, numbers, weights))
        for child, above in enumerate(parents):
            if place in above:
                size, numbers = self._number_configurations([other for other in above if other != place])
                weights = self._weigh([child, *above])
                yield from ((-1, size, part) for part in self._count_parts(place, numbers, weights))
                n_states = self._sizes[child]
                with_child = numbers * n_states + self._codes[child]
                yield from ((1, size * n_states, part) for part in self._count_parts(place, with_child, weights))

    def _weigh(self, family: Sequence[int]) -> Vector:
        """Return how often rows count for a family: not at all where a gap is no state, and more where all is seen."""
        if self._gaps is None:
            return self._weights
        seen = np.where(self._gaps[list(family)].any(axis=0), 0.0, self._weights)
        total = seen.sum()
        return seen * (self._weights.sum() / total) if total else seen

    def _number_configurations(self, nodes: Sequence[int]) -> tuple[int, Integers]:
        """Return how many configurations some columns have, and a number for that of each row."""
        size = prod(self._sizes[node] for node in nodes)
        numbers = np.zeros(self._codes.shape[1], dtype=np.int64)
        for node in nodes:
            numbers = numbers * self._sizes[node] + self._codes[node]
        return size, numbers if size <= FEW_CONFIGURATIONS else np.unique(numbers, return_inverse=True)[1]

    def _count_parts(self, place: int, numbers: Integers, weights: Vector) -> Iterator[Weights]:
        """Count the cells of a column in each of some groups of rows, as many groups at once as can be worked on."""
        table = self._count(place, numbers, weights)
        table = table[:, table.any(axis=0)]
        step = max(LARGEST // len(table) ** 2, 1)
        yield from (table[:, first : first + step] for first in range(0, table.shape[1], step))

    def _count(self, place: int, numbers: Integers, weights: Vector) -> Weights:
        n_rows = self._n_cells[place] + 1  # with that of gaps
        n_groups = int(numbers.max()) + 1
        keys = self._cells[place] * n_groups + numbers
        table = np.bincount(keys, weights, minlength=n_rows * n_groups).reshape(n_rows, n_groups)
        return table.astype(np.int64) if self._is_whole else table


def _add_up(table: Weights, low: Integers, high: Integers) -> Weights:
    """Return the sums of rows from one edge to another, and the last row, which is no cell."""
    sums = np.concatenate([np.zeros_like(table[:1]), np.cumsum(table[:-1], axis=0)])
    return np.concatenate([sums[high] - sums[low], table[-1:]])


def divide(scores: Vector, n_bins: int) -> tuple[float, list[int]]:
    """Return the best sum of scores of so many bins, by the edges that each goes between, and their last cells."""
    best, ways = scores[0], list[Integers]()
    for _ in range(n_bins - 1):
        further = best[:, None] + scores
        ways.append(np.argmax(further, axis=0))
        best = further.max(axis=0)
    edge, ends = len(scores) - 1, list[int]()
    for way in reversed(ways):
        edge = int(way[edge])
        ends.append(edge - 1)
    return float(best[-1]), ends[::-1]


def _sum_rising(first: float, counts: Weights) -> Vector:
    """Return for every row the sum of the logarithms of first (first + 1) ... (first + count - 1)."""
    most = int(counts.max())
    if counts.dtype == np.int64 and most < counts.size:  # most of them several times
        logs = log_gamma(np.arange(most + 1) + first)[counts]
    else:
        logs = log_gamma(counts + first)
    return np.asarray((logs - log_gamma(np.array([first]))).sum(axis=1))


def log_gamma(numbers: NDArray[Any]) -> Vector:
    """Return the logarithm of the gamma function of positive numbers, by Stirling's series after eight steps up."""
    below = numbers.copy()
    for step in range(1, 8):
        below *= numbers + step
    above = numbers + 8
    series = (1 / 12 - (1 / 360 - 1 / 1260 / above**2) / above**2) / above
    return np.asarray((above - 0.5) * np.log(above) - above + 0.5 * log(2 * pi) + series - np.log(below))
