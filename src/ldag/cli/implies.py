"""`ldag implies`: whether a graph implies an independence."""

import click

from ldag.cli.arguments import json_option, load_graph, print_json, split_context, split_names
from ldag.cli.pipes import MODEL
from ldag.reasoning import DEFAULT_BUDGET


@click.command()
@click.argument("graph", type=MODEL)
@click.argument("a")
@click.argument("b")
@click.option("--given", "-g", multiple=True, metavar="NAMES", help="Variables to condition on, separated by commas.")
@click.option("--context", "-c", multiple=True, metavar="NAME=STATE", help="States of further variables.")
@click.option("--budget", default=DEFAULT_BUDGET, show_default=True, help="Cells of the largest table to build.")
@json_option
def implies(
    graph: str, a: str, b: str, given: tuple[str, ...], context: tuple[str, ...], budget: int, as_json: bool
) -> None:
    """Decide whether A and B are independent in every distribution of GRAPH, and say why.

    A and B are variables, or several separated by commas.

    \b
    ldag implies guard gender badge --context person=spy
    ldag implies heart smoking family --given protein
    """
    loaded = load_graph(graph)
    verdict = loaded.implies(
        split_names(loaded.variables, [a]),
        split_names(loaded.variables, [b]),
        split_names(loaded.variables, given),
        split_context(context),
        budget=budget,
    )
    if as_json:
        print_json(verdict.to_dict())
    else:
        click.echo(verdict.explain().replace("are in .witness", "are in the output of --json"))
