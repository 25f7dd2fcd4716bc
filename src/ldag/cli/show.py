"""`ldag show`: what a graph says."""

import click

from ldag.cli.arguments import json_option, load_any, print_description, print_json
from ldag.cli.pipes import MODEL
from ldag.graph import LDAG
from ldag.network import Network


@click.command()
@click.argument("graph", type=MODEL)
@json_option
def show(graph: str, as_json: bool) -> None:
    """Show a GRAPH: variables, edges, labels in words, reduced tables as rules, parameters.

    The file of a network also shows the distribution of every class; that of a posterior, a bootstrap or a mixture is
    shown as the command printed it that wrote it.

    \b
    ldag show guard
    ldag show my-graph.ldag
    """
    model = load_any(graph)
    if isinstance(model, LDAG | Network):
        print_description(model.describe(), as_json)
    elif as_json:
        print_json(model.summary())
    else:
        click.echo(str(model))
