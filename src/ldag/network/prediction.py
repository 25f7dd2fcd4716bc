"""Predicting a variable in every row of a table."""

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ldag.checks import check_choice
from ldag.data import (
    Cells,
    Coded,
    Column,
    Dataset,
    MemoryTable,
    Table,
    ignored_note,
    read_table,
    recognise_column,
    state_columns,
)
from ldag.errors import DataError, ImpossibleEvidence, UnknownVariable, tell
from ldag.formats import counted
from ldag.inference import UNOBSERVED, Numbers, Predictor, Rows
from ldag.model import Schema
from ldag.network.questions import Questions

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

Unseen = Literal["error", "ignore"]


class NetworkPrediction(Questions):
    """Predictions for the rows of a table, in their order."""

    def predict(
        self,
        data: "str | PathLike[str] | IntoFrame | NDArray[np.generic] | Mapping[str, Cells] | Dataset",
        target: str,
        *,
        unseen: Unseen = "error",
    ) -> NDArray[Any]:
        """Return the most probable state of a variable in every row; of equally probable ones the first.

        The parameters are those of `predict_proba`.

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> net.predict({"smoking": ["yes", "no"], "mental": ["yes", None]}, "physical").tolist()
        ['no', 'no']
        """
        best = self.predict_proba(data, target, unseen=unseen).argmax(axis=1)
        variable = self.ldag.schema[self.ldag.schema.node(target)]
        return state_columns(Schema((variable,)), best[None])[target]

    def predict_proba(
        self,
        data: "str | PathLike[str] | IntoFrame | NDArray[np.generic] | Mapping[str, Cells] | Dataset",
        target: str,
        *,
        unseen: Unseen = "error",
    ) -> Numbers:
        """Return the posterior of a variable given the other cells of every row: a column per state, in their order.

        Parameters
        ----------
        data
            Rows, in anything that `ldag.read` takes. Columns are variables of the network; those that have no column,
            and cells that are missing, are summed out. A column of the target is not looked at. An array has a column
            for each variable in order, with or without the target. A `Dataset` gives a prediction per different row.
        target
            The variable to predict.
        unseen
            What to do with a state that the network does not know: refuse the table, or take the cell as missing.

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> net.predict_proba({"smoking": ["yes", None]}, "pressure").round(4).tolist()
        [[0.6093, 0.3907], [0.5723, 0.4277]]
        """
        node = self.ldag.schema.node(target, "target: ")
        check_choice(unseen, get_args(Unseen), "unseen")
        rows = self._evidence(data, node, unseen)
        with self._explained():
            found = Predictor(self._engine(), node).posteriors(rows)
        impossible = np.flatnonzero(np.isnan(found[:, 0]))
        if len(impossible):
            more = f" (and {counted(len(impossible) - 1, 'other row')} too)" if len(impossible) > 1 else ""
            raise ImpossibleEvidence(
                f"row {impossible[0] + 1} has probability zero in this network{more}, so nothing follows from it;"
                " leave it out, or leave cells of it empty"
            )
        return found

    def row_log_probabilities(
        self,
        data: "str | PathLike[str] | IntoFrame | NDArray[np.generic] | Mapping[str, Cells] | Dataset",
        target: str,
        *,
        unseen: Unseen = "error",
    ) -> Numbers:
        """Return the log probability of the cells of every row that `predict_proba` looks at."""
        rows = self._evidence(data, self.ldag.schema.node(target, "target: "), unseen)
        with self._explained():
            return self._engine().compile().log_probabilities(rows, n_threads=0)

    def _evidence(self, data: object, target: int, unseen: Unseen) -> Rows:
        """Return the cells as codes by node."""
        schema = self.ldag.schema
        table = _table(data, schema, target)
        others = [name for name in table.names if name not in schema.names]
        if len(others) == len(table.names):
            raise UnknownVariable(others[0], schema.names, "the data have no column that the network knows: ")
        if others:
            tell((ignored_note(others),))
        rows = np.full((table.n_rows, len(schema)), UNOBSERVED, dtype=np.uint8)
        for place, name in enumerate(table.names):
            node = schema.node(name) if name in schema.names else target
            if node != target:
                coded: Coded = recognise_column(table.column(place), schema[node], unseen == "error")
                rows[:, node] = np.where(coded.missing, UNOBSERVED, coded.codes)
        return rows


def describe_unknown(table: Table, schema: Schema, target: str) -> Iterator[str]:
    """Say how many cells a prediction takes as missing, because it may ignore states that the network does not know."""
    for place, name in enumerate(table.names):
        if name in schema.names and name != target:
            n_unknown = recognise_column(table.column(place), schema[schema.node(name)], False).n_unknown
            if n_unknown:
                cells = counted(n_unknown, "cell")
                yield f"{name}: {cells} taken as missing, with a state that the network does not know"


def _table(data: object, schema: Schema, target: int) -> Table:
    """Open a table; the columns of an array are the variables in order."""
    if isinstance(data, Dataset):
        return MemoryTable(data.names, data.n_rows, lambda node: _column(data, node))
    if not isinstance(data, np.ndarray):
        return read_table(data)
    names: Sequence[str] = schema.names
    others = [name for node, name in enumerate(names) if node != target]
    if data.ndim == 2 and data.shape[1] not in (len(names), len(others)):
        raise DataError(
            f"an array of rows has a column for each of the {len(names)} variables in order, or for each but"
            f" {names[target]!r}; this one has {data.shape[1]}; a mapping of columns or a dataframe may have fewer"
        )
    return read_table(data, others if data.ndim == 2 and data.shape[1] == len(others) else names)


def _column(data: Dataset, node: int) -> Column:
    return Column(data.names[node], list(data.schema[node].states), data.codes[node].astype(np.int16))
