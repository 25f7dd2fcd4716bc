"""How the comparison of two graphs looks: the edges of both in one picture."""

from collections.abc import Sequence

from ldag.comparing import Comparison, EdgeLabels
from ldag.drawing import Change, Picture, PictureEdge, PictureNode, PictureOptions, legend_of
from ldag.errors import ArgumentError
from ldag.formats import Context, Edge, absent_if
from ldag.model import Variable
from ldag.presenting.document import Block, Figure, Listing
from ldag.presenting.graphs import MOST_LABELS
from ldag.presenting.looks import blocks, picture


@picture.register
def comparison_picture(comparison: Comparison, options: PictureOptions) -> Picture:
    """Return the edges of both graphs in one picture."""
    if set(options) - {"direction", "title"}:
        raise ArgumentError("a picture of two graphs takes direction and title only")
    changes: dict[Edge, Change] = dict.fromkeys(comparison.common_edges, "")
    changes.update(dict.fromkeys(comparison.missing_edges, "missing"))
    changes.update(dict.fromkeys(comparison.extra_edges, "extra"))
    changes.update(dict.fromkeys(comparison.reversed_edges, "reversed"))
    names = [variable.name for variable in comparison.variables]
    is_drawn = len(comparison.edge_labels) <= MOST_LABELS
    edges = []
    for edge, change in changes.items():
        lines = _label_lines(comparison, edge)
        label, note = (lines, "") if is_drawn else ((), "; ".join(lines))
        edges.append(PictureEdge(names.index(edge[0]), names.index(edge[1]), label=label, change=change, note=note))
    legend = [legend_of(edges)]
    if not is_drawn:
        legend.append(f"{len(comparison.edge_labels)} edges have labels that are not drawn")
    title = options.get("title") or "Two graphs compared"
    nodes = tuple(PictureNode(name) for name in names)
    return Picture(nodes, tuple(edges), tuple(filter(None, legend)), title, options.get("direction", "down"))


@blocks.register
def _(comparison: Comparison) -> list[Block]:
    return [Figure(comparison.to_svg()), Listing(str(comparison))]


def _label_lines(comparison: Comparison, edge: Edge) -> tuple[str, ...]:
    """Return what the two graphs say about an edge; of one that only one graph has this way, what that one says."""
    labels, variables = comparison.edge_labels.get(edge, EdgeLabels()), comparison.variables
    if edge in comparison.extra_edges:
        return absent_if(labels.second, variables)
    if edge not in comparison.common_edges or labels.agree:
        return absent_if(labels.first, variables)
    return (*_lines_of("first", labels.first, variables), *_lines_of("second", labels.second, variables))


def _lines_of(graph: str, label: Sequence[Context], variables: Sequence[Variable]) -> tuple[str, ...]:
    """Return a label's lines, the first of which names the graph."""
    lines = absent_if(label, variables) or ("no label",)
    return (f"{graph}: {lines[0]}", *lines[1:])
