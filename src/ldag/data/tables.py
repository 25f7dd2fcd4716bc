"""A table of any make in one form: names, and columns of distinct values that are read one at a time.

A table in memory gives its columns row by row. A table that an engine keeps (a file, a lazy frame) can also be asked
for the different values of a column alone, and for its rows merged, which never brings a column of texts into memory.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from ldag.data.columns import Column
from ldag.data.counts import Weights
from ldag.errors import DataError
from ldag.model import Variable


@dataclass(frozen=True)
class Survey:
    """The different values of a column and how often each occurs, without the rows.

    ``n_values`` may be larger than the number of values listed. ``measured`` are the values as numbers (or dates) in
    increasing order, where there are too many to be states; then ``values`` are a few examples.
    """

    column: Column
    times: Weights
    n_values: int
    measured: tuple[NDArray[np.float64] | NDArray[np.object_], NDArray[np.int64]] | None = None

    @property
    def name(self) -> str:
        """The column's name."""
        return self.column.name

    @classmethod
    def of(cls, column: Column, weights: Weights | None = None) -> "Survey":
        """Survey a column whose rows are at hand; each may occur several times."""
        n_values = len(column.values)
        if weights is None:
            return cls(column, np.bincount(column.positions + 1, minlength=n_values + 1).astype(np.int64), n_values)
        times = cast("Weights", np.zeros_like(weights, shape=n_values + 1))
        np.add.at(times, column.positions + 1, weights)
        return cls(column, times, n_values)

    @classmethod
    def empty(cls, name: str, n_rows: int) -> "Survey":
        """Return the survey of a column without values."""
        return cls(Column(name, [], np.zeros(0, np.int64)), np.array([n_rows], dtype=np.int64), 0)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.times.sum())


class Merging(Protocol):
    """Merges equal rows of some columns where they lie."""

    def __call__(self, places: Sequence[int], cut: Sequence[Variable | None]) -> tuple[list[Column], NDArray[np.int64]]:
        """Return the columns of the different rows (bins in place of measurements), and how often each row occurs."""


class Completing(Protocol):
    """Leaves out rows with missing cells in some columns."""

    def __call__(self, places: Sequence[int], variables: Sequence[Variable | None]) -> "Table":
        """Return the table of the other rows; a text that is a state of a column's variable is not missing."""


@dataclass(frozen=True)
class Table:
    """Column names, the number of rows, and ways to read one column by its place, its values, or merged rows."""

    names: tuple[str, ...]
    n_rows: int
    column: Callable[[int], Column]
    survey: Callable[[int], Survey] | None = None
    merge: Merging | None = None
    complete: Completing | None = None
    notes: tuple[str, ...] = ()

    def select(self, places: Sequence[int]) -> "Table":
        """Return the table of some of the columns."""
        survey, merge, complete = self.survey, self.merge, self.complete
        return replace(
            self,
            names=tuple(self.names[place] for place in places),
            column=lambda place: self.column(places[place]),
            survey=None if survey is None else lambda place: survey(places[place]),
            merge=None if merge is None else lambda among, cut: merge([places[place] for place in among], cut),
            complete=None
            if complete is None
            else lambda among, variables: complete([places[place] for place in among], variables).select(places),
        )


def check_table(table: Table) -> Table:
    """Refuse tables without content."""
    if not table.names:
        raise DataError("the table has no columns")
    check_column_names(table.names)
    if table.n_rows == 0:
        raise DataError("the table has no rows")
    return table


def check_column_names(names: Sequence[object], remedy: str = "leave it out") -> None:
    """Refuse names that are no names; ``remedy`` is what to do with a row index."""
    known: set[object] = set()
    for place, name in enumerate(names):
        if not isinstance(name, str):
            raise DataError(
                f"column names must be strings, got {name!r} ({type(name).__name__}); rename the columns, "
                "in pandas with frame.rename(columns=str)"
            )
        if not name.strip():
            raise DataError(
                f"column {place + 1} has no name; if it is a row index written along with the data, {remedy}"
            )
        if name in known:
            raise DataError(f"there are two columns called {name!r}; rename one")
        known.add(name)
