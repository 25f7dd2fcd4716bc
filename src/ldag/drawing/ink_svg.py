"""The pen for drawings in SVG: no scripts, no fonts to fetch; a style sheet inside follows the reader's dark mode."""

from collections.abc import Iterator, Sequence

from ldag.drawing.ink import DARK, GRID, LIGHT, PAPER, Drawing, Mark, PlacePoint, Shape, Stroke, Words
from ldag.drawing.svg import FONT
from ldag.drawing.xml import xml_number, xml_text


def ink_svg(drawing: Drawing) -> str:
    """Return a drawing as a standalone SVG picture."""
    return "\n".join([*_head(drawing), *map(_mark, drawing.marks), "</g>", "</svg>"]) + "\n"


def _head(drawing: Drawing) -> Iterator[str]:
    """Open the picture: its size, what it shows, and the colours by day and by night."""
    w, h = xml_number(drawing.width), xml_number(drawing.height)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="ldag-chart" role="img" aria-label="{xml_text(drawing.title)}"'
        f' width="{w}" height="{h}" viewBox="0 0 {w} {h}">'
    )
    yield f"<title>{xml_text(drawing.title)}</title>"
    yield f"<desc>{xml_text(drawing.description)}</desc>"
    yield f"<style>{_colours(0)}@media screen and (prefers-color-scheme: dark) {{{_colours(1)}}}</style>"
    yield f'<rect class="ground" width="{w}" height="{h}" rx="9"/>'
    yield f'<g font-family="{FONT}">'


def _colours(night: int) -> str:
    """Return the style sheet for light paper (0) or dark paper (1)."""
    rules = [f".ldag-chart .{name}{{fill:{colours[night]}}}" for name, colours in PAPER.items()]
    rules += [f".ldag-chart .grid{{stroke:{GRID[night]}}}.ldag-chart .zero{{stroke:{PAPER['ink'][night]}}}"]
    rules += [f".ldag-chart .track{{fill:{GRID[night]}}}"]
    series = (LIGHT, DARK)[night]
    rules += [f".ldag-chart .c{i}{{stroke:{c}}}.ldag-chart .f{i}{{fill:{c}}}" for i, c in enumerate(series)]
    return "".join(rules)


def _mark(mark: Mark) -> str:
    match mark:
        case Words():
            return _words(mark)
        case Stroke():
            return _stroke(mark)
        case Shape():
            return _shape(mark)


def _words(words: Words) -> str:
    place = f'x="{xml_number(words.x)}" y="{xml_number(words.y)}"'
    if words.is_turned:
        place += f' transform="rotate(-90 {xml_number(words.x)} {xml_number(words.y)})"'
    bold = ' font-weight="600"' if words.is_bold else ""
    style = f'class="{"soft" if words.is_soft else "ink"}" {place} text-anchor="{words.anchor}"'
    return f'<text {style} font-size="{xml_number(words.size)}"{bold}>{xml_text(words.text)}</text>'


def _stroke(stroke: Stroke) -> str:
    kind = "grid" if stroke.colour is None else "zero" if stroke.colour < 0 else f"c{stroke.colour}"
    style = f'class="{kind}" fill="none"'
    if stroke.width != 1.0:
        style += f' stroke-width="{xml_number(stroke.width)}"'
    if stroke.opacity != 1.0:
        style += f' stroke-opacity="{stroke.opacity:g}"'
    if len(stroke.points) > 2:
        return f'<polyline {style} points="{_path(stroke.points)}"/>'
    (x1, y1), (x2, y2) = stroke.points[0], stroke.points[-1]
    ends = f'x1="{xml_number(x1)}" y1="{xml_number(y1)}" x2="{xml_number(x2)}" y2="{xml_number(y2)}"'
    return f"<line {style} {ends}/>"


def _shape(shape: Shape) -> str:
    style = f'class="{"track" if shape.colour is None else f"f{shape.colour}"}"'
    if shape.opacity != 1.0:
        style += f' fill-opacity="{shape.opacity:g}"'
    tip = f"<title>{xml_text(shape.tip)}</title>" if shape.tip else ""
    if shape.radius:
        ((x, y),) = shape.points
        place = f'cx="{xml_number(x)}" cy="{xml_number(y)}" r="{xml_number(shape.radius)}"'
        return f"<circle {style} {place}>{tip}</circle>"
    return f'<polygon {style} points="{_path(shape.points)}">{tip}</polygon>'


def _path(points: Sequence[PlacePoint]) -> str:
    return " ".join(f"{xml_number(x)},{xml_number(y)}" for x, y in points)
