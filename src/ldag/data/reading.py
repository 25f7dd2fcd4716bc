"""Reading tables of any make: `read`."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from ldag.data.coding import STATE_CAP, Coded, code_column, plain_state, read_weights
from ldag.data.counts import Weights
from ldag.data.dataset import Dataset
from ldag.data.files import from_file
from ldag.data.frames import from_array, from_frame, from_mapping
from ldag.data.tables import Table, check_table
from ldag.errors import ArgumentError, DataError, suggest
from ldag.formats import counted
from ldag.model import OrderedStates, Schema, State, Variable

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

Missing = Literal["error", "drop", "state"]
Cells = Sequence[object] | NDArray[np.generic]
"""One column of a table."""


def read(
    source: "str | PathLike[str] | IntoFrame | NDArray[np.generic] | Mapping[str, Cells] | Dataset",
    *,
    counts: str | None = None,
    weights: str | None = None,
    states: Mapping[str, Iterable[State]] | None = None,
    names: Sequence[str] | None = None,
    missing: Missing = "error",
    max_states: int = 64,
) -> Dataset:
    """Read a table of categorical data.

    Parameters
    ----------
    source
        A path (.csv, .tsv, either with .gz, or .parquet), a pandas, polars or pyarrow table, a mapping of columns, or a
        2-d array. Text files are UTF-8 with a header; blank lines are skipped; a column of numbers gives numbers.
    counts
        The column that says how often each row occurs. Rows that occur zero times still show their states.
    weights
        The same with real numbers.
    states
        The states of some variables, in order. Other variables take the categories of their type (categorical, Enum or
        dictionary, used or not), or else the values found: booleans, then numbers, then texts, each sorted.
    names
        Names of the columns of an array.
    missing
        What to do with rows that have missing cells (None, NaN; in text files an empty cell, NA, NaN or nan, unless
        declared as a state): refuse the table, drop those rows, or make "missing" the last state of such a variable.
    max_states
        Refuse columns with more states than this, unless declared in ``states``; 256 at most.

    Examples
    --------
    >>> read({"x": [1, 0], "n": [3, 5]}, counts="n").total
    8
    """
    if isinstance(source, Dataset):
        if (counts, weights, states, names, missing, max_states) != (None, None, None, None, "error", 64):
            raise ArgumentError("a Dataset has been read already; options apply to its source only")
        return source
    if counts is not None and weights is not None:
        raise ArgumentError("give either counts= or weights=, not both")
    if missing not in get_args(Missing):
        raise ArgumentError(f"missing must be one of {', '.join(get_args(Missing))}, got {missing!r}")
    if not isinstance(max_states, int) or not 1 <= max_states <= STATE_CAP:
        raise ArgumentError(f"max_states must be between 1 and {STATE_CAP}, got {max_states!r}")
    table = read_table(source, names)
    amounts = _amounts(table, counts, weights)
    weight_column = counts if counts is not None else weights
    declared = _declared(states, [name for name in table.names if name != weight_column])
    coded = [
        code_column(table.column(place), declared.get(name), max_states)
        for place, name in enumerate(table.names)
        if name != weight_column
    ]
    return _assembled(coded, amounts, weight_column, missing)


def _amounts(table: Table, counts: str | None, weights: str | None) -> Weights | None:
    """Read the column of counts or weights, if one is named."""
    for option, name in (("counts", counts), ("weights", weights)):
        if name is not None:
            if name not in table.names:
                raise ArgumentError(f"{option}={name!r}: the table has no such column{suggest(name, table.names)}")
            if len(table.names) == 1:
                raise DataError(f"the table has no columns besides the {option} {name!r}")
            return read_weights(table.column(table.names.index(name)), whole=option == "counts")
    return None


def _declared(states: Mapping[str, Iterable[State]] | None, names: Sequence[str]) -> dict[str, Variable]:
    """Check the declared states."""
    if states is None:
        return {}
    if not isinstance(states, Mapping):
        raise ArgumentError(f"states maps columns to their states, such as {{'x': ['no', 'yes']}}, got {states!r}")
    declared = {}
    for name, given in states.items():
        if name not in names:
            raise ArgumentError(f"states: the table has no column {name!r}{suggest(name, names)}")
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise ArgumentError(f"states of {name!r} must be a list of states, got {given!r}")
        found = [plain_state(state, name) for state in given]
        if len(found) > STATE_CAP:
            raise ArgumentError(f"{len(found)} states are declared for {name!r}; at most {STATE_CAP} are possible")
        ordered = isinstance(given, OrderedStates)
        declared[name] = Variable(name, tuple(cast("list[State]", found)), ordered)  # refuses a missing value
    return declared


def _assembled(coded: list[Coded], weights: Weights | None, weight_name: str | None, missing: Missing) -> Dataset:
    """Deal with missing cells and rows that never occur, and put the columns together."""
    gaps = [column for column in coded if column.missing.any()]
    if gaps and missing == "error":
        others = f" (and {counted(len(gaps) - 1, 'other column')} too)" if len(gaps) > 1 else ""
        rows = np.flatnonzero(gaps[0].missing)
        raise DataError(
            f"column {gaps[0].variable.name!r} has {counted(len(rows), 'missing cell')}, "
            f"the first in row {rows[0] + 1}{others}; "
            "choose missing='drop' to leave out such rows, or missing='state' to make missing a state"
        )
    if missing == "state":
        coded = [column.with_missing_state() if column.missing.any() else column for column in coded]
    codes = np.stack([column.codes for column in coded])
    if missing == "drop":
        kept = (codes >= 0).all(axis=0)
        codes, weights = codes[:, kept], None if weights is None else weights[kept]
    schema = Schema(tuple(column.variable for column in coded))
    data = Dataset.from_codes(schema, codes.astype(np.uint8), weights, weight_name)
    if not data.n_rows:
        raise DataError("no rows are left: every row that occurs has missing cells; missing='state' keeps them")
    return data


def read_table(source: object, names: Sequence[str] | None = None) -> Table:
    """Open a file, a dataframe, a mapping of columns or a 2-d array; only the latter takes names."""
    if isinstance(source, np.ndarray):
        return check_table(from_array(source, names))
    if names is not None:
        raise DataError("names= is for numpy arrays only; this source has names of its own")
    if isinstance(source, str | PathLike):
        return check_table(from_file(Path(source)))
    if isinstance(source, Mapping):
        return check_table(from_mapping(source))
    return check_table(from_frame(source))
