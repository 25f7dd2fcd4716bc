"""`ldag plot`: a picture of a graph."""

import click

from ldag.cli.arguments import json_option, load_graph, print_json, split_context, split_names
from ldag.cli.pipes import MODEL, Target
from ldag.drawing import Direction
from ldag.graph import LDAG
from ldag.uncertainty import Posterior, is_posterior_file


def _load(source: str) -> LDAG | Posterior:
    """Read a graph, or the file of a posterior."""
    if is_posterior_file(source):
        return Posterior.load(source)
    return load_graph(source)


@click.command()
@click.argument("graph", type=MODEL)
@click.option(
    "--output",
    "-o",
    type=Target(".svg"),
    required=True,
    metavar="FILE",
    help="The picture: .svg, .png or .pdf.",
)
@click.option("--context", "-c", multiple=True, metavar="NAME=STATE", help="Dash the edges that vanish in a context.")
@click.option("--focus", "-f", multiple=True, metavar="NAMES", help="Show only these and their Markov blankets.")
@click.option("--labels/--no-labels", default=None, help="Draw labels; by default up to 40.")
@click.option("--arrows/--no-arrows", default=True, help="Draw arrows that may point either way hollow.")
@click.option("--direction", type=click.Choice(["down", "right"]), default="down", help="Where edges point.")
@json_option
def plot(
    graph: str,
    output: str,
    context: tuple[str, ...],
    focus: tuple[str, ...],
    labels: bool | None,
    arrows: bool,
    direction: Direction,
    as_json: bool,
) -> None:
    """Draw GRAPH, or a posterior: an edge carries the cases in which it is absent, "not if person is spy".

    \b
    ldag plot guard -o guard.svg
    ldag plot guard -o spies.svg --context person=spy
    ldag plot post.json -o post.svg
    ldag plot model.json -o graph.png --focus pressure --direction right
    """
    loaded = _load(graph)
    names = loaded.consensus() if isinstance(loaded, Posterior) else loaded
    loaded.save_picture(
        output,
        context=split_context(context) or None,
        focus=split_names(names, focus) or None,
        labels=labels,
        arrows=arrows,
        direction=direction,
    )
    if as_json:
        print_json({"written": output})
