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
    configurations = product(*(range(n_states[parent]) for parent in parents))
    table: dict[tuple[int, ...], list[float]] = {key: [0] * n_states[node] for key in configurations}
    for number, row in enumerate(rows):
        table[tuple(row[parent] for parent in parents)][row[node]] += 1 if weights is None else weights[number]
    return list(table.values())
