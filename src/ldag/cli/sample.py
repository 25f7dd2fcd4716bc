"""`ldag sample`: rows drawn from a network."""

import click
import numpy as np
from numpy.typing import NDArray

from ldag.cli.arguments import json_option, load_answering, put_table
from ldag.cli.observed import Observed, add_observed_options, read_observed
from ldag.cli.pipes import MODEL, rows_option
from ldag.data import state_columns
from ldag.errors import ArgumentError
from ldag.network import Network
from ldag.uncertainty import Mixture


@click.command()
@click.argument("network", type=MODEL)
@click.option("-n", "n", type=int, required=True, help="How many rows.")
@rows_option
@click.option("--rng", type=int, help="Seed.  [0]")
@click.option("--counts", metavar="COLUMN", help="Merge equal rows; this column says how often each occurs.")
@add_observed_options
@json_option
def sample(
    network: str,
    n: int,
    output: str | None,
    rng: int | None,
    counts: str | None,
    as_json: bool,
    **observed: tuple[str, ...],
) -> None:
    """Draw rows from NETWORK, a file that `ldag learn -o FILE.json`, `ldag average` or Network.save wrote.

    \b
    ldag learn heart --kappa 0.1 -o heart.json
    ldag sample heart.json -n 10000 -o rows.csv
    ldag sample heart.json -n 10000 --counts n
    ldag sample heart.json -n 10000 --given "pressure=>140"
    """
    source = load_answering(network)
    columns = _columns(source, n, rng, counts, read_observed(source.variables, **observed))
    put_table(columns, output, as_json, source.variables)


def _columns(
    source: Network | Mixture, n: int, rng: int | None, counts: str | None, observed: Observed
) -> dict[str, NDArray[np.generic]]:
    """Draw, and return columns of states, with a column of counts if equal rows are to be merged."""
    if counts is None:
        return source.sample_columns(n, rng, given=observed.given, do=observed.do)
    if counts in {variable.name for variable in source.variables}:
        raise ArgumentError(f"--counts: {counts!r} is a variable; choose another name for the column of counts")
    data = source.sample(n, rng, given=observed.given, do=observed.do)
    weights = np.ones(data.n_rows, dtype=np.int64) if data.weights is None else data.weights
    return state_columns(data.schema, data.codes) | {counts: weights}
