"""Circuits evaluated from their plain record, gate by gate, up and down."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Record = Mapping[str, Any]


def values(record: Record, weights: Mapping[int, Sequence[float]]) -> list[float]:
    """The value of every gate; ``weights`` are those of the states of some nodes, 1 for all others."""
    inputs, sums = record["inputs"], record["sums"]
    found = [0.0, 1.0]
    for node, state, parameter in zip(inputs["node"], inputs["state"], inputs["parameter"], strict=True):
        weight = weights[node][state] if node in weights else 1.0
        found.append(record["parameters"][parameter] * weight)
    for begin, end in zip(sums["first"], sums["first"][1:], strict=False):
        found.append(sum(found[sums["a"][t]] * found[sums["b"][t]] for t in range(begin, end)))
    return found


def posteriors(record: Record, weights: Mapping[int, Sequence[float]]) -> tuple[float, list[list[float]]]:
    """P(evidence), and the posterior of every node."""
    value = values(record, weights)
    inputs, sums = record["inputs"], record["sums"]
    derivative = [0.0] * len(value)
    derivative[record["root"]] = 1.0
    n_inputs = len(inputs["node"])
    for k in reversed(range(len(sums["first"]) - 1)):
        d = derivative[2 + n_inputs + k]
        for t in range(sums["first"][k], sums["first"][k + 1]):
            a, b = sums["a"][t], sums["b"][t]
            derivative[a] += d * value[b]
            derivative[b] += d * value[a]
    total = value[record["root"]]
    found = [[0.0] * n for n in record["n_states"]]
    for i, (node, state) in enumerate(zip(inputs["node"], inputs["state"], strict=True)):
        found[node][state] += value[2 + i] * derivative[2 + i] / total
    return total, found


def number_values(table: NDArray[np.float64], first: int) -> tuple[list[float], list[list[int]]]:
    """The different positive values of each column as they come first, and the number of each cell's, -1 for zeros."""
    values: list[float] = []
    numbers = [[-1] * table.shape[1] for _ in table]
    for state, column in enumerate(table.T.tolist()):
        own = list(dict.fromkeys(value for value in column if value > 0))
        for row, value in enumerate(column):
            if value > 0:
                numbers[row][state] = first + len(values) + own.index(value)
        values += own
    return values, numbers
