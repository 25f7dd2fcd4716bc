"""`ldag score`: how well a graph explains data."""

import click

from ldag.cli.arguments import json_option, load_model, print_json
from ldag.cli.pipes import MODEL, TABLE
from ldag.cli.tables import load_table, table_options
from ldag.data import ReadOptions
from ldag.network import Network
from ldag.scoring import PRIORS, Prior
from ldag.scoring import score as score_graph


@click.command()
@click.argument("graph", type=MODEL)
@click.argument("data", type=TABLE)
@click.option("--kappa", type=float, help="Above 0 and at most 1: what a parameter saved by labels costs.")
@click.option("--equivalent-sample-size", default=1.0, show_default=True, help="Weight of the prior over parameters.")
@click.option("--prior", type=click.Choice(PRIORS), default="labels", show_default=True, help="What kappa is paid for.")
@table_options
@json_option
def score(
    graph: str,
    data: str,
    kappa: float | None,
    equivalent_sample_size: float,
    prior: Prior,
    reading: ReadOptions,
    as_json: bool,
) -> None:
    """Score GRAPH on DATA (a file, or the name of a data set): log marginal likelihood plus log prior, by node.

    \b
    ldag score heart heart --kappa 0.1
    ldag score model.ldag survey.csv --kappa 0.1
    ldag score learned.json survey.csv

    A network that `ldag learn` wrote remembers its kappa.
    """
    model = load_model(graph)
    if kappa is None and prior in ("labels", "normalised") and isinstance(model, Network) and model.origin is not None:
        stored = model.origin.get("kappa")
        kappa = stored if isinstance(stored, float) else None
    known = model.ldag if isinstance(model, Network) else model
    found = score_graph(
        known,
        load_table(data, reading, known.schema),
        kappa=kappa,
        equivalent_sample_size=equivalent_sample_size,
        prior=prior,
    )
    if as_json:
        print_json(found.to_dict())
    else:
        click.echo(str(found))
