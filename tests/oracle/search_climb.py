"""Plain hill climbing in the most literal way: every move scored from scratch at every step."""

from collections.abc import Callable, Iterator

from tests.oracle.search_exact import is_acyclic

Parents = tuple[frozenset[int], ...]
FamilyScore = Callable[[int, frozenset[int]], float]


def moves(parents: Parents, max_parents: int) -> Iterator[Parents]:
    """All graphs one addition, removal or reversal away, by child, then parent, then kind."""
    n = len(parents)
    for child in range(n):
        for parent in range(n):
            if parent == child:
                continue
            if parent not in parents[child]:
                yield from _allowed(_with(parents, child, parents[child] | {parent}), max_parents)
            else:
                removed = _with(parents, child, parents[child] - {parent})
                yield removed
                yield from _allowed(_with(removed, parent, removed[parent] | {child}), max_parents)


def climb(n: int, max_parents: int, family_score: FamilyScore) -> tuple[Parents, float]:
    """From no edges, take the best move while it improves; of moves within 1e-9 of the best, the first."""
    graph: Parents = (frozenset(),) * n

    def score(parents: Parents) -> float:
        return sum(family_score(node, above) for node, above in enumerate(parents))

    while True:
        now = score(graph)
        found = [(score(move) - now, move) for move in moves(graph, max_parents)]
        best = max((gain for gain, _ in found), default=0.0)
        if best <= 1e-9:
            return graph, now
        graph = next(move for gain, move in found if gain >= best - 1e-9)


def _with(parents: Parents, node: int, above: frozenset[int]) -> Parents:
    return (*parents[:node], above, *parents[node + 1 :])


def _allowed(parents: Parents, max_parents: int) -> Iterator[Parents]:
    if is_acyclic([sorted(above) for above in parents]) and all(len(above) <= max_parents for above in parents):
        yield parents
