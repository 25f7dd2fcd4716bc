"""Values of every kind as plain states: intervals, dates, periods, decimals and enumerations keep their order."""

import datetime
import decimal
import enum
from dataclasses import replace
from math import isfinite, isnan

import numpy as np

from ldag.data.columns import Column
from ldag.errors import DataError
from ldag.model import State, date_text

HUGE = 10**300
"""Whole numbers beyond this are no states: they do not fit a real number."""

EXACT = 2**53
"""Real numbers up to this size tell all whole numbers apart."""

_PLAIN = (str, bool, int, float, type(None))


def tidy_column(column: Column) -> Column:
    """Return a column whose values are plain: texts, numbers, booleans or gaps."""
    kinds = {type(value) for value in column.values}
    if kinds <= set(_PLAIN):
        return _with_dates(column) if str in kinds else column
    given = [value.item() if isinstance(value, np.generic) else value for value in column.values]
    present = [value for value in given if not is_gap(value)]
    if present and all(isinstance(value, enum.Enum) for value in present):
        return _from_enumeration(column, given, present)
    names = {type(value).__name__ for value in present}
    if present and names == {"Interval"}:
        return _sorted_texts(column, given, present)
    if present and names == {"Period"}:
        return _from_periods(column, given)
    if present and all(isinstance(value, datetime.date) for value in present):
        return replace(column, values=[None if is_gap(value) else date_text(value) for value in given], dates=True)
    if present and all(isinstance(value, datetime.time) for value in present):
        return replace(column, values=[None if is_gap(value) else clock_text(value) for value in given], ordered=True)
    return replace(column, values=[_number_of(value) for value in given])


def _with_dates(column: Column) -> Column:
    """Return a column of texts that are all dates with one spelling for each; others as they are."""
    if column.dates or column.declared:
        return column
    values: list[object] = []
    for value in column.values:
        date = value if column.is_missing(value) else date_text(value.strip() if isinstance(value, str) else value)
        if date is None and value is not None:
            return column
        values.append(date)
    return replace(column, values=values, dates=not all(map(column.is_missing, values)))


def clock_text(time: object) -> str:
    """Return the one spelling of a time of day, to the second or with as many digits of a fraction as it has."""
    text = str(time)
    return text.rstrip("0").rstrip(".") if "." in text else text


def plain_state(value: object, name: str) -> State | None:
    """Return a value as a plain Python state, or None if it is a missing value."""
    if isinstance(value, np.generic):
        value = value.item()
    if is_gap(value):
        return None
    value = _number_of(value)
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int) and abs(value) < HUGE:
        return int(value)
    if isinstance(value, float) and isfinite(value):
        return plain_number(value)
    date = date_text(value)
    if date is not None:
        return date
    raise DataError(no_state(name, value))


def plain_number(value: float) -> int | float:
    """Return a number in the one way that it is spelled: a whole one without a point."""
    return int(value) if value.is_integer() and abs(value) < EXACT else float(value)


def is_gap(value: object) -> bool:
    """Whether a value stands for nothing: None, NaN, NA, NaT."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and isnan(value))


def no_state(name: str, value: object) -> str:
    """Say that a value cannot be a state."""
    shown = repr(value) if len(repr(value)) < 80 else repr(value)[:77] + "..."
    return (
        f"column {name!r} holds {shown} ({type(value).__name__}); a state is a string, a finite number or a "
        "boolean: convert the column, for instance to strings"
    )


def _number_of(value: object) -> object:
    """Return a decimal as a number; other values as they are."""
    if isinstance(value, decimal.Decimal) and value.is_finite():
        return int(value) if value == value.to_integral_value() and abs(value) < EXACT else float(value)
    return None if isinstance(value, decimal.Decimal) and value.is_nan() else value


def _from_enumeration(column: Column, given: list[object], present: list[object]) -> Column:
    """Take the members of Python enumerations by name, in the order of their definition."""
    kinds = {type(value) for value in present}
    if len(kinds) > 1:
        raise DataError(f"column {column.name!r} holds members of several enumerations; convert it to strings")
    kind = kinds.pop()
    assert issubclass(kind, enum.Enum)
    names = [member.name for member in kind]
    positions = [names.index(value.name) if isinstance(value, enum.Enum) else -1 for value in given]
    return _placed(column, list(names), positions)


def _sorted_texts(column: Column, given: list[object], present: list[object]) -> Column:
    """Take values by their texts, in the order the values have; ordered categories keep the order they came in."""
    order = present if column.ordered else sorted(set(present))  # type: ignore[type-var]  # intervals can be compared
    texts = [str(value) for value in order]
    positions = [-1 if is_gap(value) else texts.index(str(value)) for value in given]
    return _placed(column, list(texts), positions)


def _placed(column: Column, states: list[object], positions: list[int]) -> Column:
    """Give a column other values, in order; ``positions`` says where each old one is among them."""
    moved = np.array([*positions, -1], dtype=np.int64)[column.positions]
    return replace(column, values=states, positions=moved, declared=True, ordered=True)


def _from_periods(column: Column, given: list[object]) -> Column:
    """Take pandas periods by their texts, which sort as they do; years are numbers."""
    texts = [None if is_gap(value) else str(value).split("/")[0] for value in given]
    if all(text is None or text.isdigit() for text in texts):
        return replace(column, values=[None if text is None else int(text) for text in texts])
    return replace(column, values=list(texts), dates=True)
