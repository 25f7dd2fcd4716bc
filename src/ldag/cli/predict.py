"""`ldag predict`: a variable in every row of a table."""

import warnings
from typing import TYPE_CHECKING, Any, cast

import click
import numpy as np
from numpy.typing import NDArray

from ldag.cli.arguments import json_option, load_answering, print_notes, put_table
from ldag.cli.pipes import MODEL, TABLE, rows_option
from ldag.cli.tables import file_options
from ldag.data import Column, ReadOptions, Table, read_table, select_columns
from ldag.errors import DataNote
from ldag.formats import spell_state
from ldag.model import Schema
from ldag.network import Network, Unseen, describe_unknown

if TYPE_CHECKING:
    from ldag.uncertainty import Mixture


@click.command()
@click.argument("network", type=MODEL)
@click.argument("rows", type=TABLE)
@click.option("--target", "-t", required=True, metavar="NAME", help="The variable to predict.")
@rows_option
@click.option("--proba", is_flag=True, help="Also the probability of every state.")
@click.option(
    "--unseen",
    type=click.Choice(["error", "ignore"]),
    default="error",
    show_default=True,
    help="Refuse states that the network does not know, or take such cells as missing.",
)
@file_options
@json_option
def predict(
    network: str,
    rows: str,
    target: str,
    output: str | None,
    proba: bool,
    unseen: Unseen,
    reading: ReadOptions,
    as_json: bool,
) -> None:
    """Predict a variable in every row of ROWS, a file of data (- is the standard input), with NETWORK, a file.

    Columns are variables of the network; those that are not there, and empty cells, are summed out. The other columns
    of ROWS are passed on behind the prediction.

    \b
    ldag learn heart --kappa 0.1 -o heart.json
    ldag predict heart.json rows.csv --target pressure
    ldag predict heart.json rows.csv --target pressure --proba -o predicted.csv
    """
    table = read_table(rows, reading)
    print_notes(table.notes)
    table = select_columns(table, reading.choose_places(table.names))
    model = load_answering(network)
    columns = _columns(model, table, target, proba, unseen)
    if unseen == "ignore":
        print_notes(describe_unknown(table, Schema(tuple(model.variables)), target))
    put_table(columns, output, as_json)


def _columns(
    network: "Network | Mixture", table: Table, target: str, proba: bool, unseen: Unseen
) -> dict[str, NDArray[Any]]:
    """Return the predicted states, and a column of probabilities per state if they are wanted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataNote)  # columns that the network does not know are passed on
        probabilities = network.predict_proba(cast("Any", table), target, unseen=unseen)
    variable = next(variable for variable in network.variables if variable.name == target)
    states = np.array([*variable.states], dtype=object)
    columns: dict[str, NDArray[Any]] = {target: states[probabilities.argmax(axis=1)]}
    if proba:
        alike = len(set(map(str, states))) < len(states)  # such as 1 and "1"
        names = [f"P({target}={spell_state(state) if alike else state})" for state in states]
        columns |= {name: probabilities[:, code] for code, name in enumerate(names)}
    for place, name in enumerate(table.names):
        if name not in columns:
            columns[name] = _cells(table.column(place))
    return columns


def _cells(column: Column) -> NDArray[Any]:
    """Return the cells of a column as they were; a gap is empty."""
    values = np.array([*column.values, ""], dtype=object)
    return values[column.positions]
