"""Markov equivalence of ordinary DAGs: skeleton, immoralities and the completed partially directed graph.

A DAG is given by the parents of every node.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations

from ldag.model import Parents

CodedEdge = tuple[int, int]


@dataclass(frozen=True)
class CodedCpdag:
    """A Markov equivalence class: arrows (i, j) that all members share, and edges (i < j) that turn either way."""

    directed: frozenset[CodedEdge]
    undirected: frozenset[CodedEdge]


def skeleton(parents: Parents) -> frozenset[CodedEdge]:
    """Return the adjacent pairs, the smaller node first.

    Examples
    --------
    >>> sorted(skeleton([(1, 2), (), (1,)]))
    [(0, 1), (0, 2), (1, 2)]
    """
    return frozenset((min(i, j), max(i, j)) for j, above in enumerate(parents) for i in above)


def immoralities(parents: Parents) -> frozenset[tuple[int, int, int]]:
    """Return the triples (i, j, k), i < k, where i -> j <- k and i and k are not adjacent."""
    adjacent = skeleton(parents)
    return frozenset(
        (i, j, k)
        for j, above in enumerate(parents)
        for i, k in combinations(sorted(above), 2)
        if (i, k) not in adjacent
    )


def markov_equivalent(a: Parents, b: Parents) -> bool:
    """Say whether two DAGs imply the same independences: same skeleton, same immoralities."""
    return len(a) == len(b) and skeleton(a) == skeleton(b) and immoralities(a) == immoralities(b)


def cpdag(parents: Parents, forbidden: Collection[CodedEdge] = ()) -> CodedCpdag:
    """Return the graph of the Markov equivalence class: immoralities closed under Meek's rules.

    Of the members only those without ``forbidden`` arrows count; the DAG itself has none of these. Arrows between
    adjacent nodes that are forbidden one way point the other way, and for that knowledge the four rules are complete
    (Meek 1995).

    Examples
    --------
    >>> chain = [(), (0,), (1,)]
    >>> sorted(cpdag(chain).directed), sorted(cpdag(chain, forbidden=[(1, 0)]).directed)
    ([], [(0, 1), (1, 2)])
    """
    neighbours: list[set[int]] = [set() for _ in parents]
    for i, j in skeleton(parents):
        neighbours[i].add(j)
        neighbours[j].add(i)
    edges = {(i, j) for j, above in enumerate(parents) for i in above}
    arrows = {(end, j) for i, j, k in immoralities(parents) for end in (i, k)}
    arrows |= {(j, i) for i, j in forbidden if (j, i) in edges}
    undecided = edges - arrows
    # Members of the class agree on what the rules orient, so an arrow can only be one of the DAG's own edges.
    while compelled := {edge for edge in undecided if _is_compelled(edge, arrows, neighbours)}:
        arrows |= compelled
        undecided -= compelled
    return CodedCpdag(frozenset(arrows), frozenset((min(edge), max(edge)) for edge in undecided))


def _is_compelled(edge: CodedEdge, arrows: set[CodedEdge], neighbours: Sequence[set[int]]) -> bool:
    """Say whether a -> b follows from the arrows known so far, by Meek's rules."""
    a, b = edge
    into_a = {c for c in neighbours[a] if (c, a) in arrows}
    if into_a - neighbours[b] - {b}:
        return True  # rule 1: else c -> a <- b would be a new immorality
    shared = {c for c in neighbours[a] & neighbours[b] if (c, b) in arrows}
    if any((a, c) in arrows for c in shared):
        return True  # rule 2: else a -> c -> b -> a would be a cycle
    free = sorted(shared - into_a)
    if any(d not in neighbours[c] for c, d in combinations(free, 2)):
        return True  # rule 3: both at once
    apart = neighbours[a] - neighbours[b] - {b}
    return any((d, c) in arrows for c in shared for d in apart)  # rule 4: else b -> a -> d -> c -> b
