"""Charts as plain SVG pictures: lines with bands, dots and bars on rows; no scripts, no fonts to fetch.

The colours are those of Okabe and Ito, which colour-blind readers can tell apart; each series has a mark of its own
too, so the charts read in greyscale. A small style sheet inside each picture follows the reader's dark mode.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Literal

from ldag.drawing.lettering import text_width
from ldag.drawing.scales import Scale, spell_ticks
from ldag.drawing.svg import FONT
from ldag.drawing.xml import xml_number, xml_text
from ldag.errors import ArgumentError

Kind = Literal["line", "dots"]

LIGHT = ("#0072b2", "#d55e00", "#008060", "#b04a85", "#8a6100", "#3f4a55")
DARK = ("#5ab4e5", "#ff9a4d", "#3ccf9f", "#e594c0", "#e6b733", "#c8d0d8")
SERIES_LIMIT = len(LIGHT)
"""More series than colours cannot be told apart."""

TEXT, SMALL = 12.5, 11.0
PLOT_WIDTH, PLOT_HEIGHT, ROW_HEIGHT = 330.0, 230.0, 30.0
GAP, LEGEND_GAP = 30.0, 22.0


@dataclass(frozen=True)
class Series:
    """Numbers to draw in one colour: y over x as a line, or as dots; ``low`` and ``high`` make a band, or whiskers."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    kind: Kind = "line"
    colour: int | None = None
    """Which of the colours; None is the next one."""


@dataclass(frozen=True)
class LineChart:
    """Series over a common x axis."""

    title: str
    series: Sequence[Series]
    x_label: str = ""
    y_label: str = ""
    log_x: bool = False
    log_y: bool = False
    x_ticks: Sequence[float] | None = None


@dataclass(frozen=True)
class RowChart:
    """One row for each category, and on it one dot or bar for each series.

    The ``x`` of a series are its numbers, ``low`` and ``high`` their whiskers, and ``y`` the rows, 0 being at the top.
    """

    title: str
    rows: Sequence[str]
    series: Sequence[Series]
    x_label: str = ""
    bars: bool = False
    zero: bool = True
    """Whether the axis has to reach 0, where a vertical line stands."""


Chart = LineChart | RowChart


def draw_charts(charts: Sequence[Chart], *, title: str, columns: int = 2) -> str:
    """Return one standalone SVG picture of some charts side by side, with one legend for all.

    Series of the same name share colour and mark in all charts.

    Examples
    --------
    >>> line = Series("exact", [1, 2, 3], [0.3, 0.2, 0.1], low=[0.2, 0.1, 0.05], high=[0.4, 0.3, 0.2])
    >>> picture = draw_charts([LineChart("Error", [line], x_label="rows")], title="How the error falls")
    >>> picture.startswith("<svg"), picture.count("<polyline")
    (True, 1)
    """
    if not charts:
        raise ArgumentError("charts must be a list of at least one chart, got none")
    styles = _styles(charts)
    sizes = [_size(chart) for chart in charts]
    columns = min(columns, len(charts))
    widths = [max(width for width, _ in sizes[column::columns]) for column in range(columns)]
    body: list[str] = []
    y = 40.0
    for first in range(0, len(charts), columns):
        for column, chart in enumerate(charts[first : first + columns]):
            body += [
                f'<g transform="translate({xml_number(20 + sum(widths[:column]) + GAP * column)} {xml_number(y)})">'
            ]
            body += [*_chart(chart, styles), "</g>"]
        y += max(height for _, height in sizes[first : first + columns]) + GAP / 2
    width = 40 + sum(widths) + GAP * (columns - 1)
    width = max(width, 40 + text_width(title, 15.0) * 1.1)
    legend, height = _legend(styles, width, y)
    return "\n".join([*_head(title, charts, width, height), *body, *legend, "</svg>"]) + "\n"


