"""DuckDB, the embedded database that reads files, and folders for what does not fit in memory or comes by a pipe.

A folder goes with its owner. What a process that was killed left behind goes when the next one needs a folder: a folder
is in use as long as its owner holds the lock of a file in it, which the system takes from the dead.
"""

import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldag.data.columns import DECODE, NOT_UTF8
from ldag.errors import DataError

try:
    import fcntl
except ImportError:  # on Windows what was left behind stays
    fcntl = None  # type: ignore[assignment]  # Windows has no such module
PREFIX = "ldag-"
_LOCK = "in use"


class Scratch:
    """A folder that is there as long as this is."""

    def __init__(self) -> None:
        _sweep()
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        lock = os.open(self.folder / "lock", os.O_CREAT | os.O_RDWR)
        if fcntl is not None:
            fcntl.flock(lock, fcntl.LOCK_EX)
        (self.folder / "lock").rename(self.folder / _LOCK)
        self.close = weakref.finalize(self, _remove, self.folder, lock, os.getpid())


def _remove(folder: Path, lock: int, owner: int) -> None:
    os.close(lock)
    if os.getpid() == owner:  # and not a child that has a copy of it
        shutil.rmtree(folder, ignore_errors=True)


def _sweep() -> None:
    """Remove folders that nobody holds any more."""
    if fcntl is None:
        return
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{_LOCK}"):
        with suppress(OSError):  # somebody else's, or in use
            lock = os.open(path, os.O_RDWR)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path.parent, ignore_errors=True)
            finally:
                os.close(lock)


PATTERN = "*?["
"""Signs that make a pattern of a path for which there is no file."""

MEMORY = "1GB"
"""What the engine may hold before it writes to disk; merged rows are far smaller than this."""


class Database:
    """A connection and a folder for what does not fit in memory; both go when the table goes."""

    def __init__(self, sources: object = None) -> None:
        """Connect; ``sources`` live as long as the connection, which reads them."""
        import duckdb

        self._sources = sources
        self.scratch = Scratch()
        self.connection: duckdb.DuckDBPyConnection = duckdb.connect(
            ":memory:",
            config={
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
                "memory_limit": MEMORY,
                "temp_directory": str(self.scratch.folder),
            },
        )
        with suppress(duckdb.InvalidInputException):  # a notebook without widgets has no progress bar to turn off
            self.connection.execute("SET enable_progress_bar = false")  # it would write to the standard output
        weakref.finalize(self, self.connection.close)

    def run(self, query: str) -> None:
        """Execute a statement that returns nothing."""
        with _in_our_words():
            self.connection.execute(query)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a small answer."""
        with _in_our_words():
            return self.connection.execute(query).fetchall()

    def one(self, query: str) -> Any:
        """Return the single cell of an answer."""
        return self.rows(query)[0][0]

    def arrays(self, query: str) -> list[NDArray[Any]]:
        """Return the columns of an answer, which has no gaps."""
        with _in_our_words():
            columns = self.connection.execute(query).fetchnumpy()
        return [np.ma.getdata(column) for column in columns.values()]


@contextmanager
def _in_our_words() -> Iterator[None]:
    """Make errors of the engine, which may show as late as an answer is fetched, errors of ours."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        if "Invalid string encoding" in str(error) or "Invalid unicode" in str(error):
            raise DataError(f"{NOT_UTF8} ({str(error).split(': ', 1)[-1]}); {DECODE}") from None
        raise DatabaseError(str(error)) from None


class DatabaseError(DataError):
    """What the engine refuses, in its own words; whoever knows the file says it in better ones."""


def column_at(place: int) -> str:
    """Return what an engine calls the column at a place, so that no name can be mistaken for one of ours."""
    return f"c{place}"


def quote_name(name: str) -> str:
    """Quote a column for SQL."""
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """Quote a text for SQL."""
    return "'" + text.replace("'", "''") + "'"


def quote_value(value: object) -> str:
    """Spell a value for SQL; real numbers go through their shortest text, which gives them back exactly."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    return f"{quote_text(repr(value))}::DOUBLE" if isinstance(value, float) else quote_text(str(value))


def quote_list(texts: Sequence[str]) -> str:
    """Quote several texts, with commas between them."""
    return ", ".join(map(quote_text, texts))
