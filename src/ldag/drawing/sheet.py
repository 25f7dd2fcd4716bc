"""Several pictures on one sheet, side by side under headings."""

import re
from collections.abc import Sequence
from html import escape

from ldag.drawing.lettering import TextBlock, clean
from ldag.drawing.svg import FONT, NODE_TEXT, STYLE

HEADING_GAP = 18.0
BOLD = 1.15
"""How much wider bold letters are than those that text is measured by."""
GAP = 16.0


def draw_sheet(pictures: Sequence[tuple[str, str]], title: str, max_width: float = 1400.0) -> str:
    """Put SVG pictures, each with its heading, next to each other, and on a new row when there is no room."""
    placed: list[tuple[float, float, TextBlock, str]] = []
    blocks = [TextBlock.of([heading], 14.0, max(_size(svg)[0] / BOLD, 160.0), max_lines=3) for heading, svg in pictures]
    tall = max((block.height for block in blocks), default=0.0) + HEADING_GAP
    x = y = width = row = 0.0
    for block, (_, svg) in zip(blocks, pictures, strict=True):
        wide, high = _size(svg)
        if x and x + wide > max_width:
            x, y, row = 0.0, y + row + GAP, 0.0
        placed.append((x, y, block, svg))
        row, width = max(row, high + tall), max(width, x + wide)
        x += wide + GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(clean(title))}"'
        f' class="ldag-picture" width="{width:.0f}" height="{y + row:.0f}" viewBox="0 0 {width:.0f} {y + row:.0f}">',
        f"<title>{escape(clean(title))}</title>",
        STYLE,
        f'<rect class="ground" width="{width:.0f}" height="{y + row:.0f}" fill="#ffffff"/>',
    ]
    font = f'font-family="{FONT}" font-size="14" font-weight="bold" fill="{NODE_TEXT}"'
    for left, top, block, svg in placed:
        wide, _ = _size(svg)
        first = top + tall - block.height + 0.7 * block.font_size
        for number, line in enumerate(block.lines):
            place = f'x="{left + wide / 2:.1f}" y="{first + number * block.line_height - 4:.1f}"'
            parts.append(f'<text class="heading" {place} text-anchor="middle" {font}>{escape(line)}</text>')
        parts.append(svg.replace("<svg ", f'<svg x="{left:.1f}" y="{top + tall:.1f}" ', 1).rstrip())
    return "\n".join([*parts, "</svg>"]) + "\n"


def _size(svg: str) -> tuple[float, float]:
    """Return the width and height that a picture says it has."""
    found = re.search(r'width="([0-9.]+)" height="([0-9.]+)"', svg)
    return (float(found[1]), float(found[2])) if found else (0.0, 0.0)
