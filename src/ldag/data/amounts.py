"""Columns of counts and weights."""

from math import inf, isfinite

import numpy as np

from ldag.data.coding import number_in
from ldag.data.columns import Column
from ldag.data.counts import Weights
from ldag.data.values import HUGE, is_gap
from ldag.errors import DataError, option


def read_weights(column: Column, whole: bool) -> Weights:
    """Return the amounts in a column: counts (whole numbers) or real weights; zero is allowed, not negative."""
    what = "counts" if whole else "weights"
    missing = int(np.count_nonzero(column.positions < 0))
    amounts: list[float] = []
    for position, value in enumerate(column.values):
        amount = _amount(value, column.text)
        if amount is None:
            found = "a missing cell" if column.is_missing(value) else repr(value)
            raise DataError(f"{column.where(position)}{what} must be numbers, got {found}")
        if not isfinite(amount) or amount < 0:
            raise DataError(f"{column.where(position)}{what} must be finite and not negative, got {value!r}")
        if whole and amount != int(amount):
            raise DataError(
                f"{column.where(position)}counts must be whole numbers, got {value!r}; "
                f"for real numbers use {option('weights', column.name)}"
            )
        amounts.append(int(amount) if whole else float(amount))
    if missing:
        found = "a missing cell" if missing == 1 else f"{missing} missing cells"
        raise DataError(f"{column.where(-1)}{what} must be numbers, got {found}")
    return _as_weights(column, amounts, what)


def _as_weights(column: Column, amounts: list[float], what: str) -> Weights:
    """Put the amounts in rows, as int64 for counts."""
    with np.errstate(over="ignore"):
        total = float(np.asarray(amounts, dtype=np.float64)[column.positions].sum())
    if total == 0:
        raise DataError(f"column {column.name!r}: all {what} are zero; nothing was observed")
    if not isfinite(total) or (what == "counts" and total >= 1 << 62):
        raise DataError(f"column {column.name!r}: the {what} add up to {total:.3g}, which is too large")
    if what == "counts":
        return np.asarray(amounts, dtype=np.int64)[column.positions]
    return np.asarray(amounts, dtype=np.float64)[column.positions]


def _amount(value: object, text: bool) -> float | None:
    """Return a cell as a number, or None."""
    if isinstance(value, np.generic):
        value = value.item()
    if text:
        return number_in(str(value).strip())
    if not isinstance(value, int | float) or isinstance(value, bool) or is_gap(value):
        return None
    return inf if isinstance(value, int) and abs(value) >= HUGE else value
