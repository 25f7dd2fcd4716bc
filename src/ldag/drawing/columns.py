"""Pictures of time: boxes in columns, one for each slice, and arrows that run from column to column.

The same variable has the same row everywhere. An arrow inside a column swings around what is between its ends, and one
that passes a column goes between two of its rows.
"""

from collections.abc import Sequence
from itertools import pairwise

from ldag.drawing.component import Size
from ldag.drawing.graphs import (
    HEADING_SIZE,
    LABEL_FONT,
    LABEL_WIDTH,
    LEGEND_FONT,
    LEGEND_GAP,
    LEGEND_WIDTH,
    MARGIN,
    MOST_LINES,
    Picture,
    Placement,
    draw_placed,
    label_size,
    node_size,
    node_text,
)
from ldag.drawing.lettering import TextBlock, text_width
from ldag.drawing.marks import Drawing, Group, Mark, Words, move
from ldag.drawing.routes import Box, Cubic, Point

Spot = tuple[int, int]
"""Column and row."""

COLUMN_GAP, ROW_GAP, HEADING_ROOM = 90.0, 34.0, 34.0
SWING, SWING_BY_ROW = 34.0, 16.0
"""How far an arrow inside a column swings out."""
TRIES = (0.5, 0.36, 0.64, 0.26, 0.74, 0.18, 0.82)
"""Where on its arrow a label stands: at the first of these shares of the way that is free."""
APART = 10.0
"""How far apart arrows pass through a gap between two rows, at most."""
AIR = 3.0
"""Between labels, and between a label and a box."""


def draw_columns(picture: Picture, spots: Sequence[Spot], headings: Sequence[str]) -> Drawing:
    """Return a picture whose boxes stand in columns, from left to right under headings."""
    texts = tuple(map(node_text, picture.nodes))
    sizes = [node_size(text) for text in texts]
    blocks = {
        position: TextBlock.of(edge.label, LABEL_FONT, max_width=LABEL_WIDTH, max_lines=MOST_LINES)
        for position, edge in enumerate(picture.edges)
        if edge.label
    }
    centres, rows, columns = _place_boxes(spots, sizes, [label_size(block) for block in blocks.values()], headings)
    curves = [_route(edge.ends, spots, centres, sizes, rows, columns) for edge in picture.edges]
    labels = _place_labels(blocks, curves, [Box.around(*one, AIR) for one in zip(centres, sizes, strict=True)])
    boxes = [Box.around(*one) for one in zip(centres, sizes, strict=True)]
    boxes += [Box.around(at, label_size(block)) for block, at in labels.values()]
    right = max([box.right for box in boxes] + [x for pieces in curves for piece in pieces for x, _ in piece])
    bottom = max([box.bottom for box in boxes])
    legend = TextBlock.of(picture.legend, LEGEND_FONT, max_width=max(right, LEGEND_WIDTH), max_lines=60)
    width = max(right, legend.width) + 2 * MARGIN
    height = bottom + (LEGEND_GAP + legend.height if legend.lines else 0.0) + 2 * MARGIN
    placed = Placement(
        picture, texts, tuple(centres), labels, tuple(tuple(pieces) for pieces in curves), legend, width, height
    )
    drawing = draw_placed(placed)
    above: list[Mark] = [
        Words(x, HEADING_SIZE, heading, HEADING_SIZE, "middle", "soft", is_bold=True)
        for x, heading in zip(columns, headings, strict=True)
    ]
    heads = Group("heading", tuple(move(above, MARGIN, MARGIN)))
    return Drawing(drawing.title, drawing.description, width, height, (heads, *drawing.marks))


def _place_boxes(
    spots: Sequence[Spot], sizes: Sequence[Size], labels: Sequence[Size], headings: Sequence[str]
) -> tuple[list[Point], list[float], list[float]]:
    """Return the centres of the boxes, and those of the rows and of the columns."""
    wide, high = (max((size[axis] for size in labels), default=0.0) for axis in (0, 1))
    pitch = max(size[1] for size in sizes) + max(ROW_GAP, min(high, 60.0) + 2 * AIR)
    rows = [HEADING_ROOM + pitch * (row + 0.5) for row in range(max(row for _, row in spots) + 1)]
    columns: list[float] = []
    left = 0.0
    for column, heading in enumerate(headings):
        own = [size[0] for size, spot in zip(sizes, spots, strict=True) if spot[0] == column]
        width = max([*own, text_width(heading, HEADING_SIZE) * 1.15])
        columns.append(left + width / 2)
        left += width + max(COLUMN_GAP, min(wide, 220.0) + 40.0)
    return [(columns[column], rows[row]) for column, row in spots], rows, columns


