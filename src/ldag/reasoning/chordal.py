"""Chordal graphs by node numbers: perfect orders that realise strata, cliques and separators, and why there are none.

A graph is given by the neighbours of every node. A stratum is known here by its edge and its scope, the nodes that its
configurations are about: in the order of the nodes, one end of the edge comes after the other end and the whole scope,
and has no other neighbours before it. With the parents before their children in such an order, the stratum is the label
of one arrow.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from ldag.model import Parents
from ldag.reasoning.markov import immoralities

Neighbours = Sequence[frozenset[int]]
"""The neighbours of every node."""

Pair = frozenset[int]
"""The two ends of an edge."""

Scopes = Mapping[Pair, frozenset[int]]
"""For every edge with a stratum, the nodes that it is about."""


@dataclass(frozen=True)
class PerfectOrder:
    """The nodes, every one after neighbours that are a clique; and those that no order can put last."""

    nodes: tuple[int, ...]
    stuck: frozenset[int]


def neighbours_of(n_nodes: int, edges: Collection[Collection[int]]) -> Neighbours:
    """Return the neighbours of every node."""
    near: list[set[int]] = [set() for _ in range(n_nodes)]
    for a, b in edges:
        near[a].add(b)
        near[b].add(a)
    return tuple(map(frozenset, near))


def is_clique(neighbours: Neighbours, nodes: Collection[int]) -> bool:
    """Tell whether nodes are all adjacent to each other."""
    return all(b in neighbours[a] for a, b in combinations(nodes, 2))


def find_perfect_order(
    neighbours: Neighbours, scopes: Scopes | None = None, first: int | None = None, rank: Sequence[int] | None = None
) -> PerfectOrder:
    """Return a perfect order that realises all strata, with a node first if that is asked for.

    From the end: of the nodes that may be last, the one of the highest rank is taken (its number, unless ranks are
    given). What may be last stays so when others are taken (the sets taken are those of an antimatroid), so that
    nothing has to be tried again: what is stuck is stuck in every order.
    """
    scopes = scopes or {}
    left = set(range(len(neighbours)))
    from_last = sorted(left, key=None if rank is None else rank.__getitem__, reverse=True)
    taken: list[int] = []
    while left:
        candidates = (v for v in from_last if v in left and v != first)
        free = (v for v in candidates if why_not_last(neighbours, scopes, left, v) is None)
        node = next(free, None)
        if node is None and left != {first}:
            return PerfectOrder((), frozenset(left))
        taken.append(left.pop() if node is None else node)
        left.discard(taken[-1])
    return PerfectOrder(tuple(reversed(taken)), frozenset())


def why_not_last(neighbours: Neighbours, scopes: Scopes, left: Collection[int], node: int) -> tuple[Pair, ...] | None:
    """Return None if a node may be the last of some; else two neighbours that are not adjacent, or edges with strata.

    A node that a stratum is about is not after both ends; one with a stratum has the scope before it, and no more.
    """
    near = neighbours[node].intersection(left)
    for a, b in combinations(sorted(near), 2):
        if b not in neighbours[a]:
            return (frozenset((a, b)),)
    against = [
        pair
        for pair, scope in scopes.items()
        if pair <= {*left} and (node in scope or (node in pair and scope != near - pair))
    ]
    return tuple(against) or None


def orient(neighbours: Neighbours, order: Sequence[int]) -> Parents:
    """Return the parents of every node where edges follow an order."""
    place = {node: number for number, node in enumerate(order)}
    return [tuple(sorted(v for v in near if place[v] < place[node])) for node, near in enumerate(neighbours)]


def find_cliques(neighbours: Neighbours, order: Sequence[int]) -> tuple[frozenset[int], ...]:
    """Return the maximal cliques of a chordal graph with a perfect order, by their smallest nodes."""
    closed = [frozenset((node, *above)) for node, above in enumerate(orient(neighbours, order))]
    largest = [one for one in closed if not any(one < other for other in closed)]
    return tuple(sorted(largest, key=sorted))


def find_separators(cliques: Sequence[frozenset[int]]) -> tuple[frozenset[int], ...]:
    """Return what neighbours in a junction tree of the cliques share, each as often as they do; empty ones left out."""
    inside, outside = list(cliques[:1]), list(cliques[1:])
    shared = []
    while outside:
        best = max(((one & other, other) for one in inside for other in outside), key=lambda pair: len(pair[0]))
        inside.append(best[1])
        outside.remove(best[1])
        shared.append(best[0])
    return tuple(sorted((s for s in shared if s), key=sorted))


def find_chordless_cycle(neighbours: Neighbours, among: Collection[int]) -> tuple[int, ...]:
    """Return a cycle of four nodes or more without a chord; nothing if there is none."""
    for node in sorted(among):
        near = sorted(neighbours[node].intersection(among))
        for a, b in combinations(near, 2):
            if b in neighbours[a]:
                continue
            allowed = ({*among} - neighbours[node] - {node}) | {a, b}
            path = _shortest_path(neighbours, allowed, a, b)
            if path:
                return node, *path
    return ()


def find_immorality(parents: Parents) -> tuple[int, int, int] | None:
    """Return two parents and their child where the parents are not adjacent; None for a perfect DAG."""
    return min(immoralities(parents), default=None)


def _shortest_path(neighbours: Neighbours, allowed: Collection[int], start: int, end: int) -> tuple[int, ...]:
    """Return a path with the fewest nodes, or nothing."""
    before = {start: start}
    queue = [start]
    for node in queue:
        for other in sorted(neighbours[node].intersection(allowed)):
            if other not in before:
                before[other] = node
                queue.append(other)
    if end not in before:
        return ()
    path = [end]
    while path[-1] != start:
        path.append(before[path[-1]])
    return tuple(path)
