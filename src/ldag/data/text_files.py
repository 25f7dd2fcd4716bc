"""Text files: unpacked and in UTF-8 as they are read, with their separator and header known before."""

import bz2
import codecs
import csv
import gzip
import io
import lzma
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, cast
from zlib import error as ZlibError  # noqa: N812

from ldag.data.columns import MISSING_TEXT
from ldag.data.encodings import WESTERN, choose_encoding, marked_encoding
from ldag.data.scratch import Scratch
from ldag.data.spellings import recognise_decimal
from ldag.errors import ArgumentError, DataError, option

PACKINGS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
"""Endings of packed files, and what opens them."""

SEPARATORS = (",", ";", "\t", "|", " ")
"""Signs between cells that are tried, in this order; the one that a file's ending promises comes first."""

SAMPLE = 100
"""First rows that show how a file is written."""

_HEAD = 1 << 18
_PART = 1 << 20
_PROBLEMS = (OSError, EOFError, ZlibError, lzma.LZMAError, csv.Error)
_BLANK_LINES = re.compile(r"(?:[ \t]*(?:\r\n|\r|\n))*")
_UNIT = "\x1f"
"""What stands for a separator that is not ASCII."""


@dataclass(frozen=True)
class FileSource:
    """A file, the name to show for it, and the folder in which it is if it came through a pipe."""

    path: Path
    shown: str
    scratch: Scratch | None = None


@dataclass(frozen=True)
class TextFile:
    """A text file, and how it is written; ``encoding`` None is UTF-8, and ``decimal`` what its first rows show."""

    source: FileSource
    encoding: str | None
    separator: str
    header: tuple[str, ...]
    decimal: str = "."
    notes: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """The name to show."""
        return self.source.shown

    @property
    def sign(self) -> str:
        """The sign between cells of the parts."""
        return self.separator if self.separator.isascii() else _UNIT

    def parts(self) -> Iterator[tuple[bytes, bool]]:
        """Read the file as UTF-8, a part at a time; each comes with whether it is the last."""
        try:
            with _open(self.source.path) as file:
                for part in self._decode(file) if self.encoding or self.sign == _UNIT else _check_utf8(file):
                    yield part, False
        except _PROBLEMS as error:
            raise DataError(f"{self.shown} cannot be read: {error}") from None
        except UnicodeError as error:
            if self.encoding is None:  # another may be chosen
                raise
            raise DataError(f"{self.shown} is not {self.encoding} text ({error})") from None
        yield b"", True

    def _decode(self, file: IO[bytes]) -> Iterator[bytes]:
        decoder = _decoder(self.encoding)
        while part := file.read(_PART):
            yield decoder.decode(part).replace(self.separator, self.sign).encode("utf-8")
        yield decoder.decode(b"", final=True).encode("utf-8")


