"""Tables written to files: text by the standard library, Parquet by pyarrow; a file is replaced whole or not at all."""

import csv
import gzip
import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from ldag.data.frames import make_frame
from ldag.errors import DataError, MissingDependency
from ldag.formats import write_atomically
from ldag.model import Variable

if TYPE_CHECKING:
    import pyarrow as pa

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
