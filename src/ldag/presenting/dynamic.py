"""How networks over time look: slices side by side, rolled up with loops, and a report."""

from collections.abc import Sequence
from dataclasses import replace

from ldag.drawing import (
    Drawing,
    Picture,
    PictureEdge,
    PictureNode,
    PictureOptions,
    draw_columns,
    draw_picture,
    put_side_by_side,
)
from ldag.dynamic import DynamicFit, DynamicNetwork, RolledUp
from ldag.errors import counted, list_names
from ldag.formats import read_lag, say_lags
from ldag.presenting.documents import Block, Document, Figure, Listing, Paragraph, Section, TableBlock
from ldag.presenting.graphs import graph_picture
from ldag.presenting.looks import draw, picture
from ldag.presenting.networks import network_picture, rules_tables

LOOP = "↻"
"""The mark of a variable that its own past matters for."""


@draw.register
def draw_dynamic(network: DynamicNetwork, options: PictureOptions) -> Drawing:
    """Return what series begin with, and beside it the slices of a step."""
    first: PictureOptions = {"title": "What series begin with"}
    follows = draw_transition(network, options)
    if not network.first.ldag.edges or options.get("focus") is not None:
        return follows
    pictures = [
        ("What series begin with", draw_picture(network_picture(network.first, first))),
        ("How a step follows", follows),
    ]
    return put_side_by_side(options.get("title") or "Network over time", pictures)


@draw.register
def draw_fit(fit: DynamicFit, options: PictureOptions) -> Drawing:
    """Return the picture of what was learned."""
    return draw_dynamic(fit.network, options)


def draw_transition(network: DynamicNetwork, options: PictureOptions) -> Drawing:
    """Return the slices of a step side by side, the static column apart."""
    graph = network.transition.ldag
    past = [(child, parent) for parent, child in graph.edges if read_lag(parent)[1] or parent in network.static]
    forbidden = [*network.transition.forbidden, *past]
    shown = graph_picture(graph, {"title": "How a step follows", "forbidden": forbidden, **options})
    spots = [_find_spot(network, node.name) for node in shown.nodes]
    said = [replace(node, name=say_lags(node.name)) for node in shown.nodes]
    headings = [f"{lag} steps before" if lag > 1 else "the step before" for lag in range(network.lags, 0, -1)]
    headings += ["now", *(["static"] if network.static else [])]
    edges = tuple(_say(edge) for edge in shown.edges)
    renamed = Picture(tuple(said), edges, tuple(map(say_lags, shown.legend)), shown.title)
    return draw_columns(renamed, spots, headings)


def _find_spot(network: DynamicNetwork, spelled: str) -> tuple[int, int]:
    """Return the column and the row of a variable; the static ones stand to the right, and point to now from there."""
    name, lag = read_lag(spelled)
    if name in network.static:
        return network.lags + 1, network.static.index(name)
    return network.lags - lag, network.changing.index(name)


def _say(edge: PictureEdge) -> PictureEdge:
    return replace(edge, label=tuple(map(say_lags, edge.label)), note=say_lags(edge.note))


@picture.register
def time_picture(rolled: RolledUp, options: PictureOptions) -> Picture:
    """Return one box for each variable, a loop mark where its own past matters, and the lags on the edges.

    Of two edges that are opposites there is one arrow, whose label tells both.
    """
    names, given = [*rolled.names], rolled.edges
    nodes = tuple(
        PictureNode(name, f"{LOOP} {_spell(given[name, name])}" if (name, name) in given else "") for name in names
    )
    edges = []
    for (parent, child), lags in given.items():
        back = given.get((child, parent))
        if parent == child or (back is not None and _rank(back, child, names) < _rank(lags, parent, names)):
            continue
        lines: tuple[str, ...] = () if set(lags) == {0} else (_spell(lags),)
        if back is not None:
            lines = (f"{parent} → {child}: {_spell(lags)}", f"{child} → {parent}: {_spell(back)}")
        edges.append(PictureEdge(names.index(parent), names.index(child), lines))
    legend = []
    if any(set(lags) != {0} for lags in given.values()):
        legend.append(f"t-1: from the step before · {LOOP}: from its own past")
    direction = options.get("direction", "down")
    title = options.get("title") or "Network over time, rolled up"
    return Picture(nodes, tuple(edges), tuple(legend), title, direction)


def _rank(lags: Sequence[int], parent: str, names: Sequence[str]) -> tuple[int, int]:
    """Return which of two opposite edges is drawn: that of the same step, or else of the first variable."""
    return min(lags), names.index(parent)


def _spell(lags: Sequence[int]) -> str:
    return ", ".join(f"t-{lag}" if lag else "now" for lag in lags)


def document_of(source: DynamicNetwork | DynamicFit, title: str | None) -> Document:
    """Return the report on a network over time."""
    network = source if isinstance(source, DynamicNetwork) else source.network
    before = "the step before" if network.lags == 1 else f"the {network.lags} steps before"
    n = counted(len(network.changing), "variable")
    static = f" Static, with one value for a whole series: {list_names(network.static, 12)}." if network.static else ""
    follows = rules_tables([network.transition.classes(x) for x in network.changing])
    begins = tuple(rules_tables([network.first.classes(v.name) for v in network.first.variables]))
    sections = [
        Section(
            "In short",
            (
                Paragraph(f"{n} over time; a step depends on {before}, and on nothing earlier.{static}"),
                Figure(network.to_svg(), "what series begin with, and how a step follows"),
                Figure(network.rolled_up().to_svg(), "the same with one box for each variable"),
            ),
        ),
        Section("When the past matters", _sentences(network)),
        Section("How a step follows", tuple(map(_say_table, follows))),
        Section("What series begin with", begins),
    ]
    if isinstance(source, DynamicFit):
        sections.append(Section("How it was learned", (Listing(str(source)),)))
    return Document(title or "What follows from what, over time", f"{n}, {counted(network.lags, 'lag')}", sections)


def _say_table(table: TableBlock) -> TableBlock:
    """Return a table that says in prose which variables are of before."""
    rows = [tuple(say_lags(cell) if isinstance(cell, str) else cell for cell in row) for row in table.rows]
    return TableBlock(table.header, tuple(rows))


def _sentences(network: DynamicNetwork) -> tuple[Block, ...]:
    """Return every label of the transition as a sentence."""
    texts = [say_lags(text) for text in network.transition.ldag.labels_in_words()]
    if not texts:
        return (Paragraph("Every arrow matters in all cases: there are no labels."),)
    return tuple(Paragraph(text) for text in texts)
