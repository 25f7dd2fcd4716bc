"""Rows and columns in an order that depends on what is in them alone: not on names, nor on the order they came in.

Folds are cut from them in this order. Whatever is drawn or tied in a cross-validation would otherwise change when a
column is renamed. Rows and states are told apart as in the refinement of graph colourings: a state by how many
observations have it, a row by its states, a state by its rows, and so on. What is alike after some rounds is alike
under an exchange of columns or states (or so nearly that it hardly occurs), and it makes no difference which comes
first.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ldag.data import GAP, Dataset

N_ROUNDS = 3
"""Times that rows and states tell each other apart."""

Colours = NDArray[np.uint64]


def order_by_content(data: Dataset) -> Dataset:
    """Return the data with columns and rows in an order of their own; equal rows are one, with whole weights.

    Where rows belong together, equal ones are one within a group, and groups have numbers in an order of their own.
    """
    data = data.sorted() if data.is_grouped else data.ungrouped().sorted()
    columns, rows = _colour(data)
    names = [name for _, name in sorted(zip(columns.tolist(), data.names, strict=True))]
    permuted = data.permuted(names)
    if data.is_grouped and data.groups is not None:
        own = _add_up(data.groups.codes, _cut(_mix(rows), data.whole_weights), len(data.groups))
        return replace(permuted, groups=data.groups.numbered(np.argsort(own, kind="stable")), times=None)
    is_apart = len(np.unique(rows)) == data.n_rows
    order = np.argsort(rows) if is_apart else np.lexsort((*permuted.codes[::-1], rows))
    codes = np.ascontiguousarray(permuted.codes[:, order])
    weights = None if data.weights is None else data.weights[order]
    return Dataset(permuted.schema, codes, weights, data.weight_name)


def _colour(data: Dataset) -> tuple[Colours, Colours]:
    """Return a number for every column and one for every row, equal where they are alike."""
    weights = data.whole_weights
    rows = np.zeros(data.n_rows, dtype=np.uint64)
    columns = _number_gaps(data)
    states: list[Colours] = [np.zeros(n, dtype=np.uint64) for _, n in columns]
    for _ in range(N_ROUNDS):
        pieces = _cut(_mix(rows), weights)
        rows = np.zeros(data.n_rows, dtype=np.uint64)
        for node, (codes, _) in enumerate(columns):
            states[node] = _mix(states[node] + _add_up(codes, pieces, len(states[node])))
            rows += _mix(states[node] + _mix(states[node]).sum())[codes]  # a state is one of its column
    return np.array([_mix(own).sum() for own in states]), rows


def _number_gaps(data: Dataset) -> list[tuple[NDArray[np.uint8], int]]:
    """Return every column and how many states it has, gaps being one more."""
    has_gaps = (data.codes == GAP).any(axis=1)
    return [
        (np.minimum(codes, n), n + 1) if gaps else (codes, n)
        for codes, n, gaps in zip(data.codes, data.schema.n_states, has_gaps, strict=True)
    ]


def _cut(numbers: Colours, weights: NDArray[np.int64]) -> list[tuple[int, NDArray[np.float64]]]:
    """Return numbers times weights in pieces whose sums floating-point numbers hold exactly, and where each begins."""
    width = max(1, min(53 - int(weights.sum()).bit_length(), 32))
    mask = np.uint64((1 << width) - 1)
    return [(shift, (numbers >> np.uint64(shift) & mask).astype(np.float64) * weights) for shift in range(0, 64, width)]


def _add_up(column: NDArray[np.integer], pieces: list[tuple[int, NDArray[np.float64]]], n_states: int) -> Colours:
    """Return the sum over the rows of each state, modulo 2 ** 64."""
    total = np.zeros(n_states, dtype=np.uint64)
    for shift, piece in pieces:
        total += np.bincount(column, piece, n_states).astype(np.uint64) << np.uint64(shift)
    return total


def _mix(numbers: Colours) -> Colours:
    """Return numbers that look random (the finaliser of splitmix64): equal ones stay equal."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ mixed >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ mixed >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ mixed >> np.uint64(31))
