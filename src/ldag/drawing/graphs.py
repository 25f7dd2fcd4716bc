"""Pictures of graphs: what they show, as drawings where everything has its place and marks; and sheets of them.

Nothing is told by colour alone: labelled edges carry a pill, absent ones are dashed, reversible ones have hollow
arrowheads, arcs two heads and no box, and arrows that are cut two bars. So the picture reads in greyscale.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ldag.drawing.arrows import ARC_REACH, draw_cut, put_head, swing
from ldag.drawing.component import Size
from ldag.drawing.layout import Layout, lay_out_layers
from ldag.drawing.lettering import TextBlock, text_width
from ldag.drawing.marks import Anchor, Drawing, Group, Mark, Shape, Stroke, Words, move
from ldag.drawing.routes import Box, Cubic, Point, curve
from ldag.errors import ArgumentError, GraphError
from ldag.model import find_cycle

Direction = Literal["down", "right"]
"""Where edges point: parents above their children, or to the left of them."""

Change = Literal["", "missing", "extra", "reversed"]
"""How an edge differs from that of another graph: only there, only here, or the other way round."""


@dataclass(frozen=True)
class PictureNode:
    """A box: a name, a small mark that the legend explains, whether it stands out, and the state that is known.

    The border of a latent one is dashed; one that is an arc has no box, and its two edges are one line. ``is_set``: its
    state is set from outside.
    """

    name: str
    mark: str = ""
    is_emphasised: bool = False
    state: str = ""
    is_latent: bool = False
    is_arc: bool = False
    is_set: bool = False

    @property
    def said(self) -> str:
        """The name with what there is to say of it."""
        words = [word for word, holds in (("latent", self.is_latent), ("set from outside", self.is_set)) if holds]
        return f"{self.name} ({', '.join(words)})" if words else self.name


@dataclass(frozen=True)
class PictureEdge:
    """An arrow between two boxes.

    ``label`` has a line per context; ``note`` is what the tooltip says instead where labels are not drawn, or cut.
    ``is_absent``: the edge vanishes in the context shown. ``is_reversible``:
    an equivalent graph has it the other way round. ``probability`` sets the width. ``is_cut``: its child is set from
    outside, whatever the parent is.
    """

    parent: int
    child: int
    label: tuple[str, ...] = ()
    is_absent: bool = False
    is_reversible: bool = False
    probability: float | None = None
    change: Change = ""
    note: str = ""
    is_cut: bool = False

    @property
    def ends(self) -> tuple[int, int]:
        """Parent and child."""
        return self.parent, self.child


@dataclass(frozen=True)
class Picture:
    """Boxes, arrows in any order, and what stands below them; ``title`` is for tooltips and screen readers."""

    nodes: tuple[PictureNode, ...]
    edges: tuple[PictureEdge, ...]
    legend: tuple[str, ...] = ()
    title: str = "Labelled DAG"
    direction: Direction = "down"
    has_arrows: bool = True
    """Whether lines end in heads; without them, an edge joins two boxes that are equal."""

    def __post_init__(self) -> None:
        for edge in self.edges:
            if isinstance(edge.label, str):
                raise ArgumentError(f"the label of edge {edge.ends} is a list of lines, got the text {edge.label!r}")
            if not all(0 <= end < len(self.nodes) for end in edge.ends):
                raise GraphError(f"cannot draw edge {edge.ends}: the graph has {len(self.nodes)} nodes")
        object.__setattr__(self, "edges", tuple(sorted(self.edges, key=lambda edge: edge.ends)))

    def describe_edge(self, edge: PictureEdge) -> str:
        """Return an edge and its whole label in words."""
        sign = "→" if self.has_arrows else "–"
        text = f"{self.nodes[edge.parent].name} {sign} {self.nodes[edge.child].name}"
        if edge.probability is not None:
            text += f" (joined with probability {edge.probability:.2f})"
        if edge.change:
            text += f" ({edge.change})"
        if edge.is_cut:
            text += " (cut)"
        label = edge.note or "; ".join(edge.label)
        return f"{text} : {label}" if label else text

    def describe(self) -> str:
        """Return the whole picture in words."""
        names = ", ".join(node.said for node in self.nodes if not node.is_arc) or "none"
        arrows = [self.describe_edge(edge) for edge in self.edges if not self.nodes[edge.parent].is_arc]
        edges = ", ".join([*arrows, *(node.said for node in self.nodes if node.is_arc)]) or "none"
        return f"Nodes: {names}. Edges: {edges}."


def legend_of(edges: Sequence[PictureEdge], context: str = "", nodes: Sequence[PictureNode] = ()) -> str:
    """Return one line that explains the signs in use; nothing where arrows are just arrows, and boxes just boxes."""
    parts = []
    if any(edge.label for edge in edges):
        parts.append("“not if …”: the edge is absent in that case")
    if any(edge.is_absent for edge in edges):
        parts.append(f"dashed: absent if {context}" if context else "dashed: absent in the context shown")
    if any(edge.is_reversible for edge in edges):
        parts.append("hollow arrow: may point either way")
    if any(edge.probability is not None for edge in edges):
        parts.append("width: probability that the two are joined")
    if any(edge.is_cut for edge in edges):
        parts.append("‖: cut, because the variable is set from outside")
    if any(node.is_latent and not node.is_arc for node in nodes):
        parts.append("dashed box: latent, not observed")
    if any(node.is_arc for node in nodes):
        parts.append("dashed arc: a latent cause of both")
    changes = {
        "missing": "dotted: only in the first graph",
        "extra": "bold: only in the second graph",
        "reversed": "double: the other way round in the second graph",
    }
    shown = {edge.change for edge in edges}
    parts += [words for change, words in changes.items() if change in shown]
    return " · ".join(parts)


NODE_FONT, LABEL_FONT, LEGEND_FONT = 15.0, 11.5, 11.0
MARGIN = 18.0
LEGEND_GAP = 14.0
LEGEND_WIDTH = 420.0
"""The legend of a narrow picture may be as wide as this."""
LIST = 2
"""A legend of more lines is a list, which begins at the left."""
LABEL_WIDTH, MOST_LINES = 330.0, 24
"""A context stays on one line unless it is wider than this; then it is folded. Labels have few lines, other notes may
have more than these, which are then counted."""

CORNER = 9.0
LINE_WIDTH = 1.6
CORE = 1.8
"""The white core of a double line."""
LATENT_DASHES = 6.0, 4.0
"""Of the border of a latent variable, and of an arc."""
ARC_SIZE, ARC_CLEARANCE = (2 * ARC_REACH, 2.0), 3.0
"""The room that the top of an arc takes, and how far it stays from boxes if it can."""
CHANGE_WIDTHS = {"missing": 2.0, "extra": 3.4, "reversed": 4.6}

SHEET_WIDTH = 1400.0
"""Pictures on a sheet that would go beyond this begin a new row."""
SHEET_GAP, HEADING_GAP, HEADING_SIZE = 16.0, 18.0, 14.0
START: Anchor = "start"
MIDDLE: Anchor = "middle"
BOLD = 1.15
"""How much wider bold letters are than those that text is measured by."""


def draw_picture(picture: Picture) -> Drawing:
    """Return a picture as a drawing; long names are cut, and whole in the tooltips."""
    return draw_placed(place(picture))


def draw_placed(placed: "Placement") -> Drawing:
    """Return a picture of which everything has its place as a drawing."""
    marks = (*_edges(placed), *_labels(placed), *_nodes(placed), *_legend(placed))
    moved = tuple(move(marks, MARGIN, MARGIN))
    return Drawing(placed.picture.title, placed.picture.describe(), placed.width, placed.height, moved)


def draw_sheet(title: str, pictures: Sequence[tuple[str, Picture]]) -> Drawing:
    """Return pictures beside each other under headings, on a new row where there is no room."""
    return put_side_by_side(title, [(heading, draw_picture(picture)) for heading, picture in pictures])


def put_side_by_side(title: str, headed: Sequence[tuple[str, Drawing]]) -> Drawing:
    """Return drawings beside each other under headings, on a new row where there is no room."""
    drawings = [drawing for _, drawing in headed]
    headings = [
        TextBlock.of([heading], HEADING_SIZE, max(drawing.width / BOLD, 160.0), max_lines=3)
        for heading, drawing in headed
    ]
    tall = max((heading.height for heading in headings), default=0.0) + HEADING_GAP
    marks: list[Mark] = []
    left = top = width = height = 0.0
    for heading, drawing in zip(headings, drawings, strict=True):
        if left and left + drawing.width > SHEET_WIDTH:
            left, top = 0.0, height + SHEET_GAP
        above = left + drawing.width / 2, top + tall - heading.height / 2
        marks.append(Group("heading", tuple(_write(heading, above, "ink", is_bold=True))))
        marks += move(drawing.marks, left, top + tall)
        width, height = max(width, left + drawing.width), max(height, top + tall + drawing.height)
        left += drawing.width + SHEET_GAP
    description = " ".join(f"{heading}: {drawing.description}" for heading, drawing in headed)
    return Drawing(title, description, width, height, tuple(marks))


@dataclass(frozen=True)
class Placement:
    """A picture measured: its text folded, where boxes, labels and curves are, and its size with margins."""

    picture: Picture
    texts: tuple[TextBlock, ...]
    nodes: tuple[Point, ...]
    labels: Mapping[int, tuple[TextBlock, Point]]
    curves: tuple[tuple[Cubic, ...], ...]
    legend: TextBlock
    width: float
    height: float


def place(picture: Picture) -> Placement:
    """Lay a picture out: parents above their children, or turned to the left of them."""

    def turn(pair: Point) -> Point:
        return pair if picture.direction == "down" else (pair[1], pair[0])

    def at(point: Point) -> Point:
        x, y = turn(point)
        return x + right, y

    def turn_back(pieces: Sequence[Cubic]) -> list[Cubic]:
        return [(d, c, b, a) for a, b, c, d in reversed(pieces)]

    texts = tuple(map(node_text, picture.nodes))
    labels = {
        position: TextBlock.of(edge.label, LABEL_FONT, max_width=LABEL_WIDTH, max_lines=MOST_LINES)
        for position, edge in enumerate(picture.edges)
        if edge.label
    }
    upward = _find_upward(picture)
    sizes = [ARC_SIZE if n.is_arc else turn(node_size(block)) for n, block in zip(picture.nodes, texts, strict=True)]
    layout = lay_out_layers(
        sizes,
        [edge.ends[::-1] if position in upward else edge.ends for position, edge in enumerate(picture.edges)],
        {position: turn(label_size(block)) for position, block in labels.items()},
    )
    wide, high = turn((layout.width, layout.height))
    legend = TextBlock.of(picture.legend, LEGEND_FONT, max_width=max(wide, LEGEND_WIDTH), max_lines=60)
    width = max(wide, legend.width)
    right = 0.0 if _is_list(picture) else (width - wide) / 2  # above the middle of a wider legend
    curves = _swing_arcs(picture, layout, sizes)
    curves = [turn_back(pieces) if position in upward else pieces for position, pieces in enumerate(curves)]
    return Placement(
        picture,
        texts,
        tuple(map(at, layout.nodes)),
        {position: (block, at(layout.labels[position])) for position, block in labels.items()},
        tuple(tuple((at(a), at(b), at(c), at(d)) for a, b, c, d in pieces) for pieces in curves),
        legend,
        width + 2 * MARGIN,
        high + (LEGEND_GAP + legend.height if legend.lines else 0.0) + 2 * MARGIN,
    )


def _swing_arcs(picture: Picture, layout: Layout, sizes: Sequence[Size]) -> list[list[Cubic]]:
    """Return the curves of all edges, of which the two that leave an arc's top are one line."""
    curves = [curve(route) for route in layout.edges]
    arcs = _arcs(picture)
    for node, (first, second) in arcs.items():
        own = {*arcs, picture.edges[first].child, picture.edges[second].child}
        places = enumerate(zip(layout.nodes, sizes, strict=True))
        boxes = [Box.around(centre, size, ARC_CLEARANCE) for other, (centre, size) in places if other not in own]
        curves[first], curves[second] = swing(layout.nodes[node], (curves[first], curves[second]), boxes)
    return curves


