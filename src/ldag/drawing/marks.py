"""Drawings before any ink: words, lines, shapes and groups of them, which every pen can draw.

Colours are named, not given, and a pen takes those for light or for dark paper. The series' colours are those of Okabe
and Ito, which colour-blind readers can tell apart.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from ldag.drawing.routes import Point

Anchor = Literal["start", "middle", "end"]

SERIES = ("first", "second", "third", "fourth", "fifth", "sixth")
"""The colours of the series of a chart."""

COLOURS = {
    "ground": ("#ffffff", "#14191f"),
    "ink": ("#14283c", "#e6edf4"),
    "soft": ("#5a6672", "#a4b0bc"),
    "grid": ("#dfe5ea", "#39424b"),
    "node": ("#e8f0f8", "#22303f"),
    "rim": ("#3f6690", "#7fa3c7"),
    "label": ("#d6a04a", "#d6a04a"),
    "note": ("#5c3d06", "#e6edf4"),
    "plain": ("#4f5f6f", "#9fb0c0"),
    "labelled": ("#a8741a", "#dcae5c"),
    "absent": ("#a3abb3", "#a3abb3"),
    "faint": ("#6b747d", "#a4b0bc"),
    "missing": ("#b34700", "#ff9a4d"),
    "extra": ("#0063a5", "#5ab4e5"),
    "reversed": ("#84417a", "#e594c0"),
    "first": ("#0072b2", "#5ab4e5"),
    "second": ("#d55e00", "#ff9a4d"),
    "third": ("#008060", "#3ccf9f"),
    "fourth": ("#b04a85", "#e594c0"),
    "fifth": ("#8a6100", "#e6b733"),
    "sixth": ("#3f4a55", "#c8d0d8"),
}
"""Each colour on light and on dark paper."""


@dataclass(frozen=True)
class Words:
    """A line of text on its base line; ``is_turned``: it runs upwards."""

    x: float
    y: float
    text: str
    size: float
    anchor: Anchor = "start"
    colour: str = "ink"
    is_bold: bool = False
    is_turned: bool = False


@dataclass(frozen=True)
class Stroke:
    """A line through points; of a curve, each point on it is followed by the two that its next piece bends to."""

    points: tuple[Point, ...]
    colour: str = "grid"
    width: float = 1.0
    opacity: float = 1.0
    dashes: tuple[float, float] | None = None
    is_curve: bool = False


@dataclass(frozen=True)
class Shape:
    """A filled shape: one point is the centre of a disc, two are corners of a box, and more those of a polygon.

    ``radius`` is that of the disc, or of the corners of the box; ``border`` is the colour of the line around it, which
    may have dashes.
    """

    points: tuple[Point, ...]
    colour: str
    opacity: float = 1.0
    radius: float = 0.0
    border: str = ""
    border_width: float = 1.0
    dashes: tuple[float, float] | None = None
    tip: str = ""

    @classmethod
    def box(cls, x: float, y: float, width: float, height: float, colour: str, tip: str = "") -> "Shape":
        """Return a box by its upper left corner and its size."""
        return cls(((x, y), (x + width, y + height)), colour, tip=tip)


@dataclass(frozen=True)
class Group:
    """Marks that are one thing: its kind, what a tooltip says of it, and numbers that a page finds it by."""

    kind: str
    marks: tuple["Mark", ...]
    tip: str = ""
    data: tuple[tuple[str, int], ...] = ()


Mark = Words | Stroke | Shape | Group


@dataclass(frozen=True)
class Drawing:
    """Marks on paper of some size, those before under those after; ``description`` says all of it in words."""

    title: str
    description: str
    width: float
    height: float
    marks: tuple[Mark, ...]


def move(marks: Iterable[Mark], dx: float, dy: float) -> Iterator[Mark]:
    """Go through marks, further to the right and further down."""
    for mark in marks:
        if isinstance(mark, Words):
            yield replace(mark, x=mark.x + dx, y=mark.y + dy)
        elif isinstance(mark, Group):
            yield replace(mark, marks=tuple(move(mark.marks, dx, dy)))
        else:
            yield replace(mark, points=tuple((x + dx, y + dy) for x, y in mark.points))


def flatten(marks: Iterable[Mark]) -> Iterator[Words | Stroke | Shape]:
    """Go through marks and through those inside groups."""
    for mark in marks:
        if isinstance(mark, Group):
            yield from flatten(mark.marks)
        else:
            yield mark