def _styles(charts: Sequence[Chart]) -> dict[str, int]:
    """Return the colour of each series by its name."""
    styles: dict[str, int] = {}
    for chart in charts:
        for series in chart.series:
            _check(series, chart)
            if series.name not in styles:
                free = next((c for c in range(SERIES_LIMIT) if c not in styles.values()), SERIES_LIMIT)
                styles[series.name] = free if series.colour is None else series.colour
    if len(styles) > SERIES_LIMIT or any(not 0 <= colour < SERIES_LIMIT for colour in styles.values()):
        raise ArgumentError(f"charts can tell {SERIES_LIMIT} series apart by colour, got {len(styles)}: {[*styles]}")
    return styles


def _check(series: Series, chart: Chart) -> None:
    lengths = {len(values) for values in (series.x, series.y, series.low, series.high) if values is not None}
    if len(lengths) > 1:
        raise ArgumentError(f"series {series.name!r}: x, y, low and high must be of one length, got {sorted(lengths)}")
    if (series.low is None) != (series.high is None):
        raise ArgumentError(f"series {series.name!r}: low and high are given together or not at all")
    if isinstance(chart, RowChart) and any(not 0 <= row < len(chart.rows) for row in series.y):
        raise ArgumentError(
            f"series {series.name!r}: y must be rows from 0 to {len(chart.rows) - 1}, got {[*series.y]}"
        )


def _left(chart: Chart) -> float:
    """Return the room that a chart needs left of its plot."""
    if isinstance(chart, RowChart):
        return max((text_width(row, TEXT) for row in chart.rows), default=0.0) * 1.06 + 12
    return 58.0


def _size(chart: Chart) -> tuple[float, float]:
    height = len(chart.rows) * _row_height(chart) if isinstance(chart, RowChart) else PLOT_HEIGHT
    return _left(chart) + PLOT_WIDTH + 14, height + 78


def _row_height(chart: RowChart) -> float:
    return max(ROW_HEIGHT, 11.0 * len(chart.series) + 8) if chart.bars else max(ROW_HEIGHT, 8.0 * len(chart.series))


def _head(title: str, charts: Sequence[Chart], width: float, height: float) -> Iterator[str]:
    """Open the picture: its size, what it shows, and the colours by day and by night."""
    w, h = xml_number(width), xml_number(height)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="ldag-chart" role="img" aria-label="{xml_text(title)}"'
        f' width="{w}" height="{h}" viewBox="0 0 {w} {h}">'
    )
    yield f"<title>{xml_text(title)}</title>"
    yield f"<desc>{xml_text(' '.join(_describe(chart) for chart in charts))}</desc>"
    yield f"<style>{_colours(LIGHT, '#ffffff', '#22303c', '#dfe5ea')}"
    yield f"@media (prefers-color-scheme: dark) {{{_colours(DARK, '#15191e', '#dde4ea', '#39424b')}}}</style>"
    yield f'<rect class="ground" width="{w}" height="{h}" rx="9"/>'
    yield f'<g font-family="{FONT}">{_write(20, 26, title, 15.0, weight=600)}</g>'


def _colours(series: Sequence[str], ground: str, ink: str, grid: str) -> str:
    rules = [f".ldag-chart .ground{{fill:{ground}}}", f".ldag-chart .ink{{fill:{ink}}}"]
    rules += [f".ldag-chart .grid{{stroke:{grid}}}.ldag-chart .zero{{stroke:{ink}}}"]
    rules += [f".ldag-chart .c{i}{{stroke:{c}}}.ldag-chart .f{i}{{fill:{c}}}" for i, c in enumerate(series)]
    return "".join(rules)


def _describe(chart: Chart) -> str:
    """Say a chart's numbers in words, for those who cannot see it."""
    parts = []
    for series in chart.series:
        if isinstance(chart, RowChart):
            points = (f"{chart.rows[int(row)]}: {x:.4g}" for x, row in zip(series.x, series.y, strict=True))
        else:
            points = (f"{x:g}: {y:.4g}" for x, y in zip(series.x, series.y, strict=True))
        parts.append(f"{series.name}: {', '.join(points)}.")
    return f"{chart.title}. {' '.join(parts)}"


