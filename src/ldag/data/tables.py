"""A table of any make in one form: names, and columns of distinct values that are read one at a time.

A table in memory gives its columns row by row. A table that an engine keeps (a file, a lazy frame) can also be asked
for the different values of a column alone, and for its rows merged, which never brings a column of texts into memory.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ldag.data.columns import Column, tidy_column
from ldag.data.rows import Weights
from ldag.errors import DataError, option
from ldag.model import Variable

Distinct = NDArray[np.float64] | NDArray[np.object_]
"""Different numbers in increasing order, or different dates as texts."""

LISTED = 1000
"""Different values of a column that an engine lists; a column with more is a measurement, or no variable."""


@dataclass(frozen=True)
class Survey:
    """The different values of a column and how often each occurs, without the rows.

    ``n_values`` may be larger than the number of values listed. ``measured`` are the values as numbers (or dates) in
    increasing order, where there are too many to be states; then ``values`` are a few examples.
    """

    column: Column
    times: Weights
    n_values: int
    measured: tuple[Distinct, NDArray[np.int64]] | None = None

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
    def of_numbers(cls, examples: Column, n_gaps: int, values: Distinct, times: NDArray[np.int64]) -> "Survey":
        """Survey a measurement by its numbers (or dates) in order, and how often each occurs."""
        every = np.concatenate(([n_gaps], times)).astype(np.int64)
        return cls(examples, every, len(values), (values, every[1:]))

    @classmethod
    def of_examples(cls, examples: Column, n_gaps: int, n_given: int, n_values: int) -> "Survey":
        """Survey a column of so many values that they are not listed: it is no variable."""
        return cls(examples, np.array([n_gaps, n_given], dtype=np.int64), n_values)

    @classmethod
    def empty(cls, name: str, n_rows: int) -> "Survey":
        """Return the survey of a column without values."""
        return cls(Column.of_examples(name, []), np.array([n_rows], dtype=np.int64), 0)

    def tidied(self) -> "Survey":
        """Return the survey with plain values; the rows, if they are at hand, follow."""
        tidy = tidy_column(self.column)
        is_renumbered = tidy.positions is not self.column.positions
        return Survey.of(tidy) if is_renumbered else replace(self, column=tidy)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.times.sum())

    @property
    def times_given(self) -> list[float]:
        """How often each value occurs that is no gap."""
        return [n for n, is_gap in zip(self.times[1:].tolist(), self.column.gaps, strict=True) if not is_gap]


@runtime_checkable
class Table(Protocol):
    """What reading asks of a table: its names, the values of a column, a column in rows, and rows merged."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""

    @property
    def n_rows(self) -> int:
        """How many rows there are."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be told of how it was opened."""

    def survey(self, place: int) -> Survey:
        """Return the different values of a column."""

    def column(self, place: int) -> Column:
        """Return a column row by row, in the order of the source."""

    def merge(self, places: Sequence[int], cut: Sequence[Variable | None]) -> tuple[list[Column], Weights | None]:
        """Return columns of rows, equal ones merged where that is cheap, and how often each occurs (None: once).

        An engine may give bins in place of measurements, where a variable says how they are cut.
        """

    def complete(self, places: Sequence[int], variables: Sequence[Variable | None]) -> "tuple[Table, float]":
        """Return a table to survey the rows without a gap in some columns, and their share of all rows.

        A text that is a state of a column's variable is no gap.
        """


@dataclass(frozen=True)
class MemoryTable:
    """A table whose rows are at hand: columns are made when they are asked for, once; rows may occur several times."""

    names: tuple[str, ...]
    n_rows: int
    make: Callable[[int], Column]
    notes: tuple[str, ...] = ()
    times: Weights | None = None
    _columns: dict[int, Column] = field(default_factory=dict)

    def column(self, place: int) -> Column:
        """Return a column row by row."""
        if place not in self._columns:
            self._columns[place] = tidy_column(self.make(place))
        return self._columns[place]

    def survey(self, place: int) -> Survey:
        """Return the different values of a column."""
        return Survey.of(self.column(place), self.times)

    def merge(self, places: Sequence[int], cut: Sequence[Variable | None]) -> tuple[list[Column], Weights | None]:
        """Return the columns as they are: rows in memory are merged when they are coded."""
        del cut
        return [self.column(place) for place in places], self.times

    def complete(self, places: Sequence[int], variables: Sequence[Variable | None]) -> tuple[Table, float]:
        """Return the table in which rows with a gap do not occur, and the share of the others."""
        gaps = [_find_gaps(self.column(place), known) for place, known in zip(places, variables, strict=True)]
        times = np.ones(self.n_rows, dtype=np.int64) if self.times is None else self.times
        used = cast("Weights", times * ~np.any(gaps, axis=0))
        return replace(self, times=used), float(used.sum() / times.sum())


def _find_gaps(column: Column, variable: Variable | None) -> NDArray[np.bool_]:
    """Tell which cells are missing; a text that is a declared state is not."""
    known = () if variable is None else variable.states
    texts = [str(value).strip() if column.text else value for value in column.values]
    gaps = [is_missing and text not in known for is_missing, text in zip(column.gaps, texts, strict=True)]
    return np.array([*gaps, True])[column.positions]


def select_columns(table: Table, places: Sequence[int]) -> MemoryTable:
    """Return the table of some columns, row by row."""
    names = tuple(table.names[place] for place in places)
    return MemoryTable(names, table.n_rows, lambda place: table.column(places[place]), table.notes)


def check_table(table: Table) -> Table:
    """Refuse tables without content."""
    if not table.names:
        raise DataError("the table has no columns")
    check_column_names(table.names)
    if table.n_rows == 0:
        raise DataError("the table has no rows")
    return table


def check_column_names(names: Sequence[object], *, may_drop: bool = False) -> None:
    """Refuse names that are no names; ``may_drop`` says that an option leaves out a row index."""
    known: set[object] = set()
    for place, name in enumerate(names):
        if not isinstance(name, str):
            raise DataError(
                f"column names must be strings, got {name!r} ({type(name).__name__}); rename the columns, "
                "in pandas with frame.rename(columns=str)"
            )
        if not name.strip():
            how = f" with {option('unusable', 'drop')}" if may_drop else ""
            raise DataError(
                f"column {place + 1} has no name; if it is a row index written along with the data, leave it out{how}"
            )
        if name in known:
            raise DataError(f"there are two columns called {name!r}; rename one")
        known.add(name)