def _arcs(picture: Picture) -> dict[int, list[int]]:
    """Return the nodes that are arcs, with the places of their two edges."""
    arcs: dict[int, list[int]] = {number: [] for number, node in enumerate(picture.nodes) if node.is_arc}
    for place, edge in enumerate(picture.edges):
        if edge.parent in arcs:
            arcs[edge.parent].append(place)
    return arcs


def node_text(node: PictureNode) -> TextBlock:
    """Return what stands in a box: the name, and below it the state that is known."""
    name = f"do({node.name})" if node.is_set else node.name
    name += f" {node.mark}" if node.mark else ""
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


def _is_list(picture: Picture) -> bool:
    """Whether the lines of the legend begin at the left: a list does, a line or two are centred."""
    return len(picture.legend) > LIST


def _find_upward(picture: Picture) -> set[int]:
    """Return the edges that must run against the others: two DAGs together may have cycles, and so may time rolled up.

    Those of a second graph run against the first one's.
    """
    upward: set[int] = set()
    parents: list[list[int]] = [[] for _ in picture.nodes]
    for edge in picture.edges:
        if edge.change != "extra":
            parents[edge.child].append(edge.parent)
    later = [position for position, edge in enumerate(picture.edges) if edge.change == "extra"]
    if find_cycle(parents) is not None:
        parents, later = [[] for _ in picture.nodes], [*range(len(picture.edges))]
    for position in later:
        edge = picture.edges[position]
        parents[edge.child].append(edge.parent)
        if find_cycle(parents) is not None:
            parents[edge.child].pop()
            parents[edge.parent].append(edge.child)
            upward.add(position)
    return upward


