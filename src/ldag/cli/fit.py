"""`ldag fit`: parameters for a graph that is given."""

from dataclasses import asdict
from typing import Any, get_args

import click

from ldag.cli.arguments import RareOption, json_option, load_graph, load_network, print_json, save_model
from ldag.cli.pipes import MODEL, TABLE, Target
from ldag.cli.tables import load_table, table_options
from ldag.data import ReadOptions
from ldag.errors import ArgumentError
from ldag.formats import Estimate, check_writable
from ldag.learning import LabelSearch, StructureKind, learn_labels
from ldag.model import Spread
from ldag.network import Network

OF_EM = ("start", "n_restarts", "n_iter", "tolerance", "rng", "n_jobs", "time_limit")

SPREAD = "What that weight is spread over: all configurations; so much for every class; or nested, for trees."


@click.command()
@click.argument("graph", type=MODEL)
@click.argument("data", type=TABLE)
@click.option("--output", "-o", type=Target(".json"), metavar="FILE", help="Write the network there (.json).")
@click.option("--equivalent-sample-size", default=1.0, show_default=True, help="Weight of the prior over parameters.")
@click.option("--spread", type=click.Choice(get_args(Spread)), default="configurations", show_default=True, help=SPREAD)
@click.option("--estimate", type=click.Choice(get_args(Estimate)), default="mean", show_default=True)
@click.option(
    "--label-search",
    "--labels",
    "label_search",
    type=click.Choice(get_args(LabelSearch)),
    help="Also learn labels, by this search.",
)
@click.option("--kappa", type=float, help="Of labels, or of averages over prunings: above 0 and at most 1.  [0.1]")
@click.option("--structure", type=click.Choice(get_args(StructureKind)), help="With labels: which classes.  [ldag]")
@click.option("--start", type=MODEL, metavar="FILE", help="With gaps: a network of GRAPH that EM starts from.")
@click.option("--restarts", "n_restarts", type=int, help="With gaps: starts of EM.  [1; 10 for latent variables]")
@click.option("--iter", "n_iter", cls=RareOption, type=int, help="With gaps: steps of EM at most.  [10,000]")
@click.option("--tolerance", cls=RareOption, type=float, help="With gaps: nats still to be gained at the end.  [1e-10]")
@click.option("--rng", type=int, help="With gaps: seed of random starts.  [0]")
@click.option("--jobs", "n_jobs", cls=RareOption, type=int, help="With gaps: threads; -1 is all cores.  [-1]")
@click.option("--time-limit", cls=RareOption, type=float, metavar="SECONDS", help="With gaps: end EM by then.")
@table_options
@json_option
def fit(
    graph: str,
    data: str,
    output: str | None,
    label_search: LabelSearch | None,
    kappa: float | None,
    structure: StructureKind | None,
    reading: ReadOptions,
    as_json: bool,
    **estimation: Any,
) -> None:
    """Fit the parameters of GRAPH to DATA; variables to which GRAPH gives no states take those of the data.

    \b
    ldag fit expert.ldag survey.csv -o model.json
    ldag fit edges.ldag survey.csv --label-search greedy -o model.json

    Empty cells are kept, and the parameters estimated by EM.
    """
    if output is not None:
        check_writable(output)
    if label_search is None and structure is not None:
        raise ArgumentError("--structure is for --label-search, which learns labels on the edges")
    if label_search is None and kappa is not None and estimation["estimate"] != "averaged":
        raise ArgumentError("--kappa is for --label-search and for --estimate averaged")
    known = load_graph(graph)
    table = load_table(data, reading, known.schema, known.undeclared, use_of_gaps="fitted by EM")
    if label_search is not None:
        known = learn_labels(
            known,
            table,
            kappa=0.1 if kappa is None else kappa,
            structure=structure or "ldag",
            label_search=label_search,
        )
    of_em = {name: estimation.pop(name) for name in OF_EM}
    if of_em["start"] is not None:
        of_em["start"] = load_network(of_em["start"])
    given = {name: value for name, value in of_em.items() if value is not None}
    if estimation["estimate"] == "averaged":
        given["kappa"] = kappa
    network = Network.from_data(known, table, **estimation, **given)
    if output is not None:
        save_model(network, output)
    if as_json:
        em = {} if network.em is None else {"em": asdict(network.em.to_record())}
        print_json({"dimension": network.dimension, "log_likelihood": network.log_likelihood(table), **em})
    else:
        click.echo(str(network) if network.em is None else f"{network}\nEM {network.em}")
