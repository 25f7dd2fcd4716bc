"""Drawings before any ink, for charts and tables with bars: words, strokes and shapes that every pen can draw.

Colours are named, not given: a pen chooses them for light and for dark paper. The series' colours are those of Okabe
and Ito, which colour-blind readers can tell apart.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

PlacePoint = tuple[float, float]
Anchor = Literal["start", "middle", "end"]

LIGHT = ("#0072b2", "#d55e00", "#008060", "#b04a85", "#8a6100", "#3f4a55")
DARK = ("#5ab4e5", "#ff9a4d", "#3ccf9f", "#e594c0", "#e6b733", "#c8d0d8")
PAPER = {"ground": ("#ffffff", "#15191e"), "ink": ("#22303c", "#dde4ea"), "soft": ("#5a6672", "#a4b0bc")}
"""Colours of the paper and of letters, on light and on dark paper."""
GRID = ("#dfe5ea", "#39424b")


@dataclass(frozen=True)
class Words:
    """A line of text on its base line; ``turned`` runs upwards."""

    x: float
    y: float
    text: str
    size: float
    anchor: Anchor = "start"
    is_bold: bool = False
    is_soft: bool = False
    is_turned: bool = False


@dataclass(frozen=True)
class Stroke:
    """A line through points; ``colour`` is that of a series, None that of the grid, -1 that of ink."""

    points: tuple[PlacePoint, ...]
    colour: int | None = None
    width: float = 1.0
    opacity: float = 1.0


@dataclass(frozen=True)
class Shape:
    """A filled shape with a tooltip: a polygon, or a disc around one point."""

    points: tuple[PlacePoint, ...]
    colour: int | None = None
    opacity: float = 1.0
    tip: str = ""
    radius: float = 0.0


Mark = Words | Stroke | Shape


@dataclass(frozen=True)
class Drawing:
    """Marks on paper of some size; ``description`` says all of it in words."""

    title: str
    description: str
    width: float
    height: float
    marks: tuple[Mark, ...]


def rectangle(x: float, y: float, width: float, height: float, colour: int | None, tip: str = "") -> Shape:
    """Return a filled rectangle."""
    return Shape(((x, y), (x + width, y), (x + width, y + height), (x, y + height)), colour, tip=tip)


def move(marks: Iterable[Mark], dx: float, dy: float) -> Iterator[Mark]:
    """Go through marks, further to the right and further down."""
    for mark in marks:
        if isinstance(mark, Words):
            yield replace(mark, x=mark.x + dx, y=mark.y + dy)
        else:
            yield replace(mark, points=_moved(mark.points, dx, dy))


def _moved(points: Sequence[PlacePoint], dx: float, dy: float) -> tuple[PlacePoint, ...]:
    return tuple((x + dx, y + dy) for x, y in points)
