"""Folds and draws of rows that belong together: a group is in one fold, and drawn as a whole."""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldag.data import Dataset, GroupRows
from ldag.errors import DataError, argument, option

FEWEST_GROUPS = 5
"""With fewer, what one of them happens to have in common decides what predicts best."""


def count_units(data: Dataset) -> float:
    """Return how many units there are that nothing else depends on: groups, or else observations."""
    return len(data.groups) if data.is_grouped and data.groups is not None else data.total


def check_groups(data: Dataset) -> int:
    """Refuse too few groups; return how many there are."""
    groups = data.groups
    if groups is None or len(groups) < FEWEST_GROUPS:
        shown, noun, nouns = ("", "group", "groups") if groups is None else (groups.in_words, groups.noun, groups.nouns)
        raise DataError(
            f"cross-validation hides one {noun} or more at a time and needs at least {FEWEST_GROUPS} {nouns}, got"
            f" {shown}: with so few, what one of them has in common decides; without cross-validation,"
            f" {argument('kappa')} and {argument('equivalent_sample_size')} are numbers, and without"
            f" {option('groups')} rows are taken as independent"
        )
    return len(groups)


@dataclass(frozen=True, eq=False)
class FoldGroups:
    """Which groups a fold predicts, and the rows of all."""

    rows: GroupRows
    inside: NDArray[np.bool_]

    def count_inside(self) -> NDArray[np.int64]:
        """Return how often every row is predicted."""
        return self.rows.count(self.inside.astype(np.int64))

    def draw_others(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return how often every row occurs where as many groups are drawn with replacement as are learned from."""
        return self.rows.count(_draw_evenly(~self.inside, rng))

    def add_up(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum over every group inside of values of all rows."""
        return self.rows.add_up(values)[self.inside]


def deal_groups(rows: GroupRows, n_folds: int, rng: np.random.Generator) -> Iterator[FoldGroups]:
    """Deal groups to folds: the largest first, those of one size in random order, each to the fold with fewest rows."""
    sizes = rows.sizes
    shuffled = rng.permutation(rows.n_groups)
    heap = [(0, fold) for fold in range(n_folds)]
    fold_of = np.zeros(rows.n_groups, dtype=np.intp)
    for group in shuffled[np.argsort(-sizes[shuffled], kind="stable")].tolist():
        size, fold = heap[0]
        fold_of[group] = fold
        heapq.heapreplace(heap, (size + int(sizes[group]), fold))
    for fold in rng.permutation(n_folds):
        yield FoldGroups(rows, fold_of == fold)


class GroupMean(NamedTuple):
    """A mean over rows, and its standard error where only groups are independent."""

    mean: float
    error: float
    n_rows: int
    n_groups: int


def weigh_groups(sums: NDArray[np.float64], sizes: NDArray[np.float64]) -> GroupMean:
    """Return the mean of values of rows, given the sum over every group and how many rows it has.

    It is a ratio of two sums over groups, whose error to first order is that of the sums of what is left: values
    less the mean.
    """
    n, total = len(sums), float(sizes.sum())
    mean = float(sums.sum()) / total
    left = sums - mean * sizes
    return GroupMean(mean, sqrt(n / max(n - 1, 1) * float(left @ left)) / total, int(total), n)


def draw_rows(data: Dataset, rng: np.random.Generator) -> Dataset:
    """Return as many observations drawn with replacement, or as many groups, each with all its rows."""
    merged = data.ungrouped()
    if data.is_grouped:
        rows = data.group_rows
        return merged.reweighed(rows.count(_draw_evenly(np.ones(rows.n_groups, dtype=np.bool_), rng)))
    weights = merged.whole_weights
    return merged.reweighed(rng.multinomial(weights.sum(), weights / weights.sum()))


def _draw_evenly(chosen: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return how often each is drawn of those chosen."""
    n = int(chosen.sum())
    draws = np.zeros(len(chosen), dtype=np.int64)
    draws[chosen] = rng.multinomial(n, np.full(n, 1 / n))
    return draws
