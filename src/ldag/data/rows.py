"""Equal rows merged into weights, and rows as numbers."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ldag.data.counts import Codes, Weights


def merge_rows(codes: Codes, n_states: Iterable[int], weights: Weights | None) -> tuple[Codes, Weights | None]:
    """Sort the rows, drop those of no weight, merge equal ones and add up; None stands for every row once.

    The result does not depend on the order of the rows, to the last bit of a real weight.
    """
    if weights is not None and not weights.all():
        codes, weights = codes[:, weights > 0], weights[weights > 0]
    if codes.shape[1] == 0:
        return np.ascontiguousarray(codes).copy(), None
    key = row_keys(codes, tuple(n_states))
    by = (key,) if weights is None or weights.dtype == np.int64 else (weights, key)
    order = np.lexsort(by)
    key = key[order]
    first = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
    rows = np.ascontiguousarray(codes[:, order[first]])
    total: Weights
    if weights is None:
        total = np.diff(first, append=len(key)).astype(np.int64)
    else:
        total = np.add.reduceat(weights[order], first)
    return rows, None if total.dtype == np.int64 and bool((total == 1).all()) else total


def row_keys(codes: Codes, n_states: tuple[int, ...]) -> NDArray[np.int64]:
    """Return a number per row, equal for equal rows and ordered as the rows are (first variable slowest).

    Mixed radix; where 63 bits do not suffice, the numbers so far are replaced by their ranks.
    """
    key = np.zeros(codes.shape[1], dtype=np.int64)
    size = 1
    for row, n in zip(codes, n_states, strict=True):
        if size * n >= 1 << 62:
            distinct, key = np.unique(key, return_inverse=True)
            size = len(distinct)
        key = key * n + row
        size *= n
    return key
