"""`ldag sample`: rows drawn from a network."""

import click

from ldag.cli.arguments import (
    add_observed_options,
    count_columns,
    json_option,
    load_answering,
    load_dynamic,
    put_table,
    read_observed,
)
from ldag.cli.pipes import MODEL, rows_option
from ldag.errors import ArgumentError


@click.command()
@click.argument("network", type=MODEL)
@click.option("-n", "n", type=int, required=True, help="How many rows.")
@click.option("--length", type=int, help="Of a dynamic network: how many steps each of the N series has.")
@rows_option
@click.option("--rng", type=int, help="Seed.  [0]")
@click.option("--counts", metavar="COLUMN", help="Merge equal rows; this column says how often each occurs.")
@add_observed_options
@json_option
def sample(
    network: str,
    n: int,
    length: int | None,
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
    ldag sample dynamic.json -n 100 --length 12 -o panel.csv
    """
    if length is not None:
        if counts is not None or any(observed.values()):
            raise ArgumentError("--length draws series from the beginning; leave out --counts, --given and --do")
        dynamic = load_dynamic(network)
        put_table(dynamic.sample_columns(n, length=length, rng=rng), output, as_json, dynamic.variables)
        return
    source = load_answering(network)
    seen = read_observed(source.variables, **observed)
    if counts in {variable.name for variable in source.variables}:
        raise ArgumentError(f"--counts: {counts!r} is a variable; choose another name for the column of counts")
    if counts is None:
        columns = source.sample_columns(n, rng, **seen)
    else:
        columns = count_columns(source.sample(n, rng, **seen), counts)
    put_table(columns, output, as_json, source.variables)
