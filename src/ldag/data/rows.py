"""Rows of codes: equal ones merged into weights, and what they stand for."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldag.data.gaps import GAP
from ldag.model import Schema, State, Variable

Codes = NDArray[np.uint8]
"""One contiguous row of state codes per variable: shape (variables, data rows)."""

Weights = NDArray[np.int64] | NDArray[np.float64]
"""How often each data row occurs: whole numbers (counts) or real ones."""


def merge_rows(codes: Codes, n_states: Iterable[int], weights: Weights | None) -> tuple[Codes, Weights | None]:
    """Sort the rows, drop those of no weight, merge equal ones and add up; None stands for every row once.

    The result does not depend on the order of the rows, to the last bit of a real weight.
    """
    places, total = tell_rows_apart(codes, tuple(n_states), weights)
    return take_rows(codes, places), total


def tell_rows_apart(
    codes: Codes, n_states: tuple[int, ...], weights: Weights | None, groups: NDArray[np.int32] | None = None
) -> tuple[NDArray[np.intp], Weights | None]:
    """Return the places of different rows in order, by group first, and the weight of each; None is every row once."""
    used = None if weights is None or weights.all() else np.flatnonzero(weights)
    if used is not None and weights is not None:
        codes, weights, groups = codes[:, used], weights[used], None if groups is None else groups[used]
    if codes.shape[1] == 0:
        return np.arange(0), None
    keys: list[NDArray[Any]] = [row_keys(codes, n_states)]
    if groups is not None:
        keys.append(groups)
    if weights is not None and weights.dtype != np.int64:
        keys.insert(0, weights)
    order = np.argsort(keys[0]) if len(keys) == 1 else np.lexsort(keys)
    places = order if used is None else used[order]
    is_first = np.ones(len(order), dtype=np.bool_)
    is_first[1:] = np.any([_differ(key[order]) for key in keys[-1 if groups is None else -2 :]], axis=0)
    if weights is None and is_first.all():
        return places, None
    first = np.flatnonzero(is_first)
    if weights is None:
        return places[first], np.diff(first, append=len(order)).astype(np.int64)
    total: Weights = np.add.reduceat(weights[order], first)
    return places[first], None if total.dtype == np.int64 and bool((total == 1).all()) else total


def _differ(numbers: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which numbers differ from the one before."""
    return np.asarray(numbers[1:] != numbers[:-1])


def take_rows(codes: Codes, places: NDArray[np.intp]) -> Codes:
    """Return some rows, column by column: each column fits into fast memory."""
    taken = np.empty((len(codes), len(places)), dtype=codes.dtype)
    for column, out in zip(codes, taken, strict=True):
        np.take(column, places, out=out, mode="clip")  # which are known to be there
    return taken


def row_keys(codes: Codes, n_states: tuple[int, ...]) -> NDArray[np.int64]:
    """Return a number per row, equal for equal rows and ordered as the rows are (first variable slowest).

    Mixed radix; where 63 bits do not suffice, the numbers so far are replaced by their ranks. Gaps come after states.
    """
    key = np.zeros(codes.shape[1], dtype=np.int64)
    size = 1
    for row, n in zip(codes, n_states, strict=True):
        if n <= GAP and row.max(initial=0) == GAP:
            row, n = np.minimum(row, n), n + 1  # noqa: PLW2901 - a gap is one state more
        if size * n >= 1 << 62:
            distinct, key = np.unique(key, return_inverse=True)
            size = len(distinct)
        key = key * n + row
        size *= n
    return key


def state_columns(schema: Schema, codes: Codes) -> dict[str, NDArray[Any]]:
    """Return rows in codes as columns of states, None for gaps."""
    return {variable.name: _state_column(variable, row) for variable, row in zip(schema, codes, strict=True)}


def _state_column(variable: Variable, codes: NDArray[np.integer[Any]]) -> NDArray[Any]:
    """Return the states that codes stand for; a column with gaps is one of objects."""
    states = state_array(variable.states)
    if codes.max(initial=0) == GAP:
        known, states = states, np.full(GAP + 1, None, dtype=object)
        states[: len(known)] = known.tolist()
    column: NDArray[Any] = states[codes]
    return column


def state_array(values: Sequence[State]) -> NDArray[Any]:
    """Return states as an array of their own type, or of objects where they differ or are texts."""
    kinds = {type(state) for state in values}
    if kinds == {bool} or float in kinds <= {int, float} or (kinds == {int} and all(map(_fits, values))):
        return np.array(values)
    return np.array([*values, None], dtype=object)[:-1]


def _fits(state: State) -> bool:
    return isinstance(state, int) and abs(state) < 1 << 63
