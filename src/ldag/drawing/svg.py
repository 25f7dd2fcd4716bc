"""The pen for SVG: no scripts, no fonts to fetch; the few lines of style are colours for dark screens.

On paper, and wherever style sheets are not read, the colours are those for light paper.
"""

from collections.abc import Iterable, Sequence
from html import escape

from ldag.drawing.lettering import clean
from ldag.drawing.marks import COLOURS, Drawing, Group, Mark, Shape, Stroke, Words, flatten
from ldag.drawing.routes import Point

FONT = "'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"


def write_svg(drawing: Drawing) -> str:
    """Return a drawing as a standalone picture.

    Examples
    --------
    >>> words = Words(10, 20, "a < b & c", 12.0)
    >>> write_svg(Drawing("title", "", 40, 30, (words,))).splitlines()[-3]
    '<text class="f-ink" fill="#14283c" x="10" y="20" font-size="12">a &lt; b &amp; c</text>'
    """
    width, height, title = _number(drawing.width), _number(drawing.height), _text(drawing.title)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{title}" class="ldag-picture"'
        f' width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        f"<title>{title}</title>",
        f"<desc>{_text(drawing.description)}</desc>",
        _style(drawing.marks),
        f'<rect {_fill("ground")} width="{width}" height="{height}" rx="9"/>',
        f'<g font-family="{FONT}">',
        *map(_mark, drawing.marks),
        "</g>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _style(marks: Iterable[Mark]) -> str:
    """Return the colours in use as they are on dark screens."""
    used = {"ground", *(mark.colour for mark in flatten(marks))}
    used |= {mark.border for mark in flatten(marks) if isinstance(mark, Shape) and mark.border}
    dark = {name: COLOURS[name][1] for name in COLOURS if name in used}
    rules = (f".ldag-picture .f-{n}{{fill:{c}}}.ldag-picture .s-{n}{{stroke:{c}}}" for n, c in dark.items())
    return f"<style>@media screen and (prefers-color-scheme: dark){{{''.join(rules)}}}</style>"


def _fill(colour: str, border: str = "") -> str:
    lined = f' stroke="{COLOURS[border][0]}"' if border else ""
    return f'class="f-{colour}{f" s-{border}" if border else ""}" fill="{COLOURS[colour][0]}"{lined}'


def _mark(mark: Mark) -> str:
    match mark:
        case Words():
            return _words(mark)
        case Stroke():
            return _line(mark)
        case Shape():
            return _shape(mark)
        case Group():
            data = "".join(f' data-{name}="{number}"' for name, number in mark.data)
            return f'<g class="{mark.kind}"{data}>{_tip(mark.tip)}{"".join(map(_mark, mark.marks))}</g>'


def _words(words: Words) -> str:
    x, y = _number(words.x), _number(words.y)
    style = f'{_fill(words.colour)} x="{x}" y="{y}" font-size="{_number(words.size)}"'
    if words.anchor != "start":
        style += f' text-anchor="{words.anchor}"'
    if words.is_bold:
        style += ' font-weight="600"'
    if words.is_turned:
        style += f' transform="rotate(-90 {x} {y})"'
    return f"<text {style}>{_text(words.text)}</text>"


def _line(line: Stroke) -> str:
    style = f'class="s-{line.colour}" fill="none" stroke="{COLOURS[line.colour][0]}"'
    if line.width != 1.0:
        style += f' stroke-width="{_number(line.width)}"'
    if line.opacity != 1.0:
        style += f' stroke-opacity="{line.opacity:g}"'
    style += _dashes(line.dashes)
    if line.is_curve:
        start, *bends = line.points
        return f'<path {style} stroke-linecap="round" d="M{_points([start])}C{_points(bends)}"/>'
    return f'<polyline {style} points="{_points(line.points)}"/>'


def _shape(shape: Shape) -> str:
    style = _fill(shape.colour, shape.border)
    if shape.border and shape.border_width != 1.0:
        style += f' stroke-width="{_number(shape.border_width)}"'
    style += _dashes(shape.dashes)
    if shape.opacity != 1.0:
        style += f' fill-opacity="{shape.opacity:g}"'
    radius = _number(shape.radius)
    match shape.points:
        case ((x, y),):
            tag, place = "circle", f'cx="{_number(x)}" cy="{_number(y)}" r="{radius}"'
        case ((x, y), (right, bottom)):
            rounded = f' rx="{radius}"' if shape.radius else ""
            size = f'width="{_number(right - x)}" height="{_number(bottom - y)}"'
            tag, place = "rect", f'x="{_number(x)}" y="{_number(y)}" {size}{rounded}'
        case corners:
            tag, place = "polygon", f'points="{_points(corners)}"'
    tip = _tip(shape.tip)
    return f"<{tag} {style} {place}>{tip}</{tag}>" if tip else f"<{tag} {style} {place}/>"


def _dashes(dashes: tuple[float, float] | None) -> str:
    return "" if dashes is None else f' stroke-dasharray="{" ".join(map(_number, dashes))}"'


def _points(points: Sequence[Point]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in points)


def _tip(text: str) -> str:
    return f"<title>{_text(text)}</title>" if text else ""


def _text(text: str) -> str:
    """Return text that stands for itself in a picture or in an attribute."""
    return escape(clean(text))


def _number(value: float) -> str:
    """Write a coordinate with at most one decimal, the same on every machine."""
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")
