"""How text files are written: packing, encoding, separator, header, decimal commas, and days or months first."""

import bz2
import codecs
import csv
import datetime
import gzip
import io
import lzma
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, Literal, cast, get_args
from zlib import error as ZlibError  # noqa: N812

from ldag.checks import check_choice
from ldag.data.columns import MISSING_TEXT, NUMBER
from ldag.data.database import Scratch
from ldag.errors import ArgumentError, DataError, argument, option

WESTERN = "cp1252"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_OTHERS = ("cp1251", "gb18030", "cp1250", "shift_jis")
"""What text that is not Western European may be in; the user is shown how it would read."""

_WORD = re.compile(r"[^\W\d_]+")
_SIGN_IN_WORD = re.compile(r"[^\W\d_][^\w\s!-/:-@[-`{-~’‘´·\xad\ufffd][^\W\d_]|[^\W\d_][¹²³¿¾¼½][^\W\d_]")


def check_encoding(encoding: str | None) -> str | None:
    """Check the name of an encoding."""
    if encoding is None or encoding == "auto":
        return encoding
    try:
        known = codecs.lookup(encoding)
        "".encode(encoding)
    except (LookupError, TypeError, UnicodeError):
        raise ArgumentError(
            f"{option('encoding')}: no encoding {encoding!r}; expected a name such as latin-1, cp1252, utf-16"
        ) from None
    return None if known.name == "utf-8" else known.name


def choose_encoding(sample: bytes, encoding: str | None, shown: str, problem: str) -> tuple[str, str]:
    """Return the encoding of text that is not UTF-8, and a note on it; ``sample`` are lines that show it.

    Encodings cannot be told apart for sure. Where none was asked for, only what reads like Western European is taken.
    """
    if encoding == "auto" and b"\0" not in sample and _reads_western(sample):
        spelled = option("encoding")
        return WESTERN, f"{shown} is not UTF-8 text; read as Windows-1252 ({spelled} names another encoding)"
    readings = "" if b"\0" in sample else _readings(sample)
    raise DataError(
        f"{shown} is not UTF-8 text ({problem}); name its encoding, as in {option('encoding', 'latin-1')}, "
        f"or save it as UTF-8{readings}"
    )


def find_marked_encoding(head: bytes) -> str | None:
    """Return the encoding that a mark at the begin of a file names, other than UTF-8."""
    return "utf-16" if head.startswith(_UTF16) else None


def _reads_western(sample: bytes) -> bool:
    """Whether accents stand within words of plain letters, and no other sign between letters."""
    text = sample.decode(WESTERN, errors="replace")
    words = {word for word in _WORD.findall(text) if not word.isascii()}
    n_letters = sum(map(len, words))
    n_accents = sum(not letter.isascii() for word in words for letter in word)
    return 2 * n_accents <= n_letters and _SIGN_IN_WORD.search(text) is None


def _readings(sample: bytes) -> str:
    """Say how the first word that is not ASCII would read in some encodings."""
    line = next((line for line in sample.splitlines() if not line.isascii()), b"")
    readings = []
    for name in (WESTERN, *_OTHERS):
        try:
            text = line.decode(name)
        except UnicodeError:
            continue
        word = next((word for word in _WORD.findall(text) if not word.isascii()), None)
        if word is not None:
            readings.append(f"{option('encoding', name)} would read {word[:12]!r}")
    return "".join(f"; {reading}" for reading in readings)


Dates = Literal["dmy", "mdy", "ymd"]
"""What comes first in a date: the day, the month or the year."""

_POINT = re.compile(NUMBER)
_COMMA = re.compile(NUMBER.replace(r"\.", ","))
_GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}(\.[0-9]{3})+(,[0-9]*)?")
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+")
_TIME = r"(?:[T ](?P<time>[0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?))?"
_DAY_OR_MONTH = re.compile(
    rf"(?P<a>[0-9]{{1,2}})(?P<sign>[./-])(?P<b>[0-9]{{1,2}})(?P=sign)(?P<year>[0-9]{{4}}){_TIME}"
)
_YEAR = re.compile(rf"(?P<year>[0-9]{{4}})(?P<sign>[./-])(?P<a>[0-9]{{1,2}})(?P=sign)(?P<b>[0-9]{{1,2}}){_TIME}")
_ISO = re.compile(r"[0-9]{4}([-/])[0-9]{2}\1[0-9]{2}([T ].*)?")
IN_WORDS = {"dmy": "the day first", "mdy": "the month first", "ymd": "the year first"}


def check_spelling(decimal: str | None, dates: str | None) -> None:
    """Check the sign before fractions and the order of dates, if they are given."""
    if decimal is not None and decimal not in (".", ","):
        raise ArgumentError(f"{option('decimal')} must be . or , (the sign before fractions), got {decimal!r}")
    if dates is not None:
        check_choice(dates, get_args(Dates), argument("dates"))