def _edges(placed: Placement) -> Iterator[Group]:
    """Go through the edges: smooth lines with an arrowhead at the child."""
    for edge, pieces in zip(placed.picture.edges, placed.curves, strict=True):
        if placed.picture.nodes[edge.parent].is_arc:
            continue
        is_pale, is_labelled = edge.is_absent or edge.is_cut, edge.label or edge.note
        kind = edge.change or ("absent" if is_pale else "labelled" if is_labelled else "plain")
        width = _line_width(edge)
        has_head = placed.picture.has_arrows
        points, corners = put_head(pieces, max(1.0, width / 2.4) if has_head else 0.0)  # wide lines have larger heads
        dashes = (1.5, 4.5) if edge.change == "missing" else (5.0, 5.0) if edge.is_absent else None
        marks: list[Mark] = [Stroke(points, kind, width, dashes=dashes, is_curve=True)]
        if edge.change == "reversed":
            marks.append(Stroke(points, "ground", CORE, is_curve=True))
        hollow = Shape(corners, "ground", border=kind, border_width=1.2)
        if has_head:
            marks.append(hollow if edge.is_reversible else Shape(corners, kind))
        marks += draw_cut(pieces[-1], "faint") if edge.is_cut else ()
        kinds = f"edge {kind} hollow" if edge.is_reversible else f"edge {kind}"
        yield Group(kinds, tuple(marks), placed.picture.describe_edge(edge), _ends(edge))


