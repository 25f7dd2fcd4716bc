"""Cliques of an order of elimination, by joining neighbours one by one."""

from collections.abc import Sequence
from math import prod


def cliques(parents: Sequence[Sequence[int]], order: Sequence[int]) -> list[frozenset[int]]:
    """The largest sets of nodes that stand in a table together when they are eliminated in this order."""
    around: dict[int, set[int]] = {node: set() for node in range(len(parents))}
    for node, above in enumerate(parents):
        for member in (node, *above):
            around[member] |= {*above, node} - {member}
    found: list[frozenset[int]] = []
    for node in order:
        found.append(frozenset({node} | around[node]))
        for other in around[node]:
            around[other] |= around[node] - {other}
            around[other].discard(node)
    return [one for i, one in enumerate(found) if not any(one < o or (one == o and i > k) for k, o in enumerate(found))]


def cells(n_states: Sequence[int], members: frozenset[int]) -> int:
    """How many cells a table over these nodes has."""
    return prod(n_states[node] for node in members)
