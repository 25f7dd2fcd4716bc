"""Histories: what was seen of one or several series, step by step, in the variables of a model that is known.

What is static is known for all of it, and waves that were missed are rows of gaps.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ldag.data import (
    GAP,
    Clock,
    Column,
    Dataset,
    Groups,
    MemoryTable,
    Table,
    Times,
    column_of,
    count_rows,
    keep_order,
    number_groups,
    plain_labels,
    read_table,
    read_times,
    recognise_column,
    refuse_empty,
    tidy_column,
)
from ldag.errors import DataError, UnknownVariable, counted, option, tell
from ldag.inference import Rows
from ldag.model import Schema, State

MOST_STEPS = 10_000_000
"""Steps of a history, with the waves that were missed: times that are far apart are mistakes."""


@dataclass(frozen=True, eq=False)
class CodedSeries:
    """What was seen of one series: a row of codes for each step, with gaps in whole rows for waves that were missed."""

    label: State | None
    codes: Rows
    last: State | None = None
    """When the last row was seen."""

    def __len__(self) -> int:
        return len(self.codes)


def read_histories(source: object, schema: Schema, groups: str | None, clock: Clock | None) -> list[CodedSeries]:
    """Read series of rows in order of time; variables without a column, and waves that were missed, are gaps.

    A table may have the columns of groups and of times; without times, rows follow each other as they come.
    """
    if isinstance(source, Dataset):
        return _split(_rows_of(source, schema), *_places_of(source, clock))
    table = read_table(source)
    if clock is None or clock.name not in table.names:
        table = keep_order(table)
    given = (groups, None if clock is None else clock.name)
    aside = [name for name in given if name is not None and name not in schema.names]
    codes = _code(table, schema, aside)
    own_groups, own_times = _read_aside(table, groups, clock)
    return _split(codes, own_groups, own_times)


def _places_of(data: Dataset, clock: Clock | None) -> tuple[Groups | None, Times]:
    if data.times is None:
        raise DataError(
            f"a history is rows in order of time, and a data set without times has lost it; read the table with"
            f" {option('time', 'wave')}, or give the table itself"
        )
    times, known = data.times, clock is not None and clock.kind == data.times.kind and clock.usual is not None
    if not known or clock is None or times.step == clock.step:
        return data.groups, times
    column = tidy_column(column_of(clock.name, times.labels.tolist()))
    return data.groups, read_times(column, data.groups, clock=clock)[0]


def _rows_of(data: Dataset, schema: Schema) -> Rows:
    def column(node: int) -> Column:
        codes = data.codes[node]
        return Column(data.names[node], list(data.schema[node].states), np.where(codes == GAP, np.int16(-1), codes))

    return _code(MemoryTable(data.names, data.n_rows, column), schema, ())


def _code(table: Table, schema: Schema, aside: Sequence[str]) -> Rows:
    """Return a row of codes for every row; refuse columns that are neither variables nor groups and times."""
    codes = np.full((table.n_rows, len(schema)), GAP, dtype=np.uint8)
    for place, name in enumerate(table.names):
        if name in aside:
            continue
        if name not in schema.names:
            known = (*schema.names, *aside)
            raise UnknownVariable(name, known, "history: ", "; leave such columns out of the table")
        node = schema.node(name)
        codes[:, node] = recognise_column(table.column(place), schema[node], True).uint8
    return codes


def _read_aside(table: Table, groups: str | None, clock: Clock | None) -> tuple[Groups | None, Times]:
    """Read what says whose rows are and when they were seen, which must be in order."""
    own = None
    if groups in table.names:
        column = tidy_column(table.column(table.names.index(groups)))
        refuse_empty(column, "a row without a group", "say what it belongs to")
        own = number_groups(column.name, plain_labels(column), column.positions)
        if len(own) == 1:
            own = replace(own, codes=np.zeros(table.n_rows, dtype=np.int32))
    if clock is None or clock.name not in table.names:
        return own, count_rows(own, table.n_rows)
    places, _ = read_times(tidy_column(table.column(table.names.index(clock.name))), own, clock=clock)
    return own, _check_order(places, own)


def _check_order(times: Times, groups: Groups | None) -> Times:
    codes = np.zeros(len(times.positions), dtype=np.int32) if groups is None else groups.codes
    sequence = np.argsort(codes, kind="stable")
    own, place = codes[sequence], times.positions[sequence]
    back = np.flatnonzero((own[1:] == own[:-1]) & (place[1:] < place[:-1]))
    if len(back):
        late, early = int(sequence[back[0]]), int(sequence[back[0] + 1])
        raise DataError(
            f"history: rows are in order of time, and {times.name} {times.labels[early]!r} in row {early + 1} comes"
            f" after {times.labels[late]!r} in row {late + 1}; sort the rows by {times.name}"
        )
    return times


def _split(codes: Rows, groups: Groups | None, times: Times) -> list[CodedSeries]:
    """Return each group's rows at their places in time."""
    own = np.zeros(len(codes), dtype=np.int32) if groups is None else groups.codes
    sequence = times.sort(groups)
    result = []
    for rows in np.split(sequence, np.flatnonzero(np.diff(own[sequence])) + 1):
        places = times.positions[rows] - times.positions[rows[0]]
        if int(places[-1]) >= MOST_STEPS:
            raise DataError(
                f"history: from {times.labels[rows[0]]!r} to {times.labels[rows[-1]]!r} are"
                f" {counted(int(places[-1]), 'step')} of {times.step}, and at most {MOST_STEPS:,} are allowed"
            )
        steps = np.full((int(places[-1]) + 1, codes.shape[1]), GAP, dtype=np.uint8)
        steps[places] = codes[rows]
        label = None if groups is None else groups.labels[own[rows[0]]]
        result.append(CodedSeries(label, steps, times.labels[rows[-1]] if times.name is not None else None))
    return result


