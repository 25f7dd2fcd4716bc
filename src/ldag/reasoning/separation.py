"""Context graphs, d-separation and CSI-separation (Definitions 7 to 9 of the paper), and when edges are absent."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ldag.model import CodedFamily, Grid, Mask, Parents, Structure, no_labels
from ldag.reasoning.markov import CodedEdge


def is_satisfied(family: CodedFamily, axis: int, context: Mapping[int, int]) -> bool:
    """Tell whether the maximal label of a parent's edge is satisfied in a context.

    It must mention a variable of the context and contain every completion of it over the other parents.
    """
    known = {a: context[parent] for a, parent in enumerate(family.parents) if a != axis and parent in context}
    return bool(known) and family.partition.vanishes(axis, known)


def context_parents(structure: Structure, context: Mapping[int, int]) -> tuple[tuple[int, ...], ...]:
    """Return the parents of every node in the context graph G(x_C): edges with a satisfied label are gone."""
    kept = []
    for family in structure.families:
        gone = {axis for axis in family.labelled_axes if is_satisfied(family, axis, context)}
        kept.append(tuple(p for axis, p in enumerate(family.parents) if axis not in gone))
    return tuple(kept)


def d_separated(parents: Parents, a: Iterable[int], b: Iterable[int], given: Iterable[int]) -> bool:
    """Tell whether ``given`` d-separates ``a`` from ``b``: no path in the moral graph of their ancestors."""
    blocked = _bits(given)
    goal = _bits(b)
    neighbours = _moral_graph(parents, _bits(a) | goal | blocked)
    reached = todo = _bits(a)
    while todo:
        node = (todo & -todo).bit_length() - 1
        new = neighbours[node] & ~blocked & ~reached
        if new & goal:
            return False
        reached |= new
        todo = (todo & (todo - 1)) | new
    return True


def csi_separated(
    structure: Structure,
    a: Iterable[int],
    b: Iterable[int],
    given: Iterable[int],
    context: Mapping[int, int],
) -> bool:
    """Tell whether a and b are d-separated by given and the context's variables in the context graph."""
    return d_separated(context_parents(structure, context), a, b, [*given, *context])


def label_variables(structure: Structure) -> frozenset[int]:
    """Return the variables that labels mention: fixing another one never removes an edge."""
    return frozenset(
        parent
        for family in structure.families
        for axis in family.labelled_axes
        for a, parent in enumerate(family.parents)
        if a != axis
    )


def context_structure(structure: Structure, context: Mapping[int, int]) -> Structure:
    """Return the context-specific LDAG G_L(x_C): satisfied edges gone, other labels read in the context."""
    parents = context_parents(structure, context)
    families = []
    for node, family in enumerate(structure.families):
        if parents[node] == family.parents and not any(parent in context for parent in family.parents):
            families.append(family)
        else:
            families.append(_in_context(structure, family, parents[node], context))
    return Structure(structure.n_states, tuple(families))


def _in_context(
    structure: Structure, family: CodedFamily, kept: tuple[int, ...], context: Mapping[int, int]
) -> CodedFamily:
    """Return a family over the kept parents, with the label entries that agree with the context.

    Of a tree the questions about the others are left out, whose answers make no difference in the context; what it says
    outside of the context means nothing.
    """
    if family.partition.as_tree() is not None:
        dropped = {axis: context.get(p, 0) for axis, p in enumerate(family.parents) if p not in kept}
        return CodedFamily.from_partition(kept, family.partition.restricted(dropped))
    grid = structure.grid(kept)
    labels = list(no_labels(grid))
    for new_axis, parent in enumerate(kept):
        old_axis = family.parents.index(parent)
        others = [p for p in family.parents if p != parent]
        labels[new_axis] = _label_in_context(
            family.partition.labels[old_axis], family.partition.grid.without(old_axis), others, kept, context
        )
    return CodedFamily.from_labels(kept, grid, tuple(labels))


def _label_in_context(
    label: Mask, grid: Grid, others: list[int], kept: tuple[int, ...], context: Mapping[int, int]
) -> Mask:
    """Keep a label's entries that hold for all states of the dropped parents and agree with the context."""
    cube = label.reshape(grid.n_states)
    for axis in reversed(range(len(others))):
        parent = others[axis]
        if parent not in kept:
            cube = np.take(cube, context[parent], axis) if parent in context else np.all(cube, axis=axis)
    remaining = [parent for parent in others if parent in kept]
    agrees = np.ones(cube.shape, dtype=np.bool_)
    for axis, parent in enumerate(remaining):
        if parent in context:
            states = np.arange(cube.shape[axis]) == context[parent]
            agrees &= states.reshape([-1 if a == axis else 1 for a in range(cube.ndim)])
    return np.asarray(cube & agrees, dtype=np.bool_).reshape(-1)


def _moral_graph(parents: Parents, of: int) -> list[int]:
    """Return neighbours (as bits) in the moral graph of the ancestors of some nodes."""
    neighbours = [0] * len(parents)
    seen = todo = of
    while todo:
        node = (todo & -todo).bit_length() - 1
        family = _bits(parents[node]) | 1 << node
        for member in (*parents[node], node):
            neighbours[member] |= family
        new = family & ~seen
        seen |= new
        todo = (todo & (todo - 1)) | new
    return neighbours


def _bits(nodes: Iterable[int]) -> int:
    """Return a set of nodes as the bits of a number."""
    bits = 0
    for node in nodes:
        bits |= 1 << node
    return bits


CodedContext = dict[int, int]


