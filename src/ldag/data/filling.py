"""States put where cells of a table were missing; what comes out is what came in, everything else as it was."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ldag.data.columns import Coded, Column
from ldag.data.frames import open_frame
from ldag.data.tables import Table
from ldag.errors import DataError
from ldag.model import State, state_key


@dataclass(frozen=True, eq=False)
class NewCells:
    """The rows of a column in which a cell was missing, and what each of them is to have."""

    rows: NDArray[np.intp]
    cells: list[object]

    def put_in(self, cells: Iterable[object]) -> list[Any]:
        """Return cells with these in their places."""
        filled = list(cells)
        for row, cell in zip(self.rows.tolist(), self.cells, strict=True):
            filled[row] = cell
        return filled


def spell_cells(column: Column, coded: Coded) -> list[object]:
    """Return each state of a variable as the cells of a column say it, or would: a bin of a measurement is a text."""
    variable = coded.variable
    if variable.cuts:
        return list(variable.states)
    seen = np.full(len(column.values), -1, dtype=np.int64)
    there = ~coded.missing
    seen[column.positions[there]] = coded.codes[there]
    spelled: dict[int, list[object]] = {}
    for value, code in zip(column.values, seen.tolist(), strict=True):
        spelled.setdefault(code, []).append(value)
    given = [value for code, values in spelled.items() if code >= 0 for value in values]
    is_text = bool(given) and all(isinstance(value, str) for value in given)
    return [_spell(state, spelled.get(code, []), is_text) for code, state in enumerate(variable.states)]


def _spell(state: State, spellings: list[object], is_text: bool) -> object:
    """Return a state in one of its spellings: its own if that is among them, else the first in the order of texts."""
    if not spellings:
        return str(state) if is_text and not isinstance(state, str) else state
    own = [
        value for value in spellings if isinstance(value, str | int | float) and state_key(value) == state_key(state)
    ]
    return own[0] if own else min(spellings, key=str)


def fill_table(source: object, fillings: Mapping[str, NewCells], names: Iterable[str] = ()) -> object:
    """Return a copy of a table with some cells filled; ``names`` are those of the columns of an array.

    A column that cannot hold the new cells in its own type becomes one of objects in pandas and numpy, and one of texts
    elsewhere.
    """
    if isinstance(source, np.ndarray):
        return _fill_array(source, {place: fillings[name] for place, name in enumerate(names) if name in fillings})
    if isinstance(source, Table):
        return {name: _fill_cells(source.column(place), fillings.get(name)) for place, name in enumerate(source.names)}
    if isinstance(source, Mapping):
        return {name: _fill_any(cells, fillings[name]) if name in fillings else cells for name, cells in source.items()}
    return _fill_frame(source, fillings)


def check_memory_table(source: object) -> None:
    """Refuse a table whose rows are not in memory."""
    import narwhals as nw

    if isinstance(source, str) or hasattr(source, "__fspath__"):
        raise DataError(
            f"what comes back is the kind of table that came in, got the path {source!r}; read it with pandas or"
            " polars first, or use the command ldag impute, which writes files"
        )
    if not isinstance(source, np.ndarray | Table | Mapping) and isinstance(open_frame(source), nw.LazyFrame):
        raise DataError(f"a lazy table has no rows yet; collect() it first, got a {type(source).__name__}")


def _fill_cells(column: Column, filling: NewCells | None) -> NDArray[Any]:
    """Return the cells of a column as they are, None where there is nothing."""
    cells = np.array([*column.values, None], dtype=object)[column.positions]
    if filling is not None:
        cells[filling.rows] = np.array([*filling.cells, None], dtype=object)[:-1]
    return cells


def _fill_array(array: NDArray[Any], fillings: Mapping[int, NewCells]) -> NDArray[Any]:
    """Return an array whose columns are filled."""
    if not fillings:
        return array.copy()
    cells = array.astype(object)
    for place, filling in fillings.items():
        cells[filling.rows, place] = np.array([*filling.cells, None], dtype=object)[:-1]
    return _as_before(cells, array.dtype)


def _as_before(cells: NDArray[Any], kind: np.dtype[Any]) -> NDArray[Any]:
    """Return objects in the type they had, if it can hold them all as they are."""
    values = cells.reshape(-1).tolist()
    if kind.kind == "U" and all(isinstance(value, str) for value in values):
        return np.array(cells.tolist())
    if kind.kind in "biuf" and not any(isinstance(value, str) for value in values):
        return cells.astype(kind)
    return cells


def _fill_any(cells: object, filling: NewCells) -> object:
    """Return a column of a mapping, filled: a list, an array or a series."""
    if isinstance(cells, np.ndarray):
        return _as_before(np.array([*filling.put_in(cells.tolist()), None], dtype=object)[:-1], cells.dtype)
    if isinstance(cells, list | tuple):
        return type(cells)(filling.put_in(cells))
    return _fill_series(cells, filling)


def _fill_frame(frame: object, fillings: Mapping[str, NewCells]) -> object:
    """Return a copy of a dataframe of pandas, polars or pyarrow."""
    make = open_frame(frame).implementation
    if make.is_pandas():
        return _fill_pandas_frame(cast("Any", frame), fillings)
    if make.is_polars():
        native = cast("Any", frame)
        return native.with_columns(*(_fill_series(native[name], filling) for name, filling in fillings.items()))
    if make.is_pyarrow():
        table = cast("Any", frame)
        for name, filling in fillings.items():
            place = table.column_names.index(name)
            table = table.set_column(place, name, _fill_arrow(table.column(place), filling))
        return table
    raise DataError(f"only tables of pandas, polars and pyarrow are filled, got a {type(frame).__name__}")


def _fill_pandas_frame(frame: Any, fillings: Mapping[str, NewCells]) -> object:
    """Return a copy of a dataframe of pandas, with its index and its other columns."""
    filled = frame.copy()
    names = list(frame.columns)
    for name, filling in fillings.items():
        place = names.index(name)
        filled.isetitem(place, _fill_pandas(frame.iloc[:, place], filling))
    return filled


def _fill_series(series: object, filling: NewCells) -> object:
    """Return a filled series of pandas, polars or pyarrow."""
    kind = type(series).__module__.partition(".")[0]
    fill: Mapping[str, Callable[[Any, NewCells], object]] = {
        "pandas": _fill_pandas,
        "polars": _fill_polars,
        "pyarrow": _fill_arrow,
    }
    if kind not in fill:
        raise DataError(f"only series of pandas, polars and pyarrow are filled, got a {type(series).__name__}")
    return fill[kind](series, filling)


def _fill_pandas(series: Any, filling: NewCells) -> object:
    import pandas as pd

    kind, cells = series.dtype, filling.put_in(series.astype(object).tolist())
    if isinstance(kind, pd.CategoricalDtype):
        more = [cell for cell in dict.fromkeys(filling.cells) if cell not in kind.categories]
        kind = pd.CategoricalDtype([*kind.categories, *more], kind.ordered)
    is_mixed = pd.api.types.is_numeric_dtype(kind) and any(isinstance(cell, str) for cell in filling.cells)
    try:
        return pd.Series(cells, index=series.index, dtype=object if is_mixed else kind, name=series.name)
    except (TypeError, ValueError):
        return pd.Series(cells, index=series.index, dtype=object, name=series.name)


def _fill_polars(series: Any, filling: NewCells) -> object:
    import polars as pl

    cells = filling.put_in(series.to_list())
    for kind in (None if series.dtype == pl.Null else series.dtype, None):  # polars puts nothing in a column of nothing
        try:
            return pl.Series(series.name, cells, dtype=kind, strict=True)
        except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
            continue
    return pl.Series(series.name, _as_texts(cells))


def _fill_arrow(column: Any, filling: NewCells) -> object:
    import pyarrow as pa

    cells = filling.put_in(column.to_pylist())
    for kind in (column.type, None):
        try:
            return pa.chunked_array([pa.array(cells, type=kind)])
        except (pa.ArrowException, TypeError, ValueError):
            continue
    return pa.chunked_array([pa.array(_as_texts(cells))])


def _as_texts(cells: Iterable[object]) -> list[str | None]:
    return [None if cell is None else str(cell) for cell in cells]


def rank_rows(columns: Iterable[Column], n_rows: int) -> NDArray[np.intp]:
    """Return rows in an order that depends on some of their cells only; equal ones stay as they are."""
    keys = [_rank_cells(column) for column in columns]
    return np.lexsort(keys) if keys else np.arange(n_rows)


def _rank_cells(column: Column) -> NDArray[np.int64]:
    """Return a number for every cell, in the order of texts."""
    texts = ["", *(f"{type(value).__name__} {value}" for value in column.values)]
    _, ranks = np.unique(np.array(texts, dtype=object), return_inverse=True)
    return np.asarray(ranks, dtype=np.int64)[column.positions + 1]
