"""The pen for Markdown: the same documents as plain text."""

from ldag.drawing import Cell, number_text
from ldag.presenting.document import (
    Block,
    Bullets,
    Document,
    Figure,
    Listing,
    Paragraph,
    Section,
    TableBlock,
)


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
