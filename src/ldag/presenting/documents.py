"""Documents without ink, sections of text, tables and figures, and the pen for Markdown."""

from collections.abc import Sequence
from dataclasses import dataclass

from ldag.drawing import Cell, TableRow, number_text


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


def write_markdown(document: Document) -> str:
    """Return a whole document; pictures are left out, their captions stay."""
    parts = [f"# {_plain(document.title)}", _plain(document.subtitle)]
    for section in document.sections:
        parts += _section(section)
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(section: Section) -> list[str]:
    return [f"{'#' * section.level} {_plain(section.title)}", *(_block(block) for block in section.blocks)]


def _block(block: Block) -> str:
    match block:
        case Paragraph(text, is_warning):
            return f"> {_plain(text)}" if is_warning else _plain(text)
        case Bullets(items):
            return "\n".join(f"- {_plain(item)}" for item in items)
        case Listing(text):
            return f"```\n{text}\n```"
        case Figure(_, caption):
            return f"*{_plain(caption)}*" if caption else ""
        case TableBlock(header, rows):
            lines = [header, tuple("---" for _ in header), *(tuple(map(_cell, row)) for row in rows)]
            return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(cell: Cell) -> str:
    if cell is None:
        return ""
    return number_text(cell) if isinstance(cell, int | float) else _plain(str(cell)).replace("|", "\\|")


def _plain(text: str) -> str:
    """Keep signs that mean something in Markdown from doing so."""
    return "".join(f"\\{sign}" if sign in "*_`<>[]\\" else sign for sign in text)
