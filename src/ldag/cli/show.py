"""`ldag show`: what a graph says."""

import click

from ldag.cli.arguments import json_option, load_model, print_description
from ldag.cli.pipes import MODEL


@click.command()
@click.argument("graph", type=MODEL)
@json_option
def show(graph: str, as_json: bool) -> None:
    """Show a GRAPH: variables, edges, labels in words, reduced tables as rules, parameters.

    The file of a network also shows the distribution of every class.

    \b
    ldag show guard
    ldag show my-graph.ldag
    """
    print_description(load_model(graph).describe(), as_json)
