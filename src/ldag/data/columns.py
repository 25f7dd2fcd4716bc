"""A column of a table: its different values, whatever it was read from, and from them states and codes.

What is decided here, once, is which of the values are missing, which are states, and in which order the states stand.
"""

import datetime
import decimal
import enum
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, isfinite, isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldag._native import MAX_STATES
from ldag.data.rows import Weights
from ldag.errors import DataError, UnknownState, by_door, option
from ldag.model import MISSING_STATE, State, StateKey, Variable, bin_of, date_text, state_key, state_order

Positions = NDArray[np.signedinteger[Any]]
MISSING_TEXT = frozenset({"", "NA", "NaN", "nan"})
"""Cells of a text file that stand for a missing value, unless declared as states."""

NUMBER = r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
"""How a number is spelled in a text file: without leading zeros."""

NOT_UTF8 = "the table holds text that is not UTF-8"
DECODE = "decode it where the table is written, or leave the column out"
"""What is said of bytes that pass for text, and what to do."""


@dataclass(frozen=True)
class Column:
    """A column as read: its distinct values, and for each row the position of its value (-1: missing).

    Values may repeat or be missing values themselves. ``declared`` says that the source gave them as
    categories, in order, used or not, and ``ordered`` that their order means something; ``text`` that they are the
    cells of a text file, of which those in ``na`` are missing; ``dates`` that they are dates as texts. Where rows were
    merged, ``locate`` finds the first row of some values.
    """

    name: str
    values: list[object]
    positions: Positions
    declared: bool = False
    text: bool = False
    ordered: bool = False
    dates: bool = False
    na: frozenset[str] = MISSING_TEXT
    locate: Callable[[list[object]], int | None] | None = None

    @classmethod
    def of_examples(cls, name: str, values: Iterable[object], **how: Any) -> "Column":
        """Make a column of some of its values, without the rows."""
        return cls(name, list(values), np.zeros(0, np.int64), **how)

    def where(self, position: int) -> str:
        """Say where a value stands first; rows are numbered from 1."""
        row = self.first_row([position])
        return f"column {self.name!r}: " if row is None else f"column {self.name!r}, row {row}: "

    def first_row(self, positions: list[int]) -> int | None:
        """Return the first row, from 1, with one of these positions."""
        if self.locate is not None:
            return self.locate([None if position < 0 else self.values[position] for position in positions])
        rows = np.flatnonzero(np.isin(self.positions, positions))
        return int(rows[0]) + 1 if len(rows) else None

    @cached_property
    def gaps(self) -> list[bool]:
        """Which of the values stand for a missing cell."""
        if self.text:
            return [str(value).strip() in self.na for value in self.values]
        return list(map(is_gap, self.values))

    @cached_property
    def given(self) -> list[object]:
        """The other values; texts without blanks around them."""
        kept = [value for value, is_missing in zip(self.values, self.gaps, strict=True) if not is_missing]
        return [str(value).strip() for value in kept] if self.text else kept

    @property
    def is_plain(self) -> bool:
        """Whether its values are texts, numbers, booleans or None."""
        return _PLAIN.issuperset(map(type, self.values))

    def in_rows(self, codes: Sequence[int]) -> NDArray[np.int16]:
        """Return what each value stands for in the rows; -1 where there is none."""
        return np.array([*codes, -1], dtype=np.int16)[self.positions]


def column_of(name: str, cells: Iterable[object]) -> Column:
    """Make a column of Python objects."""
    cells = list(cells)
    has_types = not set(map(type, cells)) <= {str, type(None)}
    # Equal objects of different types are not the same: True, 1 and 1.0.
    keys: Iterable[Any] = zip(map(type, cells), cells, strict=True) if has_types else cells
    numbering = _Numbering()
    try:
        positions = np.fromiter(map(numbering.__getitem__, keys), np.int32, len(cells))
    except TypeError:
        odd = next(cell for cell in cells if not _is_hashable(cell))
        raise DataError(no_state(name, odd)) from None
    values: list[Any] = list(numbering)
    return Column(name, [value for _, value in values] if has_types else values, positions)


class _Numbering(dict[Any, int]):
    """Gives every new key the next number."""

    def __missing__(self, key: Any) -> int:
        self[key] = number = len(self)
        return number


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


HUGE = 10**300
"""Whole numbers beyond this are no states: they do not fit a real number."""

EXACT = 2**53
"""Real numbers up to this size tell all whole numbers apart."""

_PLAIN = frozenset((str, bool, int, float, type(None)))


