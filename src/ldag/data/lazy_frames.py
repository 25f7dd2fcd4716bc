"""Lazy frames of any library that narwhals knows: polars, DuckDB, Dask, PySpark, Ibis. Their library counts."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from ldag.data.columns import Column
from ldag.data.database import column_at, quote_name
from ldag.data.frames import encode_frame, from_eager, open_frame
from ldag.data.tables import Survey, Table, check_column_names
from ldag.model import Cuts, Variable

if TYPE_CHECKING:
    import narwhals as nw
    from narwhals.dtypes import DType

TIMES = "n"
"""The name of the column of counts while rows are merged; other columns are called by their places then."""


def from_frame(source: object) -> Table:
    """Take a dataframe of any library that narwhals knows; a lazy one is counted by its library."""
    import narwhals as nw

    frame = open_frame(source)
    return _open_lazy(frame).table() if isinstance(frame, nw.LazyFrame) else from_eager(frame)


def _open_lazy(frame: "nw.LazyFrame[Any]") -> "LazyTable":
    """Call columns by their places: libraries take some names for patterns, for parts of others, or for their own."""
    import narwhals as nw

    names = tuple(frame.collect_schema().names())
    check_column_names(names)
    native, places = frame.to_native(), list(map(column_at, range(len(names))))
    if frame.implementation.is_duckdb():
        chosen = ", ".join(f"{quote_name(name)} AS {place}" for name, place in zip(names, places, strict=True))
        frame = nw.from_native(native.project(chosen))
    elif frame.implementation.is_pyspark() or frame.implementation.is_pyspark_connect():
        frame = nw.from_native(native.toDF(*places))
    else:
        frame = frame.rename(dict(zip(names, places, strict=True)))
    return LazyTable(frame, names)


@dataclass
class LazyTable:
    """A lazy frame that is asked for the values of columns, and for merged rows."""

    frame: "nw.LazyFrame[Any]"
    names: tuple[str, ...]
    _surveys: dict[int, Survey] = field(default_factory=dict)

    def table(self) -> Table:
        """Return the table as others see it."""
        import narwhals as nw

        n_rows = int(self.frame.select(nw.len().alias(TIMES)).collect().item()) if self.names else 0
        return Table(self.names, n_rows, self.column, self.survey, self.merge, self.complete)

    def survey(self, place: int) -> Survey:
        """Return the different values of a column and how often each occurs."""
        if place not in self._surveys:
            found = self._counted([column_at(place)])
            column = self._encode(found, place)
            times = np.zeros(len(column.values) + 1, dtype=np.int64)
            np.add.at(times, column.positions + 1, _times(found))
            self._surveys[place] = Survey(column, times, len(column.values))
        return self._surveys[place]

    def column(self, place: int) -> Column:
        """Return a column row by row."""
        return self._encode(self.frame.select(column_at(place)).collect(), place)

    def _encode(self, frame: "nw.DataFrame[Any]", place: int) -> Column:
        """Return a column that was collected, which may have lost that its categories are those of an Enum."""
        import narwhals as nw

        column = encode_frame(frame, column_at(place), self.names[place])
        is_enum = isinstance(self.frame.collect_schema()[column_at(place)], nw.Enum)
        return replace(column, ordered=True) if is_enum else column

    def merge(self, places: Sequence[int], cut: Sequence[Variable | None]) -> tuple[list[Column], NDArray[np.int64]]:
        """Merge equal rows of some columns; a measurement counts as the number of its bin."""
        import narwhals as nw

        names, schema = [column_at(place) for place in places], self.frame.collect_schema()
        binned = [
            variable if variable is not None and _has_bins(schema[name], variable.cuts) else None
            for name, variable in zip(names, cut, strict=True)
        ]
        chosen = [
            nw.col(name) if variable is None else _bin(nw.col(name), variable.cuts).alias(name)
            for name, variable in zip(names, binned, strict=True)
        ]
        found = self._counted(names, self.frame.select(chosen))
        columns = []
        for place, variable in zip(places, binned, strict=True):
            column = self._encode(found, place)
            if variable is not None:
                bins = np.array([*(-1 if v is None else cast("int", v) for v in column.values), -1], dtype=np.int64)
                column = Column(self.names[place], list(variable.states), bins[column.positions])
            columns.append(column)
        return columns, _times(found)

    def complete(self, places: Sequence[int], variables: Sequence[Variable | None]) -> Table:
        """Return the table of rows without a gap in some columns."""
        import narwhals as nw

        del variables  # gaps are no texts here
        schema, frame = self.frame.collect_schema(), self.frame
        for place in places:
            name = column_at(place)
            frame = frame.filter(~nw.col(name).is_null())
            if schema[name].is_float():
                frame = frame.filter(~nw.col(name).is_nan())
        return LazyTable(frame, self.names).table()

    def _counted(self, names: Sequence[str], frame: "nw.LazyFrame[Any] | None" = None) -> "nw.DataFrame[Any]":
        import narwhals as nw

        frame = self.frame.select(names) if frame is None else frame
        return frame.group_by(list(names), drop_null_keys=False).agg(nw.len().alias(TIMES)).collect()


def _times(frame: "nw.DataFrame[Any]") -> NDArray[np.int64]:
    return np.asarray(frame.get_column(TIMES).to_numpy()).astype(np.int64)


def _has_bins(kind: "DType", cuts: Cuts) -> bool:
    """Whether a library compares values of this type with cut points as we do.

    Texts may spell one time in several ways, zones are shown in that of a session, and points have no nanoseconds.
    """
    import narwhals as nw

    if not isinstance(cuts[0], str):
        return True
    return kind == nw.Date or (isinstance(kind, nw.Datetime) and kind.time_zone is None and kind.time_unit != "ns")


def _bin(value: "nw.Expr", cuts: Cuts) -> "nw.Expr":
    """Return the number of a measurement's bin; a gap stays one."""
    import datetime

    import narwhals as nw

    is_number = not isinstance(cuts[0], str)
    points: list[Any] = list(cuts) if is_number else [datetime.datetime.fromisoformat(str(cut)) for cut in cuts]
    value = value.cast(nw.Float64() if is_number else nw.Datetime("us"))
    found = nw.when(value > points[0]).then(1).otherwise(0)
    for point in points[1:]:
        found = found + nw.when(value > point).then(1).otherwise(0)
    known = ~(value.is_null() | value.is_nan()) if is_number else ~value.is_null()
    return nw.when(known).then(found)
