"""The paper's chain in plain Python: every rule by looking at whole graphs, and the native generator's numbers."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations, product

Graph = tuple[tuple[int, ...], ...]  # the parents of every node, ascending
Score = Callable[[int, tuple[int, ...]], float]
MASK = (1 << 64) - 1


@dataclass(frozen=True)
class Space:
    """Which parents each node may have, must have, and how many at most."""

    candidates: Graph
    required: Graph
    max_parents: tuple[int, ...]


def is_acyclic(graph: Graph) -> bool:
    """Whether taking away nodes without parents empties the graph."""
    left = set(range(len(graph)))
    while left:
        free = {node for node in left if not left & set(graph[node])}
        if not free:
            return False
        left -= free
    return True


def is_allowed(space: Space, graph: Graph) -> bool:
    """Whether a graph is a DAG within the space."""
    return is_acyclic(graph) and all(
        set(must) <= set(own) <= set(may) and len(own) <= most
        for own, may, must, most in zip(graph, space.candidates, space.required, space.max_parents, strict=True)
    )


def all_dags(space: Space) -> Iterator[Graph]:
    """Yield every DAG of the space."""
    choices = [[own for k in range(len(may) + 1) for own in combinations(may, k)] for may in space.candidates]
    yield from (graph for graph in product(*choices) if is_allowed(space, graph))


class Random:
    """xoshiro256** seeded by splitmix64, as published by Blackman and Vigna."""

    def __init__(self, seed: int, stream: int) -> None:
        (mixed,) = self._splitmix(stream, 1)
        self.state = self._splitmix(seed ^ mixed, 4)

    @staticmethod
    def _splitmix(state: int, n: int) -> list[int]:
        numbers = []
        for _ in range(n):
            state = (state + 0x9E3779B97F4A7C15) & MASK
            z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
            z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
            numbers.append(z ^ (z >> 31))
        return numbers

    def next(self) -> int:
        """64 random bits."""
        s = self.state
        result = (self._rotate((s[1] * 5) & MASK, 7) * 9) & MASK
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = self._rotate(s[3], 45)
        return result

    @staticmethod
    def _rotate(x: int, k: int) -> int:
        return ((x << k) | (x >> (64 - k))) & MASK

    def uniform(self) -> float:
        """A number in [0, 1) from the 53 high bits."""
        return (self.next() >> 11) / 2**53

    def below(self, n: int) -> int:
        """One of 0 .. n - 1; draws below 2^64 mod n are repeated."""
        drawn = self.next()
        while drawn < 2**64 % n:
            drawn = self.next()
        return drawn % n


def changed(graph: Graph, parent: int, child: int) -> Graph:
    """The one neighbour that a candidate edge stands for: without it, with it turned round, or with it added."""
    own = [set(parents) for parents in graph]
    if parent in own[child]:
        own[child].remove(parent)
    else:
        own[parent].discard(child)
        own[child].add(parent)
    return tuple(tuple(sorted(parents)) for parents in own)


@dataclass
class Chain:
    """One chain and the best graph it has seen."""

    space: Space
    score: Score
    random: Random
    graph: Graph
    best: Graph = field(init=False)
    best_score: float = field(init=False)
    trace: list[tuple[int, float]] = field(init=False)
    n_accepted: int = 0

    def __post_init__(self) -> None:
        self.best, self.best_score = self.graph, self.total(self.graph)
        self.trace = [(0, self.best_score)]

    def total(self, graph: Graph) -> float:
        """The sum over families in the order of nodes, rounded at every term."""
        total = 0.0
        for node, parents in enumerate(graph):
            total += self.score(node, parents)
        return total

    def propose(self) -> Graph | None:
        """Draw candidate edges until one leads to an allowed graph; after 1,024 in vain list all that do."""
        edges = [(parent, child) for child, own in enumerate(self.space.candidates) for parent in own]
        for _ in range(1024 if edges else 0):
            neighbour = changed(self.graph, *edges[self.random.below(len(edges))])
            if is_allowed(self.space, neighbour):
                return neighbour
        every = [graph for edge in edges if is_allowed(self.space, graph := changed(self.graph, *edge))]
        return every[self.random.below(len(every))] if every else None

    def run(self, n_iter: int) -> None:
        """Make so many proposals, or stay for ever if there is none."""
        for step in range(1, n_iter + 1):
            proposal = self.propose()
            if proposal is None:
                return
            gain = sum(
                self.score(node, new) - self.score(node, old)
                for node, (old, new) in enumerate(zip(self.graph, proposal, strict=True))
                if old != new
            )
            if gain >= 0 or self.random.uniform() < math.exp(gain):
                self.accept(proposal, step)

    def accept(self, graph: Graph, step: int) -> None:
        """Go there, and remember it if it is better than all before by more than a tie."""
        self.graph = graph
        self.n_accepted += 1
        total = self.total(graph)
        if total > self.best_score + 1e-9:
            self.best, self.best_score = graph, total
            self.trace.append((step, total))