@dataclass(frozen=True, eq=False)
class Condition:
    """A yes or no for every configuration of some nodes, ascending, all of which matter."""

    nodes: tuple[int, ...]
    table: Mask

    @classmethod
    def of(cls, nodes: Sequence[int], table: Mask) -> "Condition":
        """Drop the nodes that make no difference."""
        idle = {axis for axis in range(table.ndim) if (table == np.take(table, [0], axis=axis)).all()}
        chosen = tuple(0 if axis in idle else slice(None) for axis in range(table.ndim))
        return cls(tuple(n for axis, n in enumerate(nodes) if axis not in idle), np.asarray(table[chosen]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Condition):
            return NotImplemented
        return self.nodes == other.nodes and np.array_equal(self.table, other.table)

    def __hash__(self) -> int:
        return hash((self.nodes, self.table.tobytes()))

    def __invert__(self) -> "Condition":
        return Condition(self.nodes, ~self.table)

    def __and__(self, other: "Condition") -> "Condition":
        nodes = sorted({*self.nodes, *other.nodes})
        return Condition.of(nodes, self.over(nodes) & other.over(nodes))

    def over(self, nodes: Sequence[int]) -> Mask:
        """Return the table with an axis for each of more nodes, ready to broadcast."""
        n_states = dict(zip(self.nodes, self.table.shape, strict=True))
        return self.table.reshape([n_states.get(node, 1) for node in nodes])

    def possible(self, nodes: Sequence[int]) -> Mask:
        """Return for every configuration of some of the nodes whether the others can make it hold."""
        axes = tuple(axis for axis, node in enumerate(self.nodes) if node not in nodes)
        return np.asarray(self.table.any(axis=axes))

    def at(self, context: Mapping[int, int]) -> Mask:
        """Return the table of the other nodes when some are fixed."""
        return np.asarray(self.table[tuple(context.get(node, slice(None)) for node in self.nodes)])

    def completed(self, context: CodedContext) -> CodedContext:
        """Fix the other nodes to the first configuration that makes it hold."""
        free = [node for node in self.nodes if node not in context]
        return context | _first_true(free, self.at(context))


_ALWAYS = Condition((), np.asarray(True))


def _first_true(nodes: Sequence[int], table: Mask) -> CodedContext:
    """Return the first configuration of the nodes, one per axis, that is true."""
    codes = np.unravel_index(int(table.argmax()), table.shape)
    return {node: int(code) for node, code in zip(nodes, codes, strict=True)}


def common_context(p: Condition, q: Condition) -> CodedContext | None:
    """Return a context that makes both conditions hold, of which nothing can be dropped, or None."""
    common = [node for node in p.nodes if node in q.nodes]
    both = p.possible(common) & q.possible(common)
    if not both.any():
        return None
    context = q.completed(p.completed(_first_true(common, both)))
    for node in sorted(context):
        rest = {other: code for other, code in context.items() if other != node}
        if p.at(rest).all() and q.at(rest).all():
            context = rest
    return dict(sorted(context.items()))


class ContextGraphs:
    """The context graphs G(x_V) of a structure, pair by pair: which way, and when absent, an edge is."""

    def __init__(self, structure: Structure) -> None:
        self.structure = structure.regular()
        self.arrow: dict[CodedEdge, CodedEdge] = {}
        self.neighbours: list[list[int]] = [[] for _ in structure.families]
        self._absence: dict[CodedEdge, Condition] = {}
        for j, family in enumerate(self.structure.families):
            for axis, i in enumerate(family.parents):
                others = family.parents[:axis] + family.parents[axis + 1 :]
                mask = family.partition.labels[axis].reshape(self.structure.grid(others).n_states)
                self._absence[sort_pair(i, j)] = Condition.of(others, mask)
                self.arrow[sort_pair(i, j)] = (i, j)
                self.neighbours[i].append(j)
                self.neighbours[j].append(i)

    def absence(self, i: int, j: int) -> Condition:
        """Return when there is no edge between two nodes."""
        return self._absence.get(sort_pair(i, j), _ALWAYS)

    def triples(self) -> Iterator[tuple[int, int, int]]:
        """Go through the paths i - j - k, i < k, of the skeleton."""
        for j, neighbours in enumerate(self.neighbours):
            for i, k in combinations(sorted(neighbours), 2):
                yield i, j, k

    def is_collider(self, i: int, j: int, k: int) -> bool:
        """Say whether i -> j <- k in the underlying DAG."""
        return self.arrow[sort_pair(i, j)] == (i, j) and self.arrow[sort_pair(j, k)] == (k, j)

    def opening(self, i: int, j: int, k: int) -> CodedContext | None:
        """Return a context in which i - j - k are joined and i, k are not, or None if there is none."""
        by_child: dict[int, Condition] = {}
        for pair, condition in (
            (sort_pair(i, j), ~self.absence(i, j)),
            (sort_pair(j, k), ~self.absence(j, k)),
            (sort_pair(i, k), self.absence(i, k)),
        ):
            if condition == ~_ALWAYS:
                return None
            if condition.nodes:
                child = self.arrow[pair][1]
                by_child[child] = by_child.get(child, _ALWAYS) & condition
        p, q, *_ = *by_child.values(), _ALWAYS, _ALWAYS  # the three edges have at most two children
        return common_context(p, q)

    def edges_among(self, nodes: Sequence[int], context: CodedContext) -> frozenset[CodedEdge]:
        """Return the edges between some nodes that are present throughout a context."""
        return frozenset(
            self.arrow[pair] for pair in combinations(sorted(nodes), 2) if not self.absence(*pair).at(context).any()
        )


def sort_pair(i: int, j: int) -> CodedEdge:
    """Return two nodes with the smaller first."""
    return (i, j) if i < j else (j, i)
