"""Graphs in files: the format is chosen by the file's ending, and a file is replaced whole or not at all."""

import os
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path

from ldag.errors import FormatError
from ldag.formats.dot import read_dot, write_dot
from ldag.formats.json_format import read_json, write_json
from ldag.formats.text import read_text, write_text
from ldag.record import GraphRecord

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


def read_utf8(path: Path) -> str:
    """Return the text of a file."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise FormatError(f"{path}: expected a file, got a directory") from None
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: expected UTF-8 text, got something else at byte {error.start}") from None
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        raise FormatError(f"{path}: cannot be read: {_reason(error)}") from None


def write_atomically(path: Path, content: bytes) -> None:
    """Write beside the file, then put it in place in one step; on failure the old file stays as it was."""
    try:
        target = path.resolve()
        if target.is_dir():
            raise FormatError(f"{path}: expected a file, got a directory")
        beside = target.with_name(f".ldag-{secrets.token_hex(8)}.tmp")
        try:
            with beside.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                shutil.copymode(target, beside)
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise FormatError(f"{path}: cannot be written: {_reason(error)}") from None


def _format(path: Path) -> tuple[_Reader, _Writer]:
    """Return how to read and write files with this ending."""
    found = _FORMATS.get(path.suffix.lower())
    if found is None:
        got = f"the ending {path.suffix!r}" if path.suffix else "no ending"
        raise FormatError(f"{path}: expected a file that ends in {', '.join(_FORMATS)}, got {got}")
    return found


def _reason(error: OSError | ValueError) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
