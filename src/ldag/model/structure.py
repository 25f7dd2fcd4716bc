"""A labelled DAG by node numbers: who the parents are, and which parent configurations share a distribution.

With a distribution for every class it is a `Model`, which inference works on.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np

from ldag.model.parameters import ClassTable
from ldag.model.partition import Grid, Labels, Partition, WrittenLabels, no_labels

Parents = Sequence[Sequence[int]]
"""The parents of every node."""


@dataclass(frozen=True)
class CodedFamily:
    """The local structure of one node: its parents (ascending) and the partition of their configurations.

    ``labels`` are as they were written; the maximal ones are ``partition.labels``. Families are equal when
    parents and partitions are, however the labels were written.
    """

    parents: tuple[int, ...]
    partition: Partition
    _labels: Labels | Callable[[], Labels] | None = field(default=None, compare=False, repr=False)
    """What was written, or what returns it; None: the maximal ones."""

    @classmethod
    def from_labels(cls, parents: tuple[int, ...], grid: Grid, labels: Labels) -> "CodedFamily":
        """Make the family whose partition the labels induce."""
        return cls(parents, Partition.from_labels(grid, labels), labels)

    @classmethod
    def from_partition(cls, parents: tuple[int, ...], partition: Partition) -> "CodedFamily":
        """Make the family of a partition, with maximal labels."""
        return cls(parents, partition)

    @classmethod
    def from_written(cls, parents: tuple[int, ...], written: WrittenLabels) -> "CodedFamily":
        """Make the family of labels and classes as they were written; nothing is worked out yet."""
        return cls(parents, Partition.of_written(written), None if written.classes else written.masks)

    @classmethod
    def table(cls, parents: tuple[int, ...], grid: Grid) -> "CodedFamily":
        """Make an ordinary family: a full table, no labels."""
        return cls(parents, Partition.singletons(grid), partial(no_labels, grid))

    @cached_property
    def labels(self) -> Labels:
        """The labels as they were written."""
        if self._labels is None:
            return self.partition.labels
        return self._labels() if callable(self._labels) else self._labels

    def has_label(self, axis: int) -> bool:
        """Tell whether a label is written on a parent's edge."""
        return self.partition.has_label(axis) if self._labels is None else bool(self.labels[axis].any())

    @property
    def is_maximal(self) -> bool:
        """Whether every line inside one class is written in a label."""
        if self._labels is None:
            return True
        return all(np.array_equal(a, b) for a, b in zip(self.labels, self.partition.labels, strict=True))

    @cached_property
    def labelled_axes(self) -> tuple[int, ...]:
        """Parents whose maximal label is not empty."""
        return tuple(axis for axis in range(len(self.parents)) if self.partition.has_label(axis))

    def dense(self) -> "CodedFamily":
        """Return the same, known by the class of every configuration, where these can be listed."""
        if self.partition.as_tree() is None:
            return self
        return CodedFamily.from_partition(self.parents, self.partition.dense())

    def maximal(self) -> "CodedFamily":
        """Close the labels; the partition stays."""
        return CodedFamily.from_partition(self.parents, self.partition)

    def regular(self) -> "CodedFamily":
        """Drop the parents that make no difference, and express the partition over the others."""
        irrelevant = self.partition.irrelevant_axes()
        if not irrelevant:
            return self.maximal()
        kept = tuple(parent for axis, parent in enumerate(self.parents) if axis not in irrelevant)
        return CodedFamily.from_partition(kept, self.partition.without(irrelevant))

    def renumbered(self, new: Sequence[int]) -> "CodedFamily":
        """Return the family after node i was renamed new[i]."""
        order = sorted(range(len(self.parents)), key=lambda axis: new[self.parents[axis]])
        parents = tuple(new[self.parents[axis]] for axis in order)
        if order == list(range(len(order))):
            return CodedFamily(parents, self.partition, self._labels)
        if self._labels is None:
            return CodedFamily.from_partition(parents, self.partition.reordered(order))
        labels = []
        for axis in order:
            others = tuple(a for a in range(len(self.parents)) if a != axis)
            shape = [self.partition.grid.n_states[a] for a in others]
            wanted = [others.index(a) for a in order if a != axis]
            labels.append(self.labels[axis].reshape(shape).transpose(wanted).reshape(-1))
        return CodedFamily(parents, self.partition.reordered(order), tuple(labels))


