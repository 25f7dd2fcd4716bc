"""Everything about small chordal graphs and strata by trying all orders of the nodes."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations, permutations

Pair = frozenset[int]


def all_graphs(n: int) -> Iterator[frozenset[Pair]]:
    """Go through all graphs on n nodes."""
    pairs = [frozenset(pair) for pair in combinations(range(n), 2)]
    for chosen in range(1 << len(pairs)):
        yield frozenset(pair for place, pair in enumerate(pairs) if chosen >> place & 1)


def parents_along(order: Sequence[int], edges: Collection[Pair]) -> list[tuple[int, ...]]:
    """Return the parents of every node where edges follow an order."""
    parents: list[tuple[int, ...]] = [()] * len(order)
    for place, node in enumerate(order):
        parents[node] = tuple(sorted(other for other in order[:place] if frozenset((node, other)) in edges))
    return parents


def is_perfect(parents: Sequence[Sequence[int]]) -> bool:
    """Whether the parents of every node are adjacent to each other."""
    edges = {frozenset((i, j)) for j, above in enumerate(parents) for i in above}
    return all(frozenset(pair) in edges for above in parents for pair in combinations(above, 2))


def realises(parents: Sequence[Sequence[int]], scopes: Mapping[Pair, frozenset[int]]) -> bool:
    """Whether every stratum is a label: the other parents of the later end are its scope."""
    ends = [(i, j) for j, above in enumerate(parents) for i in above]
    return all(set(parents[j]) - {i} == scopes[frozenset((i, j))] for i, j in ends if frozenset((i, j)) in scopes)


def perfect_orders(
    n: int, edges: Collection[Pair], scopes: Mapping[Pair, frozenset[int]] | None = None
) -> Iterator[tuple[int, ...]]:
    """Go through all orders of the nodes in which earlier neighbours are cliques and strata are labels."""
    for order in permutations(range(n)):
        parents = parents_along(order, edges)
        if is_perfect(parents) and realises(parents, scopes or {}):
            yield order


def is_chordal(n: int, edges: Collection[Pair]) -> bool:
    """Whether there is a perfect order."""
    return next(perfect_orders(n, edges), None) is not None
