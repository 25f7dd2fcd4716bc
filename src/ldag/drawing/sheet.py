"""Several pictures on one sheet, side by side under headings."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ldag.drawing.lettering import TextBlock
from ldag.drawing.matplotlib import NARROW, ink_placement, new_axes, scale_of
from ldag.drawing.picture import Picture
from ldag.drawing.placing import Placement, place
from ldag.drawing.svg import FONT, NODE_TEXT, STYLE, draw_placement
from ldag.drawing.xml import xml_number, xml_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_WIDTH = 1400.0
GAP = 16.0
HEADING_GAP = 18.0
FONT_SIZE = 14.0
BOLD = 1.15
"""How much wider bold letters are than those that text is measured by."""


@dataclass(frozen=True)
class SheetPart:
    """One picture on a sheet: its upper left corner, its heading above it."""

    left: float
    top: float
    heading: TextBlock
    placed: Placement


@dataclass(frozen=True)
class PictureSheet:
    """Pictures with headings; next to each other, and on a new row when there is no room."""

    title: str
    pictures: tuple[tuple[str, Picture], ...]

    @cached_property
    def parts(self) -> tuple[SheetPart, ...]:
        """The pictures, laid out; headings of a row are as high as the highest."""
        placed = [place(picture) for _, picture in self.pictures]
        headings = [
            TextBlock.of([heading], FONT_SIZE, max(one.width / BOLD, 160.0), max_lines=3)
            for (heading, _), one in zip(self.pictures, placed, strict=True)
        ]
        tall = max((heading.height for heading in headings), default=0.0) + HEADING_GAP
        parts: list[SheetPart] = []
        x = top = row = 0.0
        for heading, one in zip(headings, placed, strict=True):
            if x and x + one.width > MAX_WIDTH:
                x, top, row = 0.0, top + row + GAP, 0.0
            parts.append(SheetPart(x, top + tall, heading, one))
            row = max(row, one.height + tall)
            x += one.width + GAP
        return tuple(parts)

    @property
    def width(self) -> float:
        """How wide the sheet is."""
        return max((part.left + part.placed.width for part in self.parts), default=0.0)

    @property
    def height(self) -> float:
        """How high the sheet is."""
        return max((part.top + part.placed.height for part in self.parts), default=0.0)


def draw_sheet(sheet: PictureSheet) -> str:
    """Return a sheet as one standalone SVG picture."""
    width, height, title = xml_number(sheet.width), xml_number(sheet.height), xml_text(sheet.title)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{title}" class="ldag-picture"'
        f' width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        f"<title>{title}</title>",
        f"<desc>{xml_text(' '.join(f'{head}: {shown.describe()}' for head, shown in sheet.pictures))}</desc>",
        STYLE,
        f'<rect class="ground" width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    font = f'font-family="{FONT}" font-size="{xml_number(FONT_SIZE)}" font-weight="bold" fill="{NODE_TEXT}"'
    for part in sheet.parts:
        for x, y, text in _heading(part):
            where = f'x="{xml_number(x)}" y="{xml_number(y)}" text-anchor="middle"'
            lines.append(f'<text class="heading" {where} {font}>{xml_text(text)}</text>')
        corner = f'<svg x="{xml_number(part.left)}" y="{xml_number(part.top)}" '
        lines.append(draw_placement(part.placed).replace("<svg ", corner, 1).rstrip())
    return "\n".join([*lines, "</svg>"]) + "\n"


def sheet_axes(sheet: PictureSheet, ax: "Axes | None" = None) -> "Axes":
    """Draw a sheet with matplotlib: each picture gets axes of its own inside."""
    width, height = sheet.width, sheet.height
    ax = new_axes(width, height) if ax is None else ax
    ax.set_axis_off()
    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)
    ax.set_aspect("equal")
    scale = scale_of(ax, width, height)
    for part in sheet.parts:
        size = part.placed.width / width, part.placed.height / height
        inside = ax.inset_axes((part.left / width, 1 - (part.top + part.placed.height) / height, *size))
        ink_placement(part.placed, inside)
        for x, y, text in _heading(part):
            ax.text(x, y, text, ha="center", fontsize=NARROW * FONT_SIZE * scale, fontweight="bold", color=NODE_TEXT)
    return ax


def _heading(part: SheetPart) -> list[tuple[float, float, str]]:
    """Return where the lines of a heading stand: the last one just above the picture."""
    middle = part.left + part.placed.width / 2
    block = part.heading
    first = part.top - block.height + 0.6 * block.font_size
    return [(middle, first + number * block.line_height, line) for number, line in enumerate(block.lines)]
