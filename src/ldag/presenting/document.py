"""A document without ink: sections of text, tables and figures that the pens for HTML and Markdown draw."""

from collections.abc import Sequence
from dataclasses import dataclass

from ldag.drawing import TableRow


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
class TableBlock:
    """A table: a header, and rows of texts, numbers or bars."""

    header: tuple[str, ...]
    rows: tuple[TableRow, ...]


Block = Paragraph | Bullets | Listing | Figure | TableBlock


@dataclass(frozen=True)
class Section:
    """A heading and what stands below it; ``level`` 3 is a part of the section before; folded, a click opens it."""

    title: str
    blocks: tuple[Block, ...]
    level: int = 2
    is_folded: bool = False


@dataclass(frozen=True)
class Document:
    """A whole page."""

    title: str
    subtitle: str
    sections: Sequence[Section]
