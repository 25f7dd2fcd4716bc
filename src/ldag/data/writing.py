"""Tables handed out: as dataframes, or written to files that are replaced whole or not at all."""

import csv
import gzip
import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from ldag.errors import ArgumentError, DataError, MissingDependency
from ldag.formats import write_atomically
from ldag.model import Variable

if TYPE_CHECKING:
    import pyarrow as pa
    from narwhals.typing import IntoDataFrame


Arrays = Mapping[str, NDArray[Any]]
"""Columns by name, all of one length."""

ENDINGS = {".csv": ",", ".csv.gz": ",", ".tsv": "\t", ".tsv.gz": "\t"}
"""Endings of text files that are written, and the sign between their cells."""

ORDERS_KEY = "ldag:ordered"
"""Under this key, a Parquet file says which columns have an order, and all their states: a JSON object of lists."""

_BATCH = 10_000


def write_rows(columns: Arrays, path: Path, variables: Iterable[Variable] = ()) -> None:
    """Write a table to a file that ends in .csv or .tsv, either with .gz, or .parquet.

    Of ``variables``, a Parquet file keeps all the states of those that have an order, and the order.
    """
    name = path.name.lower()
    if name.endswith(".parquet"):
        write_atomically(path, _parquet(columns, path, variables))
        return
    for ending, separator in ENDINGS.items():
        if name.endswith(ending):
            text = io.StringIO()
            write_separated(columns, text, separator)
            content = text.getvalue().encode()
            write_atomically(path, gzip.compress(content, mtime=0) if ending.endswith(".gz") else content)
            return
    raise DataError(f"cannot tell the format of {path}; expected a name ending in {', '.join(ENDINGS)} or .parquet")


def write_separated(columns: Arrays, file: IO[str], separator: str = ",") -> None:
    """Write a header and the rows."""
    writer = csv.writer(file, delimiter=separator, lineterminator="\n")
    writer.writerow(columns)
    n_rows = len(next(iter(columns.values())))
    for begin in range(0, n_rows, _BATCH):
        batch = [np.asarray(cells[begin : begin + _BATCH]).tolist() for cells in columns.values()]
        writer.writerows(zip(*batch, strict=True))


def _parquet(columns: Arrays, path: Path, variables: Iterable[Variable]) -> bytes:
    try:
        from pyarrow import parquet
    except ImportError:
        raise MissingDependency("pyarrow", "parquet", f"writing {path.name}") from None
    table = cast("pa.Table", make_frame(columns, "pyarrow"))
    orders = {v.name: v.states for v in variables if v.ordered and len({type(state) for state in v.states}) == 1}
    if orders:
        table = table.replace_schema_metadata({**(table.schema.metadata or {}), ORDERS_KEY: json.dumps(orders)})
    content = io.BytesIO()
    parquet.write_table(table, content)
    return content.getvalue()


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


_NULLABLE = {bool: "boolean", int: "Int64", float: "float64"}
"""What pandas calls columns of one type that can have gaps."""


def _to_pandas(columns: Mapping[str, NDArray[Any]]) -> object:
    import pandas as pd

    def series(cells: NDArray[Any]) -> Any:
        kinds = _kinds(cells)
        is_plain = len(kinds) == 1 and kinds <= set(_NULLABLE)
        return pd.array(cells.tolist(), dtype=_NULLABLE[kinds.pop()]) if is_plain else cells

    return pd.DataFrame({name: series(cells) for name, cells in columns.items()})


def _to_polars(columns: Mapping[str, NDArray[Any]]) -> object:
    import polars as pl

    def series(name: str, cells: NDArray[Any]) -> pl.Series:
        if cells.dtype != object:
            return pl.Series(name, cells)
        return pl.Series(name, cells.tolist(), dtype=pl.Object if _is_mixed(cells) else None)

    return pl.DataFrame([series(name, cells) for name, cells in columns.items()])


def _to_pyarrow(columns: Mapping[str, NDArray[Any]]) -> object:
    import pyarrow as pa

    for name, cells in columns.items():
        if _is_mixed(cells):
            raise DataError(
                f"column {name!r} has states of several types, which pyarrow cannot hold; use pandas or polars"
            )
    return pa.table({name: pa.array(cells.tolist()) for name, cells in columns.items()})


def _is_mixed(cells: NDArray[Any]) -> bool:
    """Whether an array of objects holds values of several types; gaps are of any."""
    kinds = _kinds(cells)
    return len(kinds) > 1 or object in kinds


def _kinds(cells: NDArray[Any]) -> set[type]:
    """Return the types of the values in an array of objects; whole numbers beyond 63 bits are mere objects."""
    values = cells.tolist() if cells.dtype == object else []
    return {_kind(value) for value in values if value is not None}


def _kind(value: object) -> type:
    return object if isinstance(value, int) and abs(value) >= 1 << 63 else type(value)
