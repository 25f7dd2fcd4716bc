"""From distinct values to states and codes.

A table is read column by column as a :class:`Column`. What is decided here, once, is which of the values are
missing, which are states, and in which order the states stand.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from ldag._native import MAX_STATES
from ldag.data.columns import NUMBER, Column
from ldag.data.values import plain_number, plain_state, tidy_column
from ldag.errors import DataError, UnknownState, by_door, option
from ldag.model import MISSING_STATE, State, StateKey, Variable, bin_of, state_key, state_order

__all__ = ["MAX_STATES", "Coded", "code_column", "number_in", "recognise_column"]

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

    def first_missing(self) -> int | None:
        """Return the first row, from 1, that has no value."""
        gaps = [position for position, value in enumerate(self.column.values) if self.column.is_missing(value)]
        return self.column.first_row([-1, *gaps])

    @property
    def n_unknown(self) -> int:
        """How many rows have a value that is no state, and counts as missing."""
        column = self.column
        has_value = np.array([*(not column.is_missing(value) for value in column.values), False])
        return int(np.count_nonzero(self.missing & has_value[column.positions]))

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
                f"rename that state, or choose {option('missing', 'drop')}"
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
        return Coded(declared, _recoded(column, _declared_codes(column, declared)), _without_rows(column))
    values = _typed(column, lenient)
    states: list[State] = [value for value in values if value is not None]
    is_listed = column.declared and column.ordered
    states = _distinct(states) if is_listed else sorted(_distinct(states), key=state_order)
    check_n_states(column.name, states, max_states)
    if not states:
        raise DataError(f"column {column.name!r} has no values, only missing cells; leave it out")
    code = {state_key(state): number for number, state in enumerate(states)}
    codes = [-1 if value is None else code[state_key(value)] for value in values]
    variable = Variable(column.name, tuple(states), column.ordered or column.dates)
    return Coded(variable, _recoded(column, codes), _without_rows(column))


def _without_rows(column: Column) -> Column:
    """Forget where the values of a column stand if its engine can find them again: codes take their place."""
    return column if column.locate is None else replace(column, positions=column.positions[:0])


def recognise_column(column: Column, variable: Variable, refuse_unseen: bool) -> Coded:
    """Code a column by the states of a variable; a value that is none of them is refused, or counts as missing."""
    column = tidy_column(column)
    codes = _known_codes(column, variable)
    if refuse_unseen and None in codes:
        position = codes.index(None)
        raise UnknownState(column.values[position], variable.name, variable.states, column.where(position))
    return Coded(variable, _recoded(column, [-1 if code is None else code for code in codes]), column)


def check_n_states(name: str, states: Iterable[State], max_states: int) -> None:
    """Refuse more states than are allowed."""
    states = list(states)
    if len(states) > max_states:
        shown = ", ".join(repr(state) for state in states[:3])
        more = f"allow more with {option('max_states')} (at most {MAX_STATES})"
        raise DataError(
            f"column {name!r} has {len(states):,} states ({shown}, ...), more than {max_states}: is it an "
            "identifier? leave it out, group its values" + (f", or {more}" if max_states < MAX_STATES else "")
        )


def number_in(text: str) -> int | float | None:
    """Return the number a text spells; None for other text, for leading zeros and for what is too large."""
    if _WHOLE.fullmatch(text):
        return int(text) if len(text) <= 300 else None
    if _REAL.fullmatch(text) and isfinite(float(text)):
        return plain_number(float(text))
    return None


def _typed(column: Column, lenient: bool) -> list[State | None]:
    """Return the distinct values as plain states; a text column is all whole numbers, all numbers, or text."""
    if not column.text:
        return [plain_state(value, column.name) for value in column.values]
    texts = [None if column.is_missing(value) else str(value).strip() for value in column.values]
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


def _declared_codes(column: Column, declared: Variable) -> list[int]:
    """Return the code of each distinct value among declared states."""
    codes = []
    for position, code in enumerate(_known_codes(column, declared)):
        if code is None:
            shown = ", ".join(repr(state) for state in declared.states)
            what = "is no number to be cut into" if declared.cuts else "is not among the declared states"
            raise DataError(f"{column.where(position)}{column.values[position]!r} {what} {shown}")
        codes.append(code)
    return codes


def _known_codes(column: Column, variable: Variable) -> list[int | None]:
    """Return the code of each distinct value, -1 if it is missing or unused, None if it is no state."""
    used = np.zeros(len(column.values) + 1, dtype=np.bool_)
    used[column.positions] = True
    if variable.cuts and not column.text and not isinstance(variable.cuts[0], str) and _all_numbers(column.values):
        numbers = np.array([np.nan if value is None else value for value in column.values], dtype=np.float64)
        bins = np.searchsorted(np.array(variable.cuts), numbers)
        return list(np.where(np.isnan(numbers) | ~used[:-1], -1, bins).tolist())
    return [
        _declared_code(value, column, variable) if used[position] else -1
        for position, value in enumerate(column.values)
    ]


def _all_numbers(values: list[object]) -> bool:
    return all(value is None or type(value) in (int, float) for value in values)


def _declared_code(value: object, column: Column, declared: Variable) -> int | None:
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
