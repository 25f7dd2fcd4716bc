"""Predicting a variable in every row of a table."""

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from ldag.checks import check_choice
from ldag.data import (
    GAP,
    Cells,
    Coded,
    Column,
    Dataset,
    MemoryTable,
    Table,
    note_ignored,
    recognise_column,
)
from ldag.errors import DataError, ImpossibleEvidence, UnknownVariable, counted, tell
from ldag.inference import (
    UNOBSERVED,
    Numbers,
    Rows,
    TooManyGates,
    complete_log_probabilities,
    has_wide,
)
from ldag.model import Schema
from ldag.network.asking import Asking

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

Unseen = Literal["error", "ignore"]

RowTable: TypeAlias = "str | PathLike[str] | IntoFrame | NDArray[np.generic] | Mapping[str, Cells] | Dataset"
"""A table with some of the columns."""


def predict_rows(asking: Asking, data: object, target: str, unseen: Unseen) -> Numbers:
    """Return the posterior of a variable given the other cells of every row: a column per state, in their order."""
    node = asking.schema.node(target, "target: ")
    check_choice(unseen, get_args(Unseen), "unseen")
    rows = _read_rows(asking.schema, data, node, unseen)
    with asking.explain_size():
        posteriors = asking.predictor().posteriors(node, rows)
    impossible = np.flatnonzero(np.isnan(posteriors[:, 0]))
    if len(impossible):
        more = f" (and {counted(len(impossible) - 1, 'other row')} too)" if len(impossible) > 1 else ""
        raise ImpossibleEvidence(
            f"row {impossible[0] + 1} has probability zero in this network{more}, so nothing follows from it;"
            " leave it out, or leave cells of it empty"
        )
    return posteriors


def row_log_probabilities(asking: Asking, data: object, target: str | None = None, unseen: Unseen = "error") -> Numbers:
    """Return the log probability of the cells of every row, perhaps but those of one variable."""
    node = None if target is None else asking.schema.node(target, "target: ")
    rows = _read_rows(asking.schema, data, node, unseen)
    model = asking.engine().model
    if not has_wide(model.structure):
        return _log_probabilities_with_gaps(asking, rows)
    hidden = [node] if node is not None else []
    is_complete = (np.delete(rows, hidden, axis=1) != UNOBSERVED).all(axis=1)
    logs = np.empty(len(rows))
    if not is_complete.all():
        logs[~is_complete] = _log_probabilities_with_gaps(asking, rows[~is_complete])
    parts = []
    for state in range(1 if node is None else model.structure.n_states[node]):
        complete = rows[is_complete]
        complete[:, hidden] = state
        parts.append(complete_log_probabilities(model, complete))
    logs[is_complete] = np.logaddexp.reduce(parts, axis=0)
    return logs


def _log_probabilities_with_gaps(asking: Asking, rows: Rows) -> Numbers:
    """Return the log probability of every row, whatever its gaps are."""
    try:
        return asking.engine().compile().log_probabilities(rows, n_threads=0)
    except TooManyGates:
        return asking.completions().log_probabilities(asking.net.probabilities, rows)


def _read_rows(schema: Schema, data: object, target: int | None, unseen: Unseen) -> Rows:
    """Return the cells as codes by node; those of the target are not looked at."""
    table = open_rows(data, schema, target)
    coded = code_columns(schema, table, unseen, target)
    variables = set(schema.names)
    others = [name for name in table.names if name not in variables]
    if others:
        tell((note_ignored(others),))
    return rows_of(schema, table.n_rows, coded)


def code_columns(
    schema: Schema, table: Table, unseen: Unseen, target: int | None = None
) -> dict[str, tuple[Column, Coded]]:
    """Return the columns that are variables, as they are and in codes; perhaps but one of them."""
    known = {variable.name: variable for variable in schema}
    places = [(place, name) for place, name in enumerate(table.names) if name in known]
    if not places and table.names:
        raise UnknownVariable(table.names[0], schema.names, "the data have no column that the network knows: ")
    if target is not None:
        known.pop(schema[target].name)
    columns = {name: table.column(place) for place, name in places if name in known}
    return {
        name: (column, recognise_column(column, known[name], unseen == "error")) for name, column in columns.items()
    }


def rows_of(schema: Schema, n_rows: int, coded: Mapping[str, tuple[Column, Coded]]) -> Rows:
    """Return columns in codes as rows of all variables, with gaps for those that have no column."""
    rows = np.full((n_rows, len(schema)), UNOBSERVED, dtype=np.uint8)
    for name, (_, column) in coded.items():
        rows[:, schema.node(name)] = column.uint8
    return rows


def describe_unknown(table: Table, schema: Schema, target: str | None = None) -> Iterator[str]:
    """Say how many cells a prediction takes as missing, because it may ignore states that the network does not know."""
    for place, name in enumerate(table.names):
        if name in schema.names and name != target:
            n_unknown = recognise_column(table.column(place), schema[schema.node(name)], False).n_unknown
            if n_unknown:
                cells = counted(n_unknown, "cell")
                yield f"{name}: {cells} taken as missing, with a state that the network does not know"


def open_rows(data: object, schema: Schema, target: int | None = None) -> Table:
    """Open a table; the columns of an array are the variables in order."""
    if isinstance(data, Dataset):
        return MemoryTable(data.names, data.n_rows, lambda node: _column(data, node))
    from ldag.data import read_known, read_table  # here, as all kinds of tables come along

    if not isinstance(data, np.ndarray):
        return read_known(data)
    names: Sequence[str] = schema.names
    others = [name for node, name in enumerate(names) if node != target]
    if data.ndim == 2 and data.shape[1] not in (len(names), len(others)):
        but = "" if target is None else f", or for each but {names[target]!r}"
        raise DataError(
            f"an array of rows has a column for each of the {len(names)} variables in order{but};"
            f" this one has {data.shape[1]}; a mapping of columns or a dataframe may have fewer"
        )
    return read_table(data, others if data.ndim == 2 and data.shape[1] == len(others) else names)


def _column(data: Dataset, node: int) -> Column:
    codes = data.codes[node]
    positions = np.where(codes == GAP, np.int16(-1), codes)
    return Column(data.names[node], list(data.schema[node].states), positions)
