"""Grids of parent configurations, their canonical partitions, and the labels people read these by.

A grid is numbered in mixed radix, the last parent fastest.
A *line* along parent i is one configuration of the other parents with every state of i. A *label* of the
edge from i is a set of lines, written as a mask over the configurations of the other parents. Labels make
classes by joining lines; a partition shows as its labels every line that lies inside one class.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import prod
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldag.model.tree import CodedTree

Indices = NDArray[np.int64]

MAX_CONFIGURATIONS = 2**24
"""Configurations of a grid that are listed at most."""

MAX_PARENTS = 32
"""Parents of a grid that is listed at most: no more of two states fit the configurations, and arrays have few axes."""

HASHED = 2**16
"""Partitions of more configurations are told apart by their classes only where they are equal otherwise."""


@dataclass(frozen=True)
class Grid:
    """All configurations of some variables, numbered 0 .. size - 1.

    Examples
    --------
    >>> grid = Grid((2, 3))
    >>> grid.configuration(4), grid.index((1, 1))
    ((1, 1), 4)
    """

    n_states: tuple[int, ...]

    @property
    def n_axes(self) -> int:
        """Number of variables."""
        return len(self.n_states)

    @cached_property
    def size(self) -> int:
        """Number of configurations, q."""
        return prod(self.n_states)

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """How far apart two configurations are that differ by one in one variable."""
        return tuple(prod(self.n_states[axis + 1 :]) for axis in range(self.n_axes))

    @cached_property
    def cube(self) -> Indices:
        """The numbers of the configurations, one axis per variable."""
        return np.arange(self.size, dtype=np.int64).reshape(self.n_states)

    def configuration(self, index: int) -> tuple[int, ...]:
        """Return the codes of one configuration."""
        return tuple(index // s % n for s, n in zip(self.strides, self.n_states, strict=True))

    def index(self, configuration: tuple[int, ...]) -> int:
        """Return the number of a configuration."""
        return sum(s * code for s, code in zip(self.strides, configuration, strict=True))

    def indices(self, codes: NDArray[np.uint8]) -> Indices:
        """Return the number of the configuration in each row of a data set: an array row of codes per variable."""
        index = np.zeros(codes.shape[1], dtype=np.int64)
        for row, stride in zip(codes, self.strides, strict=True):
            index += stride * row.astype(np.int64)
        return index

    def without(self, *axes: int) -> "Grid":
        """Return the grid of the other variables."""
        return Grid(tuple(n for axis, n in enumerate(self.n_states) if axis not in axes))

    def lines(self, axis: int) -> Indices:
        """Return the lines along a variable: row l holds the configurations that entry l of a label makes equal.

        Rows are numbered as the configurations of the other variables, ``without(axis)``.
        """
        return np.moveaxis(self.cube, axis, -1).reshape(-1, self.n_states[axis])

    def covering(self, contexts: Iterable[Mapping[int, int]]) -> NDArray[np.bool_]:
        """Return a mask of the configurations that agree with any of some contexts: fixed codes of some variables."""
        mask = np.zeros(self.n_states, dtype=np.bool_)
        for context in contexts:
            mask[tuple(context.get(axis, slice(None)) for axis in range(self.n_axes))] = True
        return mask.reshape(-1)

    def matching(self, context: Mapping[int, int]) -> Indices:
        """Return the configurations that agree with fixed codes of some variables."""
        chosen = tuple(context.get(axis, slice(None)) for axis in range(self.n_axes))
        return np.atleast_1d(self.cube[chosen]).reshape(-1)


Mask = NDArray[np.bool_]
NativeClasses = NDArray[np.int32] | tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]
"""A class per configuration; or of the nodes of a tree the axes, the targets of their states and the classes."""
N = TypeVar("N", bound=np.generic)
Labels = tuple[Mask, ...]
"""One mask per parent: which configurations of the other parents make its edge vanish."""


@dataclass(frozen=True, eq=False)
class Partition:
    """Which configurations share one conditional distribution: a class number per configuration.

    Classes are numbered by first appearance, so equal partitions have equal numbers. The numbers of a large grid are
    worked out when they are asked for.

    Examples
    --------
    >>> Partition.of(Grid((2, 2)), [7, 3, 7, 7]).to_array().tolist()
    [0, 1, 0, 0]
    """

    grid: Grid
    _numbers: NDArray[np.int32] | Callable[[], NDArray[np.int32]] = field(repr=False)
    """A number per configuration, or what returns them."""
    _n_classes: int | None = field(default=None, repr=False)
    """Where it is known without the numbers."""

    @classmethod
    def of(cls, grid: Grid, classes: ArrayLike) -> "Partition":
        """Make a partition from any class numbers, renumbering them by first appearance."""
        raw = np.asarray(classes).reshape(-1)
        _, first, inverse = np.unique(raw, return_index=True, return_inverse=True)
        rank = np.empty(len(first), dtype=np.int32)
        rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
        return cls.from_numbers(grid, rank[inverse.reshape(-1)], len(first))

    @classmethod
    def from_numbers(cls, grid: Grid, numbers: NDArray[np.int32], n_classes: int) -> "Partition":
        """Make a partition from an array of its own whose classes are numbered by first appearance already."""
        numbers.flags.writeable = False
        return cls(grid, numbers, n_classes)

    @classmethod
    def singletons(cls, grid: Grid) -> "Partition":
        """Every configuration by itself: an ordinary table."""
        return cls(grid, partial(np.arange, grid.size, dtype=np.int32), grid.size)

    @classmethod
    def from_labels(cls, grid: Grid, labels: Sequence[Mask]) -> "Partition":
        """Join the lines that the labels name: the connected components."""
        return cls.from_numbers(grid, *_renumber(_join_lines(grid, labels)))

    @classmethod
    def of_written(cls, written: "WrittenLabels") -> "Partition":
        """Return what labels and classes make of a grid; nothing is worked out yet."""
        return cls(written.grid, written.numbers)

    @classmethod
    def mostly_one(
        cls, grid: Grid, cells: Indices, classes: Sequence[int], rest: int
    ) -> tuple["Partition", tuple[int, ...]]:
        """Make a partition whose configurations but some are all of one class, and return its classes as given.

        ``classes`` of these ``cells`` and of the ``rest`` may have any numbers; the cost depends on the cells alone.
        """
        order = np.argsort(cells)
        gaps = np.flatnonzero(cells[order] != np.arange(len(cells)))
        left = int(gaps[0]) if len(gaps) else len(cells)  # the first configuration that is not named
        by_place = np.asarray(classes, dtype=np.int64)[order].tolist()
        others = [rest] if len(cells) < grid.size else []
        rank = {
            given: number for number, given in enumerate(dict.fromkeys([*by_place[:left], *others, *by_place[left:]]))
        }
        numbers = np.array([rank[given] for given in classes], dtype=np.int32)
        return cls(grid, partial(_fill, grid.size, cells, numbers, rank.get(rest, 0)), len(rank)), tuple(rank)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Partition):
            return NotImplemented
        return self.grid == other.grid and self._key == other._key

    def __hash__(self) -> int:
        return hash((self.grid, self._key if self.grid.size <= HASHED else self.n_classes))

    @cached_property
    def _classes(self) -> NDArray[np.int32]:
        """The class of every configuration."""
        if isinstance(self._numbers, np.ndarray):
            return self._numbers
        numbers = self._numbers()
        numbers.flags.writeable = False
        return numbers

    @cached_property
    def n_classes(self) -> int:
        """How many classes there are."""
        return int(self._classes.max()) + 1 if self._n_classes is None else self._n_classes

    @cached_property
    def _key(self) -> bytes:
        return self._classes.tobytes()

    @property
    def is_table(self) -> bool:
        """Whether every configuration is by itself: much is known of it at once."""
        return self.n_classes == self.grid.size

    @cached_property
    def labels(self) -> Labels:
        """Return the maximal labels: every line that lies inside one class."""
        if self.is_table and min(self.grid.n_states, default=2) > 1:
            return no_labels(self.grid)
        cube = self._classes.reshape(self.grid.n_states)
        masks = []
        for axis in range(self.grid.n_axes):
            equal = np.all(cube == np.take(cube, [0], axis=axis), axis=axis).reshape(-1)
            equal.flags.writeable = False
            masks.append(equal)
        return tuple(masks)

    @cached_property
    def is_csi_consistent(self) -> bool:
        """Whether the labels tell everything: each class is connected through lines inside it."""
        return Partition.from_labels(self.grid, self.labels) == self

    def dense(self) -> "Partition":
        """Return the same with a class number for every configuration, where these can be listed."""
        return self

    def as_tree(self) -> CodedTree | None:
        """Return the tree that this partition is known by, if it is."""
        return None

    def label_boxes(self, axis: int) -> Sequence[Mapping[int, tuple[int, ...]]] | None:
        """Return sets of configurations of the other axes in which an edge vanishes, if these can be told as such.

        Each has the states of the axes that matter; of other partitions, ``labels`` list the configurations.
        """
        del axis
        return None

    def boxes(self) -> Sequence[tuple[int, Mapping[int, tuple[int, ...]]]] | None:
        """Return sets of configurations of one class each, with the class, if the classes can be told as such."""
        return None

    def share_without(self, axis: int) -> float:
        """Return the share of the configurations in which a parent makes no difference."""
        return float(self.labels[axis].mean())

    def rows_without(self, axis: int, counts: NDArray[np.float64]) -> float | None:
        """Return how many of the rows counted by configuration are where an edge vanishes, if that can be told."""
        rows = np.moveaxis(counts.sum(axis=1).reshape(self.grid.n_states), axis, -1).sum(axis=-1).reshape(-1)
        return float(rows[self.labels[axis]].sum())

    def rows_of_others(self, axis: int, counts: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Return how many rows have each configuration of the other axes, an axis for each, if that can be told."""
        return np.asarray(counts.sum(axis=1).reshape(self.grid.n_states).sum(axis=axis))

    @property
    def is_tree_of_classes(self) -> bool:
        """Whether every class is a leaf of a tree, so that there are nodes above it to learn from; or the only one."""
        return self.grid.size == 1

    def lean_on_above(self, counts: NDArray[np.float64], strength: float) -> NDArray[np.float64]:
        """Return what the prior of every class counts for where it leans on the node above it; the root on ones."""
        assert self.is_tree_of_classes
        del strength
        return np.ones_like(counts)

    def average_prunings(
        self, counts: NDArray[np.float64], size: float, per_class: bool, log_kappa: float
    ) -> NDArray[np.float64]:
        """Return the distribution of every class, averaged over all prunings of its tree."""
        assert self.is_tree_of_classes
        del per_class, log_kappa
        prior = size / counts.shape[1]
        return np.asarray((counts + prior) / (counts + prior).sum(axis=1, keepdims=True))

    def irrelevant_axes(self) -> tuple[int, ...]:
        """Return the parents that make no difference anywhere: their label is full."""
        return tuple(axis for axis, mask in enumerate(self.labels) if mask.all())

    def has_label(self, axis: int) -> bool:
        """Tell whether a parent's edge vanishes anywhere."""
        return bool(self.labels[axis].any())

    def vanishes(self, axis: int, context: Mapping[int, int]) -> bool:
        """Tell whether a parent makes no difference throughout a context of the others."""
        chosen = tuple(context.get(other, slice(None)) for other in range(self.grid.n_axes) if other != axis)
        return bool(np.all(self.labels[axis].reshape(self.grid.without(axis).n_states)[chosen]))

    def restricted(self, context: Mapping[int, int]) -> "Partition":
        """Return the partition of the other variables' configurations when some axes are fixed."""
        return self.restricted_classes(context)[0]

    def restricted_classes(self, context: Mapping[int, int]) -> tuple["Partition", NDArray[np.intp]]:
        """Return the same, and the number that each of its classes has here."""
        classes = self.classes_within(context)
        partition = Partition.of(self.grid.without(*context), classes)
        return partition, classes[partition.first].astype(np.intp)

    def without(self, axes: Iterable[int]) -> "Partition":
        """Return the partition over fewer parents; the axes dropped must be irrelevant."""
        return self.restricted(dict.fromkeys(axes, 0))

    def reordered(self, order: Sequence[int]) -> "Partition":
        """Return the same partition with the parents in another order: new axis a is old axis order[a]."""
        grid = Grid(tuple(self.grid.n_states[axis] for axis in order))
        if self.is_table:
            return Partition.singletons(grid)
        return Partition.of(grid, self._classes.reshape(self.grid.n_states).transpose(order))

    def realigned(self, order: Sequence[int], states: Sequence[ArrayLike]) -> tuple["Partition", NDArray[np.intp]]:
        """Return the partition with axes and states in another order, and the number that each class has here.

        New axis a is old axis order[a], and its state s is old state states[a][s].
        """
        cube = self._classes.reshape(self.grid.n_states).transpose(order)
        classes = cube[np.ix_(*(np.asarray(own) for own in states))].reshape(-1)
        partition = Partition.of(Grid(tuple(len(np.asarray(own)) for own in states)), classes)
        return partition, classes[partition.first].astype(np.intp)

    def over(self, grid: Grid, axes: Sequence[int]) -> NDArray[np.int32]:
        """Return the class of every configuration of a larger grid, whose ``axes`` (ascending) are this one's."""
        shape = [n if axis in axes else 1 for axis, n in enumerate(grid.n_states)]
        return np.broadcast_to(self._classes.reshape(shape), grid.n_states).reshape(-1)

    def to_array(self) -> NDArray[np.int32]:
        """Return the class of every configuration, for those who need all of them: kernels, files, pictures."""
        return self._classes

    def to_native(self) -> "NativeClasses":
        """Return the classes as native loops take them: of every configuration, or as the nodes of a tree."""
        return self._classes

    def classes_of_rows(self, codes: NDArray[np.uint8]) -> NDArray[np.int32]:
        """Return the class of each row of a data set, given as an array row of codes per parent."""
        return self._classes[self.grid.indices(codes)]

    def classes_within(self, context: Mapping[int, int]) -> NDArray[np.int32]:
        """Return the classes of the configurations that agree with fixed codes of some axes."""
        return self._classes[self.grid.matching(context)]

    @cached_property
    def sizes(self) -> NDArray[np.intp]:
        """How many configurations each class has."""
        return np.bincount(self._classes, minlength=self.n_classes)

    def shares(self, total: float) -> NDArray[np.float64]:
        """Return what each class gets of a total that is spread evenly over the configurations."""
        return np.asarray(total * self.sizes / self.grid.size)

    @cached_property
    def first(self) -> NDArray[np.intp]:
        """The first configuration of each class."""
        return np.unique(self._classes, return_index=True)[1]

    def expand(self, rows: NDArray[N]) -> NDArray[N]:
        """Return a row per configuration from a row per class."""
        return rows[self._classes]

    def add_up(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return a row per class, the sum of the rows of its configurations."""
        table = np.zeros((self.n_classes, *rows.shape[1:]))
        np.add.at(table, self._classes, rows)
        return table

    def members(self) -> list[list[int]]:
        """Return the configurations of each class."""
        members: list[list[int]] = [[] for _ in range(self.n_classes)]
        for cell, number in enumerate(self._classes.tolist()):
            members[number].append(cell)
        return members


@dataclass(frozen=True, eq=False)
class WrittenLabels:
    """Labels and classes by contexts, as people write them: codes by axis, other axes free.

    ``labels`` has for each parent contexts of the others, by their axes in the grid without it; ``classes`` are sets of
    contexts of all parents, whose configurations are joined on top.
    """

    grid: Grid
    labels: tuple[tuple[Mapping[int, int], ...], ...]
    classes: tuple[tuple[Mapping[int, int], ...], ...] = ()

    def masks(self) -> Labels:
        """Return the labels as masks."""
        return self._masks

    @cached_property
    def _masks(self) -> Labels:
        masks = no_labels(self.grid)
        return tuple(
            self.grid.without(axis).covering(contexts) if contexts else masks[axis]
            for axis, contexts in enumerate(self.labels)
        )

    def numbers(self) -> NDArray[np.int32]:
        """Return the class of every configuration."""
        first = _join_lines(self.grid, self._masks)
        for contexts in self.classes:
            joined = first[self.grid.covering(contexts)]
            if len(joined):
                touched = np.zeros(len(first), dtype=np.bool_)
                touched[joined] = True
                first[touched[first]] = joined.min()
        return _renumber(first)[0]


def no_labels(grid: Grid) -> Labels:
    """Return empty labels for every parent of the grid, which take no memory."""
    return tuple(np.broadcast_to(np.False_, grid.size // n) for n in grid.n_states)


def _join_lines(grid: Grid, labels: Sequence[Mask]) -> NDArray[np.int32]:
    """Return for each configuration the lowest one that the lines of labels join it with."""
    lines = []
    for axis, mask in enumerate(labels):
        if mask.any():
            n, stride = grid.n_states[axis], grid.strides[axis]
            lines.append(((-1, n, stride), mask.reshape(-1, 1, stride)))
    first = np.arange(grid.size, dtype=np.int32)  # one of the same class, lower and lower until it is the lowest
    while lines:
        before = first.copy()
        for shape, mask in lines:
            cells = first.reshape(shape)
            np.copyto(cells, cells.min(axis=1, keepdims=True), where=mask)
        first = first[first]
        if np.array_equal(first, before):
            break
    return first


def _renumber(first: NDArray[np.int32]) -> tuple[NDArray[np.int32], int]:
    """Return class numbers by first appearance, and how many there are, from the lowest configuration of each class."""
    is_lowest = first == np.arange(len(first), dtype=np.int32)
    rank = np.cumsum(is_lowest, dtype=np.int32) - np.int32(1)
    return rank[first], int(rank[-1]) + 1


def _fill(size: int, cells: Indices, numbers: NDArray[np.int32], rest: int) -> NDArray[np.int32]:
    filled = np.full(size, rest, dtype=np.int32)
    filled[cells] = numbers
    return filled
