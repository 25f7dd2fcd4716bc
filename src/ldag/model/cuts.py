"""Cut points: how a measurement becomes one of the states of a variable.

Cut points c1 < c2 < ... < ck make k + 1 states: at most c1, above c1 and at most c2, ..., above ck. They are all
numbers, or all dates and times spelled as ISO 8601 has them (``2020-01-31``, ``2020-01-31T12:30:00.5``). A time has one
spelling: that of UTC if a zone is known, a midnight as its date, others to the second, with the digits of a fraction up
to the last that is not zero. So times are equal if their texts are, and their order is that of their texts.
"""

import datetime
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import isfinite

import numpy as np

from ldag.errors import ArgumentError

Cuts = tuple[float, ...] | tuple[str, ...]
"""Cut points in increasing order: numbers, or dates."""

MISSING_STATE = "missing"
"""The state that missing cells get when they are to count as one; it has no place in an order."""

_BIN = re.compile(r"(?:<=|>) (?P<end>\S+)|\((?P<low>\S+), (?P<high>\S+)\]")
_DATE = re.compile(
    r"(?P<year>\d{4})(?P<sign>[-/])(?P<month>0[1-9]|1[0-2])(?P=sign)(?P<day>0[1-9]|[12]\d|3[01])"
    r"(?:[T ](?P<minutes>(?:[01]\d|2[0-3]):[0-5]\d)(?P<seconds>:[0-5]\d)?(?:\.(?P<fraction>\d+))?"
    r" ?(?P<zone>Z|[+-]\d{2}(?::?[0-5]\d)?)?)?",
    re.ASCII,
)


def check_cuts(cuts: Iterable[object], where: str) -> Cuts:
    """Return cut points as plain numbers, or as dates; they must increase."""
    if isinstance(cuts, str) or not isinstance(cuts, Iterable):
        raise ArgumentError(f"{where}: cut points must be a list of numbers or of dates, got {cuts!r}")
    plain = [_plain_cut(cut, where) for cut in cuts]
    if len({isinstance(cut, str) for cut in plain}) > 1:
        raise ArgumentError(f"{where}: cut points must be all numbers or all dates, got {plain!r}")
    for low, high in pairwise(plain):
        if not low < high:  # type: ignore[operator]  # of one kind
            raise ArgumentError(f"{where}: cut points must increase, got {low!r} before {high!r}")
    return tuple(plain)  # type: ignore[return-value]  # of one kind


def bin_states(cuts: Sequence[float | str]) -> tuple[str, ...]:
    """Return the states that cut points make, in words.

    Examples
    --------
    >>> bin_states((18, 40.5))
    ('<= 18', '(18, 40.5]', '> 40.5')
    """
    if not cuts:
        return ("any",)
    inner = [f"({spell_cut(low)}, {spell_cut(high)}]" for low, high in pairwise(cuts)]
    return (f"<= {spell_cut(cuts[0])}", *inner, f"> {spell_cut(cuts[-1])}")


def cuts_in(states: Iterable[object]) -> Cuts | None:
    """Return the cut points in states that `bin_states` has made, of which some may be left out; None for others.

    At least two states, and the first or the last of all, must be there: other texts may look like the inner ones.

    Examples
    --------
    >>> cuts_in(["> 40.5", "(18, 40.5]"]), cuts_in(["(0, 18]", "(18, 40]"])
    ((18.0, 40.5), None)
    """
    points, has_end = set(), False
    texts = list(states)
    for text in texts:
        matched = _BIN.fullmatch(text) if isinstance(text, str) else None
        if matched is None:
            return None
        has_end = has_end or matched["low"] is None
        points |= {_read_cut(part) for part in matched.group("low", "high", "end") if part is not None}
    if not has_end or len(texts) < 2 or len({type(cut) for cut in points}) != 1 or None in points:
        return None
    cuts: Cuts = tuple(sorted(points))  # type: ignore[type-var, assignment]  # of one kind
    return cuts if set(texts) <= set(bin_states(cuts)) else None


def _read_cut(text: str) -> float | str | None:
    """Return the cut point that a text spells; None if it spells none."""
    number = _number(text)
    return date_text(text) if number is None else number if isfinite(number) else None


def spell_cut(cut: float | str) -> str:
    """Spell a cut point: to the last digit, without ".0" after a whole number."""
    if isinstance(cut, float) and cut.is_integer() and abs(cut) < 1e15:
        return str(int(cut))
    return str(cut)


def bin_of(value: object, cuts: Cuts) -> int | None:
    """Return the number of the bin that a measurement falls into; None if it is no measurement of this kind."""
    if cuts and isinstance(cuts[0], str):
        date = date_text(value)
        return None if date is None else bisect_left(cuts, date)
    if isinstance(value, str):
        value = _number(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:  # noqa: PLR0124 - NaN
        return None
    return bisect_left(cuts, value)


def date_text(value: object) -> str | None:
    """Return the one spelling of a date or a time, as ISO text without a zone (UTC if it had one); None for others.

    Examples
    --------
    >>> date_text("2020/01/31 00:00"), date_text("2020-01-31T12:30:00.500+02:00"), date_text("31.1.2020")
    ('2020-01-31', '2020-01-31T10:30:00.5', None)
    """
    if isinstance(value, np.datetime64):
        value = str(value)
    elif isinstance(value, datetime.date):
        if isinstance(value, datetime.datetime) and value.tzinfo is not None:
            value = value.astimezone(datetime.UTC).replace(tzinfo=None)
        value = value.isoformat()
    matched = _DATE.fullmatch(value) if isinstance(value, str) else None
    if matched is None:
        return None
    date, minutes, zone = "-".join(matched.group("year", "month", "day")), matched["minutes"], matched["zone"]
    if minutes is None:
        return date
    time = f"{date}T{minutes}{matched['seconds'] or ':00'}"
    if zone not in (None, "Z"):
        try:
            time = _to_utc(time, zone)
        except (ValueError, OverflowError):  # no day of the calendar, or one before year 1
            return None
    fraction = (matched["fraction"] or "").rstrip("0")
    return f"{time}.{fraction}" if fraction else time.removesuffix("T00:00:00")


def _to_utc(time: str, zone: str) -> str:
    """Return a time to the second without its zone, such as +02:00, +0200 or +02."""
    digits = zone[1:].replace(":", "")
    shift = datetime.timedelta(hours=int(digits[:2]), minutes=int(digits[2:] or 0))
    moment = datetime.datetime.fromisoformat(time)
    return (moment - shift if zone[0] == "+" else moment + shift).isoformat()


def _plain_cut(cut: object, where: str) -> float | str:
    if isinstance(cut, np.number):
        cut = cut.item()
    date = date_text(cut)
    if date is not None:
        return date
    if isinstance(cut, bool) or not isinstance(cut, int | float) or not isfinite(cut):
        raise ArgumentError(f"{where}: a cut point is a finite number or a date such as 2020-01-31, got {cut!r}")
    return float(cut)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
