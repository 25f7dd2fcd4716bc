"""`ldag impute`: the empty cells of a table filled."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import click
import numpy as np
from numpy.typing import NDArray

from ldag.cli.arguments import json_option, load_answering, print_notes, put_table
from ldag.cli.pipes import MODEL, TABLE, rows_option
from ldag.cli.tables import file_options
from ldag.data import Arrays, ReadOptions, Table, read_table, recognise_column, select_columns
from ldag.errors import counted, list_names
from ldag.model import Schema
from ldag.network import Unseen, describe_unknown

NUMBER = "imputation"
"""The first column of several tables under each other: which of them a row is of, from 1."""


@click.command()
@click.argument("network", type=MODEL)
@click.argument("rows", type=TABLE)
@rows_option
@click.option("-n", "n", type=int, help="Draw so many tables, under each other; without it, one that is most probable.")
@click.option(
    "--by",
    type=click.Choice(["row", "cell"]),
    default="row",
    show_default=True,
    help="What is most probable: the whole row, or each cell by itself.",
)
@click.option("--proper", is_flag=True, help="With -n: draw the parameters too, for multiple imputation.")
@click.option("--rng", type=int, help="With -n: seed.  [0]")
@click.option(
    "--unseen",
    type=click.Choice(["error", "ignore"]),
    default="error",
    show_default=True,
    help="Refuse states that the network does not know, or fill such cells too.",
)
@file_options
@json_option
def impute(
    network: str,
    rows: str,
    output: str | None,
    n: int | None,
    unseen: Unseen,
    reading: ReadOptions,
    as_json: bool,
    **how: Any,
) -> None:
    """Fill the empty cells of ROWS, a file of data (- is the standard input), with NETWORK, a file.

    Rows stay in their order, and columns that are no variables of the network as they are. Cells of a measurement
    are filled with the text of a bin. Several tables have a first column `imputation`.

    \b
    ldag learn survey.csv -o m.json
    ldag impute m.json survey.csv -o full.csv
    ldag impute m.json survey.csv -n 5 --rng 1 -o five.csv
    """
    table = read_table(rows, reading)
    print_notes(table.notes)
    table = select_columns(table, reading.choose_places(table.names))
    model = load_answering(network)
    filled = cast("Any", model).impute(table, n, unseen=unseen, **how)
    schema = Schema(tuple(model.variables))
    gaps = _count_gaps(table, schema)
    print_notes(_notes(table, schema, gaps, unseen))
    columns = filled if n is None else _stack(filled)
    cut = [name for name in gaps if schema[schema.node(name)].cuts]
    if output is not None:
        columns = {name: _spell(cells) if name in cut else cells for name, cells in columns.items()}
    put_table(columns, output, as_json, [v for v in schema if v.name not in cut])


def _count_gaps(table: Table, schema: Schema) -> dict[str, int]:
    """Return how many cells are missing in the columns that have gaps."""
    gaps = {}
    for place, name in enumerate(table.names):
        if name in schema.names:
            gaps[name] = int(recognise_column(table.column(place), schema[schema.node(name)], False).missing.sum())
    return {name: number for name, number in gaps.items() if number}


def _has_gaps(table: Table, place: int) -> bool:
    """Whether a cell of a column is empty."""
    column = table.column(place)
    return any(column.gaps) or bool((column.positions < 0).any())


def _notes(table: Table, schema: Schema, gaps: Mapping[str, int], unseen: Unseen) -> Iterator[str]:
    """Say how many cells were filled in which columns, with what, and which had a state that is not known."""
    if unseen == "ignore":
        yield from describe_unknown(table, schema)
    others = [name for place, name in enumerate(table.names) if name not in schema.names and _has_gaps(table, place)]
    if others:
        yield f"{list_names(others)}: not filled, as the network has no such variable"
    names = f" ({list_names([*gaps])})" if gaps else ""
    yield f"{counted(sum(gaps.values()), 'cell')} of {counted(table.n_rows, 'row')} filled{names}"
    cut = [name for name in gaps if schema[schema.node(name)].cuts]
    if cut:
        example = schema[schema.node(cut[0])].states[0]
        yield f"{list_names(cut)}: filled with ranges, such as {example!r}, which stand as texts beside the values"


def _spell(cells: NDArray[Any]) -> NDArray[Any]:
    """Return values and the texts of ranges as texts: no file has columns of both."""
    return np.array([None if cell is None else str(cell) for cell in cells.tolist()], dtype=object)


def _stack(tables: Sequence[Arrays]) -> Arrays:
    """Return tables under each other, with a first column that numbers them."""
    n_rows = len(next(iter(tables[0].values())))
    number = NUMBER
    while number in tables[0]:
        number += "_"
    numbers = np.repeat(np.arange(1, len(tables) + 1), n_rows)
    return {number: numbers, **{name: np.concatenate([table[name] for table in tables]) for name in tables[0]}}
