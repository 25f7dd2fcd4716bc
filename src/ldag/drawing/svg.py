"""A picture of a graph as plain SVG: no scripts, no fonts to fetch, and a few lines of style for dark screens.

The colours are a calm blue and an amber that colour-blind readers can tell apart, and nothing is told by
colour alone: labelled edges carry a pill, absent ones are dashed, reversible ones have hollow arrowheads. So the
picture reads in greyscale.
"""

from collections.abc import Sequence
from math import hypot

from ldag.drawing.lettering import TextBlock
from ldag.drawing.picture import Picture, PictureEdge, PictureNode
from ldag.drawing.placing import MARGIN, Placement, label_size, node_size, place
from ldag.drawing.routes import Cubic, Point
from ldag.drawing.xml import xml_number as _number
from ldag.drawing.xml import xml_text as _text

FONT = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
NODE_FILL, NODE_LINE, NODE_TEXT = "#e8f0f8", "#3f6690", "#14283c"
LABEL_LINE, LABEL_TEXT = "#d6a04a", "#5c3d06"
EDGE, LABELLED_EDGE, ABSENT_EDGE = "#4f5f6f", "#a8741a", "#a3abb3"
ABSENT_TEXT, LEGEND_TEXT = "#6b747d", "#5a6672"
CHANGE_COLOURS = {"missing": "#b34700", "extra": "#0063a5", "reversed": "#84417a"}
CHANGE_WIDTHS = {"missing": 2.0, "extra": 3.4, "reversed": 4.6}
CORE = 1.8
"""The white core of a double line."""

STYLE = (
    "<style>@media screen and (prefers-color-scheme: dark){"
    ".ldag-picture .ground,.ldag-picture .label rect,.ldag-picture .edge polygon.hollow{fill:#14191f}"
    ".ldag-picture path.ground{fill:none;stroke:#14191f}.ldag-picture text{fill:#e6edf4}"
    ".ldag-picture .legend text,.ldag-picture .absent text{fill:#a4b0bc}"
    ".ldag-picture .node rect{fill:#22303f;stroke:#7fa3c7}"
    ".ldag-picture .plain>path:not(.ground){stroke:#9fb0c0}.ldag-picture .plain>polygon{stroke:#9fb0c0}"
    ".ldag-picture .plain>polygon:not(.hollow){fill:#9fb0c0}"
    ".ldag-picture .labelled>path{stroke:#dcae5c}.ldag-picture .labelled>polygon{stroke:#dcae5c}"
    ".ldag-picture .labelled>polygon:not(.hollow){fill:#dcae5c}"
    ".ldag-picture .missing>path{stroke:#ff9a4d}.ldag-picture .missing>polygon{fill:#ff9a4d}"
    ".ldag-picture .extra>path{stroke:#5ab4e5}.ldag-picture .extra>polygon{fill:#5ab4e5}"
    ".ldag-picture .reversed>path:not(.ground){stroke:#e594c0}.ldag-picture .reversed>polygon{fill:#e594c0}"
    "}</style>"
)
"""Colours for readers who prefer dark screens; on paper the picture stays as it is."""

CORNER = 9.0
LINE_WIDTH = 1.6
ARROW_LENGTH, ARROW_WIDTH = 9.5, 8.0


def draw_svg(picture: Picture) -> str:
    """Return a standalone SVG picture; long labels are cut, and whole in the tooltips."""
    return draw_placement(place(picture))


