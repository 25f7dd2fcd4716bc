"""From distinct values to states and codes, from amounts to weights, and equal rows merged.

A table is read column by column as a :class:`Column`. What is decided here, once, is which of the values are
missing, which are states, and in which order the states stand.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, isfinite, isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldag.data.counts import Codes, Weights
from ldag.errors import DataError, LdagError, UnknownState
from ldag.model import State, StateKey, Variable, state_key

Positions = NDArray[np.signedinteger[Any]]

MISSING_TEXT = frozenset({"", "NA", "NaN", "nan"})
"""Cells of a text file that stand for a missing value, unless declared as states."""

MISSING_STATE = "missing"
"""The state that missing cells get when they are to count as one."""

STATE_CAP = 256
"""Codes are bytes."""

_HUGE = 10**300

_WHOLE = re.compile(r"[+-]?(0|[1-9][0-9]*)")
_REAL = re.compile(r"[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


@dataclass(frozen=True)
class Column:
    """A column as read: its distinct values, and for each row the position of its value (-1: missing).

    Values may repeat or be missing values themselves. ``declared`` says that the source gave them as
    categories, in order, used or not; ``text`` that they are the cells of a text file.
    """

    name: str
    values: list[object]
    positions: Positions
    declared: bool = False
    text: bool = False

    def where(self, position: int) -> str:
        """Say where a value stands first; rows are numbered from 1."""
        rows = np.flatnonzero(self.positions == position)
        return f"column {self.name!r}, row {int(rows[0]) + 1}: " if len(rows) else f"column {self.name!r}: "


@dataclass(frozen=True)
class Coded:
    """A column whose states are fixed; code -1 marks a missing cell."""

    variable: Variable
    codes: NDArray[np.int16]

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows have no value."""
        return self.codes < 0

    def with_missing_state(self) -> "Coded":
        """Turn missing cells into a last state of their own."""
        states = self.variable.states
        if MISSING_STATE in states:
            raise DataError(
                f"column {self.variable.name!r} has missing cells and also a state {MISSING_STATE!r}; "
                "rename that state, or choose missing='drop'"
            )
        _check_size(self.variable.name, (*states, MISSING_STATE), STATE_CAP)
        variable = Variable(self.variable.name, (*states, MISSING_STATE))
        return Coded(variable, np.where(self.missing, np.int16(len(states)), self.codes))


def column_of(name: str, cells: Iterable[object]) -> Column:
    """Make a column of Python objects."""
    cells = list(cells)
    kinds = set(map(type, cells))
    # Equal objects of different types are not the same: True, 1 and 1.0.
    keys = cells if kinds <= {str, type(None)} else zip(map(type, cells), cells, strict=True)
    numbering = _Numbering()
    try:
        positions = np.fromiter(map(numbering.__getitem__, keys), np.int32, len(cells))
    except TypeError:
        raise DataError(_no_state(name, next(cell for cell in cells if not _hashable(cell)))) from None
    _, first = np.unique(positions, return_index=True)
    return Column(name, [cells[row] for row in first], positions)


class _Numbering(dict[object, int]):
    """Gives every new key the next number."""

    def __missing__(self, key: object) -> int:
        self[key] = number = len(self)
        return number


def code_column(column: Column, declared: Variable | None, max_states: int) -> Coded:
    """Fix the states of a column: as declared, else the source's categories, else the sorted values."""
    if declared is not None:
        return Coded(declared, _recoded(column, _declared_codes(column, declared)))
    values = _typed(column)
    states: list[State] = [value for value in values if value is not None]
    states = _distinct(states) if column.declared else sorted(_distinct(states), key=_order)
    _check_size(column.name, states, max_states)
    if not states:
        raise DataError(f"column {column.name!r} has no values, only missing cells; leave it out")
    code = {state_key(state): number for number, state in enumerate(states)}
    codes = [-1 if value is None else code[state_key(value)] for value in values]
    return Coded(Variable(column.name, tuple(states)), _recoded(column, codes))


def recognise_column(column: Column, variable: Variable, refuse_unseen: bool) -> Coded:
    """Code a column by the states of a variable; a value that is none of them is refused, or counts as missing."""
    codes = _known_codes(column, variable)
    if refuse_unseen and None in codes:
        position = codes.index(None)
        raise UnknownState(column.values[position], variable.name, variable.states, column.where(position))
    return Coded(variable, _recoded(column, [-1 if code is None else code for code in codes]))


