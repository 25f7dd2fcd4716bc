"""Families put together by orders, in the most literal way: all orders, and every family looked at for each."""

from collections.abc import Iterator, Sequence
from itertools import permutations

Family = tuple[int, frozenset[int], float]
"""A node, its parents, the score."""

Chosen = tuple[frozenset[int], ...]


def keep_undominated(families: Sequence[Family]) -> list[Family]:
    """Those that no other family with some of the same parents equals or beats, by node, the best first."""
    kept = [
        family
        for family in set(families)
        if not any(
            other != family and other[0] == family[0] and other[1] <= family[1] and other[2] >= family[2]
            for other in families
        )
    ]
    return sorted(kept, key=lambda family: (family[0], -family[2]))


def best_by_order(families: Sequence[Family], n: int) -> Iterator[tuple[Chosen, float]]:
    """For every order in which each node has a family: the best one of those with parents before it, and the sum."""
    for order in permutations(range(n)):
        chosen: dict[int, Family] = {}
        for place, node in enumerate(order):
            before = frozenset(order[:place])
            fitting = [family for family in families if family[0] == node and family[1] <= before]
            if fitting:
                chosen[node] = max(fitting, key=lambda family: family[2])
        if len(chosen) == n:
            yield tuple(chosen[node][1] for node in range(n)), sum(family[2] for family in chosen.values())
