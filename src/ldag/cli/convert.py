"""`ldag convert`: from one format to another."""

from collections.abc import Callable

import click

from ldag.cli.arguments import json_option, load_graph, print_json
from ldag.errors import ArgumentError
from ldag.graph import LDAG

_WRITERS: dict[str, Callable[[LDAG], str]] = {"ldag": LDAG.to_text, "json": LDAG.to_json, "dot": LDAG.to_dot}


@click.command(short_help="Write a graph in another format.")
@click.argument("source")
@click.argument("target")
@click.option("--to", "form", type=click.Choice(list(_WRITERS)), help="The format to print when TARGET is '-'.")
@click.option("--maximal", is_flag=True, help="Close the labels first.")
@click.option("--regular", is_flag=True, help="Close the labels and drop edges that never matter first.")
@json_option
def convert(source: str, target: str, form: str | None, maximal: bool, regular: bool, as_json: bool) -> None:
    """Write the graph SOURCE to the file TARGET, in the format of its ending (.ldag, .json, .dot), or print it.

    \b
    ldag convert g.ldag g.json
    ldag convert guard - --to dot
    """
    graph = load_graph(source)
    if regular:
        graph = graph.regular()
    elif maximal:
        graph = graph.maximal()
    if target == "-":
        if as_json:
            raise ArgumentError("--json says what was written to a file; to print the graph as JSON use --to json")
        click.echo(_WRITERS[form or "ldag"](graph), nl=False)
    elif form is not None:
        raise ArgumentError("--to goes with the target '-'; a file's format is that of its ending")
    else:
        graph.save(target)
        if as_json:
            print_json({"written": target})
