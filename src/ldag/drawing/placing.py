"""Where everything in a picture goes: text measured and folded, boxes and labels laid out, the legend below."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ldag.drawing.component import Size
from ldag.drawing.layers import LayerEdge
from ldag.drawing.layout import Layout, layered_layout
from ldag.drawing.lettering import TextBlock, text_width
from ldag.drawing.picture import Direction, Picture, PictureNode
from ldag.drawing.routes import Cubic, Point, curve
from ldag.model import find_cycle

NODE_FONT, LABEL_FONT, LEGEND_FONT = 15.0, 11.5, 11.0
MARGIN = 18.0
LEGEND_GAP = 14.0
MIN_WIDTH = 240.0
LIST = 2
"""A legend of more lines is a list, which begins at the left."""
LABEL_WIDTH, MOST_LINES = 330.0, 24
"""A context stays on one line unless it is wider than this; then it is folded. Labels have few lines, other notes may
have more than these, which are then counted."""


@dataclass(frozen=True)
class Placement:
    """A picture measured: its text folded, its layout, and its size with margins; pens only draw."""

    picture: Picture
    layout: Layout
    nodes: tuple[TextBlock, ...]
    labels: Mapping[int, TextBlock]
    legend: TextBlock
    curves: tuple[tuple[Cubic, ...], ...]
    width: float
    height: float

    @property
    def is_legend_left(self) -> bool:
        """Whether the lines of the legend begin at the left: a list does, a line or two are centred."""
        return len(self.picture.legend) > LIST

    @property
    def legend_place(self) -> Point:
        """Where the first line of the legend is centred, or begins."""
        x = 0.0 if self.is_legend_left else (self.width - 2 * MARGIN) / 2
        return x, self.layout.height + LEGEND_GAP + self.legend.line_height / 2


def place(picture: Picture) -> Placement:
    """Lay a picture out."""
    nodes = tuple(map(_node_text, picture.nodes))
    labels = {
        position: TextBlock.of(edge.label, LABEL_FONT, max_width=LABEL_WIDTH, max_lines=MOST_LINES)
        for position, edge in enumerate(picture.edges)
        if edge.label
    }
    upward = _upward(picture)
    ends = [edge.ends[::-1] if position in upward else edge.ends for position, edge in enumerate(picture.edges)]
    sizes = [node_size(block) for block in nodes]
    layout = _lay_out(picture.direction, ends, sizes, {p: label_size(b) for p, b in labels.items()})
    wide = max(layout.width, MIN_WIDTH)
    legend = TextBlock.of(picture.legend, LEGEND_FONT, max_width=max(wide, 420.0), max_lines=60)
    width = max(layout.width, legend.width)
    if len(picture.legend) <= LIST:
        layout = _moved(layout, (width - layout.width) / 2)  # above the middle of a wider legend
    below = LEGEND_GAP + legend.height if legend.lines else 0.0
    curves = tuple(
        tuple(_backward(pieces) if position in upward else pieces)
        for position, pieces in enumerate(_curve(route, picture.direction) for route in layout.edges)
    )
    return Placement(
        picture, layout, nodes, labels, legend, curves, width + 2 * MARGIN, layout.height + below + 2 * MARGIN
    )


def _node_text(node: PictureNode) -> TextBlock:
    """Return what stands in a box: the name, and below it the state that is known."""
    name = node.name + (f" {node.mark}" if node.mark else "")
    block = TextBlock.of([name], NODE_FONT, max_width=170, max_lines=3)
    if not node.state:
        return block
    below = TextBlock.of([f"= {node.state}"], NODE_FONT, max_width=170, max_lines=2)
    return TextBlock((*block.lines, *below.lines), NODE_FONT)


def fits_label(lines: Sequence[str]) -> bool:
    """Whether the lines of a label can be written out."""
    return all(text_width(line, LABEL_FONT) <= LABEL_WIDTH for line in lines)


def node_size(block: TextBlock) -> Size:
    """Return the size of a node's box."""
    return max(56.0, block.width + 28), block.height + 18


def label_size(block: TextBlock) -> Size:
    """Return the size of a label's pill."""
    return block.width + 16, block.height + 8


def _upward(picture: Picture) -> set[int]:
    """Return the edges of a second graph that must run against the first one's: two DAGs together may have cycles."""
    upward = set()
    parents: list[list[int]] = [[] for _ in picture.nodes]
    for edge in picture.edges:
        if edge.change != "extra":
            parents[edge.child].append(edge.parent)
    for position, edge in enumerate(picture.edges):
        if edge.change == "extra":
            parents[edge.child].append(edge.parent)
            if find_cycle(parents) is not None:
                parents[edge.child].pop()
                parents[edge.parent].append(edge.child)
                upward.add(position)
    return upward


def _lay_out(direction: Direction, edges: Sequence[LayerEdge], nodes: list[Size], labels: Mapping[int, Size]) -> Layout:
    """Lay out from top to bottom, or turned from left to right."""
    if direction == "down":
        return layered_layout(nodes, edges, labels)
    turned = layered_layout([(h, w) for w, h in nodes], edges, {p: (h, w) for p, (w, h) in labels.items()})
    return Layout(
        turned.height,
        turned.width,
        tuple((y, x) for x, y in turned.nodes),
        tuple(tuple((y, x) for x, y in route) for route in turned.edges),
        {position: (y, x) for position, (x, y) in turned.labels.items()},
    )


def _moved(layout: Layout, dx: float) -> Layout:
    """Return the layout further to the right."""
    return Layout(
        layout.width,
        layout.height,
        tuple((x + dx, y) for x, y in layout.nodes),
        tuple(tuple((x + dx, y) for x, y in route) for route in layout.edges),
        {position: (x + dx, y) for position, (x, y) in layout.labels.items()},
    )


def _curve(route: Sequence[Point], direction: Direction) -> list[Cubic]:
    """Return the curve through a route, which grows downwards or, turned, to the right."""
    if direction == "down":
        return curve(route)
    return [_turn(cubic) for cubic in curve([(y, x) for x, y in route])]


def _backward(pieces: Sequence[Cubic]) -> list[Cubic]:
    """Return a curve from its end to its beginning."""
    return [(d, c, b, a) for a, b, c, d in reversed(pieces)]


def _turn(cubic: Cubic) -> Cubic:
    (a, b), (c, d), (e, f), (g, h) = cubic
    return (b, a), (d, c), (f, e), (h, g)
