"""Tables in files: text by the standard library or pyarrow, Parquet by pyarrow."""

import csv
import gzip
import io
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any, cast
from zlib import error as ZlibError  # noqa: N812

import numpy as np
from numpy.typing import NDArray

from ldag.data.coding import Column
from ldag.data.frames import from_dictionary, from_frame
from ldag.data.tables import Table, check_column_names
from ldag.errors import DataError, MissingDependency

FAST_FROM = 1 << 20
"""Text files of at least this many bytes are read by pyarrow, if it is there; smaller ones do not pay its import."""

ENDINGS = {".csv": ",", ".csv.gz": ",", ".tsv": "\t", ".tsv.gz": "\t"}
"""Endings of text files, and the sign between their cells."""

_BATCH = 2_000


def from_file(path: Path) -> Table:
    """Open a file by its ending."""
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
        return from_frame(parquet.read_table(path))
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
        check_column_names(names)
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
    found = [from_dictionary(name, table.column(name), declared=False) for name in names]
    return [Column(column.name, column.values, column.positions, text=True) for column in found]
