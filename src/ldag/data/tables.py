"""A table of any make in one form: names, and columns of distinct values that are read one at a time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ldag.data.coding import Column
from ldag.errors import DataError


@dataclass(frozen=True)
class Table:
    """Column names, the number of rows, and a way to read one column by its place."""

    names: tuple[str, ...]
    n_rows: int
    column: Callable[[int], Column]


def check_table(table: Table) -> Table:
    """Refuse tables without content."""
    if not table.names:
        raise DataError("the table has no columns")
    check_column_names(table.names)
    if table.n_rows == 0:
        raise DataError("the table has no rows")
    return table


def check_column_names(names: Sequence[object]) -> None:
    """Refuse names that are no names."""
    for place, name in enumerate(names):
        if not isinstance(name, str):
            raise DataError(
                f"column names must be strings, got {name!r} ({type(name).__name__}); rename the columns, "
                "in pandas with frame.rename(columns=str)"
            )
        if not name.strip():
            raise DataError(
                f"column {place + 1} has no name; if it is a row index written along with the data, leave it out"
            )
        if name in names[:place]:
            raise DataError(f"there are two columns called {name!r}; rename one")
