"""Dataframes of any library, mappings of columns and arrays as tables; lazy frames are counted by their library."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from ldag.data.columns import DECODE, NOT_UTF8, Column, Positions, column_of, is_gap, tidy_column
from ldag.data.database import column_at, quote_name
from ldag.data.tables import MemoryTable, Survey, Table, check_column_names
from ldag.errors import DataError
from ldag.model import Cuts, Variable, date_text

if TYPE_CHECKING:
    import narwhals as nw
    from narwhals.dtypes import DType


def from_array(array: NDArray[Any], names: Sequence[str] | None) -> Table:
    """Take a 2-d array and the names of its columns."""
    if array.ndim != 2:
        raise DataError(f"an array of data has two dimensions, rows and columns; this one has {array.ndim}")
    if names is None:
        raise DataError(f"an array has no column names; give {array.shape[1]} of them as names=[...]")
    if isinstance(names, str) or len(names) != array.shape[1]:
        raise DataError(f"the array has {array.shape[1]} columns, but names= is {names!r}")
    return MemoryTable(tuple(names), array.shape[0], lambda place: _encode_array(names[place], array[:, place]))


def from_mapping(columns: Mapping[Any, object]) -> Table:
    """Take a mapping of lists, arrays or series."""
    import narwhals as nw

    names = tuple(columns)
    cells: list[Any] = [
        column
        if isinstance(column, list | tuple | np.ndarray)  # as most are: asking takes long where there are many columns
        else nw.from_native(cast("Any", column), allow_series=True, pass_through=True)
        for column in columns.values()
    ]
    for name, given in zip(names, cells, strict=True):
        if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray | nw.Series):
            raise DataError(f"column {name!r} of a mapping must be a list, array or series, got {given!r}")
        if len(given) != len(cells[0]):
            raise DataError(
                f"columns differ in length: {names[0]!r} has {len(cells[0])} rows, {name!r} has {len(given)}"
            )

    def column(place: int) -> Column:
        if isinstance(cells[place], nw.Series):
            return _encode_series(names[place], cells[place])
        if isinstance(cells[place], np.ndarray):
            return _encode_array(names[place], cells[place])
        return column_of(names[place], cells[place])

    return MemoryTable(names, len(cells[0]) if cells else 0, column)


def _encode_array(name: str, cells: NDArray[Any]) -> Column:
    if cells.ndim != 1:
        raise DataError(f"column {name!r} must have one dimension, got an array of shape {cells.shape}")
    if cells.dtype.kind == "M":
        cells = np.array([None if np.isnat(cell) else date_text(cell) for cell in cells], dtype=object)
        return replace(column_of(name, cells.tolist()), dates=True)
    if cells.dtype.kind not in "biufU":
        return column_of(name, cells.tolist())
    values, positions = np.unique(cells, return_inverse=True)
    return Column(name, values.tolist(), positions)


def open_frame(source: object) -> "nw.DataFrame[Any] | nw.LazyFrame[Any]":
    """Take a dataframe of any library that narwhals knows, lazy or not."""
    import narwhals as nw
    from narwhals.exceptions import NarwhalsError

    try:
        frame: nw.DataFrame[Any] | nw.LazyFrame[Any] = nw.from_native(cast("Any", source))
    except TypeError:
        raise DataError(
            f"cannot read a {type(source).__name__}; expected a path (.csv, .tsv, .parquet, .xlsx), a pandas, polars "
            "or pyarrow table, a mapping of columns, or a numpy array with names="
        ) from None
    except (ValueError, NarwhalsError) as error:  # it refuses repeated names in words of its own
        check_column_names(tuple(_names(source)))
        raise DataError(f"cannot read this {type(source).__name__}: {error}") from None
    return frame


def from_eager(frame: "nw.DataFrame[Any]") -> Table:
    """Take a dataframe that is in memory."""
    native = frame.to_native()
    names = tuple(_names(native))
    columns = cache(lambda: list(frame.iter_columns()))  # by place: some libraries take a name for a pattern
    arrays = _pandas_arrays(native) if frame.implementation.is_pandas() else [None] * len(names)

    def column(place: int) -> Column:
        if hasattr(arrays[place], "categories"):
            return _from_pandas_categories(names[place], arrays[place])
        return _encode_series(names[place], columns()[place])

    return MemoryTable(names, len(frame), column)


FEW = 512
"""So few rows are taken cell by cell: where there are many columns, asking each of them takes longer."""


def from_few_rows(source: object) -> Table | None:
    """Take a dataframe in memory that has few rows of plain cells; None for others.

    What its library says of the types of columns is lost, but of categories: their states must be known.
    """
    import narwhals as nw

    native: Any = source
    if not nw.dependencies.is_pandas_dataframe(source):
        frame = open_frame(source)
        if isinstance(frame, nw.LazyFrame):
            return None
        native = frame.to_native()
    if len(native) > FEW:
        return None
    refused: tuple[type[Exception], ...] = (DataError, UnicodeDecodeError, *_arrow_errors())
    try:
        columns = list(map(_column_by_cell, _names(native), _list_columns(native)))
    except refused:
        return None  # by the columns one by one, whose errors name them
    if not all(tidy_column(column) is column for column in columns):
        return None
    names = tuple(column.name for column in columns)
    return MemoryTable(names, len(native), columns.__getitem__, _columns=dict(enumerate(columns)))


def _list_columns(native: Any) -> Iterable[Any]:
    """Return the cells of every column, or pandas' array of categories."""
    import narwhals as nw

    if nw.dependencies.is_pandas_dataframe(native):
        if all(isinstance(kind, np.dtype) for kind in native.dtypes):
            return map(_without_gaps, native.to_numpy(dtype=object).T.tolist())
        return [array if hasattr(array, "categories") else _list_cells(array) for array in _pandas_arrays(native)]
    if nw.dependencies.is_polars_dataframe(native):
        return list(zip(*native.rows(), strict=True)) or [()] * len(native.columns)
    if nw.dependencies.is_pyarrow_table(native):
        return [column.to_pylist() for column in native.columns]
    return [series.to_list() for series in nw.from_native(native, eager_only=True).iter_columns()]


