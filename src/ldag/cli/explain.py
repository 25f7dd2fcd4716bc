"""`ldag explain`: one node in words and numbers."""

import click

from ldag.cli.arguments import json_option, load_network, print_description
from ldag.cli.pipes import MODEL


@click.command()
@click.argument("network", type=MODEL)
@click.argument("node")
@click.option("--level", type=float, default=0.95, show_default=True, help="Probability of the intervals.")
@json_option
def explain(network: str, node: str, level: float, as_json: bool) -> None:
    """Explain NODE of NETWORK: its parents, when they matter, and its probabilities with counts and intervals.

    The Markov blanket is its parents, its children and their other parents: once these are known, nothing else tells
    more about it.

    Intervals are conditional on the graph; `ldag posterior` gives those that are not.

    \b
    ldag explain heart.json pressure
    """
    print_description(load_network(network).describe(node, level), as_json)