def draw_placement(placed: Placement) -> str:
    """Return a picture that has been laid out."""
    picture = placed.picture
    parts = [
        *_head(placed),
        *(_edge(picture, edge, curve) for edge, curve in zip(picture.edges, placed.curves, strict=True)),
        *(_label(picture, placed, position) for position in placed.labels),
        *map(_node, picture.nodes, placed.layout.nodes, placed.nodes),
        _legend(placed),
        "</g>",
        "</svg>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def line_width(edge: PictureEdge) -> float:
    """Return how wide an edge is drawn: by its probability, where it has one."""
    if edge.change in CHANGE_WIDTHS:
        return CHANGE_WIDTHS[edge.change]
    return LINE_WIDTH if edge.probability is None else 0.6 + 4.2 * edge.probability


def dashes(edge: PictureEdge) -> tuple[float, float] | None:
    """Return the lengths of dashes and gaps; None for a full line."""
    if edge.change == "missing":
        return 1.5, 4.5
    return (5.0, 5.0) if edge.is_absent else None


def edge_colour(edge: PictureEdge) -> str:
    """Return the colour of an edge."""
    if edge.change:
        return CHANGE_COLOURS[edge.change]
    return ABSENT_EDGE if edge.is_absent else LABELLED_EDGE if edge.label or edge.note else EDGE


def arrow(curve: Sequence[Cubic], scale: float = 1.0) -> tuple[list[Cubic], tuple[Point, Point, Point]]:
    """Return the curve shortened to where the arrowhead begins, and the corners of the arrowhead."""
    *before, (start, first, second, end) = curve
    dx, dy = end[0] - second[0], end[1] - second[1]
    length = hypot(dx, dy)
    along = (dx / length, dy / length)
    neck = (end[0] - along[0] * scale * ARROW_LENGTH, end[1] - along[1] * scale * ARROW_LENGTH)
    shifted = (second[0] + neck[0] - end[0], second[1] + neck[1] - end[1])
    half = scale * ARROW_WIDTH / 2
    corners = (
        (neck[0] - along[1] * half, neck[1] + along[0] * half),
        end,
        (neck[0] + along[1] * half, neck[1] - along[0] * half),
    )
    return [*before, (start, first, shifted, neck)], corners


def arrow_scale(edge: PictureEdge) -> float:
    """Return how large an arrowhead is: those of wide lines are larger."""
    return max(1.0, line_width(edge) / 2.4)


def _head(placed: Placement) -> list[str]:
    """Open the picture: its size, what it shows, a white ground and the shared font."""
    width, height = _number(placed.width), _number(placed.height)
    title = _text(placed.picture.title)
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{title}" class="ldag-picture"'
        f' width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        f"<title>{title}</title>",
        f"<desc>{_text(placed.picture.describe())}</desc>",
        STYLE,
        f'<rect class="ground" width="{width}" height="{height}" rx="{_number(CORNER)}" fill="#ffffff"/>',
        f'<g transform="translate({_number(MARGIN)} {_number(MARGIN)})" font-family="{FONT}"'
        ' text-anchor="middle" stroke-linecap="round">',
    ]


def _edge(picture: Picture, edge: PictureEdge, curve: Sequence[Cubic]) -> str:
    """Draw an edge as a smooth line with an arrowhead at the child."""
    colour = edge_colour(edge)
    shortened, corners = arrow(curve, arrow_scale(edge))
    path = f"M{_point(curve[0][0])}" + "".join(f"C{_point(a)} {_point(b)} {_point(c)}" for _, a, b, c in shortened)
    lengths = dashes(edge)
    style = "" if lengths is None else f' stroke-dasharray="{" ".join(map(_number, lengths))}"'
    width = _number(line_width(edge))
    line = f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}"{style}/>'
    if edge.change == "reversed":
        line += f'<path class="ground" d="{path}" fill="none" stroke="#ffffff" stroke-width="{CORE}"/>'
    paint = f'fill="{colour}"'
    if edge.is_reversible:
        paint = f'class="hollow" fill="#ffffff" stroke="{colour}" stroke-width="1.2"'
    points = " ".join(_point(corner) for corner in corners)
    kind = edge.change or ("absent" if edge.is_absent else "labelled" if edge.label or edge.note else "plain")
    ends = f'data-parent="{edge.parent}" data-child="{edge.child}"'
    tip = _text(picture.describe_edge(edge))
    return f'<g class="edge {kind}" {ends}><title>{tip}</title>{line}<polygon points="{points}" {paint}/></g>'


def _label(picture: Picture, placed: Placement, position: int) -> str:
    """Draw a label: small text on a white pill."""
    edge, block, centre = picture.edges[position], placed.labels[position], placed.layout.labels[position]
    line, colour = (ABSENT_EDGE, ABSENT_TEXT) if edge.is_absent else (LABEL_LINE, LABEL_TEXT)
    box = _box(centre, label_size(block), f'fill="#ffffff" stroke="{line}"')
    kind = "label absent" if edge.is_absent else "label"
    ends = f'data-parent="{edge.parent}" data-child="{edge.child}"'
    tip = _text(picture.describe_edge(edge))
    return f'<g class="{kind}" {ends}><title>{tip}</title>{box}{_lines(centre, block, colour)}</g>'


def _node(node: PictureNode, centre: Point, block: TextBlock) -> str:
    """Draw a node: its name in a rounded box."""
    width = 2.6 if node.is_emphasised else 1.4
    box = _box(centre, node_size(block), f'fill="{NODE_FILL}" stroke="{NODE_LINE}" stroke-width="{width}"')
    return f'<g class="node"><title>{_text(node.name)}</title>{box}{_lines(centre, block, NODE_TEXT)}</g>'


def _legend(placed: Placement) -> str:
    """Write the legend below the graph."""
    if not placed.legend.lines:
        return ""
    x, y = placed.legend_place
    middle = x, y + placed.legend.height / 2 - placed.legend.line_height / 2
    anchor = ' text-anchor="start"' if placed.is_legend_left else ""
    return f'<g class="legend"{anchor}>{_lines(middle, placed.legend, LEGEND_TEXT)}</g>'


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


def _point(point: Point) -> str:
    return f"{_number(point[0])} {_number(point[1])}"