def tidy_column(column: Column) -> Column:
    """Return a column whose values are plain: texts, numbers, booleans or gaps."""
    if column.is_plain:
        known = column.declared or column.dates or str not in map(type, column.values)
        return column if known else _with_dates(column)
    given = [value.item() if isinstance(value, np.generic) else value for value in column.values]
    present = [value for value in given if not is_gap(value)]
    if present and all(isinstance(value, enum.Enum) for value in present):
        return _from_enumeration(column, given, present)
    names = {type(value).__name__ for value in present}
    if present and names == {"Interval"}:
        return _sort_texts(column, given, present)
    if present and names == {"Period"}:
        return _from_periods(column, given)
    if present and all(isinstance(value, datetime.date) for value in present):
        return replace(column, values=[None if is_gap(value) else date_text(value) for value in given], dates=True)
    if present and all(isinstance(value, datetime.time) for value in present):
        return replace(column, values=[None if is_gap(value) else clock_text(value) for value in given], ordered=True)
    return replace(column, values=[_number_of(value) for value in given])


def _with_dates(column: Column) -> Column:
    """Return a column of texts that are all dates with one spelling for each; others as they are."""
    values: list[object] = []
    for value, is_missing in zip(column.values, column.gaps, strict=True):
        date = value if is_missing else date_text(value.strip() if isinstance(value, str) else value)
        if date is None and value is not None:
            return column
        values.append(date)
    return replace(column, values=values, dates=True) if column.given else column


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
    return _place(column, list(names), positions)


def _sort_texts(column: Column, given: list[object], present: list[object]) -> Column:
    """Take values by their texts, in the order the values have; ordered categories keep the order they came in."""
    order = present if column.ordered else sorted(set(present))  # type: ignore[type-var]  # intervals can be compared
    texts = [str(value) for value in order]
    positions = [-1 if is_gap(value) else texts.index(str(value)) for value in given]
    return _place(column, list(texts), positions)


def _place(column: Column, states: list[object], positions: list[int]) -> Column:
    """Give a column other values, in order; ``positions`` says where each old one is among them."""
    moved = np.array([*positions, -1], dtype=np.int64)[column.positions]
    return replace(column, values=states, positions=moved, declared=True, ordered=True)


def _from_periods(column: Column, given: list[object]) -> Column:
    """Take pandas periods by their texts, which sort as they do; years are numbers."""
    texts = [None if is_gap(value) else str(value).split("/")[0] for value in given]
    if all(text is None or text.isdigit() for text in texts):
        return replace(column, values=[None if text is None else int(text) for text in texts])
    return replace(column, values=list(texts), dates=True)


_WHOLE = re.compile(r"[+-]?(0|[1-9][0-9]*)")
_REAL = re.compile(NUMBER)


