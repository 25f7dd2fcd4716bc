"""Smooth curves that run down the page, and the shortest such route that keeps clear of boxes.

A route is a list of points whose y grows. Every piece of the curve through it runs one way in x and in y
(slopes as in the monotone interpolation of Fritsch and Butland), so it never leaves the rectangle between its
two points, and whether it meets a box can be decided from where it enters and leaves the height of the box.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

Point = tuple[float, float]
Cubic = tuple[Point, Point, Point, Point]

BISECTIONS, SAMPLES = 20, 24
HANDLE = 0.5
"""Length of the handles of a piece as a part of its height; up to 0.5 the pieces stay monotone."""
LEAN = 0.35
"""How far the ends of a curve lean towards the next point: 0 is upright, 1 straight at it."""


@dataclass(frozen=True)
class Box:
    """A rectangle with the y axis pointing down."""

    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def around(cls, centre: Point, size: tuple[float, float], margin: float = 0.0) -> "Box":
        """Return the box of a size around a centre, larger by a margin on every side."""
        (x, y), (width, height) = centre, size
        across, along = width / 2 + margin, height / 2 + margin
        return cls(x - across, y - along, x + across, y + along)


def curve(route: Sequence[Point]) -> list[Cubic]:
    """Return the Bézier pieces of the smooth curve through a route."""
    pieces = list(pairwise(route))
    secants = [(x1 - x0) / (y1 - y0) for (x0, y0), (x1, y1) in pieces]
    inner = [2 * a * b / (a + b) if a * b > 0 else 0.0 for a, b in pairwise(secants)]
    slopes = [LEAN * secants[0], *inner, LEAN * secants[-1]]
    cubics: list[Cubic] = []
    for ((x0, y0), (x1, y1)), (slope0, slope1) in zip(pieces, pairwise(slopes), strict=True):
        handle = HANDLE * (y1 - y0)
        leave, arrive = (x0 + slope0 * handle, y0 + handle), (x1 - slope1 * handle, y1 - handle)
        cubics.append(((x0, y0), leave, arrive, (x1, y1)))
    return cubics


def _at(cubic: Cubic, t: float, axis: int) -> float:
    a, b, c, d = (point[axis] for point in cubic)
    s = 1 - t
    return s * s * s * a + 3 * s * s * t * b + 3 * s * t * t * c + t * t * t * d


def _x_at(cubic: Cubic, y: float) -> float:
    """Return where a piece is at a height, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if _at(cubic, middle, 1) < y:
            low = middle
        else:
            high = middle
    return _at(cubic, (low + high) / 2, 0)


def x_at(route: Sequence[Point], y: float) -> float:
    """Return where the curve through a route is at a height between its ends."""
    return next(_x_at(cubic, y) for cubic in curve(route) if y <= cubic[3][1])


def meets(cubic: Cubic, box: Box) -> bool:
    """Decide whether a piece runs through a box."""
    (x0, y0), *_, (x1, y1) = cubic
    if y0 >= box.bottom or y1 <= box.top or max(x0, x1) <= box.left or min(x0, x1) >= box.right:
        return False
    enters, leaves = _x_at(cubic, max(y0, box.top)), _x_at(cubic, min(y1, box.bottom))
    return min(enters, leaves) < box.right and max(enters, leaves) > box.left


def is_inside(cubic: Cubic, box: Box) -> bool:
    """Tell whether a piece of any shape comes into a box, as far as some points of it show."""
    steps = (number / SAMPLES for number in range(SAMPLES + 1))
    points = ((_at(cubic, t, 0), _at(cubic, t, 1)) for t in steps)
    return any(box.left < x < box.right and box.top < y < box.bottom for x, y in points)


def simplify(stops: Sequence[Sequence[Sequence[Point]]], boxes: Sequence[Box]) -> tuple[Point, ...]:
    """Return a route through the stops, each taken in the simplest way that stays clear.

    Every stop lists its ways from the simplest to the safest; the last one is taken where nothing else works.
    """
    before: list[Point] = []
    for number, ways in enumerate(stops):
        after = [point for later in stops[number + 1 :] for point in later[-1]]
        top, bottom = (before or ways[0])[-3:][0][1], (after or ways[0])[:3][-1][1]
        near = [box for box in boxes if box.bottom > top and box.top < bottom]
        safest = ways[-1]
        before += next((way for way in ways[:-1] if _is_clear_between(before, way, after, near)), safest)
    return tuple(before)


def _is_clear_between(
    before: Sequence[Point], way: Sequence[Point], after: Sequence[Point], boxes: Sequence[Box]
) -> bool:
    """Decide whether the pieces of the curve that depend on a way keep clear: up to two points off."""
    pieces = curve([*before[-3:], *way, *after[:3]])
    if len(before) >= 3:
        pieces = pieces[1:]
    if len(after) >= 3:
        pieces = pieces[:-1]
    return not any(meets(cubic, box) for cubic in pieces for box in boxes)
