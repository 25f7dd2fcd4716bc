"""A labelled DAG as a plain SVG picture: no scripts, no style sheets, no fonts to fetch.

The colours are a calm blue and an amber that colour-blind readers can tell apart, and nothing is told by
colour alone: labelled edges carry a pill, vanishing ones are dashed. So the picture reads in greyscale.
"""

from collections.abc import Collection, Mapping, Sequence
from html import escape
from math import hypot

from ldag.drawing.layers import LayerEdge
from ldag.drawing.layout import Layout, layered_layout
from ldag.drawing.lettering import TextBlock, clean
from ldag.drawing.routes import Point, curve
from ldag.errors import ArgumentError, GraphError

FONT = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
NODE_FILL, NODE_LINE, NODE_TEXT = "#e8f0f8", "#3f6690", "#14283c"
LABEL_LINE, LABEL_TEXT = "#d6a04a", "#5c3d06"
EDGE, LABELLED_EDGE, DASHED_EDGE = "#4f5f6f", "#a8741a", "#a3abb3"
NODE_FONT, LABEL_FONT = 15.0, 11.5
MARGIN, CORNER = 18.0, 9.0
ARROW_LENGTH, ARROW_WIDTH = 9.5, 8.0


def draw_svg(
    names: Sequence[str],
    edges: Sequence[LayerEdge],
    labels: Mapping[LayerEdge, Sequence[str]],
    *,
    dashed: Collection[LayerEdge] = (),
    title: str | None = None,
) -> str:
    """Return a standalone SVG picture of a labelled DAG.

    Parameters
    ----------
    names
        The names of the nodes.
    edges
        Pairs (parent, child) of node numbers, in any order.
    labels
        Lines of text on edges. Long lines are wrapped, and of many lines the first few are shown; the rest is
        in the tooltip.
    dashed
        Edges to draw dashed and grey, such as those that vanish in a context.
    title
        What the picture shows, for tooltips and screen readers; it is not drawn.
    """
    _check(edges, labels, dashed)
    edges = sorted(edges)
    nodes = [TextBlock.of([name], NODE_FONT, max_width=170, max_lines=3) for name in names]
    notes = {
        position: TextBlock.of(labels[edge], LABEL_FONT, max_width=150, max_lines=5)
        for position, edge in enumerate(edges)
        if labels.get(edge)
    }
    layout = layered_layout(
        [_node_size(block) for block in nodes],
        edges,
        {position: _label_size(block) for position, block in notes.items()},
    )
    tips = [_edge_tip(names, edge, labels) for edge in edges]
    parts = [
        *_head(layout, title or "Labelled DAG", _description(names, tips)),
        *(
            _edge(layout.edges[position], tips[position], position in notes, edge in dashed)
            for position, edge in enumerate(edges)
        ),
        *(
            _label(layout.labels[position], block, tips[position], edges[position] in dashed)
            for position, block in notes.items()
        ),
        *(_node(layout.nodes[node], block, names[node]) for node, block in enumerate(nodes)),
        "</g>",
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _check(
    edges: Sequence[LayerEdge], labels: Mapping[LayerEdge, Sequence[str]], dashed: Collection[LayerEdge]
) -> None:
    """Refuse labels and dashes for edges that are not there."""
    for what, some in (("a label for", labels), ("a dashed line for", dashed)):
        for edge in some:
            if edge not in edges:
                raise GraphError(f"cannot draw {what} edge {edge}: the graph has no such edge")
    for edge, lines in labels.items():
        if isinstance(lines, str):
            raise ArgumentError(f"the label of edge {edge} is a list of lines, got the text {lines!r}")


def _node_size(block: TextBlock) -> tuple[float, float]:
    return max(56.0, block.width + 28), block.height + 18


def _label_size(block: TextBlock) -> tuple[float, float]:
    return block.width + 16, block.height + 8


def _edge_tip(names: Sequence[str], edge: LayerEdge, labels: Mapping[LayerEdge, Sequence[str]]) -> str:
    """Return an edge and its whole label in words."""
    parent, child = edge
    label = "; ".join(labels.get(edge, ()))
    return f"{names[parent]} → {names[child]}" + (f" : {label}" if label else "")


def _description(names: Sequence[str], tips: Sequence[str]) -> str:
    return f"Nodes: {', '.join(names) or 'none'}. Edges: {', '.join(tips) or 'none'}."


def _head(layout: Layout, title: str, description: str) -> list[str]:
    """Open the picture: its size, what it shows, a white ground and the shared font."""
    width, height = _number(layout.width + 2 * MARGIN), _number(layout.height + 2 * MARGIN)
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{_text(title)}"'
        f' width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        f"<title>{_text(title)}</title>",
        f"<desc>{_text(description)}</desc>",
        f'<rect width="{width}" height="{height}" rx="{_number(CORNER)}" fill="#ffffff"/>',
        f'<g transform="translate({_number(MARGIN)} {_number(MARGIN)})" font-family="{FONT}"'
        ' text-anchor="middle" stroke-linecap="round">',
    ]