def _column_by_cell(name: str, cells: Any) -> Column:
    return column_of(name, cells) if isinstance(cells, Sequence) else _from_pandas_categories(name, cells)


def _pandas_arrays(native: Any) -> list[Any]:
    """Return the arrays of all columns; making a series of each takes twenty times as long."""
    make = getattr(native, "_iter_column_arrays", None)
    return [series.array for _, series in native.items()] if make is None else list(make())


def _list_cells(array: Any) -> list[object]:
    """Return the cells of pandas' array; of texts, Arrow's own way takes a tenth of the time."""
    if getattr(array.dtype, "storage", None) == "pyarrow":
        return cast("list[object]", array.__arrow_array__().to_pylist())
    return _without_gaps(array.astype(object).tolist())


def _without_gaps(cells: list[object]) -> list[object]:
    return [None if is_gap(cell) else cell for cell in cells]


def _from_pandas_categories(name: str, cells: Any) -> Column:
    """Take an array of pandas whose type lists its categories."""
    return Column(name, _list_cells(cells.categories.array), cells.codes, declared=True, ordered=bool(cells.ordered))


def _names(native: Any) -> Iterable[Any]:
    """Return a dataframe's names as they are, strings or not."""
    return cast("Iterable[Any]", native.column_names if hasattr(native, "column_names") else native.columns)


def _encode_series(name: str, series: "nw.Series[Any]") -> Column:
    if series.implementation.is_polars():  # which takes a name such as "^.*$" for a pattern
        series = series.alias("cells")
    try:
        return _encode(name, series)
    except UnicodeDecodeError as error:
        raise DataError(f"column {name!r}: {NOT_UTF8} ({error}); {DECODE}") from None
    except _arrow_errors() as error:  # what pandas keeps in Arrow, it looks at as late as here
        raise DataError(f"column {name!r} cannot be read, perhaps {NOT_UTF8} ({error}); {DECODE}") from None


def _arrow_errors() -> tuple[type[Exception], ...]:
    """Return the errors of pyarrow, if it is in use."""
    module = sys.modules.get("pyarrow")
    return () if module is None else (module.ArrowException,)


def _encode(name: str, series: "nw.Series[Any]") -> Column:
    """Find the distinct values of a dataframe's column in its own library, which is fast."""
    import narwhals as nw

    categories = _from_categories(name, series)
    if categories is not None:
        return categories
    native, kind, make = series.to_native(), series.dtype, series.implementation
    if kind in (nw.Datetime, nw.Date):
        return _from_times(name, series)
    simple = kind in (nw.String, nw.Boolean, nw.Categorical) or kind.is_integer() or kind.is_float()
    if make.is_pandas() and simple and native.dtype != object:
        positions, values = native.factorize()
        return Column(name, values.tolist(), positions)
    if make.is_pyarrow() and simple:
        return from_dictionary(name, native.dictionary_encode(), declared=False)
    if make.is_polars() and simple:
        return _from_polars(name, native)
    return column_of(name, series.to_list())


def _from_categories(name: str, series: "nw.Series[Any]") -> Column | None:
    """Take a column whose type lists its categories; None for others, and for those of polars, which all frames share.

    Those of an Enum are in order.
    """
    import narwhals as nw

    native, make = series.to_native(), series.implementation
    if make.is_pandas() and hasattr(native.array, "categories"):
        return _from_pandas_categories(name, native.array)
    if make.is_pandas() and hasattr(native.dtype, "pyarrow_dtype"):
        native = native.array.__arrow_array__()
    if hasattr(getattr(native, "type", None), "index_type"):
        return from_dictionary(name, native, declared=True, ordered=bool(native.type.ordered))
    if make.is_polars() and isinstance(series.dtype, nw.Enum):
        positions = _numpy(native.to_physical().cast(int).fill_null(-1))
        return Column(name, native.dtype.categories.to_list(), positions, declared=True, ordered=True)
    return None


