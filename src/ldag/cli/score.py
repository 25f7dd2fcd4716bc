"""`ldag score`: how well a graph explains data."""

import click

from ldag.cli.arguments import json_option, load_model, print_value
from ldag.cli.pipes import MODEL, TABLE
from ldag.cli.tables import load_table, table_options
from ldag.data import ReadOptions
from ldag.network import Network
from ldag.scoring import PRIORS, Prior, priors_from
from ldag.scoring import score as score_graph


@click.command()
@click.argument("graph", type=MODEL)
@click.argument("data", type=TABLE)
@click.option("--kappa", type=float, help="Above 0 and at most 1: what a parameter saved by labels costs.")
@click.option("--equivalent-sample-size", type=float, help="Weight of the prior over parameters.  [as learned, or 1]")
@click.option("--prior", type=click.Choice(PRIORS), help="What kappa is paid for.  [as learned, or labels]")
@table_options
@json_option
def score(
    graph: str,
    data: str,
    kappa: float | None,
    equivalent_sample_size: float | None,
    prior: Prior | None,
    reading: ReadOptions,
    as_json: bool,
) -> None:
    """Score GRAPH on DATA (a file, or the name of a data set): log marginal likelihood plus log prior, by node.

    \b
    ldag score heart heart --kappa 0.1
    ldag score model.ldag survey.csv --kappa 0.1
    ldag score learned.json survey.csv

    A network that `ldag learn` wrote remembers its kappa, its prior and its sample size.
    """
    model = load_model(graph)
    learned = priors_from(model.origin or {}) if isinstance(model, Network) else None
    if learned is not None:
        prior = prior or learned.prior
        kappa = learned.kappa if kappa is None and prior != "uniform" else kappa
        if equivalent_sample_size is None:
            equivalent_sample_size = learned.equivalent_sample_size
    known = model.ldag if isinstance(model, Network) else model
    result = score_graph(
        known,
        load_table(data, reading, known.schema, known.undeclared, "scored by a lower bound"),
        kappa=kappa,
        equivalent_sample_size=1.0 if equivalent_sample_size is None else equivalent_sample_size,
        prior=prior or "labels",
    )
    print_value(result, as_json)
