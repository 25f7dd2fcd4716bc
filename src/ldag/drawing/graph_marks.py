"""The marks of a picture of a graph: arrows, labels on pills, boxes with names, and the legend; and sheets of pictures.

Nothing is told by colour alone: labelled edges carry a pill, absent ones are dashed, reversible ones have hollow
arrowheads. So the picture reads in greyscale.
"""

from collections.abc import Iterator, Sequence
from math import hypot

from ldag.drawing.component import Size
from ldag.drawing.lettering import TextBlock
from ldag.drawing.marks import Anchor, Drawing, Group, Mark, Shape, Stroke, Words, move
from ldag.drawing.picture import Picture, PictureEdge
from ldag.drawing.placing import MARGIN, Placement, label_size, node_size, place
from ldag.drawing.routes import Cubic, Point

CORNER = 9.0
LINE_WIDTH = 1.6
ARROW_LENGTH, ARROW_WIDTH = 9.5, 8.0
CORE = 1.8
"""The white core of a double line."""
CHANGE_WIDTHS = {"missing": 2.0, "extra": 3.4, "reversed": 4.6}

SHEET_WIDTH = 1400.0
"""Pictures on a sheet that would go beyond this begin a new row."""
SHEET_GAP, HEADING_GAP, HEADING_SIZE = 16.0, 18.0, 14.0
BOLD = 1.15
"""How much wider bold letters are than those that text is measured by."""


def draw_picture(picture: Picture) -> Drawing:
    """Return a picture as a drawing; long names are cut, and whole in the tooltips."""
    placed = place(picture)
    marks = (*_edges(placed), *_labels(placed), *_nodes(placed), *_legend(placed))
    return Drawing(picture.title, picture.describe(), placed.width, placed.height, tuple(move(marks, MARGIN, MARGIN)))


def draw_sheet(title: str, pictures: Sequence[tuple[str, Picture]]) -> Drawing:
    """Return pictures beside each other under headings, on a new row where there is no room."""
    drawings = [draw_picture(picture) for _, picture in pictures]
    headings = [
        TextBlock.of([heading], HEADING_SIZE, max(drawing.width / BOLD, 160.0), max_lines=3)
        for (heading, _), drawing in zip(pictures, drawings, strict=True)
    ]
    tall = max((heading.height for heading in headings), default=0.0) + HEADING_GAP
    marks: list[Mark] = []
    left = top = width = height = 0.0
    for heading, drawing in zip(headings, drawings, strict=True):
        if left and left + drawing.width > SHEET_WIDTH:
            left, top = 0.0, height + SHEET_GAP
        above = left + drawing.width / 2, top + tall - heading.height / 2
        marks += [Group("heading", tuple(_write(heading, above, "ink", is_bold=True)))]
        marks += move(drawing.marks, left, top + tall)
        width, height = max(width, left + drawing.width), max(height, top + tall + drawing.height)
        left += drawing.width + SHEET_GAP
    said = " ".join(f"{heading}: {picture.describe()}" for heading, picture in pictures)
    return Drawing(title, said, width, height, tuple(marks))


def _edges(placed: Placement) -> Iterator[Group]:
    """Go through the edges: smooth lines with an arrowhead at the child."""
    for edge, curve in zip(placed.picture.edges, placed.curves, strict=True):
        kind = edge.change or ("absent" if edge.is_absent else "labelled" if edge.label or edge.note else "plain")
        width = _line_width(edge)
        points, corners = _arrow(curve, max(1.0, width / 2.4))  # wide lines have larger heads
        dashes = (1.5, 4.5) if edge.change == "missing" else (5.0, 5.0) if edge.is_absent else None
        marks: list[Mark] = [Stroke(points, kind, width, dashes=dashes, is_curve=True)]
        if edge.change == "reversed":
            marks.append(Stroke(points, "ground", CORE, is_curve=True))
        hollow = Shape(corners, "ground", border=kind, border_width=1.2)
        marks.append(hollow if edge.is_reversible else Shape(corners, kind))
        kinds = f"edge {kind} hollow" if edge.is_reversible else f"edge {kind}"
        yield Group(kinds, tuple(marks), placed.picture.describe_edge(edge), _ends(edge))


