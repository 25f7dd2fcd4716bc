"""What every door does with data: a data set is taken as it is, any other table is read, and what was done is told."""

from typing import TYPE_CHECKING

from ldag.data.dataset import Dataset
from ldag.data.options import ReadOptions
from ldag.data.reading import read_table, read_with
from ldag.data.telling import tell
from ldag.errors import UnknownVariable
from ldag.formats import counted, list_names
from ldag.model import Schema

if TYPE_CHECKING:
    from ldag.data.reading import AnyTable


def check_data(data: "AnyTable", schema: Schema | None = None) -> Dataset:
    """Return data as a data set; a table is read, by the variables of a graph if there is one."""
    if isinstance(data, Dataset):
        return data
    found = read_with(data, ReadOptions()) if schema is None else read_for(data, schema, ReadOptions())
    tell(found.notes)
    return found


def read_for(source: object, schema: Schema, options: ReadOptions) -> Dataset:
    """Read the columns of a table that are variables of a graph, with its states and cut points; say which are not."""
    table = read_table(source, options)
    amounts = {options.counts, options.weights}
    for name in schema.names:
        if name not in table.names:
            raise UnknownVariable(name, table.names, "the graph is not over the variables of the data: they have ")
    others = [name for name in table.names if name not in schema.names and name not in amounts]
    declared = {variable.name: variable for variable in schema}
    chosen = ReadOptions(**{**vars(options), "states": declared, "columns": schema.names})
    data = read_with(table, chosen)
    return data if not others else data.noted(ignored_note(others))


def ignored_note(names: list[str]) -> str:
    """Say which columns no variable is called after."""
    return f"{counted(len(names), 'column')} left out, which the graph does not know: {list_names(names)}"
