"""Which format a file has, told by its ending: how graphs in it are read and written."""

import os
from collections.abc import Callable
from pathlib import Path

from ldag.errors import FormatError
from ldag.formats.dot import read_dot, write_dot
from ldag.formats.files import read_utf8, write_atomically
from ldag.formats.json import read_json, write_json
from ldag.formats.record import GraphRecord
from ldag.formats.text import read_text, write_text

_Reader = Callable[[str], GraphRecord]
_Writer = Callable[[GraphRecord], str]

_FORMATS: dict[str, tuple[_Reader, _Writer]] = {
    ".ldag": (read_text, write_text),
    ".json": (read_json, write_json),
    ".dot": (read_dot, write_dot),
    ".gv": (read_dot, write_dot),
}


def read_graph(path: str | os.PathLike[str]) -> GraphRecord:
    """Read a graph from a file that ends in .ldag, .json, .dot or .gv."""
    path = Path(path)
    read, _ = _format(path)
    text = read_utf8(path)
    try:
        return read(text)
    except FormatError as error:
        raise FormatError(f"{path}: {error}") from None


def write_graph(record: GraphRecord, path: str | os.PathLike[str]) -> None:
    """Write a graph to a file that ends in .ldag, .json, .dot or .gv."""
    path = Path(path)
    _, write = _format(path)
    write_atomically(path, write(record).encode())


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse what `write_graph` would refuse, before the work whose result is to be written."""
    path = Path(path)
    _format(path)
    if path.is_dir():
        raise FormatError(f"{path}: expected a file, got a directory")
    folder = path.resolve().parent
    if not folder.is_dir():
        raise FormatError(f"{path}: cannot be written: there is no directory {folder}")
    if not os.access(folder, os.W_OK):
        raise FormatError(f"{path}: cannot be written: no permission in {folder}")


def _format(path: Path) -> tuple[_Reader, _Writer]:
    """Return how to read and write files with this ending."""
    found = _FORMATS.get(path.suffix.lower())
    if found is None:
        got = f"the ending {path.suffix!r}" if path.suffix else "no ending"
        raise FormatError(f"{path}: expected a file that ends in {', '.join(_FORMATS)}, got {got}")
    return found
