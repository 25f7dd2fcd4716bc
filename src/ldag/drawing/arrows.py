"""Arrowheads at the ends of curves, arcs with a head at both ends, and the mark of an arrow that is cut."""

from collections.abc import Sequence
from itertools import product
from math import hypot

from ldag.drawing.marks import Mark, Stroke
from ldag.drawing.routes import Box, Cubic, Point, is_inside

ARROW_LENGTH, ARROW_WIDTH = 9.5, 8.0
ARC_SWING, ARC_REACH = 0.45, 16.0
"""How far the top of an arc swings to either side: a part of the way across, and at least so much."""
CUT_GAP, CUT_LENGTH, CUT_WIDTH = 5.0, 13.0, 1.6
"""The two bars across an arrow that is cut: how far apart, how long and how wide they are."""

Points = tuple[Point, ...]


def put_head(pieces: Sequence[Cubic], scale: float) -> tuple[Points, Points]:
    """Return the points of a curve shortened to where the arrowhead begins, and the corners of the arrowhead."""
    *before, (start, first, second, end) = pieces
    along = _direction(second, end)
    neck = (end[0] - along[0] * scale * ARROW_LENGTH, end[1] - along[1] * scale * ARROW_LENGTH)
    bend = (second[0] + neck[0] - end[0], second[1] + neck[1] - end[1])
    half = scale * ARROW_WIDTH / 2
    corners = (
        (neck[0] - along[1] * half, neck[1] + along[0] * half),
        end,
        (neck[0] + along[1] * half, neck[1] - along[0] * half),
    )
    shortened = [*before, (start, first, bend, neck)]
    return (pieces[0][0], *(point for piece in shortened for point in piece[1:])), corners


def swing(top: Point, halves: Sequence[Sequence[Cubic]], boxes: Sequence[Box]) -> list[list[Cubic]]:
    """Make one smooth arc of two curves that run down from about the same point: they leave it to the two sides.

    They go as far to the side as looks best, or less, or leave from below the boxes beside it, to keep clear of boxes.
    """
    x, y = top
    below = max([y, *(box.bottom for box in boxes if box.top < y < box.bottom)])
    across = [(pieces[0][3][0], pieces[-1][3][0]) for pieces in halves]
    sides = (-1.0, 1.0) if across[0] <= across[1] else (1.0, -1.0)
    for height, share in product((y, below), (ARC_SWING, 0.0)):
        arc = [_leave((x, height), pieces, side, share) for pieces, side in zip(halves, sides, strict=True)]
        if not any(is_inside(pieces[0], box) for pieces in arc for box in boxes):
            break
    return arc


def _leave(top: Point, pieces: Sequence[Cubic], side: float, share: float) -> list[Cubic]:
    """Return a curve that leaves the top of an arc level, to one side."""
    (_, _, bend, end), *rest = pieces
    reach = max(share * abs(end[0] - top[0]), ARC_REACH)
    return [(top, (top[0] + side * reach, top[1]), bend, end), *rest]


def draw_cut(piece: Cubic, colour: str) -> tuple[Mark, ...]:
    """Return two bars across the middle of a piece, with nothing between them."""
    a, b, c, d = piece
    middle = tuple((a[i] + 3 * b[i] + 3 * c[i] + d[i]) / 8 for i in (0, 1))
    along = _direction((a[0] + b[0], a[1] + b[1]), (c[0] + d[0], c[1] + d[1]))
    ends = [(middle[0] + side * along[0] * CUT_GAP / 2, middle[1] + side * along[1] * CUT_GAP / 2) for side in (-1, 1)]
    half = -along[1] * CUT_LENGTH / 2, along[0] * CUT_LENGTH / 2
    bars = [((x - half[0], y - half[1]), (x + half[0], y + half[1])) for x, y in ends]
    return Stroke((*ends,), "ground", CUT_WIDTH + 3.0), *(Stroke(bar, colour, CUT_WIDTH) for bar in bars)


def _direction(start: Point, end: Point) -> Point:
    """Return the direction from one point to another, of length 1."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = hypot(dx, dy)
    return dx / length, dy / length