def _from_times(name: str, series: "nw.Series[Any]") -> Column:
    """Spell each different time once, to the last digit that its library keeps."""
    if getattr(series.dtype, "time_zone", None) is not None:
        series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    cells = series.to_numpy()
    if cells.dtype.kind != "M":  # some make Python's objects of them
        return column_of(name, series.to_list())
    values, positions = np.unique(cells, return_inverse=True)
    texts = [None if np.isnat(value) else date_text(value) for value in values]
    return Column(name, list(texts), positions, dates=True)


def from_dictionary(name: str, cells: Any, declared: bool, ordered: bool = False) -> Column:
    """Take a pyarrow dictionary apart; chunks may each have their own."""
    cells = cells.unify_dictionaries().combine_chunks()
    if hasattr(cells, "chunks"):  # older versions keep one chunk
        cells = cells.chunk(0)
    positions = cells.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)  # they may be unsigned
    return Column(name, cells.dictionary.to_pylist(), positions, declared=declared, ordered=ordered)


def _from_polars(name: str, cells: Any) -> Column:
    import polars as pl

    if cells.dtype == pl.Categorical:  # has no order of its own
        present = cells.drop_nulls().unique()
        codes = _numpy(present.to_physical())  # among the categories of all frames
        places = np.full(int(codes.max(initial=0)) + 2, -1, dtype=np.int32)  # the last is a gap's
        places[codes] = np.arange(len(codes), dtype=np.int32)
        return Column(
            name, present.cast(pl.String).to_list(), places[_numpy(cells.to_physical().cast(int).fill_null(-1))]
        )
    if cells.dtype.is_float():
        cells = cells.fill_nan(None)
    values = cells.drop_nulls().unique()
    numbers = pl.int_range(len(values), dtype=pl.Int32, eager=True)
    positions = cells.replace_strict(values, numbers, default=-1, return_dtype=pl.Int32)
    return Column(name, values.to_list(), _numpy(positions))


def _numpy(cells: Any) -> Positions:
    return cast("Positions", cells.to_numpy())


def encode_frame(frame: "nw.DataFrame[Any]", key: str, name: str) -> Column:
    """Return a column of a frame that is in memory under another name than it has there."""
    return _encode_series(name, frame.get_column(key))


TIMES = "n"
"""The name of the column of counts while rows are merged; other columns are called by their places then."""


def from_frame(source: object) -> Table:
    """Take a dataframe of any library that narwhals knows; a lazy one is counted by its library."""
    import narwhals as nw

    frame = open_frame(source)
    return _open_lazy(frame) if isinstance(frame, nw.LazyFrame) else from_eager(frame)


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
    notes: tuple[str, ...] = ()
    _surveys: dict[int, Survey] = field(default_factory=dict)

    @cached_property
    def n_rows(self) -> int:
        """How many rows there are, counted when it is asked."""
        import narwhals as nw

        return int(self.frame.select(nw.len().alias(TIMES)).collect().item()) if self.names else 0

    def survey(self, place: int) -> Survey:
        """Return the different values of a column and how often each occurs."""
        if place not in self._surveys:
            counts = self._count([column_at(place)])
            column = self._encode(counts, place)
            times = np.zeros(len(column.values) + 1, dtype=np.int64)
            np.add.at(times, column.positions + 1, _times(counts))
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
        counts = self._count(names, self.frame.select(chosen))
        columns = []
        for place, variable in zip(places, binned, strict=True):
            column = self._encode(counts, place)
            if variable is not None:
                bins = np.array([*(-1 if v is None else cast("int", v) for v in column.values), -1], dtype=np.int64)
                column = Column(self.names[place], list(variable.states), bins[column.positions])
            columns.append(column)
        return columns, _times(counts)

    def complete(self, places: Sequence[int], variables: Sequence[Variable | None]) -> tuple[Table, float]:
        """Return the table of rows without a gap in some columns, and their share."""
        import narwhals as nw

        del variables  # gaps are no texts here
        schema, frame = self.frame.collect_schema(), self.frame
        for place in places:
            name = column_at(place)
            frame = frame.filter(~nw.col(name).is_null())
            if schema[name].is_float():
                frame = frame.filter(~nw.col(name).is_nan())
        part = LazyTable(frame, self.names)
        return part, part.n_rows / self.n_rows

    def _count(self, names: Sequence[str], frame: "nw.LazyFrame[Any] | None" = None) -> "nw.DataFrame[Any]":
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
    number = nw.when(value > points[0]).then(1).otherwise(0)
    for point in points[1:]:
        number = number + nw.when(value > point).then(1).otherwise(0)
    known = ~(value.is_null() | value.is_nan()) if is_number else ~value.is_null()
    return nw.when(known).then(number)
