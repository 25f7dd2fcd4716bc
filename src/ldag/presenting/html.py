"""The pen for HTML: a self-contained page, or a fragment for a notebook; nothing is fetched, all is escaped."""

from collections.abc import Iterable
from html import escape
from importlib.resources import files

from ldag.drawing import Cell, Meter, number_text
from ldag.presenting.documents import (
    Block,
    Bullets,
    Document,
    Figure,
    Listing,
    Paragraph,
    Section,
    TableBlock,
)

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
"""What a page may load: nothing but itself."""


WIDE = 3
"""So many bars in a row leave no room for numbers beside them."""


CELL = "padding:.15em 1em .15em 0"
"""The style of cells where there is no style sheet: notebooks set text to the right."""


def write_html(document: Document) -> str:
    """Return a whole page."""
    body = [f"<h1>{escape(document.title)}</h1>", f'<p class="soft">{escape(document.subtitle)}</p>']
    body += [_section(section) for section in document.sections]
    return page(document.title, "\n".join(body))


def page(title: str, body: str, *, style: str = "", script: str = "") -> str:
    """Return a page around a body that has been escaped already."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{asset('page.css')}{style}</style>\n</head>\n"
        f"<body>\n{body}\n{script}</body>\n</html>\n"
    )


def asset(name: str) -> str:
    """Return a file that ships with this room."""
    return (files(__package__) / name).read_text(encoding="utf-8")


def write_fragment(blocks: Iterable[Block]) -> str:
    """Return blocks for a notebook, which has colours of its own; bars carry theirs."""
    return '<div class="ldag">' + "".join(_block(block, inline=True) for block in blocks) + "</div>"


def _section(section: Section) -> str:
    heading = f"<h{section.level}>{escape(section.title)}</h{section.level}>"
    parts = [heading, *(_block(block) for block in section.blocks)]
    if section.is_folded:
        parts = ["<details>", f"<summary>{heading}</summary>", *parts[1:], "</details>"]
    return "\n".join(parts)


def _block(block: Block, *, inline: bool = False) -> str:
    """Return one block; ``inline`` where there is no style sheet."""
    match block:
        case Paragraph(text, is_warning):
            return f'<p class="warning">{escape(text)}</p>' if is_warning else f"<p>{escape(text)}</p>"
        case Bullets(items):
            return "<ul>" + "".join(f"<li>{escape(item)}</li>" for item in items) + "</ul>"
        case Listing(text):
            return f"<pre>{escape(text)}</pre>"
        case Figure(svg, caption):
            below = f'<figcaption class="soft">{escape(caption)}</figcaption>' if caption else ""
            return f"<figure>{svg}{below}</figure>"
        case TableBlock(header, rows):
            style = f' style="text-align:left;{CELL}"' if inline else ""
            head = "".join(f"<th{_kind(rows, place)}{style}>{escape(text)}</th>" for place, text in enumerate(header))
            body = "".join("<tr>" + "".join(_cell(cell, inline) for cell in row) + "</tr>" for row in rows)
            n_bars = max((sum(isinstance(cell, Meter) for cell in row) for row in rows), default=0)
            kind = ' class="wide"' if n_bars >= WIDE else ""
            return f"<table{kind}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _kind(rows: tuple[tuple[Cell, ...], ...], place: int) -> str:
    """Return the class of a column's head: numbers stand to the right."""
    return ' class="number"' if rows and all(isinstance(row[place], int | float) for row in rows) else ""


def _cell(cell: Cell, inline: bool) -> str:
    style = f' style="text-align:left;{CELL}"' if inline else ""
    match cell:
        case None:
            return f"<td{style}></td>"
        case Meter():
            style = f' style="text-align:left;white-space:nowrap;{CELL}"' if inline else ""
            return f'<td class="bar"{style}>{_meter(cell, inline)}</td>'
        case str():
            return f"<td{style}>{escape(cell)}</td>"
        case _:
            return f'<td class="number"{style}>{number_text(cell)}</td>'


def _meter(meter: Meter, inline: bool) -> str:
    """Draw a probability as a bar, its number beside it."""
    width = f"width:{100 * meter.value:.1f}%"
    outer, inner, mark = "", "", ""
    if inline:
        place = "position:relative;display:inline-block;vertical-align:-.15em;height:1.1em;width:8em;margin-right:.5em"
        outer = f' style="{place};background:#8882"'
        inner = "position:absolute;left:0;top:0;bottom:0;background:#6a9fd466;"
        mark = "position:absolute;top:.45em;height:.2em;background:#a8741a;"
    interval = ""
    if meter.low is not None and meter.high is not None:
        span = f"left:{100 * meter.low:.1f}%;width:{100 * (meter.high - meter.low):.1f}%"
        interval = f'<i style="{mark}{span}"></i>'
    bar = f'<span class="meter"{outer}><span style="{inner}{width}"></span>{interval}</span>'
    return f'{bar}<span class="said">{escape(str(meter))}</span>'
