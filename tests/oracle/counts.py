"""Counts of a family, row by row in plain Python."""

from collections.abc import Sequence
from itertools import product


def counts(
    rows: Sequence[Sequence[int]],
    n_states: Sequence[int],
    node: int,
    parents: Sequence[int],
    weights: Sequence[float] | None,
) -> list[list[float]]:
    """Return a list per parent configuration (last parent fastest) with one sum per state of the node."""
    configurations = list(product(*(range(n_states[parent]) for parent in parents)))
    table: list[list[float]] = [[0] * n_states[node] for _ in configurations]
    for number, row in enumerate(rows):
        place = configurations.index(tuple(row[parent] for parent in parents))
        table[place][row[node]] += 1 if weights is None else weights[number]
    return table
