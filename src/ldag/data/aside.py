"""Columns that are no variables: which rows belong together, and when they were seen."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ldag.data.columns import Column, tidy_column
from ldag.data.frames import LazyTable
from ldag.data.groups import Groups, read_groups
from ldag.data.notes import Note
from ldag.data.options import ReadOptions
from ldag.data.rows import Weights
from ldag.data.tables import Table, select_columns
from ldag.data.times import Times, count_rows, read_times
from ldag.errors import ArgumentError, DataError, by_door, option, suggest
from ldag.model import State


def find_aside(table: Table, options: ReadOptions) -> list[int]:
    """Return the places of the columns of groups and of times, which must be there."""
    for what, name in (("groups", options.groups), ("time", options.time)):
        if isinstance(name, str) and name not in table.names:
            hint = suggest(name, table.names)
            raise ArgumentError(f"{option(what, name)}: the table has no such column{hint}")
    return [table.names.index(name) for name in options.aside]


def keep_order(table: Table) -> Table:
    """Return a table whose rows are in the order of the source, none merged."""
    if isinstance(table, LazyTable):
        collect = by_door("collect() it first, or name the column of times", "name the column of times")
        raise DataError(f"{option('time')}: the rows of a lazy table have no order; {collect}")
    return select_columns(table, range(len(table.names)))


def split_order(options: ReadOptions) -> tuple[ReadOptions, tuple[State, ...]]:
    """Return the options without declared states of the times, and these states."""
    if (
        not isinstance(options.time, str)
        or not isinstance(options.states, Mapping)
        or options.time not in options.states
    ):
        return options, ()
    others = {name: given for name, given in options.states.items() if name != options.time}
    order = replace(options, states={options.time: options.states[options.time]}).declare([options.time])
    return replace(options, states=others or None), order[options.time].states


def read_aside(
    columns: Sequence[Column], n_rows: int, weights: Weights | None, options: ReadOptions, order: Sequence[State]
) -> tuple[Groups | None, Times | None, list[Note]]:
    """Read groups and times, and say how many there are; ``weights`` say how often each row occurs."""
    tidy = [tidy_column(column) for column in columns]
    groups = read_groups(tidy[0]) if options.groups is not None else None
    notes = [] if groups is None else [groups.note(weights)]
    if options.time is None:
        return groups, None, notes
    if options.time is True:
        return groups, count_rows(groups, n_rows), notes
    column = tidy[-1]
    if weights is not None and (weights > 1).any():  # equal rows that were merged as they were read
        row = np.flatnonzero(weights > 1)[:1]
        both = None if groups is None else groups.take(np.repeat(row, 2))
        read_times(replace(column, positions=np.repeat(column.positions[row], 2)), both, order)
    times, told = read_times(column, groups, order)
    return groups, times, [*notes, *told]