def plain_state(value: object, name: str) -> State | None:
    """Return a value as a plain Python state, or None if it is a missing value."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or type(value).__name__ in ("NAType", "NaTType") or _is_nan(value):
        return None
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int) and abs(value) < _HUGE:
        return int(value)
    if isinstance(value, float) and isfinite(value):
        return float(value) + 0.0  # no negative zero
    raise DataError(_no_state(name, value))


def read_weights(column: Column, whole: bool) -> Weights:
    """Return the amounts in a column: counts (whole numbers) or real weights; zero is allowed, not negative."""
    option = "counts" if whole else "weights"
    missing = int(np.count_nonzero(column.positions < 0))
    amounts: list[float] = []
    for position, value in enumerate(column.values):
        amount = _amount(value, column.text)
        if amount is None:
            found = "a missing cell" if _is_missing(value, column.text) else repr(value)
            raise DataError(f"{column.where(position)}{option} must be numbers, got {found}")
        if not isfinite(amount) or amount < 0:
            raise DataError(f"{column.where(position)}{option} must be finite and not negative, got {value!r}")
        if whole and amount != int(amount):
            raise DataError(
                f"{column.where(position)}counts must be whole numbers, got {value!r}; "
                f"for real numbers use weights={column.name!r}"
            )
        amounts.append(int(amount) if whole else float(amount))
    if missing:
        raise DataError(f"{column.where(-1)}{option} must be numbers, got {missing} missing cells")
    return _as_weights(column, amounts, option)


def merge_rows(codes: Codes, n_states: Iterable[int], weights: Weights | None) -> tuple[Codes, Weights | None]:
    """Sort the rows, drop those of no weight, merge equal ones and add up; None stands for every row once.

    The result does not depend on the order of the rows, to the last bit of a real weight.
    """
    if weights is not None and not weights.all():
        codes, weights = codes[:, weights > 0], weights[weights > 0]
    if codes.shape[1] == 0:
        return np.ascontiguousarray(codes).copy(), None
    key = row_keys(codes, tuple(n_states))
    by = (key,) if weights is None or weights.dtype == np.int64 else (weights, key)
    order = np.lexsort(by)
    key = key[order]
    first = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
    rows = np.ascontiguousarray(codes[:, order[first]])
    total: Weights
    if weights is None:
        total = np.diff(first, append=len(key)).astype(np.int64)
    else:
        total = np.add.reduceat(weights[order], first)
    return rows, None if total.dtype == np.int64 and bool((total == 1).all()) else total


def row_keys(codes: Codes, n_states: tuple[int, ...]) -> NDArray[np.int64]:
    """Return a number per row, equal for equal rows and ordered as the rows are (first variable slowest).

    Mixed radix; where 63 bits do not suffice, the numbers so far are replaced by their ranks.
    """
    key = np.zeros(codes.shape[1], dtype=np.int64)
    size = 1
    for row, n in zip(codes, n_states, strict=True):
        if size * n >= 1 << 62:
            distinct, key = np.unique(key, return_inverse=True)
            size = len(distinct)
        key = key * n + row
        size *= n
    return key


def _as_weights(column: Column, amounts: list[float], option: str) -> Weights:
    """Put the amounts in rows, as int64 for counts."""
    with np.errstate(over="ignore"):
        total = float(np.asarray(amounts, dtype=np.float64)[column.positions].sum())
    if total == 0:
        raise DataError(f"column {column.name!r}: all {option} are zero; nothing was observed")
    if not isfinite(total) or (option == "counts" and total >= 1 << 62):
        raise DataError(f"column {column.name!r}: the {option} add up to {total:.3g}, which is too large")
    if option == "counts":
        return np.asarray(amounts, dtype=np.int64)[column.positions]
    return np.asarray(amounts, dtype=np.float64)[column.positions]


def _amount(value: object, text: bool) -> float | None:
    """Return a cell as a number, or None."""
    if isinstance(value, np.generic):
        value = value.item()
    if text:
        return _number(str(value))
    if not isinstance(value, int | float) or isinstance(value, bool) or _is_nan(value):
        return None
    return inf if isinstance(value, int) and abs(value) >= _HUGE else value


def _typed(column: Column) -> list[State | None]:
    """Return the distinct values as plain states; a text column is all whole numbers, all numbers, or text."""
    if not column.text:
        return [plain_state(value, column.name) for value in column.values]
    texts = [None if value in MISSING_TEXT else str(value) for value in column.values]
    numbers = [None if text is None else _number(text) for text in texts]
    if any(number is None and text is not None for number, text in zip(numbers, texts, strict=True)):
        return list(texts)
    if not all(number is None or isinstance(number, int) for number in numbers):
        numbers = [None if number is None else float(number) + 0.0 for number in numbers]
    seen: dict[float, str] = {}
    for number, text in zip(numbers, texts, strict=True):
        if number is None or text is None:
            continue
        if number in seen:
            first, second = sorted((seen[number], text))
            raise DataError(
                f"column {column.name!r} spells one number in two ways, {first!r} and {second!r}; "
                f"say what they are with states={{{column.name!r}: [...]}}, as numbers or as texts"
            )
        seen[number] = text
    return list(numbers)


def _number(text: str) -> int | float | None:
    """Return the number a text spells; None for other text, for leading zeros and for what is too large."""
    if _WHOLE.fullmatch(text):
        return int(text) if len(text) <= 300 else None
    if _REAL.fullmatch(text) and isfinite(float(text)):
        return float(text)
    return None


def _declared_codes(column: Column, declared: Variable) -> list[int]:
    """Return the code of each distinct value among declared states."""
    codes = []
    for position, code in enumerate(_known_codes(column, declared)):
        if code is None:
            shown = ", ".join(repr(state) for state in declared.states)
            raise DataError(
                f"{column.where(position)}{column.values[position]!r} is not among the declared states {shown}"
            )
        codes.append(code)
    return codes


def _known_codes(column: Column, variable: Variable) -> list[int | None]:
    """Return the code of each distinct value, -1 if it is missing or unused, None if it is no state."""
    used = np.zeros(len(column.values) + 1, dtype=np.bool_)
    used[column.positions] = True
    return [
        _declared_code(value, column, variable) if used[position] else -1
        for position, value in enumerate(column.values)
    ]


def _declared_code(value: object, column: Column, declared: Variable) -> int | None:
    """Return the code of one value, -1 if it is missing, None if it is not declared."""
    state = str(value) if column.text else plain_state(value, column.name)
    if state is None:
        return -1
    code = _code_or_none(declared, state)
    if code is None and isinstance(state, str) and column.text:
        number = _number(state)
        code = None if number is None else _code_or_none(declared, number)
        return -1 if code is None and state in MISSING_TEXT else code
    return code


def _code_or_none(variable: Variable, state: State) -> int | None:
    try:
        return variable.code(state)
    except LdagError:
        return None


def _recoded(column: Column, codes: list[int]) -> NDArray[np.int16]:
    """Return the codes in rows; position -1 (missing) finds the last entry."""
    return np.array([*codes, -1], dtype=np.int16)[column.positions]


def _distinct(states: list[State]) -> list[State]:
    """Return each state once, in order; of equal numbers such as 1 and 1.0 the whole one stands for both."""
    found: dict[StateKey, State] = {}
    for state in states:
        key = state_key(state)
        if key not in found or isinstance(state, int):
            found[key] = state
    return list(found.values())


def _order(state: State) -> tuple[int, float, str]:
    """Sort booleans first, then numbers, then texts."""
    if isinstance(state, bool):
        return 0, float(state), ""
    return (2, 0.0, state) if isinstance(state, str) else (1, state, "")


def _check_size(name: str, states: Iterable[State], max_states: int) -> None:
    states = list(states)
    if len(states) > max_states:
        shown = ", ".join(repr(state) for state in states[:3])
        more = f"allow more with max_states= (at most {STATE_CAP})"
        raise DataError(
            f"column {name!r} has {len(states):,} states ({shown}, ...), more than {max_states}: is it an "
            "identifier or a measurement? leave it out, group its values"
            + (f", or {more}" if max_states < STATE_CAP else "")
        )


def _no_state(name: str, value: object) -> str:
    shown = repr(value) if len(repr(value)) < 80 else repr(value)[:77] + "..."
    return (
        f"column {name!r} holds {shown} ({type(value).__name__}); a state is a string, a finite number or a "
        "boolean: convert the column, for instance to strings"
    )


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and isnan(value)


def _is_missing(value: object, text: bool) -> bool:
    return value in MISSING_TEXT if text else value is None or _is_nan(value)


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
