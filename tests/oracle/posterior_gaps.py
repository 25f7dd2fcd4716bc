"""The posterior of a table with gaps: the sum over all completed tables, each as probable as it is."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from tests.oracle import partitions as oracle
from tests.oracle.posterior import Graph, Question, posterior
from tests.oracle.search_exact import Space

GapRow = tuple[int | None, ...]


def complete(rows: Sequence[GapRow], n_states: Sequence[int]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Go through all ways to put states in place of None."""
    gaps = [(i, j) for i, row in enumerate(rows) for j, code in enumerate(row) if code is None]
    for states in product(*(range(n_states[j]) for _, j in gaps)):
        filled = [list(row) for row in rows]
        for (i, j), state in zip(gaps, states, strict=True):
            filled[i][j] = state
        yield tuple(tuple(code for code in row if code is not None) for row in filled)


def posterior_with_gaps(question: Question, rows: Sequence[GapRow], space: Space) -> tuple[float, list[Graph]]:
    """Return the log evidence, that of all completed tables together, and all labelled graphs."""
    every = [posterior(replace(question, rows=filled), space) for filled in complete(rows, question.n_states)]
    evidence = oracle.log_sum([log for log, _ in every])
    chances: dict[tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]], float] = {}
    for log, graphs in every:
        for graph in graphs:
            key = graph.parents, graph.classes
            chances[key] = chances.get(key, 0.0) + math.exp(log - evidence) * graph.probability
    return evidence, [Graph(*key, chance) for key, chance in chances.items()]
