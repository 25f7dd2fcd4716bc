"""A document without ink: sections of text, tables and figures that the pens for HTML and Markdown draw."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Paragraph:
    """Plain text; ``is_warning`` sets it apart."""

    text: str
    is_warning: bool = False


@dataclass(frozen=True)
class Bullets:
    """A list of texts."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Listing:
    """Lines to be typed as they are."""

    text: str


@dataclass(frozen=True)
class Figure:
    """A picture as SVG text, and what it shows."""

    svg: str
    caption: str = ""


@dataclass(frozen=True)
class Meter:
    """A probability as a bar, with an interval if there is one."""

    value: float
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        interval = "" if self.low is None or self.high is None else f" ({self.low:.3f} to {self.high:.3f})"
        return f"{self.value:.3f}{interval}"


Cell = str | float | int | Meter | None


@dataclass(frozen=True)
class TableBlock:
    """A table: a header, and rows of texts, numbers or bars."""

    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


Block = Paragraph | Bullets | Listing | Figure | TableBlock


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it; ``level`` 3 is a part of the section before."""

    title: str
    blocks: tuple[Block, ...]
    level: int = 2


@dataclass(frozen=True)
class Document:
    """A whole page."""

    title: str
    subtitle: str
    sections: Sequence[Section]


def number_text(value: float) -> str:
    """Return a number as people read it."""
    if isinstance(value, int) or float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:,.2f}" if abs(value) >= 10 else f"{value:.3g}"
