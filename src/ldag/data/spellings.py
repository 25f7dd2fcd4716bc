"""How numbers and dates are spelled in text: decimal commas, and days or months first. Told apart by the texts."""

import datetime
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from ldag.checks import check_choice
from ldag.data.columns import NUMBER
from ldag.errors import ArgumentError, argument, option

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
        if self.decimal == "," and _are_commas(_known(texts, na)):
            return [_point(text) if text.strip() not in na else text for text in texts]
        orders = self.orders.get(name, ())
        if not orders:
            return list(texts)
        order = self._choose(name, next(_known(texts, na)), orders)
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
        if "," in joined and _are_commas(_known(texts, na)):
            commas += [text for text in _known(texts, na) if "," in text]
        elif not points and "." in joined and _all_match(_known(texts, na), _POINT):
            points = not all(_GROUPED.fullmatch(text) for text in _known(texts, na) if "." in text)
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
    first = next(_known(texts, na), "")
    if _YEAR.fullmatch(first):
        is_open = not _all_match(_known(texts, na), _ISO) and _all_match(_known(texts, na), _YEAR)
        return ("ymd",) if is_open else ()
    if not _DAY_OR_MONTH.fullmatch(first):
        return ()
    matches = [_DAY_OR_MONTH.fullmatch(text) for text in _known(texts, na)]
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


def _known(texts: Sequence[str], na: frozenset[str]) -> Iterator[str]:
    return (stripped for text in texts if (stripped := text.strip()) not in na)


def _all_match(texts: Iterator[str], pattern: "re.Pattern[str]") -> bool:
    first = next(texts, None)
    return first is not None and pattern.fullmatch(first) is not None and all(map(pattern.fullmatch, texts))


def _are_commas(texts: Iterator[str]) -> bool:
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
