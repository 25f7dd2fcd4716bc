"""CSI-equivalence of labelled DAGs: deciding it, and listing the equivalent graphs.

Two regular maximal LDAGs are CSI-equivalent iff their context graphs G(x_V) are Markov equivalent for every x_V
(the paper's theorem on CSI-equivalence). No enumeration of x_V is needed for that:

* The skeletons agree everywhere iff for every pair of nodes the contexts without an edge between them agree.
  As functions of the context these have a unique set of variables that matter, so they are compared as they stand.
* Given that, immoralities agree everywhere iff no triple i - j - k that meets head to head at j in only one of
  the DAGs is ever *open*: both edges present and i, k not joined. Two of the three edges of a triangle end in
  one child, so the question is whether two conditions on the parents of two nodes can hold together.

Nothing larger than the grid of one family is ever built. Everything here is about labels: structures with nodes
listed by `beyond_labels` are outside the theorem.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from ldag.partition import Mask
from ldag.structure import Family, Structure

Edge = tuple[int, int]
Context = dict[int, int]

LARGEST_GRID = 1 << 20
"""Families with more parent configurations than this are left out when equivalent graphs are listed."""
MAX_STEPS = 100_000
"""How many partly directed graphs a search looks at before it gives up."""


@dataclass(frozen=True)
class Difference:
    """A context in which two structures differ, and how.

    In every x_V that agrees with ``context``, the context graphs differ between ``nodes``: in whether an edge
    (i, j) is there, or in whether i -> j <- k is an immorality at (i, j, k). ``first`` and ``second`` are the edges
    among these nodes in the two context graphs. No part of ``context`` can be dropped.
    """

    kind: Literal["skeleton", "immorality"]
    nodes: tuple[int, ...]
    context: Mapping[int, int]
    first: frozenset[Edge]
    second: frozenset[Edge]


@dataclass(frozen=True)
class EquivalenceClass:
    """Regular maximal structures that are CSI-equivalent, the one asked about first, and whether these are all."""

    members: tuple[Structure, ...]
    is_complete: bool


def beyond_labels(structure: Structure) -> tuple[int, ...]:
    """Return the nodes whose classes say more than their labels; equivalence is not decided for these."""
    return tuple(node for node, family in enumerate(structure.families) if not family.partition.is_csi_consistent)


def compare(a: Structure, b: Structure) -> Difference | None:
    """Return None if the structures are CSI-equivalent, else a context in which they differ.

    Both must be over the same nodes and states, and told by their labels (see `beyond_labels`) unless they are
    equal in regular form.
    """
    assert a.n_states == b.n_states
    a, b = a.regular(), b.regular()
    if a == b:
        return None
    assert not beyond_labels(a)
    assert not beyond_labels(b)
    first, second = _ContextGraphs(a), _ContextGraphs(b)
    return _skeleton_difference(first, second) or _immorality_difference(first, second)


def equivalence_class(structure: Structure, limit: int, max_steps: int = MAX_STEPS) -> EquivalenceClass:
    """List the regular maximal structures that are CSI-equivalent to a structure, at most ``limit`` of them.

    The structure's own regular form comes first. The structure must be told by its labels (see `beyond_labels`).
    """
    search = _Search(structure)
    members: list[Structure] = []
    for member in search.members((), max_steps):
        if len(members) == limit:
            return EquivalenceClass(tuple(members), False)
        members.append(member)
    return EquivalenceClass(tuple(members), not search.left_out)


def essential_edges(structure: Structure, max_steps: int = MAX_STEPS) -> tuple[frozenset[Edge], bool]:
    """Return the edges known to have one direction in every equivalent structure, and whether all were decided.

    Each edge is turned around and one equivalent structure looked for, in at most ``max_steps`` steps.
    """
    search = _Search(structure)
    essential = set()
    is_decided = True
    candidates = dict.fromkeys(search.structure.edges)
    while candidates:
        i, j = next(iter(candidates))
        del candidates[i, j]
        other = next(search.members([(j, i)], max_steps), None)
        if other is not None:
            candidates = dict.fromkeys(edge for edge in candidates if edge in other.edges)
        elif search.left_out:
            is_decided = False
        else:
            essential.add((i, j))
    return frozenset(essential), is_decided


@dataclass(frozen=True, eq=False)
class _Condition:
    """A yes or no for every configuration of some nodes, ascending, all of which matter."""

    nodes: tuple[int, ...]
    table: Mask

    @classmethod
    def of(cls, nodes: Sequence[int], table: Mask) -> "_Condition":
        """Drop the nodes that make no difference."""
        idle = {axis for axis in range(table.ndim) if (table == np.take(table, [0], axis=axis)).all()}
        chosen = tuple(0 if axis in idle else slice(None) for axis in range(table.ndim))
        return cls(tuple(n for axis, n in enumerate(nodes) if axis not in idle), np.asarray(table[chosen]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Condition):
            return NotImplemented
        return self.nodes == other.nodes and np.array_equal(self.table, other.table)

    def __hash__(self) -> int:
        return hash((self.nodes, self.table.tobytes()))

    def __invert__(self) -> "_Condition":
        return _Condition(self.nodes, ~self.table)

    def __and__(self, other: "_Condition") -> "_Condition":
        nodes = sorted({*self.nodes, *other.nodes})
        return _Condition.of(nodes, self.over(nodes) & other.over(nodes))

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

    def completed(self, context: Context) -> Context:
        """Fix the other nodes to the first configuration that makes it hold."""
        free = [node for node in self.nodes if node not in context]
        return context | _first_true(free, self.at(context))


_ALWAYS = _Condition((), np.asarray(True))


def _first_true(nodes: Sequence[int], table: Mask) -> Context:
    """Return the first configuration of the nodes, one per axis, that is true."""
    codes = np.unravel_index(int(table.argmax()), table.shape)
    return {node: int(code) for node, code in zip(nodes, codes, strict=True)}


def _witness(p: _Condition, q: _Condition) -> Context | None:
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


class _ContextGraphs:
    """The context graphs G(x_V) of a structure, pair by pair: which way, and when absent, an edge is."""

    def __init__(self, structure: Structure) -> None:
        self.structure = structure.regular()
        self.arrow: dict[Edge, Edge] = {}
        self.neighbours: list[list[int]] = [[] for _ in structure.families]
        self._absence: dict[Edge, _Condition] = {}
        for j, family in enumerate(self.structure.families):
            for axis, i in enumerate(family.parents):
                others = family.parents[:axis] + family.parents[axis + 1 :]
                mask = family.partition.labels[axis].reshape(self.structure.grid(others).n_states)
                self._absence[_pair(i, j)] = _Condition.of(others, mask)
                self.arrow[_pair(i, j)] = (i, j)
                self.neighbours[i].append(j)
                self.neighbours[j].append(i)

    def absence(self, i: int, j: int) -> _Condition:
        """Return when there is no edge between two nodes."""
        return self._absence.get(_pair(i, j), _ALWAYS)

    def triples(self) -> Iterator[tuple[int, int, int]]:
        """Go through the paths i - j - k, i < k, of the skeleton."""
        for j, neighbours in enumerate(self.neighbours):
            for i, k in combinations(sorted(neighbours), 2):
                yield i, j, k

    def is_collider(self, i: int, j: int, k: int) -> bool:
        """Say whether i -> j <- k in the underlying DAG."""
        return self.arrow[_pair(i, j)] == (i, j) and self.arrow[_pair(j, k)] == (k, j)

    def opening(self, i: int, j: int, k: int) -> Context | None:
        """Return a context in which i - j - k are joined and i, k are not, or None if there is none."""
        by_child: dict[int, _Condition] = {}
        for pair, condition in (
            (_pair(i, j), ~self.absence(i, j)),
            (_pair(j, k), ~self.absence(j, k)),
            (_pair(i, k), self.absence(i, k)),
        ):
            if condition == ~_ALWAYS:
                return None
            if condition.nodes:
                child = self.arrow[pair][1]
                by_child[child] = by_child.get(child, _ALWAYS) & condition
        p, q, *_ = *by_child.values(), _ALWAYS, _ALWAYS  # the three edges have at most two children
        return _witness(p, q)

    def edges_among(self, nodes: Sequence[int], context: Context) -> frozenset[Edge]:
        """Return the edges between some nodes that are present throughout a context."""
        return frozenset(
            self.arrow[pair] for pair in combinations(sorted(nodes), 2) if not self.absence(*pair).at(context).any()
        )


def _pair(i: int, j: int) -> Edge:
    return (i, j) if i < j else (j, i)


def _skeleton_difference(first: _ContextGraphs, second: _ContextGraphs) -> Difference | None:
    """Find an edge that some context graph of only one structure has."""
    for i, j in sorted(first.arrow.keys() | second.arrow.keys()):
        p, q = first.absence(i, j), second.absence(i, j)
        context = _witness(p, ~q)
        if context is None:
            context = _witness(~p, q)
        if context is not None:
            return _difference("skeleton", (i, j), context, first, second)
    return None


def _immorality_difference(first: _ContextGraphs, second: _ContextGraphs) -> Difference | None:
    """Find an immorality that some context graph of only one structure has; the skeletons are known to agree."""
    for i, j, k in first.triples():
        if first.is_collider(i, j, k) != second.is_collider(i, j, k):
            context = first.opening(i, j, k)
            if context is not None:
                return _difference("immorality", (i, j, k), context, first, second)
    return None


def _difference(
    kind: Literal["skeleton", "immorality"],
    nodes: tuple[int, ...],
    context: Context,
    first: _ContextGraphs,
    second: _ContextGraphs,
) -> Difference:
    """Say what the two context graphs are like where they differ."""
    edges = first.edges_among(nodes, context), second.edges_among(nodes, context)
    return Difference(kind, nodes, context, *edges)


class _Constraints:
    """What an equivalent DAG on the same skeleton must satisfy, besides being acyclic.

    ``forced`` are arrows it must have; ``implied[arrow]`` are arrows it must have with that arrow. These are all
    there is: where i - j - k is open somewhere, head to head at j stays so and anything else does not become
    so; and an edge i -> j can carry its label only if the nodes of the label are parents of j.
    """

    def __init__(self, graphs: _ContextGraphs) -> None:
        self.forced: list[Edge] = []
        self.implied: dict[Edge, list[Edge]] = {}
        for i, j in graphs.arrow:
            for node in graphs.absence(i, j).nodes:
                self._bind_label(node, (i, j), graphs)
                self._bind_label(node, (j, i), graphs)
        for i, j, k in graphs.triples():
            if graphs.opening(i, j, k) is None:
                continue
            if graphs.is_collider(i, j, k):
                self.forced += [(i, j), (k, j)]
            else:
                self._imply((i, j), (j, k))

    def _bind_label(self, node: int, arrow: Edge, graphs: _ContextGraphs) -> None:
        """Let an arrow, whose label depends on a node, need that node as a parent of its child."""
        if node in graphs.neighbours[arrow[1]]:
            self._imply(arrow, (node, arrow[1]))
        else:
            self.forced.append(arrow[::-1])

    def _imply(self, premise: Edge, conclusion: Edge) -> None:
        """Add an implication and its contraposition."""
        self.implied.setdefault(premise, []).append(conclusion)
        self.implied.setdefault(conclusion[::-1], []).append(premise[::-1])


@dataclass
class _Orientation:
    """A partly directed skeleton, as one set of nodes per node, in bits; ``above`` and ``below`` include itself."""

    parents: list[int]
    undirected: list[int]
    above: list[int]
    below: list[int]

    @classmethod
    def of_skeleton(cls, neighbours: Sequence[Iterable[int]]) -> "_Orientation":
        """Start without arrows."""
        own = [1 << node for node in range(len(neighbours))]
        undirected = [sum(1 << other for other in others) for others in neighbours]
        return cls([0] * len(own), undirected, own.copy(), own.copy())

    def copy(self) -> "_Orientation":
        """Return an independent copy."""
        return _Orientation(self.parents.copy(), self.undirected.copy(), self.above.copy(), self.below.copy())

    def add(self, i: int, j: int) -> list[Edge]:
        """Direct an edge i -> j that closes no cycle; return the arrows that acyclicity now demands."""
        self.parents[j] |= 1 << i
        self.undirected[i] &= ~(1 << j)
        self.undirected[j] &= ~(1 << i)
        demanded = []
        for high in _bits(self.above[i]):
            new = self.below[j] & ~self.below[high]
            self.below[high] |= new
            demanded += [(high, low) for low in _bits(new & self.undirected[high])]
            for low in _bits(new):
                self.above[low] |= 1 << high
        return demanded

    def next_undirected(self) -> Edge | None:
        """Return the first edge without a direction."""
        for node, others in enumerate(self.undirected):
            if others:
                return node, next(_bits(others))
        return None


def _bits(numbers: int) -> Iterator[int]:
    """Go through the members of a set of nodes."""
    while numbers:
        lowest = numbers & -numbers
        yield lowest.bit_length() - 1
        numbers ^= lowest


class _Search:
    """Backtracking over the directions of the skeleton's edges, with propagation.

    Labels follow from the directions: when an edge is absent does not change, only which parents it is told by.
    A member must be maximal with these labels; regular it is anyhow, since no edge is absent always.
    """

    def __init__(self, structure: Structure) -> None:
        assert not beyond_labels(structure)
        self._graphs = _ContextGraphs(structure)
        self.structure = self._graphs.structure
        self._constraints = _Constraints(self._graphs)
        self._families: dict[tuple[int, int], Family | None] = {}
        for node, family in enumerate(self.structure.families):
            self._families[node, sum(1 << parent for parent in family.parents)] = family
        self.left_out = False
        """Whether the last walk over the members missed some: too many steps, or a family too large."""

    def members(self, arrows: Iterable[Edge], max_steps: int) -> Iterator[Structure]:
        """Go through the equivalent structures that have some arrows, those most like the structure first."""
        self.left_out = False
        start = _Orientation.of_skeleton(self._graphs.neighbours)
        pending = [start] if self._direct(start, [*self._constraints.forced, *arrows]) else []
        steps = 0
        while pending:
            orientation = pending.pop()
            edge = orientation.next_undirected()
            if edge is None:
                yield self._structure(orientation)
                continue
            if steps == max_steps:
                self.left_out = True
                return
            steps += 1
            own = self._graphs.arrow[_pair(*edge)]
            for arrow in (own[::-1], own):
                branch = orientation.copy()
                if self._direct(branch, [arrow]):
                    pending.append(branch)

    def _direct(self, orientation: _Orientation, arrows: list[Edge]) -> bool:
        """Direct edges and all that follows from them; say whether that is possible."""
        pending = arrows.copy()
        touched: set[int] = set()
        while pending:
            i, j = pending.pop()
            if orientation.parents[j] >> i & 1:
                continue
            if orientation.below[j] >> i & 1:
                return False
            pending += orientation.add(i, j)
            pending += self._constraints.implied.get((i, j), ())
            touched |= {i, j}
        settled = [node for node in sorted(touched) if not orientation.undirected[node]]
        return all(self._family(node, orientation.parents[node]) is not None for node in settled)

    def _structure(self, orientation: _Orientation) -> Structure:
        """Return the structure of a full orientation."""
        families = [self._family(node, parents) for node, parents in enumerate(orientation.parents)]
        return Structure(self.structure.n_states, tuple(family for family in families if family is not None))

    def _family(self, node: int, parents: int) -> Family | None:
        """Return the family of a node with given parents, or None if its labels would not be maximal."""
        key = node, parents
        if key not in self._families:
            above = tuple(_bits(parents))
            grid = self.structure.grid(above)
            if grid.size > LARGEST_GRID:
                self.left_out = True
                return None
            labels = tuple(self._label(parent, node, above) for parent in above)
            family = Family.from_labels(above, grid, labels)
            self._families[key] = family if family.is_maximal else None
        return self._families[key]

    def _label(self, parent: int, node: int, parents: tuple[int, ...]) -> Mask:
        """Return when the edge is absent, told by the other parents."""
        others = [other for other in parents if other != parent]
        shape = self.structure.grid(others).n_states
        return np.broadcast_to(self._graphs.absence(parent, node).over(others), shape).reshape(-1)