def _line_width(edge: PictureEdge) -> float:
    """Return how wide an edge is drawn: by its probability, where it has one."""
    if edge.change in CHANGE_WIDTHS:
        return CHANGE_WIDTHS[edge.change]
    return LINE_WIDTH if edge.probability is None else 0.6 + 4.2 * edge.probability


def _arrow(curve: Sequence[Cubic], scale: float) -> tuple[tuple[Point, ...], tuple[Point, ...]]:
    """Return the points of a curve shortened to where the arrowhead begins, and the corners of the arrowhead."""
    *before, (start, first, second, end) = curve
    dx, dy = end[0] - second[0], end[1] - second[1]
    length = hypot(dx, dy)
    along = (dx / length, dy / length)
    neck = (end[0] - along[0] * scale * ARROW_LENGTH, end[1] - along[1] * scale * ARROW_LENGTH)
    bend = (second[0] + neck[0] - end[0], second[1] + neck[1] - end[1])
    half = scale * ARROW_WIDTH / 2
    corners = (
        (neck[0] - along[1] * half, neck[1] + along[0] * half),
        end,
        (neck[0] + along[1] * half, neck[1] - along[0] * half),
    )
    pieces = [*before, (start, first, bend, neck)]
    return (curve[0][0], *(point for piece in pieces for point in piece[1:])), corners


def _labels(placed: Placement) -> Iterator[Group]:
    """Go through the labels: small text on a white pill."""
    for position, block in placed.labels.items():
        edge, centre = placed.picture.edges[position], placed.layout.labels[position]
        line, colour = ("absent", "faint") if edge.is_absent else ("label", "note")
        pill = _box(centre, label_size(block), "ground", line, 1.0)
        kind = "label absent" if edge.is_absent else "label"
        yield Group(kind, (pill, *_write(block, centre, colour)), placed.picture.describe_edge(edge), _ends(edge))


def _nodes(placed: Placement) -> Iterator[Group]:
    """Go through the nodes: names in rounded boxes."""
    for node, centre, block in zip(placed.picture.nodes, placed.layout.nodes, placed.nodes, strict=True):
        box = _box(centre, node_size(block), "node", "rim", 2.6 if node.is_emphasised else 1.4)
        yield Group("node", (box, *_write(block, centre, "ink")), node.name)


def _legend(placed: Placement) -> Iterator[Group]:
    """Write what the signs mean below the graph."""
    if placed.legend.lines:
        x, y = placed.legend_place
        middle = x, y + placed.legend.height / 2 - placed.legend.line_height / 2
        anchor: Anchor = "start" if placed.is_legend_left else "middle"
        yield Group("legend", tuple(_write(placed.legend, middle, "soft", anchor)))


def _ends(edge: PictureEdge) -> tuple[tuple[str, int], ...]:
    return ("parent", edge.parent), ("child", edge.child)


def _box(centre: Point, size: Size, colour: str, border: str, border_width: float) -> Shape:
    (x, y), (width, height) = centre, size
    corners = (x - width / 2, y - height / 2), (x + width / 2, y + height / 2)
    return Shape(corners, colour, radius=CORNER, border=border, border_width=border_width)


def _write(
    block: TextBlock, centre: Point, colour: str, anchor: Anchor = "middle", *, is_bold: bool = False
) -> Iterator[Words]:
    """Go through the lines of a block around a centre."""
    x, y = centre
    for number, line in enumerate(block.lines):
        base = y - block.height / 2 + (number + 0.5) * block.line_height + 0.35 * block.font_size
        yield Words(x, base, line, block.font_size, anchor, colour, is_bold)
