"""Tables of any make, brought to one form: names, and columns of distinct values that are read one at a time."""

import csv
import gzip
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, cast, get_args
from zlib import error as ZlibError  # noqa: N812

import numpy as np
from numpy.typing import NDArray

from ldag.encode import Column, Positions, column_of
from ldag.errors import ArgumentError, DataError, MissingDependency

if TYPE_CHECKING:
    import narwhals as nw
    from narwhals.typing import IntoDataFrame

Backend = Literal["pandas", "polars", "pyarrow"]
"""Libraries whose dataframes can be made."""

FAST_FROM = 1 << 20
"""Text files of at least this many bytes are read by pyarrow, if it is there; smaller ones do not pay its import."""

ENDINGS = {".csv": ",", ".csv.gz": ",", ".tsv": "\t", ".tsv.gz": "\t"}
"""Endings of text files, and the sign between their cells."""

_BATCH = 2_000


@dataclass(frozen=True)
class Table:
    """Column names, the number of rows, and a way to read one column by its place."""

    names: tuple[str, ...]
    n_rows: int
    column: Callable[[int], Column]


def read_table(source: object, names: Sequence[str] | None = None) -> Table:
    """Open a file, a dataframe, a mapping of columns or a 2-d array; only the latter takes names."""
    if isinstance(source, np.ndarray):
        return _checked(_from_array(source, names))
    if names is not None:
        raise DataError("names= is for numpy arrays only; this source has names of its own")
    if isinstance(source, str | PathLike):
        return _checked(_from_file(Path(source)))
    if isinstance(source, Mapping):
        return _checked(_from_mapping(source))
    return _checked(_from_frame(source))


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


def _checked(table: Table) -> Table:
    """Refuse tables without content."""
    if not table.names:
        raise DataError("the table has no columns")
    _check_names(table.names)
    if table.n_rows == 0:
        raise DataError("the table has no rows")
    return table


def _check_names(names: Sequence[object]) -> None:
    """Refuse names that are no names."""
    for place, name in enumerate(names):
        if not isinstance(name, str):
            raise DataError(
                f"column names must be strings, got {name!r} ({type(name).__name__}); rename the columns, "
                "in pandas with frame.rename(columns=str)"
            )
        if not name.strip():
            raise DataError(
                f"column {place + 1} has no name; if it is a row index written along with the data, leave it out"
            )
        if name in names[:place]:
            raise DataError(f"there are two columns called {name!r}; rename one")


def _from_array(array: NDArray[Any], names: Sequence[str] | None) -> Table:
    if array.ndim != 2:
        raise DataError(f"an array of data has two dimensions, rows and columns; this one has {array.ndim}")
    if names is None:
        raise DataError(f"an array has no column names; give {array.shape[1]} of them as names=[...]")
    if isinstance(names, str) or len(names) != array.shape[1]:
        raise DataError(f"the array has {array.shape[1]} columns, but names= is {names!r}")
    return Table(tuple(names), array.shape[0], lambda place: _encode_array(names[place], array[:, place]))


def _from_mapping(columns: Mapping[Any, object]) -> Table:
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
    if cells.dtype.kind not in "biufU":
        return column_of(name, cells.tolist())
    values, positions = np.unique(cells, return_inverse=True)
    return Column(name, values.tolist(), positions)


def _from_frame(source: object) -> Table:
    import narwhals as nw
    from narwhals.exceptions import NarwhalsError

    try:
        frame = nw.from_native(cast("Any", source))
    except TypeError:
        raise DataError(
            f"cannot read a {type(source).__name__}; expected a path (.csv, .tsv, .parquet), a pandas, polars or "
            "pyarrow table, a mapping of columns, or a numpy array with names="
        ) from None
    except (ValueError, NarwhalsError) as error:  # it refuses repeated names in words of its own
        _check_names(tuple(_names(source)))
        raise DataError(f"cannot read this {type(source).__name__}: {error}") from None
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    names = tuple(_names(frame.to_native()))
    return Table(names, len(frame), lambda place: _encode_series(names[place], frame[:, place]))


def _names(native: Any) -> Iterable[Any]:
    """Return a dataframe's names as they are, strings or not."""
    return cast("Iterable[Any]", native.column_names if hasattr(native, "column_names") else native.columns)


def _encode_series(name: str, series: "nw.Series[Any]") -> Column:
    """Find the distinct values of a dataframe's column in its own library, which is fast."""
    import narwhals as nw

    native, kind, make = series.to_native(), series.dtype, series.implementation
    if make.is_pandas() and hasattr(native, "cat"):
        return Column(name, native.cat.categories.tolist(), native.cat.codes.to_numpy(), declared=True)
    if make.is_pyarrow() and hasattr(native.type, "index_type"):
        return _from_dictionary(name, native, declared=True)
    if make.is_polars() and isinstance(kind, nw.Enum):
        positions = _numpy(native.to_physical().cast(int).fill_null(-1))
        return Column(name, native.dtype.categories.to_list(), positions, declared=True)
    simple = kind in (nw.String, nw.Boolean, nw.Categorical) or kind.is_integer() or kind.is_float()
    if make.is_pandas() and simple and native.dtype != object:
        positions, values = native.factorize()
        return Column(name, values.tolist(), positions)
    if make.is_pyarrow() and simple:
        return _from_dictionary(name, native.dictionary_encode(), declared=False)
    if make.is_polars() and simple:
        return _from_polars(name, native)
    return column_of(name, series.to_list())


