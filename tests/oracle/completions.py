"""Rows with gaps by listing every completion: expected counts, probabilities, the posterior of completions."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from ldag.model import Structure

Row = tuple[int, ...]
Tables = Sequence[NDArray[np.float64]]
GAP = 255


def completions(structure: Structure, row: Sequence[int]) -> Iterator[Row]:
    """Every row of states that agrees with what was seen."""
    choices = [range(n) if code == GAP else [code] for n, code in zip(structure.n_states, row, strict=True)]
    yield from product(*choices)


def class_of(structure: Structure, node: int, row: Row) -> int:
    """The class of the parents' configuration, the last parent fastest."""
    configuration = 0
    for parent in structure.parents(node):
        configuration = configuration * structure.n_states[parent] + row[parent]
    return int(structure.families[node].partition.to_array()[configuration])


def weight(structure: Structure, tables: Tables, row: Row) -> float:
    """The product of the parameters that a row of states uses."""
    nodes = range(len(structure))
    return prod(float(tables[node][class_of(structure, node, row), row[node]]) for node in nodes)


def posterior(structure: Structure, tables: Tables, row: Sequence[int]) -> tuple[float, dict[Row, float]]:
    """The sum of all completions, and the share of each in it (none where the row is impossible)."""
    weights = {full: weight(structure, tables, full) for full in completions(structure, row)}
    total = sum(weights.values())
    return total, {full: w / total for full, w in weights.items() if w > 0}


def expected_counts(
    structure: Structure, tables: Tables, rows: Sequence[Sequence[int]], weights: Sequence[float]
) -> tuple[list[float], list[NDArray[np.float64]]]:
    """The log probability of every row, and the expected counts of every node, class and state."""
    counts = [np.zeros_like(table) for table in tables]
    logs = []
    for row, w in zip(rows, weights, strict=True):
        total, shares = posterior(structure, tables, row)
        logs.append(float(np.log(total)) if total > 0 else -np.inf)
        for full, share in shares.items():
            for node in range(len(structure)):
                counts[node][class_of(structure, node, full), full[node]] += w * share
    return logs, counts
