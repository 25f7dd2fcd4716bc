"""What every door does with data: a data set is taken as it is, any other table is read, and what was done is told."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from ldag.data.dataset import Dataset, Note
from ldag.data.options import OF_STATES, OF_TABLES, Reading, ReadOptions
from ldag.data.reading import read_table, read_with
from ldag.errors import ArgumentError, UnknownVariable, counted, list_names, option, suggest, tell
from ldag.model import Schema

if TYPE_CHECKING:
    from ldag.data.reading import AnyTable


def check_data(
    data: "AnyTable", schema: Schema | None = None, reading: Reading | None = None, undeclared: Collection[str] = ()
) -> Dataset:
    """Return data as a data set; a table is read with some options, by the variables of a graph if there is one."""
    options = _check_reading(reading or {}, schema, undeclared)
    if isinstance(data, Dataset):
        data = read_with(data, options)
        return data if schema is None else select_for(data, schema)
    data = read_with(data, options) if schema is None else read_for(data, schema, options, undeclared)
    tell(data.notes)
    return data


def _check_reading(reading: Reading, schema: Schema | None, undeclared: Collection[str]) -> ReadOptions:
    """Return the options; what is none of them is what Python says of a wrong argument."""
    known = () if schema is None else OF_TABLES if undeclared else (*OF_TABLES, *OF_STATES)
    for name in reading:
        if name not in Reading.__annotations__:
            raise TypeError(f"got an unexpected keyword argument {name!r}{suggest(name, Reading.__annotations__)}")
        if name in known:
            raise ArgumentError(
                f"{option(name)} is for tables that are read without a graph; this one says what columns are"
            )
    return ReadOptions(**reading)


def select_for(data: Dataset, schema: Schema) -> Dataset:
    """Return the columns of a data set that are variables of a graph; tell which are not."""
    others = _others(schema, data.names)
    if not others:
        return data
    tell((note_ignored(others),))
    return data.select(schema.names).noted(note_ignored(others))


def read_for(source: object, schema: Schema, options: ReadOptions, undeclared: Collection[str] = ()) -> Dataset:
    """Read the columns of a table that are variables of a graph, with its states and cut points; say which are not.

    Variables that are ``undeclared`` have the states that the column has.
    """
    table = read_table(source, options)
    amounts = {options.counts, options.weights}
    others = [name for name in _others(schema, table.names) if name not in amounts]
    declared = {variable.name: variable for variable in schema if variable.name not in undeclared}
    states = {**(options.states or {}), **declared}
    chosen = ReadOptions(**{**vars(options), "states": states, "columns": schema.names, "unusable": "error"})
    data = read_with(table, chosen)
    return data if not others else data.noted(note_ignored(others))


def _others(schema: Schema, names: Sequence[str]) -> list[str]:
    """Return the names that a graph does not know; all that it knows must be among them."""
    for name in schema.names:
        if name not in names:
            raise UnknownVariable(name, names, "the graph is not over the variables of the data: they have ")
    return [name for name in names if name not in schema.names]


def note_ignored(names: list[str]) -> Note:
    """Say which columns no variable is called after."""
    what = f"{counted(len(names), 'column')} left out, which the graph does not know: {list_names(names)}"
    return Note(what, "columns")