def read_one(history: object, schema: Schema, groups: str | None, clock: Clock | None) -> CodedSeries:
    """Read the history of one series; None is one of which nothing was seen yet."""
    if isinstance(history, CodedSeries):
        return history
    if history is None:
        return CodedSeries(None, np.zeros((0, len(schema)), dtype=np.uint8))
    series = read_histories(history, schema, groups, clock)
    if len(series) > 1:
        raise DataError(
            f"history: rows of {counted(len(series), 'group')} of {groups!r}, and a history is of one; give the rows of"
            f" one, such as those of {series[0].label!r}"
        )
    return series[0]


def know_static(
    series: CodedSeries, schema: Schema, static: Sequence[int], n_steps: int = 0, *, so_far: bool = False
) -> Rows:
    """Return codes of at least so many steps, with gaps in those that were added.

    Static variables are known at all steps, or from where they were first seen on.
    """
    n_more = max(n_steps - len(series.codes), 0)
    codes = np.concatenate([series.codes, np.full((n_more, len(schema)), GAP, dtype=np.uint8)])
    for v in static:
        seen = np.flatnonzero(codes[:, v] != GAP)
        if not len(seen):
            continue
        other = np.flatnonzero(codes[seen, v] != codes[seen[0], v])
        if len(other):
            states = schema[v].states
            first, second = (states[codes[seen[place], v]] for place in (0, other[0]))
            of = "" if series.label is None else f" of {series.label!r}"
            raise DataError(
                f"history{of}: {schema[v].name!r} is static, and it is {first!r} in one row and {second!r} in another"
            )
        codes[seen[0] if so_far else 0 :, v] = codes[seen[0], v]
    return codes


def tell_short(n_steps: int, lags: int) -> None:
    """Say that a history is shorter than the lags."""
    if 0 < n_steps < lags:
        short = f"the history has {counted(n_steps, 'step')}, and {lags} matter for the next"
        tell((f"{short}; the network of what series begin with says what is missing",))
