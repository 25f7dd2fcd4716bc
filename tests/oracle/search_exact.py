"""The best DAG of a space by going through all of them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product

Graph = tuple[tuple[int, ...], ...]
FamilyScore = Callable[[int, tuple[int, ...]], float]


@dataclass(frozen=True)
class Space:
    """The parents each node may and must have, and how many at most."""

    candidates: list[list[int]]
    required: list[list[int]]
    max_parents: list[int]

    @property
    def lists(self) -> tuple[list[list[int]], list[list[int]], list[int]]:
        """The same as arguments of the native functions."""
        return self.candidates, self.required, self.max_parents


def everything(n: int, max_parents: int | None = None) -> Space:
    """All DAGs on some nodes."""
    most = n - 1 if max_parents is None else max_parents
    return Space([[u for u in range(n) if u != v] for v in range(n)], [[] for _ in range(n)], [most] * n)


def subsets(items: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All subsets, each in the order of the items."""
    return chain.from_iterable(combinations(items, size) for size in range(len(items) + 1))


def parent_sets(space: Space, node: int) -> list[tuple[int, ...]]:
    """All parent sets that a node may have."""
    return [
        parents
        for parents in subsets(space.candidates[node])
        if set(space.required[node]) <= set(parents) and len(parents) <= space.max_parents[node]
    ]


def is_acyclic(graph: Sequence[Sequence[int]]) -> bool:
    """Whether nodes without parents can be taken away until none is left."""
    left = set(range(len(graph)))
    while left:
        free = {node for node in left if not left & set(graph[node])}
        if not free:
            return False
        left -= free
    return True


def all_dags(space: Space) -> list[Graph]:
    """Every DAG of the space."""
    choices = [parent_sets(space, node) for node in range(len(space.candidates))]
    return [graph for graph in product(*choices) if is_acyclic(graph)]


def best_score(space: Space, score: FamilyScore) -> float:
    """The highest sum of family scores."""
    known = {(v, p): score(v, p) for v in range(len(space.candidates)) for p in parent_sets(space, v)}
    return max(sum(known[v, p] for v, p in enumerate(graph)) for graph in all_dags(space))


def beat_subsets(space: Space, node: int, score: FamilyScore, margin: float) -> dict[tuple[int, ...], float]:
    """The parent sets of a node that score more than all their subsets by more than a margin, with their scores."""
    known = {parents: score(node, parents) for parents in parent_sets(space, node)}

    def beats(parents: tuple[int, ...]) -> bool:
        smaller = [own for other, own in known.items() if set(other) < set(parents)]
        return all(known[parents] > own + margin for own in smaller)

    return {parents: own for parents, own in known.items() if beats(parents)}
