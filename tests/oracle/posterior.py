"""The posterior over labelled DAGs by going through all of them, each with all of its labels."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tests.oracle import partitions as oracle
from tests.oracle.search_exact import Space, all_dags, parent_sets


@dataclass(frozen=True)
class Graph:
    """A DAG with a partition for each node, and its probability."""

    parents: tuple[tuple[int, ...], ...]
    classes: tuple[tuple[int, ...], ...]
    probability: float


@dataclass(frozen=True)
class Question:
    """Rows of codes, and the prior."""

    rows: tuple[tuple[int, ...], ...]
    n_states: tuple[int, ...]
    kappa: float
    prior: str
    equivalent_sample_size: float

    def counts(self, node: int, parents: Sequence[int]) -> tuple[tuple[float, ...], ...]:
        """Count by configuration and state."""
        cells = oracle.cells_of(tuple(self.n_states[p] for p in parents))
        table = {cell: [0.0] * self.n_states[node] for cell in cells}
        for row in self.rows:
            table[tuple(row[p] for p in parents)][row[node]] += 1
        return tuple(tuple(table[cell]) for cell in cells)

    def family(self, node: int, parents: tuple[int, ...]) -> list[tuple[tuple[int, ...], float]]:
        """List the labels of a family with log weights."""
        n_states = tuple(self.n_states[p] for p in parents)
        structure = "table" if self.prior == "table" else "ldag"
        every = oracle.allowed(n_states, structure, True)
        lost = (self.n_states[node] - 1) * math.log(self.kappa)
        counts = self.counts(node, parents)
        scores = oracle.scores(oracle.Problem(n_states, counts, self.equivalent_sample_size, lost), every)
        saved = [lost * (math.prod(n_states) - len(set(classes))) for classes in every]
        norm = oracle.log_sum(saved) if self.prior == "normalised" else 0.0
        return [(classes, score - norm) for classes, score in zip(every, scores, strict=True)]


def posterior(question: Question, space: Space) -> tuple[float, list[Graph]]:
    """Return the log evidence and all labelled graphs; regular ones, so a variable with one state has no edges."""
    n = len(question.n_states)
    families = {
        (v, p): question.family(v, p)
        for v in range(n)
        for p in parent_sets(space, v)
        if not p or (question.n_states[v] > 1 and all(question.n_states[u] > 1 for u in p))
    }
    dags = [dag for dag in all_dags(space) if all((v, p) in families for v, p in enumerate(dag))]
    found: list[tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...], float]] = []
    for dag in dags:
        choices: Iterator[tuple[tuple[tuple[int, ...], ...], float]] = iter([((), 0.0)])
        for family in enumerate(dag):
            choices = iter([((*c, k), w + x) for c, w in choices for k, x in families[family]])
        found += [(dag, classes, weight) for classes, weight in choices]
    evidence = oracle.log_sum([weight for _, _, weight in found])
    return evidence, [Graph(dag, classes, math.exp(w - evidence)) for dag, classes, w in found]


def total(graphs: Sequence[Graph], holds: Callable[[Graph], bool]) -> float:
    """Return the probability that something holds."""
    return math.fsum(graph.probability for graph in graphs if holds(graph))


def has_edge(graph: Graph, i: int, j: int) -> bool:
    """Whether there is an edge from i to j."""
    return i in graph.parents[j]


def is_above(graph: Graph, i: int, j: int) -> bool:
    """Whether there is a path from i to j."""
    return any(p == i or is_above(graph, i, p) for p in graph.parents[j])


def vanishes(graph: Graph, n_states: Sequence[int], i: int, j: int, context: Mapping[int, int]) -> bool:
    """Whether the edge from i to j is there and its label is satisfied in a context."""
    parents = graph.parents[j]
    if i not in parents or not any(p in context for p in parents if p != i):
        return False
    cells = oracle.cells_of(tuple(n_states[p] for p in parents))
    number = dict(zip(cells, graph.classes[j], strict=True))
    axis = parents.index(i)
    for cell in cells:
        if all(context.get(p, s) == s for p, s in zip(parents, cell, strict=True) if p != i):
            line = {number[(*cell[:axis], s, *cell[axis + 1 :])] for s in range(n_states[i])}
            if len(line) > 1:
                return False
    return True


def random_rows(rng: np.random.Generator, n_states: Sequence[int], n_rows: int) -> tuple[tuple[int, ...], ...]:
    """Draw rows that depend on each other: often a copy of the state before, where there is one."""
    rows = []
    for _ in range(n_rows):
        row: list[int] = []
        for n in n_states:
            copy = row[-1] % n if row and rng.random() < 0.6 else int(rng.integers(n))
            row.append(copy)
        rows.append(tuple(row))
    return tuple(rows)
