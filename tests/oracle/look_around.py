"""The families that look_around takes to the pool, in the most literal way: every score asked for anew."""

from collections.abc import Iterable, Iterator

from tests.oracle.search_climb import FamilyScore, Parents
from tests.oracle.search_exact import Space
from tests.oracle.search_orders import Family

TIE = 1e-9


class Surroundings:
    """One node of a graph, and what it may need in graphs nearby."""

    def __init__(
        self, node: int, graph: Parents, space: Space, family_score: FamilyScore, close: Iterable[int] = ()
    ) -> None:
        self.node = node
        self.close = close
        self.own = graph[node]
        self.space = space
        self.family_score = family_score
        self.below = _below(node, graph)

    def score(self, parents: frozenset[int]) -> float:
        """The score of the node with some parents."""
        return self.family_score(self.node, parents)

    def additions(self, parents: frozenset[int]) -> list[tuple[float, int]]:
        """Further parents and what they gain, the best first, of equals the lowest."""
        if len(parents) >= self.space.max_parents[self.node]:
            return []
        score = self.score(parents)
        further = set(self.space.candidates[self.node]) - parents
        return sorted(
            ((self.score(parents | {one}) - score, one) for one in further), key=lambda pair: (-pair[0], pair[1])
        )

    def next_parents(self, parents: frozenset[int], barred: set[int]) -> frozenset[int] | None:
        """The best change of one parent, a removal before an addition; none if none gains."""
        score = self.score(parents)
        required = self.space.required[self.node]
        changes = [(self.score(parents - {one}) - score, parents - {one}) for one in sorted(parents - {*required})]
        changes += [(gain, parents | {one}) for gain, one in self.additions(parents) if one not in barred]
        best = max((gain for gain, _ in changes), default=0.0)
        return next(changed for gain, changed in changes if gain == best) if best > TIE else None

    def grow_and_shrink(self, parents: frozenset[int] | None, barred: set[int]) -> Iterator[Family]:
        """All families on the way, each with those that one parent more makes better, allowed or not."""
        while parents is not None:
            yield self.node, parents, self.score(parents)
            for gain, one in self.additions(parents):
                if gain > TIE:
                    yield self.node, parents | {one}, self.score(parents | {one})
            parents = self.next_parents(parents, barred)

    def starts(self, changed: int) -> list[frozenset[int]]:
        """Where growing begins if one candidate is not allowed, or is to be there."""
        kept = frozenset(self.space.required[self.node])
        most = self.space.max_parents[self.node]
        if changed in self.own:
            return [] if changed in kept else [self.own - {changed}, kept]
        gains = {one: gain for gain, one in self.additions(self.own)}
        would_gain = changed in gains and gains[changed] > TIE
        if changed not in self.below or (changed in gains and not would_gain):
            return []
        starts = [self.own | {changed}] if would_gain else []
        return [*starts, kept | {changed}] if len(kept) < most else starts

    def families(self) -> Iterator[Family]:
        """Around each change of a candidate, and from each that is close, with the others not below the node."""
        for changed in self.space.candidates[self.node]:
            barred = self.below | {changed}
            for start in self.starts(changed):
                yield from self.grow_and_shrink(start, barred)
        kept = frozenset(self.space.required[self.node])
        for begun in self.close:
            if len(kept) < self.space.max_parents[self.node]:
                yield from self.grow_and_shrink(kept | {begun}, self.below | {begun})


def _below(node: int, graph: Parents) -> set[int]:
    """All nodes that a node is an ancestor of, itself included."""
    below = {node}
    while more := {child for child, above in enumerate(graph) if above & below} - below:
        below |= more
    return below
