"""How what is uncertain looks: a consensus with edges as wide as they are probable, and pairs of variables as bars."""

from collections.abc import Iterable
from dataclasses import replace

from ldag.drawing import Drawing, Meter, Picture, PictureOptions, TableRow, lay_out_table
from ldag.formats import Edge, absent_if, counted
from ldag.presenting.documents import Block, Figure, Listing, Paragraph, TableBlock
from ldag.presenting.graphs import graph_picture
from ldag.presenting.looks import blocks, chart, picture
from ldag.uncertainty import Bootstrap, EdgeChances, EdgeStrengths, Mixture, Posterior

MOST_PAIRS = 40
LEAST_SHARE = 0.05
"""Pairs that are joined more rarely are counted, not drawn."""

Pair = tuple[str, str, float, float]
"""Two variables, how probable it is that they are joined, and that they are joined this way."""


@picture.register
def posterior_picture(posterior: Posterior, options: PictureOptions) -> Picture:
    """Return the consensus: edges as wide as joining the two is probable, labels with their probabilities."""
    graph = posterior.consensus()
    notes: dict[Edge, list[str]] = {}
    for parent, child in graph.labelled_edges:
        others = [name for name in graph.parents(child) if name != parent]
        entries = [dict(zip(others, entry, strict=True)) for entry in graph.label(parent, child)]
        least = min(float(posterior.label(parent, child, context=entry)) for entry in entries)
        *lines, last = absent_if(graph.label_contexts(parent, child), graph.variables)
        notes[parent, child] = [*lines, f"{last} ({least:.2f})"]
    own: PictureOptions = {
        "probabilities": {
            (a, b): min(float(posterior.edge(a, b)) + float(posterior.edge(b, a)), 1.0) for a, b in graph.edges
        },
        "notes": notes,
        "title": "Edges more probable than not, as wide as it is probable that the two are joined",
    }
    return graph_picture(graph, {**own, **options})


@picture.register
def bootstrap_picture(bootstrap: Bootstrap, options: PictureOptions) -> Picture:
    """Return the consensus, strengths as widths."""
    graph = bootstrap.consensus()
    own: PictureOptions = {
        "probabilities": {edge: bootstrap.strength(*edge) for edge in graph.edges},
        "arrows": False,
        "title": f"Consensus of {counted(bootstrap.n, 'graph')}",
    }
    shown = graph_picture(graph, {**own, **options})
    return replace(
        shown, legend=tuple(text.replace("probability that", "share of graphs in which") for text in shown.legend)
    )


@blocks.register(Posterior)
@blocks.register(Bootstrap)
def _(value: Posterior | Bootstrap) -> list[Block]:
    return [Figure(value.to_svg()), Listing(str(value))]


@chart.register
def _(edges: EdgeChances) -> Drawing:
    return _draw_pairs(_pairs_of_chances(edges), "How probable each edge is")


@chart.register
def _(edges: EdgeStrengths) -> Drawing:
    return _draw_pairs(_pairs_of_strengths(edges), "How often each edge was learned again")


@chart.register
def _(mixture: Mixture) -> Drawing:
    title = f"How much of the weight of {counted(len(mixture), 'network')} has each edge"
    return _draw_pairs(_pairs_of_strengths(mixture.edges), title)


@blocks.register
def _(edges: EdgeChances) -> list[Block]:
    return [_pair_table(_pairs_of_chances(edges))]


@blocks.register
def _(edges: EdgeStrengths) -> list[Block]:
    return [_pair_table(_pairs_of_strengths(edges))]


@blocks.register
def _(mixture: Mixture) -> list[Block]:
    return [Paragraph(repr(mixture)[1:-1]), _pair_table(_pairs_of_strengths(mixture.edges))]


def _pairs_of_chances(edges: EdgeChances) -> list[Pair]:
    return [(edge.parent, edge.child, edge.either_direction, edge.probability) for edge in edges]


def _pairs_of_strengths(edges: EdgeStrengths) -> list[Pair]:
    return [(edge.parent, edge.child, edge.strength, edge.strength * edge.direction) for edge in edges]


def _draw_pairs(pairs: list[Pair], title: str) -> Drawing:
    """Return bars for the pairs, and how many there are no bars for."""
    table = _pair_table(pairs)
    n_left = len({frozenset(pair[:2]) for pair in pairs}) - len(table.rows)
    below = f"{n_left} other pairs are not drawn" if n_left else ""
    return lay_out_table(table.header, table.rows, title=title, below=below)


def _pair_table(pairs: Iterable[Pair]) -> TableBlock:
    """Return a row per pair, in its more probable direction, the most probable pair first."""
    best: dict[frozenset[str], Pair] = {}
    for pair in pairs:
        key = frozenset(pair[:2])
        if key not in best or pair[3] > best[key][3]:
            best[key] = pair
    shown = sorted((pair for pair in best.values() if pair[2] >= LEAST_SHARE), key=lambda pair: -round(pair[2], 9))
    rows: list[TableRow] = [(f"{a} → {b}", Meter(min(either, 1.0)), Meter(forth)) for a, b, either, forth in shown]
    return TableBlock(("edge", "joined, either way", "joined this way"), tuple(rows[:MOST_PAIRS]))
