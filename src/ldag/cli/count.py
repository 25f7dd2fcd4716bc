"""`ldag count`: tables merged into one table of different rows and how often each occurs."""

from collections.abc import Sequence

import click

from ldag.cli.arguments import count_columns, json_option, print_notes, put_table
from ldag.cli.pipes import TABLE, rows_option
from ldag.cli.tables import load_table, table_options
from ldag.data import Dataset, ReadOptions


@click.command()
@click.argument("files", nargs=-1, type=TABLE, required=True)
@rows_option
@table_options
@json_option
def count(files: Sequence[str], output: str | None, reading: ReadOptions, as_json: bool) -> None:
    """Merge equal rows of FILES into one table, with a last column `count` (or `weight`).

    Measurements become intervals such as "(18, 40]", which are understood again when the table is read.

    \b
    ldag count 'part-*.parquet' -o rows.parquet
    ldag learn rows.parquet --counts count
    """
    data = load_table(files[0], reading)
    for file in files[1:]:
        data = data.merge(load_table(file, reading))
    if output is None or not output.endswith(".parquet"):
        _tell_of_orders(data)
    put_table(count_columns(data, reading.counts or reading.weights), output, as_json, data.variables)


def _tell_of_orders(data: Dataset) -> None:
    """Say which orders are lost; bins name their cut points themselves."""
    lost = [variable.name for variable in data.variables if variable.ordered and not variable.cuts]
    print_notes(f"{name}: text does not keep the order of its states; -o FILE.parquet does" for name in lost)
