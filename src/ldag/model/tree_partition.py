"""A partition that is known by a tree of questions, however many configurations there are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldag import _native
from ldag.errors import TooLarge
from ldag.model.partition import (
    MAX_CONFIGURATIONS,
    MAX_PARENTS,
    Grid,
    Indices,
    Partition,
)
from ldag.model.pruning import average_prunings, lean_on_above
from ldag.model.tree import CodedTree, Reader, StateBox, compare_trees, regions_without, states_in


@dataclass(frozen=True, eq=False)
class TreePartition(Partition):
    """The other face of a partition: its classes are leaves of a tree, or several leaves each.

    It answers what a partition answers. What needs every configuration is worked out where they are few enough, and
    refused elsewhere.

    Examples
    --------
    >>> tree = CodedTree.of((2, 2), [(0, [1, 2]), 5, (1, [3, 4]), 7, 5])
    >>> partition = TreePartition.of_tree(tree)
    >>> partition.n_classes, partition.to_array().tolist()
    (2, [0, 0, 1, 0])
    """

    tree: CodedTree = field(kw_only=True)
    whose: str = field(default="a node", kw_only=True)
    """Whose parents these are, for messages."""

    @classmethod
    def of_tree(cls, tree: CodedTree, whose: str = "a node") -> "TreePartition":
        """Make the partition of a tree, with its classes numbered by their first configuration."""
        return cls.number_classes(tree, whose)[0]

    @classmethod
    def number_classes(cls, tree: CodedTree, whose: str = "a node") -> tuple["TreePartition", NDArray[np.intp]]:
        """Return the partition, and for each of its classes the number that the tree gave it."""
        given, inverse = np.unique(tree.classes, return_inverse=True)
        order = np.lexsort(tree.lowest.T[::-1]) if tree.lowest.shape[1] else np.zeros(1, dtype=np.intp)
        place = np.full(len(given), len(order))
        np.minimum.at(place, inverse[order], np.arange(len(order)))
        by_rank = np.argsort(place)
        rank = np.empty(len(given), dtype=np.int32)
        rank[by_rank] = np.arange(len(given), dtype=np.int32)
        numbered = tree.with_classes(rank[inverse])
        grid = Grid(tree.n_states)
        result = cls(grid, partial(_list_classes, numbered, whose), len(given), tree=numbered, whose=whose)
        return result, given[by_rank].astype(np.intp)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Partition):
            return NotImplemented
        if self.grid != other.grid or self.n_classes != other.n_classes:
            return False
        if not isinstance(other, TreePartition):
            return self._key == other._key
        if np.array_equal(self.tree.axes, other.tree.axes) and np.array_equal(self.tree.targets, other.tree.targets):
            return np.array_equal(self.tree.classes, other.tree.classes)
        readers = [Reader(self.tree), Reader(other.tree)]
        return all(mine == theirs for _, (mine, theirs) in compare_trees(readers))  # both numbered by first appearance

    __hash__ = Partition.__hash__

    @cached_property
    def is_csi_consistent(self) -> bool:
        """Whether the labels tell everything: each class is connected through lines inside it."""
        if self.tree.has_classes_apart:  # a leaf with some, not all, states of an axis is not joined along it
            return all(
                states.bit_count() in (1, self.grid.n_states[axis])
                for _, box in self.tree.boxes()
                for axis, states in box.items()
            )
        return self.dense().is_csi_consistent

    def as_tree(self) -> CodedTree:
        """Return the tree."""
        return self.tree

    def dense(self) -> Partition:
        """Return the same with a class number for every configuration."""
        return Partition.from_numbers(self.grid, self.to_array(), self.n_classes)

    @cached_property
    def _labelled(self) -> tuple[bool, ...]:
        return tuple(
            any(is_gone for _, is_gone in regions_without(self.tree, axis)) for axis in range(self.grid.n_axes)
        )

    def has_label(self, axis: int) -> bool:
        """Tell whether a parent's edge vanishes anywhere."""
        return self._labelled[axis]

    def vanishes(self, axis: int, context: Mapping[int, int]) -> bool:
        """Tell whether a parent makes no difference throughout a context."""
        box = {other: 1 << state for other, state in context.items()}
        return all(is_gone for _, is_gone in regions_without(self.tree, axis, box))

    def label_boxes(self, axis: int) -> list[dict[int, tuple[int, ...]]]:
        """Return sets of configurations of the other axes in which an edge vanishes, the states of each axis.

        The largest come first.
        """
        boxes = [box for box, is_gone in regions_without(self.tree, axis) if is_gone]
        return [_spell(box) for box in sorted(boxes, key=self._share, reverse=True)]

    def share_without(self, axis: int) -> float:
        """Return the share of the configurations in which a parent makes no difference."""
        return sum(self._share(box) for box, is_gone in regions_without(self.tree, axis) if is_gone)

    def _share(self, box: StateBox) -> float:
        return prod(states.bit_count() / self.grid.n_states[axis] for axis, states in box.items())

    def rows_without(self, axis: int, counts: NDArray[np.float64]) -> float | None:
        """Return how many of the rows counted by class are where an edge vanishes, if the classes tell that."""
        if not self.tree.has_classes_apart:
            return None
        rows = counts.sum(axis=1)
        return float(sum(rows[number] for number, box in self.boxes() if axis not in box))

    def irrelevant_axes(self) -> tuple[int, ...]:
        """Return the parents that make no difference anywhere."""
        return tuple(axis for axis in range(self.grid.n_axes) if self.vanishes(axis, {}))

    def restricted_classes(self, context: Mapping[int, int]) -> tuple[Partition, NDArray[np.intp]]:
        """Return the same, and the number that each of its classes has here."""
        return TreePartition.number_classes(self.tree.restricted(context), self.whose)

    def reordered(self, order: Sequence[int]) -> Partition:
        """Return the same partition with the parents in another order: new axis a is old axis order[a]."""
        return TreePartition.of_tree(self.tree.reordered(order), self.whose)

    def realigned(self, order: Sequence[int], states: Sequence[ArrayLike]) -> tuple[Partition, NDArray[np.intp]]:
        """Return the partition with axes and states in another order, and the number that each class has here."""
        return TreePartition.number_classes(
            self.tree.reordered(order).with_states([np.asarray(own).tolist() for own in states]), self.whose
        )

    def to_native(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """Return the nodes of the tree as native loops take them: axes, targets of their states, classes."""
        return self.tree.axes, self.tree.targets, self.tree.class_of_node

    def classes_of_rows(self, codes: NDArray[np.uint8]) -> NDArray[np.int32]:
        """Return the class of each row of a data set, given as an array row of codes per parent."""
        return _native.classes_of_rows(self.to_native(), self.grid.n_states, codes, 0)

    @property
    def is_tree_of_classes(self) -> bool:
        """Whether every class is a leaf."""
        return self.tree.has_classes_apart

    def lean_on_above(self, counts: NDArray[np.float64], strength: float) -> NDArray[np.float64]:
        """Return what the prior of every class counts for where it leans on the node above it."""
        prior = np.empty_like(counts)
        prior[self.tree.classes] = lean_on_above(self.tree, counts[self.tree.classes], strength)
        return prior

    def average_prunings(
        self, counts: NDArray[np.float64], size: float, per_class: bool, log_kappa: float
    ) -> NDArray[np.float64]:
        """Return the distribution of every class, averaged over all prunings of the tree.

        The prior counts for ``size`` observations, of every node as many or by its share of the configurations.
        """
        shares = self.tree.shares
        of_nodes = np.full(len(shares), size) if per_class else size * shares
        table = np.empty_like(counts)
        table[self.tree.classes] = average_prunings(self.tree, counts[self.tree.classes], of_nodes, log_kappa)[0]
        return table

    def add_up(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return a row per class; there is one already, unless every configuration has a row."""
        return rows.copy() if len(rows) == self.n_classes else super().add_up(rows)

    def shares(self, total: float) -> NDArray[np.float64]:
        """Return what each class gets of a total that is spread evenly over the configurations."""
        shares = np.zeros(self.n_classes)
        np.add.at(shares, self.tree.classes, self.tree.shares[self.tree.leaves])
        return total * shares

    @cached_property
    def first_configurations(self) -> NDArray[np.uint8]:
        """The first configuration of each class: a row per class, a column per axis."""
        order = np.lexsort(self.tree.lowest.T[::-1]) if self.grid.n_axes else np.zeros(1, dtype=np.intp)
        _, first = np.unique(self.tree.classes[order], return_index=True)
        return self.tree.lowest[order[first]]

    def rows_of_others(self, axis: int, counts: NDArray[np.float64]) -> None:
        """Return None: rows are counted by class."""
        del axis, counts

    def boxes(self) -> list[tuple[int, dict[int, tuple[int, ...]]]]:
        """Return sets of configurations of one class each, with the class, and the states of the axes that matter."""
        return [(int(self.tree.class_of_node[node]), _spell(box)) for node, box in self.tree.boxes()]


def _spell(box: StateBox) -> dict[int, tuple[int, ...]]:
    return {axis: tuple(states_in(states)) for axis, states in box.items()}


def _list_classes(tree: CodedTree, whose: str) -> NDArray[np.int32]:
    """Return the class of every configuration, if they can be listed."""
    n_axes, size = len(tree.n_states), prod(tree.n_states)
    if n_axes > MAX_PARENTS or size > MAX_CONFIGURATIONS:
        raise TooLarge(
            f"the {n_axes} parents of {whose} have {size:,} configurations, too many to list: at most"
            f" {MAX_CONFIGURATIONS:,} of {MAX_PARENTS} parents"
        )
    numbers = np.empty(size, dtype=np.int32)
    strides = Grid(tree.n_states).strides
    for node, box in tree.boxes():
        cells: Indices = np.zeros(1, dtype=np.int64)
        for axis, n in enumerate(tree.n_states):
            states = np.array(states_in(box[axis]) if axis in box else range(n), dtype=np.int64)
            cells = np.add.outer(cells, strides[axis] * states).reshape(-1)
        numbers[cells] = tree.class_of_node[node]
    return numbers
