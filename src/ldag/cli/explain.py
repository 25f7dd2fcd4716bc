"""`ldag explain`: one node in words and numbers."""

import click

from ldag.cli.arguments import json_option, load_network, print_json
from ldag.cli.pipes import MODEL
from ldag.drawing import side_by_side
from ldag.network import Network, NodeParameters


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
    net = load_network(network)
    classes = net.classes(node)
    if as_json:
        print_json(_as_dict(net, classes, level))
        return
    given = f" depends on {' and '.join(classes.parents)}" if classes.parents else " depends on no other variable"
    click.echo(f"{node}{given}")
    for sentence in _labels(net, node):
        click.echo(f"  {sentence}")
    click.echo(f"  Markov blanket: {', '.join(net.ldag.markov_blanket(node)) or 'empty'}")
    click.echo(_table(classes, level))


def _labels(net: Network, node: str) -> list[str]:
    """Return the labels of the edges to a node in words."""
    edges = net.ldag.labelled_edges
    return [text for (_, child), text in zip(edges, net.ldag.labels_in_words(), strict=True) if child == node]


def _table(classes: NodeParameters, level: float) -> str:
    """Return a row per class: its rule, its rows, and each state's probability with its interval."""
    columns = [("if", [str(part.rule) if classes.parents else "always" for part in classes])]
    if classes[0].counts is not None:
        columns.append(("rows", [f"{sum(part.counts or ()):,.10g}" for part in classes]))
    intervals = [part.intervals(level) for part in classes]
    for code, state in enumerate(classes.states):
        cells = []
        for part, ends in zip(classes, intervals, strict=True):
            interval = f" ({ends[code][0]:.3f} to {ends[code][1]:.3f})" if ends else ""
            cells.append(f"{part.probabilities[code]:.3f}{interval}")
        columns.append((str(state), cells))
    return side_by_side(columns)


def _as_dict(net: Network, classes: NodeParameters, level: float) -> dict[str, object]:
    return {
        "node": classes.node,
        "parents": list(classes.parents),
        "children": list(net.ldag.children(classes.node)),
        "markov_blanket": list(net.ldag.markov_blanket(classes.node)),
        "labels_in_words": _labels(net, classes.node),
        "states": list(classes.states),
        "level": level,
        "classes": [
            {
                "contexts": [dict(context) for context in part.contexts],
                "probabilities": list(part.probabilities),
                "counts": None if part.counts is None else list(part.counts),
                "intervals": [list(ends) for ends in part.intervals(level)],
            }
            for part in classes
        ],
    }
