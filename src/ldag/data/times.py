"""When rows were seen: places of rows in time, in usual steps within their groups."""

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ldag.data.columns import Column, column_of, plain_number, tidy_column
from ldag.data.groups import Groups, plain_labels, refuse_empty
from ldag.data.notes import Note
from ldag.data.planning import rank_values
from ldag.data.rows import state_array
from ldag.errors import DataError, by_door, counted, option
from ldag.formats import spell_share
from ldag.model import State, state_key

TimeKind = Literal["numbers", "dates", "order"]
"""What times are: places on an axis of numbers or dates in usual steps, or only an order."""

ON_GRID = 0.95
"""The share of differences that must be whole multiples of the usual one; otherwise times are only an order."""

NEAR = 0.25
"""How far, in usual steps, a difference may be from a whole multiple of the usual one."""

_MONTH = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])")
_QUARTER = re.compile(r"([0-9]{4})Q([1-4])")
_DAY = 86_400.0
_UNITS = (("day", _DAY), ("hour", 3600.0), ("minute", 60.0), ("second", 1.0))


@dataclass(frozen=True)
class Clock:
    """How a column tells time: what it holds, the usual step, and the order of times that are neither number nor date.

    Without a kind, all of that is found in the column.
    """

    name: str
    kind: TimeKind | None = None
    step: State | None = None
    order: tuple[State, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in (None, "order", "numbers", "dates") or (self.usual is not None and self.usual[0] <= 0):
            raise ValueError(f"no clock: {self.kind!r}, {self.step!r}")

    @property
    def usual(self) -> tuple[float, str] | None:
        """The usual step as a number, and its unit, if it is known."""
        return None if self.kind in (None, "order") or self.step is None else _read_step(self.step)


@dataclass(frozen=True, eq=False)
class Times:
    """When every row was seen: the column that says it, and the place of each row on the axis of time.

    ``name`` is None where rows were taken as they came. ``positions`` are in usual steps for numbers and dates, so that
    a difference of 1 is one step, and 0, 1, 2... within a group for an order. ``labels`` are what stood in the cells,
    and ``step`` is the usual step in words. ``order`` are all times in order where the source or the user gave it.
    """

    name: str | None
    kind: TimeKind
    positions: NDArray[np.int64]
    labels: NDArray[np.object_]
    step: State | None
    order: tuple[State, ...] = ()

    def __post_init__(self) -> None:
        self.positions.flags.writeable = False
        self.labels.flags.writeable = False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Times):
            return NotImplemented
        mine, theirs = ((one.name, one.kind, one.step, one.order) for one in (self, other))
        is_alike = mine == theirs and np.array_equal(self.positions, other.positions)
        return is_alike and np.array_equal(self.labels, other.labels)

    def __hash__(self) -> int:
        return hash((self.name, self.kind, self.step, len(self.positions)))

    @property
    def clock(self) -> Clock | None:
        """How the column tells time; None where rows were taken as they came."""
        return None if self.name is None else Clock(self.name, self.kind, self.step, self.order)

    @property
    def shown(self) -> NDArray[np.generic]:
        """The time of every row, as a column of a table."""
        return state_array(self.labels.tolist())

    def take(self, places: NDArray[np.integer] | NDArray[np.bool_]) -> "Times":
        """Return the times of some of the rows, which stay where they are on the axis."""
        return replace(self, positions=self.positions[places], labels=self.labels[places])

    def sort(self, groups: Groups | None) -> NDArray[np.intp]:
        """Return the order of the rows by group, and by time within a group."""
        return np.lexsort((self.positions,) if groups is None else (self.positions, groups.codes))

    def join(self, other: "Times", groups: Groups | None) -> "Times":
        """Return the times of these rows and after them those of others, of which the groups are given."""
        if (self.name, self.order) != (other.name, other.order):
            raise DataError(
                f"the parts say time differently, by {_say(self)} and {_say(other)}; read both with the same "
                f"{option('time')}"
            )
        labels = np.concatenate([self.labels, other.labels])
        if self.name is None:
            return count_rows(groups, len(labels))
        column = tidy_column(column_of(self.name, labels.tolist()))
        return read_times(column, groups, self.order)[0]


def _say(times: Times) -> str:
    order = f" in the order {times.order}" if times.order else ""
    return "the order of rows" if times.name is None else repr(times.name) + order


def count_rows(groups: Groups | None, n_rows: int) -> Times:
    """Take rows for times as they come, one after the other within a group."""
    codes = np.zeros(n_rows, dtype=np.int32) if groups is None else groups.codes
    order = np.argsort(codes, kind="stable")
    positions = _put(order, _within(codes[order]))
    return Times(None, "order", positions, np.array([*positions.tolist(), None], dtype=object)[:-1], None)