@dataclass(frozen=True)
class TextSpelling:
    """The sign before fractions, and the order of dates where the texts of a column leave it open.

    ``is_given`` says that the order was asked for, and holds for all dates. ``orders`` are those that the texts of each
    column of dates allow.
    """

    decimal: str = "."
    dates: Dates | None = None
    is_given: bool = False
    orders: Mapping[str, tuple[Dates, ...]] = field(default_factory=dict)

    def respell(self, name: str, texts: Sequence[str], na: frozenset[str]) -> list[object]:
        """Return the texts of a column with decimal points and ISO dates, if all of them are numbers or dates."""
        if self.decimal == "," and _has_only_commas(_strip(texts, na)):
            return [_point(text) if text.strip() not in na else text for text in texts]
        orders = self.orders.get(name, ())
        if not orders:
            return list(texts)
        order = self._choose(name, next(_strip(texts, na)), orders)
        spelled = [text if text.strip() in na else iso_date(text.strip(), order) for text in texts]
        return list(texts) if None in spelled else list(spelled)  # some days do not exist

    def _choose(self, name: str, example: str, orders: tuple[Dates, ...]) -> Dates:
        """Return the order of a column's dates; one that the texts leave open is asked for."""
        if "ymd" in orders:
            return "ymd"
        if self.is_given and self.dates not in orders:
            given = option("dates", str(self.dates))
            raise ArgumentError(
                f"{given}: column {name!r} has dates such as {example!r}, of which not all have "
                f"{IN_WORDS[str(self.dates)]}"
            )
        if len(orders) == 1:
            return orders[0]
        if self.dates not in orders:
            raise ArgumentError(
                f"column {name!r} has dates such as {example!r}, which may have the day or the month first; say which "
                f"with {option('dates', 'dmy')} or {option('dates', 'mdy')}, or leave the column out"
            )
        return self.dates


def recognise_decimal(columns: Iterable[Sequence[str]], separator: str | None, na: frozenset[str]) -> str | None:
    """Return the sign before fractions that the texts of columns show; None if some show one and some the other.

    Commas between cells are between digits, too, where they group thousands; then a comma is only the sign before
    fractions if a number is not grouped.
    """
    commas, points = [], False
    for texts in columns:
        joined = "".join(texts)
        if "," in joined and _has_only_commas(_strip(texts, na)):
            commas += [text for text in _strip(texts, na) if "," in text]
        elif not points and "." in joined and _matches_all(_strip(texts, na), _POINT):
            points = not all(_GROUPED.fullmatch(text) for text in _strip(texts, na) if "." in text)
    if not commas or (separator == "," and all(_THOUSANDS.fullmatch(text) for text in commas)):
        return "."
    return None if points else ","


def recognise_dates(orders: Mapping[str, tuple[Dates, ...]]) -> dict[Dates, list[str]]:
    """Return the orders of dates that columns show, with the columns; one that leaves it open follows the others."""
    shown: dict[Dates, list[str]] = {}
    for name, possible in orders.items():
        if len(possible) == 1 and possible[0] != "ymd":
            shown.setdefault(possible[0], []).append(name)
    for name, possible in orders.items():
        if len(possible) == 2 and len(shown) == 1:
            next(iter(shown.values())).append(name)
    return shown


def date_orders(texts: Sequence[str], na: frozenset[str]) -> tuple[Dates, ...]:
    """Return the orders that all texts may have as dates; none for ISO dates, which need none.

    With points, as in 03.04.2020, the day comes first unless it cannot.
    """
    first = next(_strip(texts, na), "")
    if _YEAR.fullmatch(first):
        is_open = not _matches_all(_strip(texts, na), _ISO) and _matches_all(_strip(texts, na), _YEAR)
        return ("ymd",) if is_open else ()
    if not _DAY_OR_MONTH.fullmatch(first):
        return ()
    matches = [_DAY_OR_MONTH.fullmatch(text) for text in _strip(texts, na)]
    if not all(matches):
        return ()
    return _open_orders([match for match in matches if match])


def _open_orders(matches: "Sequence[re.Match[str]]") -> tuple[Dates, ...]:
    """Return which of day and month may come first."""
    first = max(int(match["a"]) for match in matches)
    second = max(int(match["b"]) for match in matches)
    orders: list[Dates] = []
    if first <= 31 and second <= 12:
        orders.append("dmy")
    if first <= 12 and second <= 31:
        orders.append("mdy")
    return tuple(orders[:1] if all(match["sign"] == "." for match in matches) else orders)


def iso_date(text: str, order: Dates) -> str | None:
    """Return a date as ISO text, or None if there is no such date."""
    match = (_YEAR if order == "ymd" else _DAY_OR_MONTH).fullmatch(text)
    if match is None:
        return None
    month, day = (match["b"], match["a"]) if order == "dmy" else (match["a"], match["b"])
    hour, _, rest = (match["time"] or "").partition(":")
    date = f"{match['year']}-{month:0>2}-{day:0>2}" + (f"T{hour:0>2}:{rest}" if hour else "")
    try:
        datetime.datetime.fromisoformat(date)
    except ValueError:
        return None
    return date


def _strip(texts: Sequence[str], na: frozenset[str]) -> Iterator[str]:
    return (stripped for text in texts if (stripped := text.strip()) not in na)


def _matches_all(texts: Iterator[str], pattern: "re.Pattern[str]") -> bool:
    first = next(texts, None)
    return first is not None and pattern.fullmatch(first) is not None and all(map(pattern.fullmatch, texts))


def _has_only_commas(texts: Iterator[str]) -> bool:
    is_any = False
    for text in texts:
        if not (_COMMA.fullmatch(text) or _GROUPED.fullmatch(text)):
            return False
        is_any = True
    return is_any


def _point(text: str) -> str:
    """Return a number with a decimal comma, in which points may group digits, with a decimal point."""
    grouped = _GROUPED.fullmatch(text.strip())
    return (text.replace(".", "") if grouped else text).replace(",", ".")


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
        used = find_marked_encoding(head) if encoding in (None, "auto") else encoding
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
