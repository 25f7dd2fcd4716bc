"""Tables in memory: dataframes of any library, mappings of columns and arrays, in and out."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from ldag.data.columns import DECODE, NOT_UTF8, Column, Positions, column_of
from ldag.errors import ArgumentError, DataError, MissingDependency
from ldag.model import date_text

if TYPE_CHECKING:
    import narwhals as nw
    from narwhals.typing import IntoDataFrame

from ldag.data.tables import Table, check_column_names

Backend = Literal["pandas", "polars", "pyarrow"]
"""Libraries whose dataframes can be made."""


def make_frame(columns: Mapping[str, NDArray[Any]], backend: Backend) -> "IntoDataFrame":
    """Return columns as a dataframe of one of the libraries; an array of objects may hold mixed values."""
    if backend not in get_args(Backend):
        raise ArgumentError(f"backend must be one of {', '.join(get_args(Backend))}, got {backend!r}")
    try:
        frame = {"pandas": _to_pandas, "polars": _to_polars, "pyarrow": _to_pyarrow}[backend](columns)
    except ImportError:
        extra = "parquet" if backend == "pyarrow" else backend
        raise MissingDependency(backend, extra, f"a {backend} table") from None
    return cast("IntoDataFrame", frame)


def _to_pandas(columns: Mapping[str, NDArray[Any]]) -> object:
    import pandas as pd

    return pd.DataFrame(dict(columns))


def _to_polars(columns: Mapping[str, NDArray[Any]]) -> object:
    import polars as pl

    def series(name: str, cells: NDArray[Any]) -> pl.Series:
        if cells.dtype != object:
            return pl.Series(name, cells)
        return pl.Series(name, cells.tolist(), dtype=pl.Object if _mixed(cells) else None)

    return pl.DataFrame([series(name, cells) for name, cells in columns.items()])


def _to_pyarrow(columns: Mapping[str, NDArray[Any]]) -> object:
    import pyarrow as pa

    for name, cells in columns.items():
        if _mixed(cells):
            raise DataError(
                f"column {name!r} has states of several types, which pyarrow cannot hold; use pandas or polars"
            )
    return pa.table({name: pa.array(cells.tolist()) for name, cells in columns.items()})


def _mixed(cells: NDArray[Any]) -> bool:
    return cells.dtype == object and not all(isinstance(cell, str) for cell in cells)


def from_array(array: NDArray[Any], names: Sequence[str] | None) -> Table:
    """Take a 2-d array and the names of its columns."""
    if array.ndim != 2:
        raise DataError(f"an array of data has two dimensions, rows and columns; this one has {array.ndim}")
    if names is None:
        raise DataError(f"an array has no column names; give {array.shape[1]} of them as names=[...]")
    if isinstance(names, str) or len(names) != array.shape[1]:
        raise DataError(f"the array has {array.shape[1]} columns, but names= is {names!r}")
    return Table(tuple(names), array.shape[0], lambda place: _encode_array(names[place], array[:, place]))


def from_mapping(columns: Mapping[Any, object]) -> Table:
    """Take a mapping of lists, arrays or series."""
    import narwhals as nw

    names = tuple(columns)
    cells = [nw.from_native(cast("Any", column), allow_series=True, pass_through=True) for column in columns.values()]
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

    return Table(names, len(cells[0]) if cells else 0, column)


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
    names = tuple(_names(frame.to_native()))
    columns = list(frame.iter_columns())  # by place: some libraries take a name for a pattern
    return Table(names, len(frame), lambda place: _encode_series(names[place], columns[place]))


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

    native, kind, make = series.to_native(), series.dtype, series.implementation
    categories = _from_categories(name, series)
    if categories is not None:
        return categories
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
    if make.is_pandas() and hasattr(native, "cat"):
        ordered = bool(native.cat.ordered)
        return Column(name, native.cat.categories.tolist(), native.cat.codes.to_numpy(), declared=True, ordered=ordered)
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
        cells = cells.cast(pl.String)
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