@dataclass(frozen=True)
class Structure:
    """Numbers of states and the family of every node. The edges must be acyclic."""

    n_states: tuple[int, ...]
    families: tuple[CodedFamily, ...]

    def __len__(self) -> int:
        return len(self.families)

    def grid(self, parents: Iterable[int]) -> Grid:
        """Return the grid of configurations of some nodes."""
        return Grid(tuple(self.n_states[parent] for parent in parents))

    def parents(self, node: int) -> tuple[int, ...]:
        """Return the parents of a node, ascending."""
        return self.families[node].parents

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """All edges (parent, child), by child and then by parent."""
        return tuple((i, j) for j, family in enumerate(self.families) for i in family.parents)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Children of every node, ascending."""
        children: list[list[int]] = [[] for _ in self.families]
        for parent, child in self.edges:
            children[parent].append(child)
        return tuple(tuple(sorted(c)) for c in children)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Nodes with parents before children; the smallest number first where there is a choice."""
        order = topological_order([family.parents for family in self.families])
        assert order is not None, "the structure has a cycle"
        return order

    def dimension(self, node: int) -> int:
        """Free parameters of a node: (r_j - 1) per class."""
        return (self.n_states[node] - 1) * self.families[node].partition.n_classes

    def dag_dimension(self, node: int) -> int:
        """Free parameters of a node without labels: (r_j - 1) per configuration."""
        return (self.n_states[node] - 1) * self.families[node].partition.grid.size

    @property
    def is_maximal(self) -> bool:
        """Whether every node's labels are closed."""
        return all(family.is_maximal for family in self.families)

    @property
    def is_regular(self) -> bool:
        """Whether no edge vanishes altogether."""
        return self.edges == self.regular().edges

    @property
    def is_table(self) -> bool:
        """Whether every configuration of parents has a distribution of its own: an ordinary DAG."""
        return all(family.partition.is_table for family in self.families)

    @property
    def is_csi_consistent(self) -> bool:
        """Whether the labels tell everything about every node."""
        return all(family.partition.is_csi_consistent for family in self.families)

    def maximal(self) -> "Structure":
        """Close all labels."""
        return Structure(self.n_states, tuple(family.maximal() for family in self.families))

    def regular(self) -> "Structure":
        """Drop the edges that vanish altogether: idle parents, and the parents of a node with one state."""
        orphan = CodedFamily.table((), Grid(()))
        families = zip(self.n_states, self.families, strict=True)
        return Structure(self.n_states, tuple(family.regular() if r > 1 else orphan for r, family in families))

    def reordered(self, order: Sequence[int]) -> "Structure":
        """Return the same structure with the nodes in another order: new node a is old node order[a]."""
        new = [0] * len(order)
        for position, node in enumerate(order):
            new[node] = position
        return Structure(
            tuple(self.n_states[node] for node in order),
            tuple(self.families[node].renumbered(new) for node in order),
        )

    def ancestors(self, nodes: Iterable[int]) -> frozenset[int]:
        """Return the nodes and everything above them."""
        return _reach(nodes, [family.parents for family in self.families])

    def descendants(self, nodes: Iterable[int]) -> frozenset[int]:
        """Return the nodes and everything below them."""
        return _reach(nodes, self.children)

    def markov_blanket(self, nodes: Iterable[int]) -> frozenset[int]:
        """Return the parents of nodes, their children and the other parents of these, without the nodes themselves."""
        chosen = set(nodes)
        around: set[int] = set()
        for child, family in enumerate(self.families):
            if child in chosen or chosen.intersection(family.parents):
                around |= {child, *family.parents}
        return frozenset(around - chosen)


def _reach(nodes: Iterable[int], next_to: Parents) -> frozenset[int]:
    """Return the nodes and everything that steps lead to."""
    reached = set(nodes)
    todo = list(reached)
    while todo:
        for node in next_to[todo.pop()]:
            if node not in reached:
                reached.add(node)
                todo.append(node)
    return frozenset(reached)


def topological_order(parents: Sequence[Sequence[int]]) -> tuple[int, ...] | None:
    """Return nodes with parents before children, the smallest first, or None if there is a cycle."""
    waiting = {node: set(above) for node, above in enumerate(parents)}
    order: list[int] = []
    while waiting:
        free = [node for node, above in waiting.items() if not above]
        if not free:
            return None
        node = min(free)
        del waiting[node]
        order.append(node)
        for above in waiting.values():
            above.discard(node)
    return tuple(order)


def find_cycle(parents: Sequence[Sequence[int]]) -> tuple[int, ...] | None:
    """Return a cycle as a path along the edges that ends where it began, or None if there is none."""
    state = [0] * len(parents)  # 0 new, 1 on the path, 2 done
    for start in range(len(parents)):
        if state[start]:
            continue
        state[start] = 1
        path = [start]
        pending = [iter(parents[start])]
        while path:
            above = next(pending[-1], None)
            if above is None:
                state[path.pop()] = 2
                pending.pop()
            elif state[above] == 1:
                cycle = [*path[path.index(above) :], above]
                return tuple(reversed(cycle))
            elif state[above] == 0:
                state[above] = 1
                path.append(above)
                pending.append(iter(parents[above]))
    return None


@dataclass(frozen=True, eq=False)
class Model:
    """A structure, and for each node the distribution of every class."""

    structure: Structure
    probabilities: tuple[ClassTable, ...]

    def intervened(self, nodes: Iterable[int]) -> "Model":
        """Return the model in which some nodes are set from outside: they have no parents, and every state weight 1.

        Conditioning on their states is then the same as setting them, and what is set counts for nothing in the
        probability of other findings. All of these nodes must have a state given: their weights are no distribution.
        """
        families, tables = list(self.structure.families), list(self.probabilities)
        for node in nodes:
            n_states = self.structure.n_states[node]
            families[node] = CodedFamily.table((), Grid(()))
            tables[node] = np.ones((1, n_states))
        return Model(Structure(self.structure.n_states, tuple(families)), tuple(tables))