def _from_dictionary(name: str, cells: Any, declared: bool) -> Column:
    """Take a pyarrow dictionary apart; chunks may each have their own."""
    cells = cells.unify_dictionaries().combine_chunks()
    if hasattr(cells, "chunks"):  # older versions keep one chunk
        cells = cells.chunk(0)
    positions = cells.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return Column(name, cells.dictionary.to_pylist(), positions, declared=declared)


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


def _from_file(path: Path) -> Table:
    if path.is_dir():
        raise DataError(f"{path} is a directory; give the path of a file")
    if not path.exists():
        raise DataError(f"there is no file {path}")
    name = path.name.lower()
    if name.endswith(".parquet"):
        return _from_parquet(path)
    for ending, separator in ENDINGS.items():
        if name.endswith(ending):
            return _from_text(path, separator)
    raise DataError(f"cannot tell the format of {path}; expected a name ending in {', '.join(ENDINGS)} or .parquet")


def _from_parquet(path: Path) -> Table:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingDependency("pyarrow", "parquet", f"reading {path.name}") from None
    try:
        return _from_frame(parquet.read_table(path))
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{path} cannot be read as parquet: {error}") from None


def _from_text(path: Path, separator: str) -> Table:
    """Read a text file with a header, by pyarrow where that is faster and means the same."""
    with _open(path) as file:
        reader = csv.reader(io.TextIOWrapper(file, "utf-8-sig", newline=""), delimiter=separator)
        names = next((row for row in reader if row), None)
        if names is None:
            raise DataError(f"{path} is empty; expected a header with the names of the columns")
        if len(names) == 1 and any(sign in names[0] for sign in ";\t,"):
            raise DataError(
                f"{path} has the one column {names[0]!r}; is another sign than {separator!r} between cells?"
            )
        _check_names(names)
        fast = _fast_columns(path, separator, names) if path.stat().st_size >= FAST_FROM else None
        columns = fast or _slow_columns(path, reader, names)
    return Table(tuple(names), len(columns[0].positions), columns.__getitem__)


@contextmanager
def _open(path: Path) -> Iterator[IO[bytes]]:
    """Open a file, packed or not; what goes wrong while it is read is wrong data."""
    try:
        with path.open("rb") as raw:
            yield cast("IO[bytes]", gzip.GzipFile(fileobj=raw)) if path.suffix.lower() == ".gz" else raw
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 text ({error.reason} at byte {error.start}); save it as UTF-8") from None
    except (OSError, EOFError, ZlibError, csv.Error) as error:
        raise DataError(f"{path} cannot be read: {error}") from None


def _slow_columns(path: Path, reader: Any, names: list[str]) -> list[Column]:
    """Read the rows with the standard library, a batch at a time."""
    numberings: list[dict[object, int]] = [{} for _ in names]
    parts: list[list[NDArray[np.int32]]] = [[] for _ in names]
    for batch in iter(lambda: list(islice(_rows(path, reader, len(names)), _BATCH)), []):
        for numbering, part, cells in zip(numberings, parts, zip(*batch, strict=True), strict=True):
            for cell in set(cells):
                numbering.setdefault(cell, len(numbering))
            part.append(np.fromiter(map(numbering.__getitem__, cells), np.int32, len(cells)))
    return [
        Column(name, list(numbering), np.concatenate([np.zeros(0, np.int32), *part]), text=True)
        for name, numbering, part in zip(names, numberings, parts, strict=True)
    ]


def _rows(path: Path, reader: Any, width: int) -> Iterator[list[str]]:
    """Yield the rows that are not blank; all must be as wide as the header."""
    for row in reader:
        if len(row) == width:
            yield row
        elif row:
            raise DataError(f"{path}, line {reader.line_num}: expected {width} cells as in the header, got {len(row)}")


def _fast_columns(path: Path, separator: str, names: list[str]) -> list[Column] | None:
    """Read the columns with pyarrow; None if it is not there, or if the file needs the standard library's rules."""
    try:
        import pyarrow as pa
        from pyarrow import csv as arrow_csv
    except ImportError:
        return None
    with _open(path) as file:
        if any(b'"' in block for block in iter(lambda: file.read(1 << 20), b"")):
            return None
    text = pa.dictionary(pa.int32(), pa.string())
    try:
        with _open(path) as file:
            table = arrow_csv.read_csv(
                file,
                parse_options=arrow_csv.ParseOptions(delimiter=separator),
                convert_options=arrow_csv.ConvertOptions(
                    column_types=dict.fromkeys(names, text), null_values=[], strings_can_be_null=False
                ),
            )
    except pa.ArrowException:  # the other way says what is wrong, and where
        return None
    if table.column_names != names or table.num_rows == 0:
        return None
    found = [_from_dictionary(name, table.column(name), declared=False) for name in names]
    return [Column(column.name, column.values, column.positions, text=True) for column in found]
