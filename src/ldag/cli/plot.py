"""`ldag plot`: a picture of a graph."""

from pathlib import Path

import click

from ldag.cli.arguments import json_option, load_graph, print_json, split_context
from ldag.errors import ArgumentError
from ldag.formats import write_atomically


@click.command(short_help="Draw a graph as an SVG picture.")
@click.argument("graph")
@click.option("--output", "-o", required=True, metavar="FILE.svg", help="The picture to write.")
@click.option("--context", "-c", multiple=True, metavar="NAME=STATE", help="Dash the edges that vanish in a context.")
@json_option
def plot(graph: str, output: str, context: tuple[str, ...], as_json: bool) -> None:
    """Draw GRAPH with its labels as an SVG picture.

    \b
    ldag plot guard -o guard.svg
    ldag plot guard -o spies.svg --context person=spy
    """
    path = Path(output)
    if path.suffix.lower() != ".svg":
        raise ArgumentError(f"{output}: pictures are written as .svg, got the ending {path.suffix!r}")
    svg = load_graph(graph).to_svg(context=split_context(context) or None)
    write_atomically(path, svg.encode())
    if as_json:
        print_json({"written": output})
