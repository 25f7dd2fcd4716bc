"""What every door does with data: a data set is taken as it is, any other table is read, and what was done is told."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ldag.data.dataset import Dataset, find_unobserved
from ldag.data.notes import Note
from ldag.data.options import OF_STATES, OF_TABLES, Reading, ReadOptions
from ldag.data.sources import AnyTable
from ldag.errors import ArgumentError, DataError, by_door, counted, list_names, option, suggest, tell
from ldag.formats import ARC, spell_name
from ldag.model import Schema, Variable


def check_data(
    data: AnyTable, schema: Schema | None = None, reading: Reading | None = None, undeclared: Collection[str] = ()
) -> Dataset:
    """Return data as a data set; a table is read with some options, by the variables of a graph if there is one."""
    from ldag.data.reading import read_with  # here, as all kinds of tables come along

    options = _check_reading(reading or {}, schema, undeclared)
    if schema is None:
        taken = read_with(data, options)
    elif isinstance(data, Dataset):
        unobserved, options = _split_unobserved(schema, data.names, options, undeclared)
        return select_for(read_with(data, options), schema, unobserved)
    else:
        taken = read_for(data, schema, options, undeclared)
    if taken is not data:
        tell(taken.notes)
    return taken


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


def select_for(data: Dataset, schema: Schema, unobserved: Sequence[Variable] = ()) -> Dataset:
    """Return the columns of a data set that are variables of a graph, and gaps for others; tell which are not."""
    others = _others(schema, data.names)
    if others:
        tell((note_ignored(others),))
        data = data.select([name for name in schema.names if name in data.names]).noted(note_ignored(others))
    return data.with_unobserved(unobserved)


def read_for(source: object, schema: Schema, options: ReadOptions, undeclared: Collection[str] = ()) -> Dataset:
    """Read the columns of a table that are variables of a graph, with its states and cut points; say which are not.

    Variables that are ``undeclared`` have the states that the column has. Latent ones need no column.
    """
    from ldag.data.reading import read_table, read_with

    table = read_table(source, options)
    no_variables = {options.counts, options.weights, *options.aside}
    names = [name for name in table.names if name not in no_variables]
    unobserved, options = _split_unobserved(schema, names, options, undeclared)
    others = _others(schema, [name for name in names if options.columns is None or name in options.columns])
    seen = {variable.name: variable for variable in schema if variable.name in names}
    declared = {name: variable for name, variable in seen.items() if name not in undeclared}
    chosen = {"states": {**(options.states or {}), **declared}, "columns": [*seen], "unusable": "error"}
    data = read_with(table, ReadOptions(**{**vars(options), **chosen}))
    return (data if not others else data.noted(note_ignored(others))).with_unobserved(unobserved)


def _split_unobserved(
    schema: Schema, names: Sequence[str], options: ReadOptions, undeclared: Collection[str]
) -> tuple[list[Variable], ReadOptions]:
    """Return the latent variables of a graph that a table has no column for, and the options without their states."""
    without = find_unobserved(schema, names)
    states = dict(options.states) if isinstance(options.states, Mapping) else {}
    given = {name: states.pop(name) for name in without if name in undeclared and name in states}
    for name in without:
        if name in undeclared and name not in given:
            raise refuse_stateless(name, by_door(f", or give {option('states', {name: [0, 1]})}", ""))
    declared = ReadOptions(states=given).declare(without)
    variables = [replace(declared.get(name, schema[schema.node(name)]), latent=True) for name in without]
    return variables, replace(options, states=states or None) if given else options


def refuse_stateless(name: str, or_else: str = "") -> DataError:
    """Say that nobody knows the states of a latent variable, and what can be done."""
    write = f"latent {spell_name(name)} {{0, 1}}"
    if ARC in name:
        first, _, second = name.partition(f" {ARC} ")
        write = f"latent L {{0, 1}}, L -> {first} and L -> {second} in its place"
    return DataError(f"the latent variable {name!r} was written without states; write {write}{or_else}")


def _others(schema: Schema, names: Sequence[str]) -> list[str]:
    """Return the names that a graph does not know."""
    return [name for name in names if name not in schema.names]


def note_ignored(names: list[str]) -> Note:
    """Say which columns no variable is called after."""
    what = f"{counted(len(names), 'column')} left out, which the graph does not know: {list_names(names)}"
    return Note(what, "columns")
