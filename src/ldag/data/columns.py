"""A column of a table as it is read, whatever it was read from."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldag.errors import DataError

Positions = NDArray[np.signedinteger[Any]]

MISSING_TEXT = frozenset({"", "NA", "NaN", "nan"})
"""Cells of a text file that stand for a missing value, unless declared as states."""

NUMBER = r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
"""How a number is spelled in a text file: without leading zeros."""

NOT_UTF8 = "the table holds text that is not UTF-8"
DECODE = "decode it where the table is written, or leave the column out"
"""What is said of bytes that pass for text, and what to do."""


@dataclass(frozen=True)
class Column:
    """A column as read: its distinct values, and for each row the position of its value (-1: missing).

    Values may repeat or be missing values themselves. ``declared`` says that the source gave them as
    categories, in order, used or not, and ``ordered`` that their order means something; ``text`` that they are the
    cells of a text file, of which those in ``na`` are missing; ``dates`` that they are dates as texts. Where rows were
    merged, ``locate`` finds the first row of some values.
    """

    name: str
    values: list[object]
    positions: Positions
    declared: bool = False
    text: bool = False
    ordered: bool = False
    dates: bool = False
    na: frozenset[str] = MISSING_TEXT
    locate: Callable[[list[object]], int | None] | None = None

    def where(self, position: int) -> str:
        """Say where a value stands first; rows are numbered from 1."""
        row = self.first_row([position])
        return f"column {self.name!r}: " if row is None else f"column {self.name!r}, row {row}: "

    def first_row(self, positions: list[int]) -> int | None:
        """Return the first row, from 1, with one of these positions."""
        if self.locate is not None:
            return self.locate([None if position < 0 else self.values[position] for position in positions])
        rows = np.flatnonzero(np.isin(self.positions, positions))
        return int(rows[0]) + 1 if len(rows) else None

    def is_missing(self, value: object) -> bool:
        """Whether a value stands for a missing cell."""
        if self.text:
            return str(value).strip() in self.na
        return (
            value is None
            or type(value).__name__ in ("NAType", "NaTType")
            or (isinstance(value, float) and isnan(value))
        )


def column_of(name: str, cells: Iterable[object]) -> Column:
    """Make a column of Python objects."""
    cells = list(cells)
    kinds = set(map(type, cells))
    # Equal objects of different types are not the same: True, 1 and 1.0.
    keys = cells if kinds <= {str, type(None)} else zip(map(type, cells), cells, strict=True)
    numbering = _Numbering()
    try:
        positions = np.fromiter(map(numbering.__getitem__, keys), np.int32, len(cells))
    except TypeError:
        odd = next(cell for cell in cells if not _hashable(cell))
        raise DataError(
            f"column {name!r} holds {_shortened(odd)} ({type(odd).__name__}); a state is a string, a finite number or "
            "a boolean: convert the column, for instance to strings"
        ) from None
    _, first = np.unique(positions, return_index=True)
    return Column(name, [cells[row] for row in first], positions)


class _Numbering(dict[object, int]):
    """Gives every new key the next number."""

    def __missing__(self, key: object) -> int:
        self[key] = number = len(self)
        return number


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _shortened(value: object) -> str:
    return repr(value) if len(repr(value)) < 80 else repr(value)[:77] + "..."
