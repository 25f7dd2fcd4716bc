"""Canonical partitions of a grid of parent configurations, and the labels people read them by.

A *line* along parent i is one configuration of the other parents with every state of i. A *label* of the
edge from i is a set of lines, written as a mask over the configurations of the other parents. Labels make
classes by joining lines; a partition shows as its labels every line that lies inside one class.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldag.model.grid import Grid, Indices

Mask = NDArray[np.bool_]
N = TypeVar("N", bound=np.generic)
Labels = tuple[Mask, ...]
"""One mask per parent: which configurations of the other parents make its edge vanish."""


@dataclass(frozen=True, eq=False)
class Partition:
    """Which configurations share one conditional distribution: a class number per configuration.

    Classes are numbered by first appearance, so equal partitions have equal numbers.

    Examples
    --------
    >>> Partition.of(Grid((2, 2)), [7, 3, 7, 7]).to_array().tolist()
    [0, 1, 0, 0]
    """

    grid: Grid
    _classes: NDArray[np.int32]
    n_classes: int
    _key: bytes = field(repr=False)

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
        return cls(grid, numbers, n_classes, numbers.tobytes())

    @classmethod
    def singletons(cls, grid: Grid) -> "Partition":
        """Every configuration by itself: an ordinary table."""
        return cls.from_numbers(grid, np.arange(grid.size, dtype=np.int32), grid.size)

    @classmethod
    def from_labels(cls, grid: Grid, labels: Sequence[Mask]) -> "Partition":
        """Join the lines that the labels name: the connected components."""
        joined = [grid.lines(axis)[mask] for axis, mask in enumerate(labels) if mask.any()]
        first = np.arange(grid.size)  # a configuration of the same class, lower and lower until it is the lowest
        while True:
            before = first.copy()
            for lines in joined:
                first[lines] = first[lines].min(axis=1, keepdims=True)
            first = first[first]
            if np.array_equal(first, before):
                return cls.of(grid, first)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Partition):
            return NotImplemented
        return self.grid == other.grid and self._key == other._key

    def __hash__(self) -> int:
        return hash((self.grid, self._key))

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

    def irrelevant_axes(self) -> tuple[int, ...]:
        """Return the parents that make no difference anywhere: their label is full."""
        return tuple(axis for axis, mask in enumerate(self.labels) if mask.all())

    def restricted(self, context: Mapping[int, int]) -> "Partition":
        """Return the partition of the other variables' configurations when some axes are fixed."""
        grid = self.grid.without(*context)
        return Partition.of(grid, self._classes[self.grid.matching(context)])

    def without(self, axes: Iterable[int]) -> "Partition":
        """Return the partition over fewer parents; the axes dropped must be irrelevant."""
        return self.restricted(dict.fromkeys(axes, 0))

    def reordered(self, order: Sequence[int]) -> "Partition":
        """Return the same partition with the parents in another order: new axis a is old axis order[a]."""
        grid = Grid(tuple(self.grid.n_states[axis] for axis in order))
        if self.is_table:
            return Partition.singletons(grid)
        return Partition.of(grid, self._classes.reshape(self.grid.n_states).transpose(order))

    def over(self, grid: Grid, axes: Sequence[int]) -> NDArray[np.int32]:
        """Return the class of every configuration of a larger grid, whose ``axes`` (ascending) are this one's."""
        shape = [n if axis in axes else 1 for axis, n in enumerate(grid.n_states)]
        return np.broadcast_to(self._classes.reshape(shape), grid.n_states).reshape(-1)

    def to_array(self) -> NDArray[np.int32]:
        """Return the class of every configuration, for those who need all of them: kernels, files, pictures."""
        return self._classes

    def classes_of(self, configurations: Indices) -> NDArray[np.int32]:
        """Return the classes of some configurations, given by number."""
        return self._classes[configurations]

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


def no_labels(grid: Grid) -> Labels:
    """Return empty labels for every parent of the grid."""
    return tuple(np.zeros(grid.size // n, dtype=np.bool_) for n in grid.n_states)
