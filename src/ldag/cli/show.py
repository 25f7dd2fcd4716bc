"""`ldag show`: what a graph says."""

import click

from ldag.cli.arguments import json_option, load_any, print_description, print_json, without_arrows
from ldag.cli.pipes import MODEL
from ldag.graph import LDAG, StratifiedGraph
from ldag.network import Network


@click.command()
@click.argument("graph", type=MODEL)
@click.option("--undirected", is_flag=True, help="Without arrows, where the graph needs none: edges with strata.")
@json_option
def show(graph: str, undirected: bool, as_json: bool) -> None:
    """Show a GRAPH: variables, edges, labels in words, reduced tables as rules, parameters.

    The file of a network also shows the distribution of every class; that of a posterior, a bootstrap or a mixture is
    shown as the command printed it that wrote it.

    \b
    ldag show guard
    ldag show my-graph.ldag
    ldag show model.json --undirected
    """
    model = load_any(graph)
    if undirected or isinstance(model, StratifiedGraph):
        shown = without_arrows(model)
        click.echo(shown.to_json() if as_json else str(shown), nl=not as_json)
        return
    if isinstance(model, LDAG | Network):
        print_description(model.describe(), as_json)
    elif as_json:
        print_json(model.summary())
    else:
        click.echo(str(model))
