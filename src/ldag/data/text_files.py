"""Text files before the engine reads them: unpacked, in UTF-8, with their separator and header known."""

import bz2
import codecs
import csv
import gzip
import io
import lzma
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, cast
from zlib import error as ZlibError  # noqa: N812

from ldag.data.doors import Wording
from ldag.errors import ArgumentError, DataError

PACKINGS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
"""Endings of packed files, and what opens them."""

SEPARATORS = (",", ";", "\t", "|", " ")
"""Signs between cells that are tried, in this order; the one that a file's ending promises comes first."""

NO_CELL = "\1"
"""A sign that no table has."""

_HEAD = 1 << 18
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_PROBLEMS = (OSError, EOFError, ZlibError, lzma.LZMAError, csv.Error)


@dataclass(frozen=True)
class TextFile:
    """A file that the engine can read: UTF-8 (or packed as .gz), and how its cells are separated.

    ``is_plain`` says that there are no quotes, so that a line is a row.
    """

    path: Path
    shown: str
    separator: str
    header: tuple[str, ...]
    skip: int
    is_plain: bool
    notes: tuple[str, ...] = ()


def open_text(
    path: Path, shown: str, folder: Path, separator: str | None, encoding: str | None, wording: Wording
) -> TextFile:
    """Find out how a text file is written; what the engine cannot read itself is re-coded into a folder.

    ``encoding`` None is UTF-8 (or UTF-16 with a mark); "auto" takes what is neither for Windows-1252, and says so.
    """
    notes: list[str] = []
    try:
        head = _head(path)
        problem, is_plain = _scan(path)
        used = _encoding(head, problem, encoding, shown, wording, notes)
        if used is not None or path.suffix.lower() in (".bz2", ".xz"):
            path = _recode(path, folder, used or "utf-8-sig", shown)
            head = _head(path)
            is_plain = is_plain and used is None
    except _PROBLEMS as error:
        raise DataError(f"{shown} cannot be read: {error}") from None
    text = codecs.getincrementaldecoder("utf-8-sig")().decode(head)
    lines = text.splitlines(keepends=True)
    skip = next((number for number, line in enumerate(lines) if line.strip()), None)
    if skip is None:
        raise DataError(f"{shown} is empty; expected a header with the names of the columns")
    body = "".join(lines[skip:])
    sign = separator or _separator(body, path)
    header = _rows(body, sign, 1, shown)[0]
    return TextFile(path, shown, sign, _names(header), skip, is_plain, tuple(notes))


def _names(header: Sequence[str]) -> tuple[str, ...]:
    """Return names of columns without blanks around them, and without single quotes if all have them."""
    names = tuple(name.strip() for name in header)
    if all(len(name) > 2 and name[0] == name[-1] == "'" for name in names):
        return tuple(name[1:-1] for name in names)
    return names


def even_line_ends(file: TextFile, folder: Path) -> TextFile:
    """Copy a file whose line ends differ with the same line end everywhere."""
    target = folder / f"even-{len(list(folder.iterdir()))}.csv"
    with _open(file.path) as raw, target.open("w", encoding="utf-8", newline="") as out:
        reading = io.TextIOWrapper(raw, "utf-8-sig", newline=None)
        while chunk := reading.read(1 << 20):
            out.write(chunk)
    return replace(file, path=target)


def check_separator(separator: str | None, wording: Wording) -> str | None:
    """Check the sign between cells."""
    if separator is None:
        return None
    sign = {"tab": "\t", "\\t": "\t", "space": " "}.get(separator, separator)
    if not isinstance(sign, str) or len(sign) != 1 or sign in '"\r\n':
        raise ArgumentError(f"{wording.option('sep')} must be one sign, such as ; or tab, got {separator!r}")
    return sign


