"""Mixed graphs by number: arrows, and arcs <-> between nodes that share a latent cause.

Sets of nodes are whole numbers inside, bit v standing for node v, and frozen sets outside.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

NodeSet = frozenset[int]


@dataclass(frozen=True)
class MixedGraph:
    """An acyclic graph with arrows and arcs over some of the numbers 0, 1, ...; `of` and `project` make one."""

    _nodes: int
    _parents: tuple[int, ...]
    """By number, also of numbers that are no nodes, which have none."""
    _siblings: tuple[int, ...]

    @classmethod
    def of(
        cls, nodes: Iterable[int], arrows: Iterable[tuple[int, int]], arcs: Iterable[tuple[int, int]] = ()
    ) -> "MixedGraph":
        """Make a graph from arrows (parent, child) and arcs (one end, other end)."""
        mask = _bits(nodes)
        parents, siblings = [0] * mask.bit_length(), [0] * mask.bit_length()
        for parent, child in arrows:
            parents[child] |= 1 << parent
        for a, b in arcs:
            siblings[a] |= 1 << b
            siblings[b] |= 1 << a
        return cls(mask, tuple(parents), tuple(siblings))

    @classmethod
    def project(cls, parents: Sequence[Iterable[int]], latent: NodeSet) -> "MixedGraph":
        """Return the latent projection: what a DAG says about the nodes that are not latent.

        An arrow is a directed path whose inner nodes are latent; an arc joins what a latent node reaches so.
        """
        whole = cls.of(range(len(parents)), ((p, child) for child, above in enumerate(parents) for p in above))
        gone = _bits(latent)
        reached = [0] * len(parents)
        new, siblings = [0] * len(parents), [0] * len(parents)
        for node in reversed(whole.order()):
            below = whole._children[node]
            reached[node] = (below & ~gone) | _join(reached, below & gone)
            for child in _members(reached[node]):
                if gone >> node & 1:
                    siblings[child] |= reached[node] & ~(1 << child)
                else:
                    new[child] |= 1 << node
        kept = whole._nodes & ~gone
        return cls(kept, _among(new, kept), _among(siblings, kept))

    @property
    def nodes(self) -> NodeSet:
        """All nodes."""
        return _set(self._nodes)

    @property
    def parents(self) -> Mapping[int, NodeSet]:
        """The parents of every node."""
        return {node: _set(self._parents[node]) for node in _members(self._nodes)}

    @property
    def siblings(self) -> Mapping[int, NodeSet]:
        """What every node shares a latent cause with."""
        return {node: _set(self._siblings[node]) for node in _members(self._nodes)}

    @property
    def arcs(self) -> frozenset[tuple[int, int]]:
        """Pairs that share a latent cause, the smaller number first."""
        return frozenset((a, b) for a, beside in self.siblings.items() for b in beside if a < b)

    @cached_property
    def _children(self) -> tuple[int, ...]:
        children = [0] * len(self._parents)
        for node, above in enumerate(self._parents):
            for parent in _members(above):
                children[parent] |= 1 << node
        return tuple(children)

    def parents_of(self, nodes: Iterable[int]) -> NodeSet:
        """Return the parents of any of some nodes, which may be among them."""
        return _set(_join(self._parents, _bits(nodes)))

    def ancestors(self, nodes: Iterable[int]) -> NodeSet:
        """Return nodes and everything above them."""
        return _set(_close(self._parents, _bits(nodes)))

    def descendants(self, nodes: Iterable[int]) -> NodeSet:
        """Return nodes and everything below them."""
        return _set(_close(self._children, _bits(nodes)))

    def district(self, nodes: Iterable[int]) -> NodeSet:
        """Return nodes and everything that arcs lead to."""
        return _set(_close(self._siblings, _bits(nodes)))

    def districts(self) -> tuple[NodeSet, ...]:
        """Return the sets of nodes that arcs connect, by their smallest node."""
        districts: list[int] = []
        rest = self._nodes
        while rest:
            districts.append(_close(self._siblings, rest & -rest))
            rest &= ~districts[-1]
        return tuple(map(_set, districts))

    def subgraph(self, nodes: Iterable[int]) -> "MixedGraph":
        """Return the graph of some nodes, and what is between them."""
        kept = self._nodes & _bits(nodes)
        return MixedGraph(kept, _among(self._parents, kept), _among(self._siblings, kept))

    def without_arrows_into(self, nodes: Iterable[int]) -> "MixedGraph":
        """Return the graph in which nothing causes some nodes, no latent cause either."""
        cut = _bits(nodes)
        parents = tuple(0 if cut >> node & 1 else above for node, above in enumerate(self._parents))
        siblings = tuple(0 if cut >> node & 1 else beside & ~cut for node, beside in enumerate(self._siblings))
        return MixedGraph(self._nodes, parents, siblings)

    def without_arrows_out_of(self, nodes: Iterable[int]) -> "MixedGraph":
        """Return the graph in which some nodes cause nothing."""
        cut = _bits(nodes)
        return MixedGraph(self._nodes, tuple(above & ~cut for above in self._parents), self._siblings)

    def order(self, early: Iterable[int] = ()) -> tuple[int, ...]:
        """Return nodes with parents before children, the smallest number first where there is a choice.

        Some nodes, and what is above them, come before everything else.
        """
        first = _close(self._parents, _bits(early))
        order: list[int] = []
        for rest in (first, self._nodes & ~first):
            waiting = rest
            while waiting:
                node = next((v for v in _members(waiting) if not self._parents[v] & waiting), None)
                assert node is not None, "the graph has a cycle"
                order.append(node)
                waiting ^= 1 << node
        return tuple(order)

    def pillow(self, node: int, before: Iterable[int]) -> NodeSet:
        """Return which of the nodes before one in an order it depends on: those of its district, and their parents."""
        kept = _bits(before)
        district = _close(_among(self._siblings, kept | 1 << node), 1 << node)
        return _set((district | _join(self._parents, district)) & kept)

    def reach(self, start: Iterable[int], given: Iterable[int]) -> NodeSet:
        """Return the nodes at which a path from ``start`` arrives that is open given some nodes, given ones too."""
        blocked = _bits(given)
        opened = _close(self._parents, blocked)
        first = _bits(start)
        from_below, from_aside = _join(self._parents, first), _join(self._children, first)
        from_aside |= _join(self._siblings, first)
        below, aside = 0, 0
        while (new := from_below & ~below) | (other := from_aside & ~aside):
            below |= new
            aside |= other
            through = new & ~blocked
            collided = (other & opened) | through
            from_below |= _join(self._parents, collided)
            from_aside |= _join(self._siblings, collided) | _join(self._children, (other & ~blocked) | through)
        return _set(below | aside | first)


def m_separated(graph: MixedGraph, a: Iterable[int], b: Iterable[int], given: Iterable[int]) -> bool:
    """Tell whether every path between two sets is blocked given a third; the three are disjoint."""
    goal = frozenset(b)
    return not goal or not goal & graph.reach(a, given)


def _bits(nodes: Iterable[int]) -> int:
    mask = 0
    for node in nodes:
        mask |= 1 << node
    return mask


def _members(mask: int) -> list[int]:
    """Return the nodes of a set, ascending."""
    members = []
    while mask:
        members.append((mask & -mask).bit_length() - 1)
        mask &= mask - 1
    return members


def _set(mask: int) -> NodeSet:
    return frozenset(_members(mask))


def _join(rows: Sequence[int], mask: int) -> int:
    """Return what any of some nodes has in its row."""
    joined = 0
    while mask:
        joined |= rows[(mask & -mask).bit_length() - 1]
        mask &= mask - 1
    return joined


def _close(rows: Sequence[int], mask: int) -> int:
    """Return nodes and everything that steps along the rows lead to."""
    new = mask
    while new:
        new = _join(rows, new) & ~mask
        mask |= new
    return mask


def _among(rows: Sequence[int], kept: int) -> tuple[int, ...]:
    """Return the rows of what is kept, without the rest; as short as its numbers allow, so that equals are equal."""
    return tuple(row & kept if kept >> node & 1 else 0 for node, row in enumerate(rows[: kept.bit_length()]))