def _chart(chart: Chart, styles: dict[str, int]) -> Iterator[str]:
    left = _left(chart)
    yield f'<g transform="translate({xml_number(left)} 22)" font-family="{FONT}">'
    yield _write(0, -7, chart.title, TEXT, weight=600)
    if isinstance(chart, RowChart):
        yield from _rows(chart, styles)
    else:
        yield from _lines(chart, styles)
    yield "</g>"


def _lines(chart: LineChart, styles: dict[str, int]) -> Iterator[str]:
    """Draw axes, then bands, then lines and dots."""
    x_scale = Scale.over([x for series in chart.series for x in series.x], is_log=chart.log_x)
    heights = [
        y for series in chart.series for values in (series.y, series.low or (), series.high or ()) for y in values
    ]
    y_scale = Scale.over(heights, is_log=chart.log_y)
    ticks = y_scale.ticks()
    for tick, words in zip(ticks, spell_ticks(ticks), strict=True):
        y = PLOT_HEIGHT * (1 - y_scale.place(tick))
        yield _rule(0, y, PLOT_WIDTH, y)
        yield _write(-8, y + 4, words, SMALL, anchor="end")
    yield from _x_axis(x_scale, chart.x_ticks or x_scale.ticks(), PLOT_HEIGHT, chart.x_label)
    if chart.y_label:
        yield _write(-44, PLOT_HEIGHT / 2, chart.y_label, SMALL, anchor="middle", turn=True)

    def points(x: Sequence[float], y: Sequence[float]) -> list[tuple[float, float]]:
        both = ((a, b) for a, b in zip(x, y, strict=True) if isfinite(a) and isfinite(b))
        return [(PLOT_WIDTH * x_scale.place(a), PLOT_HEIGHT * (1 - y_scale.place(b))) for a, b in both]

    for series in chart.series:
        if series.low is not None and series.high is not None and series.kind == "line":
            edge = points(series.x, series.low) + points(series.x, series.high)[::-1]
            yield f'<polygon class="f{styles[series.name]}" fill-opacity="0.13" points="{_path(edge)}"/>'
    for series in chart.series:
        style = styles[series.name]
        places = points(series.x, series.y)
        if series.kind == "line":
            yield f'<polyline class="c{style}" fill="none" stroke-width="2" points="{_path(places)}"/>'
        elif series.low is not None and series.high is not None:
            for (x, low), (_, high) in zip(points(series.x, series.low), points(series.x, series.high), strict=True):
                yield _whisker(x, low, x, high, style)
        for (x, y), value in zip(places, series.y, strict=False):
            yield _mark(x, y, style, f"{series.name}: {value:.4g}")


def _rows(chart: RowChart, styles: dict[str, int]) -> Iterator[str]:
    """Draw one row per category; the series stand a little below one another on it."""
    reach = [x for series in chart.series for values in (series.x, series.low or (), series.high or ()) for x in values]
    scale = Scale.over([*reach, *([0.0] if chart.zero or chart.bars else [])])
    height = _row_height(chart)
    bottom = height * len(chart.rows)
    yield from _x_axis(scale, scale.ticks(), bottom, chart.x_label)
    for number, name in enumerate(chart.rows):
        if number:
            yield _rule(0, number * height, PLOT_WIDTH, number * height)
        yield _write(-10, (number + 0.5) * height + 4, name, TEXT, anchor="end")
    zero = PLOT_WIDTH * scale.place(0.0) if scale.low <= 0 <= scale.high else 0.0
    if chart.zero or chart.bars:
        yield _rule(zero, 0, zero, bottom, "zero")
    step = (height - 8) / max(len(chart.series), 1)
    for position, series in enumerate(chart.series):
        style = styles[series.name]
        for at, (x, row) in enumerate(zip(series.x, series.y, strict=True)):
            if not isfinite(x):
                continue
            y = row * height + 4 + (position + 0.5) * step
            place = PLOT_WIDTH * scale.place(x)
            if series.low is not None and series.high is not None:
                low, high = (PLOT_WIDTH * scale.place(ends[at]) for ends in (series.low, series.high))
                yield _whisker(low, y, high, y, style)
            tip = f"{chart.rows[int(row)]}, {series.name}: {x:.4g}"
            yield _bar(zero, place, y, step, style, tip) if chart.bars else _mark(place, y, style, tip)


