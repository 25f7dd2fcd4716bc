"""The graphs that say the same as a given one: a search over the directions of its edges.

Only the families of the nodes whose parents change matter. Their product f is a distribution of these nodes for every
configuration of the parents outside. A structure with the new arrows has the same distributions iff f factorises along
them for all parameters, and then with as many free parameters as before: what the conditional distributions of f have
in common are the new classes. Parameters are drawn modulo a prime, as in `ldag.reasoning.algebra`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from ldag.errors import TooLarge
from ldag.model import CodedFamily, Mask, Parents, Partition, Structure
from ldag.reasoning.algebra import PRIME
from ldag.reasoning.markov import CodedEdge
from ldag.reasoning.separation import ContextGraphs, sort_pair

N_DRAWS = 4
"""Draws of all parameters; that two of a million numbers agree by chance in all has a probability below 2 ** -80."""

MOST_CELLS = 1 << 15
"""Cells of the table of all nodes that take part, at most."""

DrawnTable = NDArray[np.int64]
"""Numbers below the prime: an axis for the draws, then one for each node that takes part, of length 1 if it is idle."""


def rearrange(structure: Structure, parents: Parents) -> Structure | None:
    """Return the structure with other arrows and the same distributions, or None if there is none.

    The nodes must be adjacent to the same nodes as before. Raises `TooLarge` where that is not decided.
    """
    moved = [node for node, above in enumerate(parents) if tuple(above) != structure.parents(node)]
    scope = sorted({*moved, *(p for node in moved for p in (*structure.parents(node), *parents[node]))})
    if not moved:
        return structure
    if prod(structure.n_states[node] for node in scope) > MOST_CELLS:
        raise TooLarge(f"{len(scope)} variables take part, more than a table holds")
    joint = _multiply([_draw(structure, node, scope) for node in moved])
    families = list(structure.families)
    tables = []
    for node in moved:
        above = tuple(parents[node])
        table = _conditional(joint, scope, set(moved) - {node, *above}, node)
        for axis in (1 + place for place, other in enumerate(scope) if other not in (node, *above)):
            first = np.take(table, [0], axis=axis)
            if not (table == first).all():
                return None
            table = first
        families[node] = _family(structure, above, scope, table)
        if families[node].partition.irrelevant_axes():
            return None
        tables.append(table)
    rearranged = Structure(structure.n_states, tuple(families))
    is_same_size = sum(map(structure.dimension, moved)) == sum(map(rearranged.dimension, moved))
    return rearranged if is_same_size and np.array_equal(_multiply(tables), joint) else None


def _draw(structure: Structure, node: int, scope: list[int]) -> DrawnTable:
    """Draw the distributions of a node; those of a class are equal, and each sums to 1 modulo the prime."""
    family, n_states = structure.families[node], structure.n_states[node]
    rng = np.random.default_rng(node)
    drawn = rng.integers(1, PRIME, size=(N_DRAWS, family.partition.n_classes, n_states), dtype=np.int64)
    drawn[..., -1] = (1 - drawn[..., :-1].sum(axis=-1)) % PRIME
    own = (*family.parents, node)
    table = drawn[:, family.partition.to_array()].reshape(N_DRAWS, *(structure.n_states[v] for v in own))
    table = table.transpose(0, *(1 + place for place in sorted(range(len(own)), key=own.__getitem__)))
    return table.reshape(N_DRAWS, *(structure.n_states[v] if v in own else 1 for v in scope))


def _multiply(tables: list[DrawnTable]) -> DrawnTable:
    """Multiply modulo the prime."""
    product = np.ones((1,) * tables[0].ndim, dtype=np.int64)
    for table in tables:
        product = product * table % PRIME
    return product


def _conditional(joint: DrawnTable, scope: list[int], summed: set[int], node: int) -> DrawnTable:
    """Return the distributions of a node given all that take part except those that are summed out."""
    axes = tuple(1 + scope.index(other) for other in sorted(summed))
    table = joint.sum(axis=axes, keepdims=True) % PRIME
    total = table.sum(axis=1 + scope.index(node), keepdims=True) % PRIME
    return np.asarray(table * _inverse(total) % PRIME)


def _inverse(numbers: DrawnTable) -> DrawnTable:
    """Return one divided by each number, modulo the prime: its power PRIME - 2."""
    result = np.ones_like(numbers)
    for bit in bin(PRIME - 2)[2:]:
        result = result * result % PRIME
        if bit == "1":
            result = result * numbers % PRIME
    return result


def _family(structure: Structure, parents: tuple[int, ...], scope: list[int], table: DrawnTable) -> CodedFamily:
    """Return the family whose classes are the configurations with equal distributions in all draws."""
    places = [1 + scope.index(parent) for parent in parents]
    others = [place for place in range(1, table.ndim) if place not in places]
    grid = structure.grid(parents)
    rows = table.transpose(*places, 0, *others).reshape(grid.size, -1)
    return CodedFamily.from_partition(parents, Partition.of(grid, np.unique(rows, axis=0, return_inverse=True)[1]))


LARGEST_GRID = 1 << 20
"""Families with more parent configurations than this are left out when equivalent graphs are listed."""

MOST_REARRANGED = 1000
"""Graphs that are tried at most where labels do not tell everything."""


class _Constraints:
    """What an equivalent DAG on the same skeleton must satisfy, besides being acyclic.

    ``forced`` are arrows it must have; ``implied[arrow]`` are arrows it must have with that arrow. These are all
    there is: where i - j - k is open somewhere, head to head at j stays so and anything else does not become
    so; and an edge i -> j can carry its label only if the nodes of the label are parents of j. An arrow that is
    forbidden from outside forces its opposite.
    """

    def __init__(self, graphs: ContextGraphs, forbidden: Iterable[CodedEdge]) -> None:
        self.forced = [(j, i) for i, j in forbidden if sort_pair(i, j) in graphs.arrow]
        self.implied: dict[CodedEdge, list[CodedEdge]] = {}
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

    def _bind_label(self, node: int, arrow: CodedEdge, graphs: ContextGraphs) -> None:
        """Let an arrow, whose label depends on a node, need that node as a parent of its child."""
        if node in graphs.neighbours[arrow[1]]:
            self._imply(arrow, (node, arrow[1]))
        else:
            self.forced.append(arrow[::-1])

    def _imply(self, premise: CodedEdge, conclusion: CodedEdge) -> None:
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

    def add(self, i: int, j: int) -> list[CodedEdge]:
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

    def next_undirected(self, nodes: Sequence[int] | None = None) -> CodedEdge | None:
        """Return the first edge without a direction, of all or of those at some nodes."""
        for node in range(len(self.undirected)) if nodes is None else nodes:
            if self.undirected[node]:
                return node, next(_bits(self.undirected[node]))
        return None


def _bits(numbers: int) -> Iterator[int]:
    """Go through the members of a set of nodes."""
    while numbers:
        lowest = numbers & -numbers
        yield lowest.bit_length() - 1
        numbers ^= lowest


class OrientationSearch:
    """Backtracking over the directions of the skeleton's edges, with propagation; forbidden arrows are not used.

    Labels follow from the directions: when an edge is absent does not change, only which parents it is told by.
    A member must be maximal with these labels; regular it is anyhow, since no edge is absent always.
    Where classes go beyond labels, the labels alone are searched, as every member has them; what else the classes say
    is then asked of each graph (`ldag.reasoning.orientations`).
    """

    def __init__(self, structure: Structure, forbidden: Iterable[CodedEdge] = ()) -> None:
        self.structure = structure.regular()
        self._is_table = self.structure.is_table
        self._is_told_by_labels = self.structure.is_csi_consistent
        self._graphs = ContextGraphs(self.structure if self._is_told_by_labels else labels_only(self.structure))
        self._constraints = _Constraints(self._graphs, forbidden)
        self._families: dict[tuple[int, int], CodedFamily | None] = {}
        for node, family in enumerate(self._graphs.structure.families):
            self._families[node, sum(1 << parent for parent in family.parents)] = family
        self.left_out = False
        """Whether the last walk over the members missed some: too many steps, or a family too large."""
        self._start = _Orientation.of_skeleton(self._graphs.neighbours)
        self._can_start = self._direct(self._start, self._constraints.forced)
        self._start_left_out = self.left_out

    def is_forced(self, i: int, j: int) -> bool:
        """Tell whether every member has an arrow for reasons that need no search."""
        return bool(self._start.parents[j] >> i & 1) and not self._start_left_out

    def members(self, arrows: Iterable[CodedEdge], max_steps: int) -> Iterator[Structure]:
        """Go through the equivalent structures that have some arrows, those most like the structure first."""
        for tried, orientation in enumerate(self._walk(arrows, max_steps)):
            if tried == MOST_REARRANGED and not self._is_told_by_labels:
                self.left_out = True
                return
            member = self._structure(orientation) if self._is_told_by_labels else self._rearrange(orientation)
            if member is not None:
                yield member

    def has_member(self, arrows: Iterable[CodedEdge], max_steps: int) -> bool:
        """Tell whether an equivalent structure has some arrows, as far as it was decided."""
        walk = self._walk if self._is_told_by_labels else self.members
        return next(iter(walk(arrows, max_steps)), None) is not None

    def arrows_at(self, nodes: Sequence[int], max_steps: int) -> Iterator[list[CodedEdge]]:
        """Go through the directions that the edges at some nodes can have together, their own first.

        A few that no member has may be among them.
        """
        edges = [sort_pair(node, other) for node in nodes for other in self._graphs.neighbours[node]]
        for orientation in self._walk((), max_steps, nodes):
            yield [(i, j) if orientation.parents[j] >> i & 1 else (j, i) for i, j in edges]

    def _walk(
        self, arrows: Iterable[CodedEdge], max_steps: int, nodes: Sequence[int] | None = None
    ) -> Iterator[_Orientation]:
        """Go through the orientations with some arrows in which all edges, or all at some nodes, have directions."""
        self.left_out = self._start_left_out
        start = self._start.copy()
        pending = [start] if self._can_start and self._direct(start, list(arrows)) else []
        steps = 0
        while pending:
            orientation = pending.pop()
            edge = orientation.next_undirected(nodes)
            if edge is None:
                yield orientation
                continue
            if steps == max_steps:
                self.left_out = True
                return
            steps += 1
            own = self._graphs.arrow[sort_pair(*edge)]
            for arrow in (own[::-1], own):
                branch = orientation.copy()
                if self._direct(branch, [arrow]):
                    pending.append(branch)

    def _direct(self, orientation: _Orientation, arrows: list[CodedEdge]) -> bool:
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
        settled = [node for node in sorted(touched) if not self._is_table and not orientation.undirected[node]]
        return all(self._family(node, orientation.parents[node]) is not None for node in settled)

    def _structure(self, orientation: _Orientation) -> Structure | None:
        """Return the structure of a full orientation, or None if a family of tables is too large."""
        families = [self._family(node, parents) for node, parents in enumerate(orientation.parents)]
        kept = tuple(family for family in families if family is not None)
        return Structure(self.structure.n_states, kept) if len(kept) == len(families) else None

    def _rearrange(self, orientation: _Orientation) -> Structure | None:
        """Return the structure of a full orientation where labels do not tell everything, if there is one."""
        try:
            return rearrange(self.structure, [tuple(_bits(parents)) for parents in orientation.parents])
        except TooLarge:
            self.left_out = True
            return None

    def _family(self, node: int, parents: int) -> CodedFamily | None:
        """Return the family of a node with given parents, or None if its labels would not be maximal."""
        key = node, parents
        if key not in self._families:
            above = tuple(_bits(parents))
            grid = self.structure.grid(above)
            if grid.size > LARGEST_GRID:
                self.left_out = True
                return None
            labels = tuple(self._label(parent, node, above) for parent in above)
            family = CodedFamily.from_labels(above, grid, labels)
            self._families[key] = family if family.is_maximal else None
        return self._families[key]

    def _label(self, parent: int, node: int, parents: tuple[int, ...]) -> Mask:
        """Return when the edge is absent, told by the other parents."""
        others = [other for other in parents if other != parent]
        shape = self.structure.grid(others).n_states
        return np.broadcast_to(self._graphs.absence(parent, node).over(others), shape).reshape(-1)


def labels_only(structure: Structure) -> Structure:
    """Return the structure whose classes are those that the labels tell."""
    families = [
        CodedFamily.from_labels(family.parents, family.partition.grid, family.partition.labels)
        for family in structure.families
    ]
    return Structure(structure.n_states, tuple(families))
