"""Slices of a panel: rows of one group that follow each other, side by side as columns of one table.

A window of ``lags`` + 1 rows becomes one row with the columns ``x@-1`` (of the row before), ``x@-2``, ... and ``x``
itself. A column that never changes within a group is static: it stands there once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ldag.checks import check_names, check_whole
from ldag.data.dataset import Dataset
from ldag.data.gaps import GAP
from ldag.data.notes import Note
from ldag.errors import ArgumentError, DataError, argument, counted, list_names, option
from ldag.formats import LAG_SIGN, spell_lag, spell_step
from ldag.model import Schema

PanelRows = NDArray[np.int64]
"""Where rows stand in a panel."""


@dataclass(frozen=True)
class Slices:
    """A panel cut into what series begin with, and into windows of rows that follow each other.

    ``first`` has a row per series, with columns called ``x`` for one lag, and ``x@0``, ``x@1``, ... for several;
    ``windows`` has a row per window. Columns in ``static`` stand once in both.
    """

    panel: Dataset
    first: Dataset
    windows: Dataset
    lags: int
    static: tuple[str, ...]
    changing: tuple[str, ...]


def cut_slices(data: Dataset, lags: int, static: Iterable[str] | None = None) -> Slices:
    """Cut a panel into first slices and windows; what a missed wave interrupts is left out and counted.

    Static are the columns named, or else all that never change within a group.
    """
    check_whole(lags, "lags", 1)
    if data.times is None:
        raise ArgumentError(
            f"{argument('lags')} needs rows in order of time; read the table with {option('groups', 'patient')} and"
            f" {option('time', 'wave')}, the columns that say whose a row is and when it was"
        )
    for name in data.names:
        if LAG_SIGN in name:
            raise DataError(f"the column {name!r} has {LAG_SIGN!r} in its name, which marks earlier rows; rename it")
    series = _Series(_group_codes(data), data.times.positions)
    static = (
        _find_static(data, series) if static is None else _check_static(data, series, check_names(static, "static"))
    )
    changing = tuple(name for name in data.names if name not in static)
    if not changing:
        raise DataError("every column is static: nothing changes within a group, so that nothing follows from before")
    if series.longest <= lags:
        raise ArgumentError(
            f"{argument('lags')} must be below the number of rows of the longest series, {series.longest:,}, got {lags}"
        )
    starts, ends = series.starts(lags), series.ends(lags)
    if not len(ends) or not len(starts):
        raise DataError(
            f"no series has {lags + 1} rows without a missed wave between them; give fewer {argument('lags')}"
        )
    data = _fill_static(data, series, static)
    steps = {name: [spell_step(name, step) if lags > 1 else name for step in range(lags)] for name in changing}
    lagged = {name: [spell_lag(name, lag) for lag in range(lags, -1, -1)] for name in changing}
    first = _lay_out(data, static, steps, [starts + step for step in range(lags)])
    windows = _lay_out(data, static, lagged, [ends - lag for lag in range(lags, -1, -1)])
    return Slices(
        data,
        replace(first, notes=(*data.notes, *series.describe_starts(lags, len(starts)))),
        replace(windows, notes=(*data.notes, *series.describe_windows(lags, len(ends)))),
        lags,
        static,
        changing,
    )


def _group_codes(data: Dataset) -> NDArray[np.int32]:
    return np.zeros(data.n_rows, dtype=np.int32) if data.groups is None else data.groups.codes


@dataclass(frozen=True, eq=False)
class _Series:
    """The rows of a panel, sorted by group and, within one, by time."""

    groups: NDArray[np.int32]
    positions: NDArray[np.int64]

    @property
    def first(self) -> PanelRows:
        """The first row of every series."""
        return np.flatnonzero(np.diff(self.groups, prepend=-1))

    @property
    def lengths(self) -> PanelRows:
        """How many rows each has."""
        return np.diff(self.first, append=len(self.groups))

    @property
    def longest(self) -> int:
        """How many rows the longest one has."""
        return int(self.lengths.max(initial=0))

    @property
    def places(self) -> PanelRows:
        """The place of every row in its series."""
        return np.arange(len(self.groups)) - np.repeat(self.first, self.lengths)

    def _is_unbroken(self, ends: PanelRows, n: int) -> NDArray[np.bool_]:
        """Return which rows stand exactly so many steps after the row so many places before."""
        unbroken: NDArray[np.bool_] = self.positions[ends] - self.positions[ends - n] == n
        return unbroken

    def starts(self, n: int) -> PanelRows:
        """Return the first row of the series that begin with so many rows in a row."""
        long = self.first[self.lengths >= n]
        return long[self._is_unbroken(long + n - 1, n - 1)]

    def ends(self, lags: int) -> PanelRows:
        """Return the rows before which there are so many without a missed wave."""
        late = np.flatnonzero(self.places >= lags)
        return late[self._is_unbroken(late, lags)]

    def describe_starts(self, n: int, n_starts: int) -> Iterable[Note]:
        """Say how many series do not begin with enough rows."""
        left_out = len(self.first) - n_starts
        if left_out:
            what = "begins" if left_out == 1 else "begin"
            yield Note(
                f"{counted(left_out, 'series', 'series')} left out that {what} with fewer than {n} rows in a row",
                "rows",
            )

    def describe_windows(self, lags: int, n_windows: int) -> Iterable[Note]:
        """Say how many windows there are, and how many a missed wave interrupts."""
        noun = "pair" if lags == 1 else f"window of {lags + 1} rows"
        several = "pairs" if lags == 1 else f"windows of {lags + 1} rows"
        left_out = int((self.places >= lags).sum()) - n_windows
        yield Note(f"{counted(n_windows, noun, several)} that follow each other")
        if left_out:
            yield Note(f"{counted(left_out, noun, several)} left out, between which a wave is missing", "rows")


def _changes(data: Dataset, series: _Series, node: int) -> NDArray[np.bool_]:
    """Return in which series a column has different states; gaps are none."""
    codes = data.codes[node].astype(np.int16)
    lowest = np.minimum.reduceat(codes, series.first)
    highest = np.maximum.reduceat(np.where(codes == GAP, -1, codes), series.first)
    changes: NDArray[np.bool_] = (highest >= 0) & (lowest < highest)
    return changes


def _find_static(data: Dataset, series: _Series) -> tuple[str, ...]:
    """Return the columns that never change within a series, if there are series to tell them by."""
    if len(series.first) == 1:
        return ()
    return tuple(name for node, name in enumerate(data.names) if not _changes(data, series, node).any())


def _check_static(data: Dataset, series: _Series, names: Sequence[str]) -> tuple[str, ...]:
    """Refuse columns that change."""
    for node in data.schema.nodes(names, "static: "):
        changing = np.flatnonzero(_changes(data, series, node))
        if len(changing):
            where = "" if data.groups is None else f", as in {data.groups.name} {data.groups.labels[changing[0]]!r}"
            raise DataError(
                f"static: {data.names[node]!r} changes within {counted(len(changing), 'series', 'series')}{where};"
                f" leave it out of {option('static')}"
            )
    return tuple(name for name in data.names if name in names)


def _fill_static(data: Dataset, series: _Series, static: Sequence[str]) -> Dataset:
    """Write what is known of static columns into all rows of the series; it is told."""
    codes = data.codes.copy()
    n_filled = 0
    for node in data.schema.nodes(static) if static else ():
        own = codes[node]
        known = np.repeat(np.minimum.reduceat(own, series.first), series.lengths)
        n_filled += int((own != known).sum())
        codes[node] = known
    notes = [Note(f"{list_names(static)}: static, one value for each series")] if static else []
    if n_filled:
        notes.append(Note(f"{counted(n_filled, 'gap')} of static columns filled from other rows of the series"))
    return replace(data, codes=codes, notes=(*data.notes, *notes))


def _lay_out(data: Dataset, static: Sequence[str], columns: dict[str, list[str]], rows: Sequence[PanelRows]) -> Dataset:
    """Return rows side by side: static columns of the last ones, and every other column once for each."""
    variables, codes = [], []
    for name in static:
        node = data.schema.node(name)
        variables.append(data.schema[node])
        codes.append(data.codes[node][rows[-1]])
    for number, places in enumerate(rows):
        for name, spelled in columns.items():
            node = data.schema.node(name)
            variables.append(replace(data.schema[node], name=spelled[number]))
            codes.append(data.codes[node][places])
    groups = None if data.groups is None else data.groups.take(rows[-1])
    return Dataset.from_codes(Schema(tuple(variables)), np.stack(codes), groups=groups)