def _route(
    ends: tuple[int, int],
    spots: Sequence[Spot],
    centres: Sequence[Point],
    sizes: Sequence[Size],
    rows: Sequence[float],
    columns: Sequence[float],
) -> list[Cubic]:
    """Return the curve of an arrow, from the border of one box to that of another."""
    parent, child = ends
    (x0, y0), (x1, y1) = centres[parent], centres[child]
    (w0, h0), (w1, h1) = sizes[parent], sizes[child]
    if spots[parent][0] == spots[child][0]:
        down = 1.0 if y1 > y0 else -1.0
        if abs(spots[parent][1] - spots[child][1]) == 1:
            start, end = (x0, y0 + down * h0 / 2), (x1, y1 - down * h1 / 2)
            return [_bend(start, end, (0.0, down), (0.0, -down))]
        reach = SWING + SWING_BY_ROW * abs(spots[parent][1] - spots[child][1])
        start, end = (x0 + w0 / 2, y0), (x1 + w1 / 2, y1)
        return [(start, (start[0] + reach, start[1]), (end[0] + reach, end[1]), end)]
    side = 1.0 if x1 > x0 else -1.0
    stops = [(x0 + side * w0 / 2, y0)]
    passed = range(spots[parent][0] + 1, spots[child][0]) if side > 0 else ()
    pitch = rows[1] - rows[0] if len(rows) > 1 else 2 * max(h0, h1)
    for column in passed:
        straight = y0 + (columns[column] - x0) / (x1 - x0) * (y1 - y0)
        gap = min((row + pitch / 2 for row in rows), key=lambda y: abs(y - straight))
        stops.append((columns[column], gap + APART * (spots[parent][1] - spots[child][1]) / len(rows)))
    stops.append((x1 - side * w1 / 2, y1))
    return [_bend(a, b, (side, 0.0), (-side, 0.0)) for a, b in pairwise(stops)]


def _bend(start: Point, end: Point, leave: Point, arrive: Point) -> Cubic:
    """Return a curve that leaves and arrives in given directions."""
    far = 0.45 * max(abs(end[0] - start[0]) * abs(leave[0]), abs(end[1] - start[1]) * abs(leave[1]))
    first = start[0] + far * leave[0], start[1] + far * leave[1]
    return start, first, (end[0] + far * arrive[0], end[1] + far * arrive[1]), end


def _place_labels(
    blocks: dict[int, TextBlock], curves: Sequence[Sequence[Cubic]], boxes: Sequence[Box]
) -> dict[int, tuple[TextBlock, Point]]:
    """Put each label on its arrow, where it is free of others and of boxes if it can be."""
    taken = [*boxes]
    labels = {}
    for position, block in blocks.items():
        places = [_along(curves[position], share) for share in TRIES]
        around = [Box.around(place, label_size(block), AIR) for place in places]
        free = [number for number, box in enumerate(around) if not any(_is_over(box, other) for other in taken)]
        best = free[0] if free else 0
        taken.append(around[best])
        labels[position] = (block, places[best])
    return labels


def _along(pieces: Sequence[Cubic], share: float) -> Point:
    """Return the point at a share of the way."""
    number = min(int(share * len(pieces)), len(pieces) - 1)
    a, b, c, d = pieces[number]
    t = share * len(pieces) - number
    s = 1 - t
    x, y = (s**3 * a[axis] + 3 * s * s * t * b[axis] + 3 * s * t * t * c[axis] + t**3 * d[axis] for axis in (0, 1))
    return x, y


def _is_over(a: Box, b: Box) -> bool:
    return a.left < b.right and b.left < a.right and a.top < b.bottom and b.top < a.bottom