def check_encoding(encoding: str | None, wording: Wording) -> str | None:
    """Check the name of an encoding."""
    if encoding is None or encoding == "auto":
        return encoding
    try:
        found = codecs.lookup(encoding)
        "".encode(encoding)
    except (LookupError, TypeError, UnicodeError):
        raise ArgumentError(
            f"{wording.option('encoding')}: no encoding {encoding!r}; expected a name such as latin-1, cp1252, utf-16"
        ) from None
    return None if found.name == "utf-8" else found.name


def _open(path: Path) -> IO[bytes]:
    opener = PACKINGS.get(path.suffix.lower())
    return path.open("rb") if opener is None else cast("IO[bytes]", opener(path, "rb"))


def _head(path: Path) -> bytes:
    with _open(path) as file:
        return file.read(_HEAD)


def _encoding(
    head: bytes, problem: str | None, encoding: str | None, shown: str, wording: Wording, notes: list[str]
) -> str | None:
    """Return the encoding to re-code from; None for UTF-8."""
    if encoding not in (None, "auto"):
        return encoding
    if head.startswith(_UTF16):
        return "utf-16"
    if problem is None:
        return None
    if encoding == "auto" and b"\0" not in head:
        notes.append(
            f"{shown} is not UTF-8 text; read as Windows-1252 ({wording.option('encoding')} names another encoding)"
        )
        return "cp1252"
    raise DataError(
        f"{shown} is not UTF-8 text ({problem}); name its encoding, as in {wording.option('encoding', 'latin-1')}, "
        "or save it as UTF-8"
    )


def _scan(path: Path) -> tuple[str | None, bool]:
    """Say what is wrong with a file as UTF-8, or None, and whether it is free of signs that may hide line ends."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    done, is_plain = 0, True
    with _open(path) as file:
        while True:
            chunk = file.read(1 << 20)
            is_plain = is_plain and b'"' not in chunk and NO_CELL.encode() not in chunk
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                return f"{error.reason} at byte {max(0, done + error.start)}", False
            if not chunk:
                return None, is_plain
            done += len(chunk) - len(decoder.getstate()[0])


def _recode(path: Path, folder: Path, encoding: str, shown: str) -> Path:
    """Write a file as UTF-8, a part at a time."""
    target = folder / f"recoded-{len(list(folder.iterdir()))}.csv"
    with _open(path) as raw, target.open("w", encoding="utf-8", newline="", errors="strict") as out:
        reading = io.TextIOWrapper(raw, encoding, newline="", errors="replace" if encoding == "cp1252" else "strict")
        try:
            shutil.copyfileobj(reading, out, 1 << 20)
        except UnicodeError as error:
            raise DataError(f"{shown} is not {encoding} text ({error})") from None
    return target


def _separator(body: str, path: Path) -> str:
    """Return the sign that cuts the first rows into equally many cells, at least two; else the ending's."""
    name = path.name.lower()
    usual = "\t" if ".tsv" in name or ".tab" in name else ","
    candidates = (usual, *(sign for sign in SEPARATORS if sign != usual))
    splits = []
    for sign in candidates:
        try:
            widths = [len(row) for row in _rows(body, sign, 100, "")]
        except DataError:
            continue
        if widths and widths[0] > 1 and (sign != " " or set(widths) == {widths[0]}):
            agreeing = sum(width == widths[0] for width in widths) / len(widths)
            splits.append((agreeing == 1, sign != " ", sign == usual, widths[0], sign))
    return max(splits)[-1] if splits else usual


def _rows(body: str, separator: str, n: int, shown: str) -> list[list[str]]:
    """Return the first rows that are not blank; the last may be cut off."""
    rows: list[list[str]] = []
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=separator)
    limit = csv.field_size_limit(_HEAD)
    try:
        for row in reader:
            if row:
                rows.append(row)
            if len(rows) > n:
                break
    except csv.Error as error:
        raise DataError(f"{shown} cannot be read: {error}") from None
    finally:
        csv.field_size_limit(limit)
    return rows[:n] if len(rows) > n or len(body) < _HEAD // 2 else rows[:-1] or rows


def shown_names(paths: Sequence[Path]) -> str:
    """Name one file or several in a message."""
    return str(paths[0]) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