@dataclass(frozen=True)
class Coded:
    """A column whose states are fixed; code -1 marks a missing cell."""

    variable: Variable
    codes: NDArray[np.int16]
    column: Column

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows have no value."""
        return self.codes < 0

    @property
    def uint8(self) -> NDArray[np.uint8]:
        """The codes as a data set has them: a missing cell is a gap."""
        return self.codes.astype(np.uint8)  # of which -1 is 255

    def first_missing(self) -> int | None:
        """Return the first row, from 1, that has no value."""
        gaps = np.flatnonzero(self.column.gaps).tolist()
        return self.column.first_row([-1, *gaps])

    @property
    def n_unknown(self) -> int:
        """How many rows have a value that is no state, and counts as missing."""
        is_gap = np.array([*self.column.gaps, True])
        return int(np.count_nonzero(self.missing & ~is_gap[self.column.positions]))

    def with_states(self, codes: Sequence[int]) -> "Coded":
        """Keep some of the states only, in order; every row has one of them, or none."""
        new = np.full(self.variable.n_states + 1, -1, dtype=np.int16)  # the last is a gap's
        new[list(codes)] = np.arange(len(codes))
        variable = self.variable.with_states(self.variable.states[code] for code in codes)
        return replace(self, variable=variable, codes=new[self.codes])

    def with_missing_state(self) -> "Coded":
        """Turn missing cells into a last state of their own, which may be declared as long as no cell says so."""
        states = self.variable.states
        if states[-1] == MISSING_STATE and not (self.codes == len(states) - 1).any():
            return replace(self, codes=np.where(self.missing, np.int16(len(states) - 1), self.codes))
        if MISSING_STATE in states:
            raise DataError(
                f"column {self.variable.name!r} has missing cells and also a state {MISSING_STATE!r}; "
                f"rename that state, or choose {option('missing', 'keep')}"
            )
        check_n_states(self.variable.name, (*states, MISSING_STATE), MAX_STATES)
        variable = replace(self.variable, states=(*states, MISSING_STATE))
        return replace(self, variable=variable, codes=np.where(self.missing, np.int16(len(states)), self.codes))


def code_column(column: Column, declared: Variable | None, max_states: int, lenient: bool = False) -> Coded:
    """Fix the states of a column: as declared (or cut), else the source's ordered categories, else the sorted values.

    ``lenient`` takes two spellings of one number for one state.
    """
    column = tidy_column(column)
    if declared is not None:
        return Coded(declared, column.in_rows(_codes_by_declaration(column, declared)), _without_rows(column))
    values = _read_states(column, lenient)
    states: list[State] = [value for value in values if value is not None]
    is_listed = column.declared and column.ordered
    states = _distinct(states) if is_listed else sorted(_distinct(states), key=state_order)
    check_n_states(column.name, states, max_states)
    if not states:
        raise DataError(f"column {column.name!r} has no values, only missing cells; leave it out")
    code = {state_key(state): number for number, state in enumerate(states)}
    codes = [-1 if value is None else code[state_key(value)] for value in values]
    variable = Variable(column.name, tuple(states), column.ordered or column.dates)
    return Coded(variable, column.in_rows(codes), _without_rows(column))


def _without_rows(column: Column) -> Column:
    """Forget where the values of a column stand if its engine can find them again: codes take their place."""
    return column if column.locate is None else replace(column, positions=column.positions[:0])


def recognise_column(column: Column, variable: Variable, refuse_unseen: bool) -> Coded:
    """Code a column by the states of a variable; a value that is none of them is refused, or counts as missing."""
    column = tidy_column(column)
    codes = _codes_by_value(column, variable)
    if refuse_unseen and None in codes:
        position = codes.index(None)
        raise UnknownState(column.values[position], variable.name, variable.states, column.where(position))
    return Coded(variable, column.in_rows([-1 if code is None else code for code in codes]), column)


def check_n_states(name: str, states: Sequence[object], max_states: int, n_states: int | None = None) -> None:
    """Refuse more states than are allowed; of more than are listed, how many there are is given."""
    n_states = len(states) if n_states is None else n_states
    if n_states > max_states:
        shown = ", ".join(repr(state) for state in states[:3])
        more = f"allow more with {option('max_states')} (at most {MAX_STATES})"
        raise DataError(
            f"column {name!r} has {n_states:,} states ({shown}, ...), more than {max_states}: is it an "
            "identifier? leave it out, group its values" + (f", or {more}" if max_states < MAX_STATES else "")
        )


def number_in(text: str) -> int | float | None:
    """Return the number a text spells; None for other text, for leading zeros and for what is too large."""
    if _WHOLE.fullmatch(text):
        return int(text) if len(text) <= 300 else None
    if _REAL.fullmatch(text) and isfinite(float(text)):
        return plain_number(float(text))
    return None


def _read_states(column: Column, lenient: bool) -> list[State | None]:
    """Return the distinct values as plain states; a text column is all whole numbers, all numbers, or text."""
    if not column.text:
        return [plain_state(value, column.name) for value in column.values]
    given = map(str, column.given)
    texts = [None if is_missing else next(given) for is_missing in column.gaps]
    numbers = [None if text is None else number_in(text) for text in texts]
    if any(number is None and text is not None for number, text in zip(numbers, texts, strict=True)):
        return list(texts)
    seen: dict[float, str] = {}
    for number, text in zip(numbers, texts, strict=True):
        if number is None or text is None:
            continue
        if seen.setdefault(number, text) != text and not lenient:
            first, second = sorted((seen[number], text))
            raise DataError(
                f"column {column.name!r} spells one number in two ways, {first!r} and {second!r}; "
                + by_door(
                    f"say what they are with states={{{column.name!r}: [...]}}, as numbers or as texts",
                    f"spell it in one way, or {option('unusable', 'drop')} takes both for one state",
                )
            )
    return list(numbers)


def _codes_by_declaration(column: Column, declared: Variable) -> list[int]:
    """Return the code of each distinct value among declared states."""
    codes = []
    for position, code in enumerate(_codes_by_value(column, declared)):
        if code is None:
            shown = ", ".join(repr(state) for state in declared.states)
            what = "is no number to be cut into" if declared.cuts else "is not among the declared states"
            raise DataError(f"{column.where(position)}{column.values[position]!r} {what} {shown}")
        codes.append(code)
    return codes


def _codes_by_value(column: Column, variable: Variable) -> list[int | None]:
    """Return the code of each distinct value, -1 if it is missing or unused, None if it is no state."""
    if column.declared and tuple(column.values) == variable.states and set(map(type, column.values)) == {str}:
        return list(range(len(column.values)))
    used = np.zeros(len(column.values) + 1, dtype=np.bool_)
    used[column.positions] = True
    if variable.cuts and not column.text and not isinstance(variable.cuts[0], str) and _has_only_numbers(column.values):
        numbers = np.array([np.nan if value is None else value for value in column.values], dtype=np.float64)
        bins = np.searchsorted(np.array(variable.cuts), numbers)
        return list(np.where(np.isnan(numbers) | ~used[:-1], -1, bins).tolist())
    return [
        _code_by_declaration(value, column, variable) if used[position] else -1
        for position, value in enumerate(column.values)
    ]


def _has_only_numbers(values: list[object]) -> bool:
    return all(value is None or type(value) in (int, float) for value in values)


def _code_by_declaration(value: object, column: Column, declared: Variable) -> int | None:
    """Return the code of one value, -1 if it is missing, None if it is not declared."""
    state = str(value).strip() if column.text else plain_state(value, column.name)
    if state is None:
        return -1
    code = _code_or_none(declared, state)
    if code is None and isinstance(state, str) and column.text:
        number = number_in(state)
        code = None if number is None else _code_or_none(declared, number)
        return -1 if code is None and state in column.na else code
    return code


def _code_or_none(variable: Variable, state: State) -> int | None:
    if variable.cuts and isinstance(state, int | float) and not isinstance(state, bool):
        return bin_of(state, variable.cuts)
    return variable.find(state)


def _distinct(states: list[State]) -> list[State]:
    """Return each state once, in order; of equal numbers such as 1 and 1.0 the whole one stands for both."""
    by_key: dict[StateKey, State] = {}
    for state in states:
        key = state_key(state)
        if key not in by_key or isinstance(state, int):
            by_key[key] = state
    return list(by_key.values())


def read_weights(column: Column, whole: bool) -> Weights:
    """Return the amounts in a column: counts (whole numbers) or real weights; zero is allowed, not negative."""
    what = "counts" if whole else "weights"
    missing = int(np.count_nonzero(column.positions < 0))
    amounts: list[float] = []
    for position, value in enumerate(column.values):
        amount = _amount(value, column.text)
        if amount is None:
            shown = "a missing cell" if column.gaps[position] else repr(value)
            raise DataError(f"{column.where(position)}{what} must be numbers, got {shown}")
        if not isfinite(amount) or amount < 0:
            raise DataError(f"{column.where(position)}{what} must be finite and not negative, got {value!r}")
        if whole and amount != int(amount):
            raise DataError(
                f"{column.where(position)}counts must be whole numbers, got {value!r}; "
                f"for real numbers use {option('weights', column.name)}"
            )
        amounts.append(int(amount) if whole else float(amount))
    if missing:
        shown = "a missing cell" if missing == 1 else f"{missing} missing cells"
        raise DataError(f"{column.where(-1)}{what} must be numbers, got {shown}")
    return _as_weights(column, amounts, what)


def _as_weights(column: Column, amounts: list[float], what: str) -> Weights:
    """Put the amounts in rows, as int64 for counts."""
    with np.errstate(over="ignore"):
        total = float(np.asarray(amounts, dtype=np.float64)[column.positions].sum())
    if total == 0:
        raise DataError(f"column {column.name!r}: all {what} are zero; nothing was observed")
    if not isfinite(total) or (what == "counts" and total >= 1 << 62):
        raise DataError(f"column {column.name!r}: the {what} add up to {total:.3g}, which is too large")
    if what == "counts":
        return np.asarray(amounts, dtype=np.int64)[column.positions]
    return np.asarray(amounts, dtype=np.float64)[column.positions]


def _amount(value: object, text: bool) -> float | None:
    """Return a cell as a number, or None."""
    if isinstance(value, np.generic):
        value = value.item()
    if text:
        return number_in(str(value).strip())
    if not isinstance(value, int | float) or isinstance(value, bool) or is_gap(value):
        return None
    return inf if isinstance(value, int) and abs(value) >= HUGE else value