def _edge(route: Sequence[Point], tip: str, labelled: bool, dashed: bool) -> str:
    """Draw an edge as a smooth line with an arrowhead at the child."""
    colour = DASHED_EDGE if dashed else LABELLED_EDGE if labelled else EDGE
    style = ' stroke-dasharray="5 5"' if dashed else ""
    *before, (start, first, second, end) = curve(route)
    along, neck = _arrow_axis(second, end)
    shifted = (second[0] + neck[0] - end[0], second[1] + neck[1] - end[1])
    path = f"M{_point(route[0])}" + "".join(
        f"C{_point(a)} {_point(b)} {_point(c)}" for _, a, b, c in [*before, (start, first, shifted, neck)]
    )
    half = ARROW_WIDTH / 2
    corners = [
        (neck[0] - along[1] * half, neck[1] + along[0] * half),
        end,
        (neck[0] + along[1] * half, neck[1] - along[0] * half),
    ]
    points = " ".join(_point(corner) for corner in corners)
    return (
        f"<g><title>{_text(tip)}</title>"
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.6"{style}/>'
        f'<polygon points="{points}" fill="{colour}"/></g>'
    )


def _arrow_axis(control: Point, tip: Point) -> tuple[Point, Point]:
    """Return the direction in which a line arrives, and the point where its arrowhead begins."""
    dx, dy = tip[0] - control[0], tip[1] - control[1]
    length = hypot(dx, dy)
    along = (dx / length, dy / length)
    return along, (tip[0] - along[0] * ARROW_LENGTH, tip[1] - along[1] * ARROW_LENGTH)


def _label(centre: Point, block: TextBlock, tip: str, dashed: bool) -> str:
    """Draw a label: small text on a white pill."""
    line, colour = (DASHED_EDGE, "#6b747d") if dashed else (LABEL_LINE, LABEL_TEXT)
    box = _box(centre, _label_size(block), f'fill="#ffffff" stroke="{line}"')
    return f"<g><title>{_text(tip)}</title>{box}{_lines(centre, block, colour)}</g>"


def _node(centre: Point, block: TextBlock, name: str) -> str:
    """Draw a node: its name in a rounded box."""
    box = _box(centre, _node_size(block), f'fill="{NODE_FILL}" stroke="{NODE_LINE}" stroke-width="1.4"')
    return f"<g><title>{_text(name)}</title>{box}{_lines(centre, block, NODE_TEXT)}</g>"


def _box(centre: Point, size: tuple[float, float], paint: str) -> str:
    (x, y), (width, height) = centre, size
    corner = f'x="{_number(x - width / 2)}" y="{_number(y - height / 2)}"'
    extent = f'width="{_number(width)}" height="{_number(height)}"'
    return f'<rect {corner} {extent} rx="{_number(CORNER)}" {paint}/>'


def _lines(centre: Point, block: TextBlock, colour: str) -> str:
    """Write the lines of a block around a centre."""
    x, y = centre
    first = y - block.height / 2 + block.line_height / 2 + 0.35 * block.font_size
    return "".join(
        f'<text x="{_number(x)}" y="{_number(first + number * block.line_height)}"'
        f' font-size="{_number(block.font_size)}" fill="{colour}">{_text(line)}</text>'
        for number, line in enumerate(block.lines)
    )


def _text(text: str) -> str:
    return escape(clean(text))


def _point(point: Point) -> str:
    return f"{_number(point[0])} {_number(point[1])}"


def _number(value: float) -> str:
    """Write a coordinate with at most one decimal, the same on every machine."""
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")
