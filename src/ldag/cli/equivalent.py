"""`ldag equivalent`: whether two graphs say the same."""

import click

from ldag.cli.arguments import json_option, load_graph, print_json
from ldag.cli.pipes import MODEL


@click.command()
@click.argument("first", type=MODEL)
@click.argument("second", type=MODEL)
@json_option
def equivalent(first: str, second: str, as_json: bool) -> None:
    """Decide whether two graphs imply the same independencies; if not, show a context in which they differ."""
    difference = load_graph(first).difference_from(load_graph(second))
    if as_json:
        print_json({"equivalent": difference is None, "difference": difference and difference.to_dict()})
    elif difference is None:
        click.echo("yes: both graphs imply the same independencies")
    else:
        click.echo(f"no: {difference}")