def _halves(placed: Placement, places: Sequence[int]) -> Iterator[Group]:
    """Go through the halves of an arc, from its top to its two ends: dashed lines, pale where they are cut."""
    for edge, pieces in ((placed.picture.edges[place], placed.curves[place]) for place in places):
        kind = "absent" if edge.is_absent or edge.is_cut else "plain"
        points, corners = put_head(pieces, 1.0)
        line = Stroke(points, kind, LINE_WIDTH, dashes=LATENT_DASHES, is_curve=True)
        cuts = draw_cut(pieces[-1], "faint") if edge.is_cut else ()
        yield Group(f"edge {kind}", (line, Shape(corners, kind), *cuts), data=_ends(edge))


def _line_width(edge: PictureEdge) -> float:
    """Return how wide an edge is drawn: by its probability, where it has one."""
    if edge.change in CHANGE_WIDTHS:
        return CHANGE_WIDTHS[edge.change]
    return LINE_WIDTH if edge.probability is None else 0.6 + 4.2 * edge.probability


def _labels(placed: Placement) -> Iterator[Group]:
    """Go through the labels: small text on a white pill."""
    for position, (block, centre) in placed.labels.items():
        edge = placed.picture.edges[position]
        is_pale = edge.is_absent or edge.is_cut
        line, colour = ("absent", "faint") if is_pale else ("label", "note")
        pill = _box(centre, label_size(block), "ground", line, 1.0)
        kind = "label absent" if is_pale else "label"
        tip = placed.picture.describe_edge(edge)
        yield Group(kind, (pill, *_write(block, centre, colour)), tip, _ends(edge))


def _nodes(placed: Placement) -> Iterator[Group]:
    """Go through the nodes: names in rounded boxes, or arcs."""
    arcs = _arcs(placed.picture)
    for number, (node, centre, block) in enumerate(zip(placed.picture.nodes, placed.nodes, placed.texts, strict=True)):
        if node.is_arc:
            yield Group("node latent arc", tuple(_halves(placed, arcs[number])), node.said)
            continue
        box = _box(centre, node_size(block), "node", "rim", 2.6 if node.is_emphasised or node.is_set else 1.4)
        box = replace(box, dashes=LATENT_DASHES) if node.is_latent else box
        yield Group("node latent" if node.is_latent else "node", (box, *_write(block, centre, "ink")), node.said)


def _legend(placed: Placement) -> Iterator[Group]:
    """Write what the signs mean below the graph."""
    if placed.legend.lines:
        y = placed.height - 2 * MARGIN - placed.legend.height / 2
        x, anchor = (0.0, START) if _is_list(placed.picture) else ((placed.width - 2 * MARGIN) / 2, MIDDLE)
        yield Group("legend", tuple(_write(placed.legend, (x, y), "soft", anchor)))


def _ends(edge: PictureEdge) -> tuple[tuple[str, int], ...]:
    return ("parent", edge.parent), ("child", edge.child)


def _box(centre: Point, size: Size, colour: str, border: str, border_width: float) -> Shape:
    (x, y), (width, height) = centre, size
    corners = (x - width / 2, y - height / 2), (x + width / 2, y + height / 2)
    return Shape(corners, colour, radius=CORNER, border=border, border_width=border_width)


def _write(
    block: TextBlock, centre: Point, colour: str, anchor: Anchor = MIDDLE, *, is_bold: bool = False
) -> Iterator[Words]:
    """Go through the lines of a block around a centre."""
    x, y = centre
    for number, line in enumerate(block.lines):
        base = y - block.height / 2 + (number + 0.5) * block.line_height + 0.35 * block.font_size
        yield Words(x, base, line, block.font_size, anchor, colour, is_bold)