def _within(codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the number of every row within its group; groups stand one after the other."""
    is_first = np.concatenate(([True], codes[1:] != codes[:-1]))
    starts = np.flatnonzero(is_first)
    return np.arange(len(codes)) - np.repeat(starts, np.diff(starts, append=len(codes)))


def read_times(
    column: Column, groups: Groups | None, order: Sequence[State] = (), clock: Clock | None = None
) -> tuple[Times, list[Note]]:
    """Take a tidy column for when rows were seen, and say what the usual step is, and how far others are from it.

    Numbers and dates are places on an axis. Where nearly all differences within groups are whole multiples of the
    usual one, positions are counted in such steps; otherwise, and for categories in an ``order``, times are only an
    order. A clock that is known says what one step is.
    """
    refuse_empty(column, "a row without a time", "say when it was seen")
    labels = plain_labels(column)
    clock = Clock(column.name, order=tuple(order)) if clock is None else clock
    order, known = clock.order, clock.usual
    kind, moments, unit = _measure(column, labels, order, in_months=known is None or known[1] != "second")
    own, shown = moments[column.positions], np.array([*labels, None], dtype=object)[column.positions]
    codes = np.zeros(len(own), dtype=np.int32) if groups is None else groups.codes
    sequence = np.lexsort((own, codes))
    is_next, gaps = codes[sequence][1:] == codes[sequence][:-1], np.diff(own[sequence])
    _refuse_repeats(column.name, groups, sequence, is_next & (gaps == 0), shown)
    if unit == "place" or clock.kind == "order":
        listed = tuple(order) or (tuple(labels) if unit == "place" else ())
        return Times(column.name, kind, _put(sequence, _within(codes[sequence])), shown, None, listed), []
    if known is not None and clock.kind == kind:
        return _count_known(column.name, kind, clock, unit, own, sequence, is_next, shown), []
    if not is_next.any():
        told = (
            f"{column.name}: {'there is one row' if groups is None else 'every group has one row'}; there are no steps"
        )
        return Times(column.name, kind, np.unique(own, return_inverse=True)[1], shown, None), [Note(told)]
    usual = _find_usual(gaps[is_next], own)
    whole, is_near = _count_steps(gaps, usual)
    is_near, step = is_near[is_next], _spell_step(usual, unit)
    if is_near.mean() >= ON_GRID and (whole[is_next] >= 1).all():
        positions = _put(sequence, _add_up(own[sequence], usual, np.where(is_next, whole, 0), is_next))
        return Times(column.name, kind, positions, shown, step), [
            _note_grid(column.name, step, whole[is_next], is_near)
        ]
    share = spell_share(1 - is_near.mean())
    note = Note(
        f"{column.name}: {share} of the steps are no whole multiples of the usual one, {step}; rows are taken in "
        "order, one after the other, however far apart they are"
    )
    return Times(column.name, "order", _put(sequence, _within(codes[sequence])), shown, step), [note]


def _count_steps(gaps: NDArray[np.float64], usual: float) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return differences in usual steps, rounded to whole ones, and which of them are near one."""
    whole = np.round(gaps / usual).astype(np.int64)
    return whole, (np.abs(gaps / usual - whole) <= NEAR) & (whole >= 1)


def _count_known(
    name: str,
    kind: TimeKind,
    clock: Clock,
    unit: str,
    own: NDArray[np.float64],
    sequence: NDArray[np.intp],
    is_next: NDArray[np.bool_],
    shown: NDArray[np.object_],
) -> Times:
    """Return places in steps of a clock; refuse times that are no whole steps apart."""
    assert clock.usual is not None
    usual, own_unit = clock.usual
    whole, is_near = _count_steps(np.diff(own[sequence]), usual)
    odd = np.flatnonzero(is_next & ~is_near)
    if is_next.any() and (unit != own_unit or len(odd)):
        place = int(odd[0] if len(odd) else np.flatnonzero(is_next)[0])
        example = shown[sequence[place : place + 2]].tolist()
        raise DataError(
            f"{name}: one step is {clock.step}, and the times {' and '.join(map(repr, example))} are no whole number of"
            " steps apart"
        )
    positions = _put(sequence, _add_up(own[sequence], usual, np.where(is_next, whole, 0), is_next))
    return Times(name, kind, positions, shown, clock.step)


def _put(sequence: NDArray[np.intp], positions: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return positions of rows in a sequence in the order of the rows."""
    own = np.empty_like(positions)
    own[sequence] = positions
    return own


def _refuse_repeats(
    name: str, groups: Groups | None, sequence: NDArray[np.intp], is_repeated: NDArray[np.bool_], shown: NDArray[Any]
) -> None:
    if is_repeated.any():
        row = int(sequence[int(np.flatnonzero(is_repeated)[0])])
        n = int(is_repeated.sum())
        of = "" if groups is None else f" of {groups.name} {groups.labels[groups.codes[row]]!r}"
        raise DataError(
            f"column {name!r}: the time {shown[row]!r}{of} stands in more than one row ({counted(n, 'row')} too many "
            "in all); leave out rows that repeat, or name a column that tells them apart"
        )


def _measure(
    column: Column, labels: list[State], order: Sequence[State], in_months: bool
) -> tuple[TimeKind, NDArray[np.float64], str]:
    """Return what the times are, where each different one lies, and in which unit: "place" is only an order."""
    if order or (column.declared and column.ordered) or _has_only(column, datetime.time):
        places = {state_key(state): place for place, state in enumerate(order or labels)}
        for label in labels:
            if state_key(label) not in places:
                raise DataError(f"column {column.name!r} holds {label!r}, which is not among the declared times")
        return "order", np.array([places[state_key(label)] for label in labels], dtype=np.float64), "place"
    months = [_month(str(label)) for label in labels]
    if None not in months:
        return "dates", np.array(months, dtype=np.float64), "month"
    ranked = rank_values(column)
    if ranked is None:
        raise DataError(
            f"column {column.name!r} holds {_odd(labels)!r}, and times are numbers, dates or ordered categories; "
            + by_door(
                f"say their order with {option('states', {column.name: ['first', 'second']})}, or take rows as they "
                "come with time=True",
                "write them as numbers or dates",
            )
        )
    values, places_of = ranked
    if values.dtype != object:
        return "numbers", values.astype(np.float64)[places_of], "number"
    moments, unit = _measure_dates([str(value) for value in values], in_months)
    return "dates", moments[places_of], unit


def _has_only(column: Column, kind: type) -> bool:
    return bool(column.given) and all(isinstance(value, kind) for value in column.given)


def _odd(labels: list[State]) -> State:
    """Return an example of what is no number, if there is one."""
    return next((label for label in labels if isinstance(label, str | bool)), labels[0])


def _month(text: str) -> int | None:
    """Return the number of a month, or of the first of a quarter."""
    if matched := _MONTH.fullmatch(text):
        return 12 * int(matched[1]) + int(matched[2]) - 1
    if matched := _QUARTER.fullmatch(text):
        return 12 * int(matched[1]) + 3 * (int(matched[2]) - 1)
    return None


def _measure_dates(texts: list[str], in_months: bool) -> tuple[NDArray[np.float64], str]:
    """Return dates as numbers of months if all are the same day of a month, or the last one; else of seconds."""
    moments = np.array(texts, dtype="datetime64[us]")
    days = moments.astype("datetime64[D]")
    months = days.astype("datetime64[M]")
    in_month = (days - months.astype("datetime64[D]")).astype(np.int64)
    is_last = (days + 1).astype("datetime64[M]") > months
    is_day = bool((moments == days).all())
    if in_months and is_day and len(texts) > 1 and (is_last.all() or (in_month == in_month[0]).all()):
        return months.astype(np.int64).astype(np.float64), "month"
    return moments.astype(np.int64) / 1e6, "second"


def _find_usual(gaps: NDArray[np.float64], own: NDArray[np.float64]) -> float:
    """Return the most common difference, the least of those that are equally common."""
    digits = max(0, 9 - int(np.ceil(np.log10(np.abs(own).max() + 1))))
    values, times = np.unique(np.round(gaps, digits), return_counts=True)
    usual = float(values[int(np.argmax(times))])
    return usual if usual > 0 else float(gaps.min())


def _add_up(
    moments: NDArray[np.float64], usual: float, steps: NDArray[np.int64], is_next: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return places: where the first row of a group is, and from there on by steps."""
    starts = np.round((moments - moments.min()) / usual).astype(np.int64)
    run = np.concatenate(([0], np.cumsum(steps)))
    first = np.flatnonzero(np.concatenate(([True], ~is_next)))
    length = np.diff(first, append=len(run))
    return np.repeat(starts[first] - run[first], length) + run


def _note_grid(name: str, step: State, whole: NDArray[np.int64], is_near: NDArray[np.bool_]) -> Note:
    """Say what the usual step is, and how many rows are further apart."""
    text = f"{name}: the usual step is {step}"
    far, off = int((whole > 1).sum()), int((~is_near).sum())
    if far:
        text += f"; {far:,} of {counted(len(whole), 'pair')} of consecutive rows are further apart"
    if off:
        text += f"; {counted(off, 'step')} {'was' if off == 1 else 'were'} rounded to whole ones"
    return Note(text)


def _spell_step(usual: float, unit: str) -> State:
    """Return the usual step as a number, or in words."""
    if unit == "number":
        return plain_number(usual)
    if unit == "month":
        months = round(usual)
        return counted(months // 12, "year") if months % 12 == 0 else counted(months, "month")
    word, size = next((one for one in _UNITS if usual % one[1] == 0), _UNITS[-1])
    return counted(plain_number(usual / size), word)


def _read_step(step: State) -> tuple[float, str]:
    """Return a usual step that was spelled, and its unit."""
    if not isinstance(step, str):
        return float(step), "number"
    number, word = step.replace(",", "").split(" ")
    months = {"month": 1, "year": 12}
    unit = word.removesuffix("s")
    return (float(number) * months[unit], "month") if unit in months else (float(number) * dict(_UNITS)[unit], "second")


def name_times(groups: Groups | None, times: Times | None) -> dict[str, NDArray[Any]]:
    """Return the columns of groups and times, for a table that is handed out; rows in order have none."""
    columns = {} if groups is None else {groups.name: groups.shown}
    return columns if times is None or times.name is None else {**columns, times.name: times.shown}