def _x_axis(scale: Scale, ticks: Sequence[float], bottom: float, label: str) -> Iterator[str]:
    for tick, words in zip(ticks, spell_ticks(ticks), strict=True):
        x = PLOT_WIDTH * scale.place(tick)
        yield _rule(x, 0, x, bottom)
        yield _write(x, bottom + 17, words, SMALL, anchor="middle")
    if label:
        yield _write(PLOT_WIDTH / 2, bottom + 36, label, SMALL, anchor="middle")


def _legend(styles: dict[str, int], width: float, y: float) -> tuple[list[str], float]:
    """Write which mark is which below the charts; return where the picture ends."""
    parts = [f'<g font-family="{FONT}">']
    x = 30.0
    for name, style in styles.items():
        needed = text_width(name, TEXT) * 1.06 + 34
        if x > 30 and x + needed > width:
            x, y = 30.0, y + LEGEND_GAP
        parts += [_mark(x, y, style, name), _write(x + 11, y + 4, name, TEXT)]
        x += needed
    return [*parts, "</g>"], y + 20


def _mark(x: float, y: float, style: int, tip: str) -> str:
    """Draw a mark whose shape belongs to the colour."""
    shapes = (
        [(-3.6, -3.6), (3.6, -3.6), (3.6, 3.6), (-3.6, 3.6)],
        [(0, -5), (4.6, 3.6), (-4.6, 3.6)],
        [(0, -5.2), (5.2, 0), (0, 5.2), (-5.2, 0)],
        [(0, 5), (4.6, -3.6), (-4.6, -3.6)],
        [(-5, -1.7), (5, -1.7), (5, 1.7), (-5, 1.7)],
    )
    title = f"<title>{xml_text(tip)}</title>"
    if style == 0:
        return f'<circle class="f0" cx="{xml_number(x)}" cy="{xml_number(y)}" r="4.2">{title}</circle>'
    corners = [(x + dx, y + dy) for dx, dy in shapes[style - 1]]
    return f'<polygon class="f{style}" points="{_path(corners)}">{title}</polygon>'


def _bar(zero: float, place: float, y: float, step: float, style: int, tip: str) -> str:
    left, thick = min(zero, place), max(step - 2, 2.0)
    return (
        f'<rect class="f{style}" x="{xml_number(left)}" y="{xml_number(y - thick / 2)}"'
        f' width="{xml_number(abs(place - zero))}" height="{xml_number(thick)}"><title>{xml_text(tip)}</title></rect>'
    )


def _whisker(x1: float, y1: float, x2: float, y2: float, style: int) -> str:
    return f'<line class="c{style}" stroke-width="1.6" stroke-opacity="0.6" {_ends(x1, y1, x2, y2)}/>'


def _rule(x1: float, y1: float, x2: float, y2: float, kind: str = "grid") -> str:
    return f'<line class="{kind}" {_ends(x1, y1, x2, y2)}/>'


def _ends(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'x1="{xml_number(x1)}" y1="{xml_number(y1)}" x2="{xml_number(x2)}" y2="{xml_number(y2)}"'


def _path(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{xml_number(x)},{xml_number(y)}" for x, y in points)


def _write(
    x: float, y: float, text: str, size: float, *, anchor: str = "start", weight: int = 400, turn: bool = False
) -> str:
    place = f'x="{xml_number(x)}" y="{xml_number(y)}"'
    if turn:
        place += f' transform="rotate(-90 {xml_number(x)} {xml_number(y)})"'
    bold = f' font-weight="{weight}"' if weight != 400 else ""
    return (
        f'<text class="ink" {place} text-anchor="{anchor}" font-size="{xml_number(size)}"{bold}>{xml_text(text)}</text>'
    )