def _check_utf8(file: IO[bytes]) -> Iterator[bytes]:
    """Return the parts of a file that is UTF-8, without the mark it may begin with."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    done = 0
    while part := file.read(_PART):
        before = len(decoder.getstate()[0])
        if before or not part.isascii():
            try:
                decoder.decode(part)
            except UnicodeDecodeError as error:
                error.start += done - before  # in the file
                raise
        yield part.removeprefix(codecs.BOM_UTF8) if done == 0 else part
        done += len(part)
    decoder.decode(b"", final=True)


def open_text(source: FileSource, separator: str | None, encoding: str | None) -> TextFile:
    """Find out how a text file is written by how it begins.

    ``encoding`` None is UTF-8 (or UTF-16 with a mark); "auto" takes what reads like it for Windows-1252, and says so.
    """
    shown = source.shown
    try:
        head = _head(source.path)
        used = marked_encoding(head) if encoding in (None, "auto") else encoding
        text = _decoder(used).decode(head)
    except _PROBLEMS as error:
        raise DataError(f"{shown} cannot be read: {error}") from None
    except UnicodeError as error:
        if used is not None:
            raise DataError(f"{shown} is not {used} text ({error})") from None
        return open_other_text(source, separator, encoding, error)
    body = text[_BLANK_LINES.match(text).end() :]  # type: ignore[union-attr]  # it matches any text
    if not body.strip():
        raise DataError(f"{shown} is empty; expected a header with the names of the columns")
    sign = separator or _separator(body, source.path)
    return TextFile(source, used, sign, _names(_rows(body, sign, 1, shown)[0]), _decimal(body, sign))


def _decimal(body: str, separator: str) -> str:
    """Return the sign before fractions that the first rows show."""
    if separator == "," and '"' not in body:
        return "."
    try:
        columns = list(zip(*_rows(body, separator, SAMPLE, "")[1:], strict=True))
    except (DataError, ValueError):  # what is wrong is said when the file is read
        return "."
    return recognise_decimal(columns, separator, MISSING_TEXT) or "."


def open_other_text(source: FileSource, separator: str | None, encoding: str | None, error: UnicodeError) -> TextFile:
    """Find out how a text file is written that is not UTF-8, if that may be found out."""
    problem = str(error)
    if isinstance(error, UnicodeDecodeError):
        problem = f"{error.reason} at byte {error.start}"
    chosen, note = choose_encoding(_sample(source.path), encoding, source.shown, problem)
    return replace(open_text(source, separator, chosen), notes=(note,))


def _decoder(encoding: str | None) -> codecs.IncrementalDecoder:
    errors = "replace" if encoding == WESTERN else "strict"  # which knows most bytes
    return codecs.getincrementaldecoder(encoding or "utf-8-sig")(errors)


def _names(header: Sequence[str]) -> tuple[str, ...]:
    """Return names of columns without blanks around them, and without single quotes if all have them."""
    names = tuple(name.strip() for name in header)
    if all(len(name) > 2 and name[0] == name[-1] == "'" for name in names):
        return tuple(name[1:-1] for name in names)
    return names


def check_separator(separator: str | None) -> str | None:
    """Check the sign between cells."""
    if separator is None:
        return None
    sign = {"tab": "\t", "\\t": "\t", "space": " "}.get(separator, separator)
    if not isinstance(sign, str) or len(sign) != 1 or sign in '"\r\n':
        raise ArgumentError(f"{option('sep')} must be one sign, such as ; or tab, got {separator!r}")
    return sign


def _open(path: Path) -> IO[bytes]:
    opener = PACKINGS.get(path.suffix.lower())
    return path.open("rb") if opener is None else cast("IO[bytes]", opener(path, "rb"))


def _head(path: Path) -> bytes:
    """Return the first lines: two of them at least, if they are not very long."""
    with _open(path) as file:
        head = file.read(_HEAD)
        while head.count(b"\n") < 2 and len(head) < 64 * _HEAD and (more := file.read(len(head))):
            head += more
    return head


def _sample(path: Path) -> bytes:
    """Return lines that are not ASCII."""
    sample = bytearray()
    with _open(path) as file:
        while len(sample) < _HEAD and (line := file.readline(_HEAD)):
            if not line.isascii():
                sample += line
    return bytes(sample)


def _separator(body: str, path: Path) -> str:
    """Return the sign that cuts the first rows into equally many cells, at least two; else the ending's."""
    name = path.name.lower()
    usual = "\t" if ".tsv" in name or ".tab" in name else ","
    candidates = (usual, *(sign for sign in SEPARATORS if sign != usual))
    splits = []
    for sign in candidates:
        try:
            widths = [len(row) for row in _rows(body, sign, SAMPLE, "")]
        except DataError:
            continue
        if widths and widths[0] > 1 and (sign != " " or set(widths) == {widths[0]}):
            agreeing = sum(width == widths[0] for width in widths) / len(widths)
            has_commas = sign != "," and _decimal(body, sign) == ","  # then commas are in numbers, not between cells
            splits.append((agreeing == 1, sign != " ", has_commas, sign == usual, widths[0], sign))
    return max(splits)[-1] if splits else usual


def _rows(body: str, separator: str, n: int, shown: str) -> list[list[str]]:
    """Return the first rows that are not blank; the last may be cut off."""
    rows: list[list[str]] = []
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=separator, skipinitialspace=separator != " ")
    limit = csv.field_size_limit(len(body) + 1)
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
