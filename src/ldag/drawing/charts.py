"""Charts: lines with bands, and dots on rows.

Each series has a colour and a mark of its own, so the charts read in greyscale too.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, isfinite, log10
from typing import Literal

from ldag.drawing.lettering import text_width
from ldag.drawing.marks import SERIES, Drawing, Mark, Shape, Stroke, Words, move
from ldag.drawing.routes import Point
from ldag.errors import ArgumentError

Kind = Literal["line", "dots", "steps"]

TEXT, SMALL = 12.5, 11.0
PLOT_WIDTH, PLOT_HEIGHT, ROW_HEIGHT = 330.0, 230.0, 30.0
GAP, LEGEND_GAP = 30.0, 22.0
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
"""What numbers on an axis are apart, times a power of ten."""


@dataclass(frozen=True)
class Scale:
    """An axis from its smallest to its largest number, straight or logarithmic."""

    low: float
    high: float
    is_log: bool = False

    @classmethod
    def over(cls, values: Iterable[float], *, is_log: bool = False, margin: float = 0.05) -> "Scale":
        """Return the scale that holds all values, with some room at both ends."""
        numbers = [value for value in values if isfinite(value)]
        if is_log and any(value <= 0 for value in numbers):
            raise ArgumentError(f"a logarithmic axis needs numbers above 0, got {min(numbers)!r}")
        low, high = (min(numbers), max(numbers)) if numbers else (0.0, 1.0) if not is_log else (1.0, 10.0)
        if is_log:
            room = max(log10(high / low) * margin, 0.02)
            return cls(low / 10**room, high * 10**room, True)
        room = (high - low) * margin or max(abs(high) * margin, 0.5)
        return cls(low - room, high + room)

    def place(self, value: float) -> float:
        """Return where a number stands: 0 at the low end, 1 at the high end."""
        if self.is_log:
            return log10(value / self.low) / log10(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def ticks(self, wanted: int = 5) -> tuple[float, ...]:
        """Return round numbers on the axis.

        Examples
        --------
        >>> Scale(0, 1).ticks(), Scale(0.003, 0.6, True).ticks()
        ((0.0, 0.2, 0.4, 0.6, 0.8, 1.0), (0.003, 0.01, 0.03, 0.1, 0.3))
        """
        return self._log_ticks(wanted) if self.is_log else self._straight_ticks(wanted)

    def _straight_ticks(self, wanted: int) -> tuple[float, ...]:
        rough = (self.high - self.low) / max(wanted, 1)
        power = 10.0 ** floor(log10(rough))
        step = next(step * power for step in _STEPS if step * power >= rough * (1 - 1e-9))
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        return tuple(round(number * step, 12) + 0.0 for number in range(first, last + 1))

    def _log_ticks(self, wanted: int) -> tuple[float, ...]:
        """Return powers of ten, or 1, 2 and 5 times them where there are few."""
        for leads in ((1,), (1, 3), (1, 2, 5)):
            powers = range(floor(log10(self.low)), ceil(log10(self.high)) + 1)
            ticks = [lead * 10.0**power for power in powers for lead in leads]
            inside = tuple(float(f"{tick:.6g}") for tick in ticks if self.low <= tick <= self.high)
            if len(inside) >= min(wanted, 3):
                return inside
        return inside


def spell_ticks(ticks: Sequence[float]) -> list[str]:
    """Return numbers as an axis shows them: no more digits than are needed, thousands set off.

    Examples
    --------
    >>> spell_ticks([0.0, 0.05, 0.1]), spell_ticks([250, 8000]), spell_ticks([-0.5, 0.5])
    (['0', '0.05', '0.1'], ['250', '8,000'], ['−0.5', '0.5'])
    """
    return [f"{tick:,.6g}".replace("-", "−") if abs(tick) < 1e6 else f"{tick:.3g}" for tick in ticks]


@dataclass(frozen=True)
class Series:
    """Numbers to draw in one colour: y over x as a line, as dots, or as steps that keep y until the next x.

    ``low`` and ``high`` make a band, or whiskers.
    """

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
    """One row for each category, and on it one dot for each series.

    The ``x`` of a series are its numbers, ``low`` and ``high`` their whiskers, and ``y`` the rows, 0 being at the top.
    """

    title: str
    rows: Sequence[str]
    series: Sequence[Series]
    x_label: str = ""
    zero: bool = True
    """Whether the axis has to reach 0, where a vertical line stands."""


Chart = LineChart | RowChart


def lay_out_charts(charts: Sequence[Chart], *, title: str, columns: int = 2) -> Drawing:
    """Return charts side by side as a drawing that a pen can draw, with one legend for all."""
    if not charts:
        raise ArgumentError("charts must be a list of at least one chart, got none")
    styles = _styles(charts)
    sizes = [_size(chart) for chart in charts]
    columns = min(columns, len(charts))
    widths = [max(width for width, _ in sizes[column::columns]) for column in range(columns)]
    marks: list[Mark] = [Words(20, 26, title, 15.0, is_bold=True)]
    y = 40.0
    for first in range(0, len(charts), columns):
        for column, chart in enumerate(charts[first : first + columns]):
            left = 20 + sum(widths[:column]) + GAP * column
            marks += move(_chart(chart, styles), left + _left(chart), y + 22)
        y += max(height for _, height in sizes[first : first + columns]) + GAP / 2
    width = 40 + sum(widths) + GAP * (columns - 1)
    width = max(width, 40 + text_width(title, 15.0) * 1.1)
    legend, height = _legend(styles, width, y)
    description = " ".join(_describe(chart) for chart in charts)
    return Drawing(title, description, width, height, (*marks, *legend))


def _styles(charts: Sequence[Chart]) -> dict[str, int]:
    """Return the colour of each series by its name."""
    styles: dict[str, int] = {}
    for chart in charts:
        for series in chart.series:
            _check(series, chart)
            if series.name not in styles:
                free = next((c for c in range(len(SERIES)) if c not in styles.values()), len(SERIES))
                styles[series.name] = free if series.colour is None else series.colour
    if len(styles) > len(SERIES) or any(not 0 <= colour < len(SERIES) for colour in styles.values()):
        raise ArgumentError(f"charts can tell {len(SERIES)} series apart by colour, got {len(styles)}: {[*styles]}")
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
    ticks = max((text_width(words, SMALL) for words in spell_ticks(_y_scale(chart).ticks())), default=0.0) * 1.1
    return ticks + 12 + (20 if chart.y_label else 0)


def _y_scale(chart: LineChart) -> Scale:
    parts = (values for series in chart.series for values in (series.y, series.low or (), series.high or ()))
    return Scale.over([y for values in parts for y in values], is_log=chart.log_y)


def _size(chart: Chart) -> tuple[float, float]:
    height = len(chart.rows) * _row_height(chart) if isinstance(chart, RowChart) else PLOT_HEIGHT
    return _left(chart) + PLOT_WIDTH + 14, height + 78


def _row_height(chart: RowChart) -> float:
    return max(ROW_HEIGHT, 8.0 * len(chart.series))


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


def _chart(chart: Chart, styles: dict[str, int]) -> Iterator[Mark]:
    """Go through the marks of a chart, the upper left corner of its plot at the origin."""
    yield Words(0, -7, chart.title, TEXT, is_bold=True)
    if isinstance(chart, RowChart):
        yield from _rows(chart, styles)
    else:
        yield from _lines(chart, styles)


def _lines(chart: LineChart, styles: dict[str, int]) -> Iterator[Mark]:
    """Draw axes, then bands, then lines and dots."""
    x_scale = Scale.over([x for series in chart.series for x in series.x], is_log=chart.log_x)
    y_scale = _y_scale(chart)
    ticks = y_scale.ticks()
    for tick, words in zip(ticks, spell_ticks(ticks), strict=True):
        y = PLOT_HEIGHT * (1 - y_scale.place(tick))
        yield _rule(0, y, PLOT_WIDTH, y)
        yield Words(-8, y + 4, words, SMALL, "end")
    yield from _x_axis(x_scale, chart.x_ticks or x_scale.ticks(), PLOT_HEIGHT, chart.x_label)
    if chart.y_label:
        yield Words(12 - _left(chart), PLOT_HEIGHT / 2, chart.y_label, SMALL, "middle", is_turned=True)

    def points(x: Sequence[float], y: Sequence[float]) -> list[Point]:
        both = ((a, b) for a, b in zip(x, y, strict=True) if isfinite(a) and isfinite(b))
        return [(PLOT_WIDTH * x_scale.place(a), PLOT_HEIGHT * (1 - y_scale.place(b))) for a, b in both]

    for series in chart.series:
        if series.low is not None and series.high is not None and series.kind == "line":
            edge = points(series.x, series.low) + points(series.x, series.high)[::-1]
            yield Shape(tuple(edge), SERIES[styles[series.name]], 0.13)
    for series in chart.series:
        style = styles[series.name]
        places = points(series.x, series.y)
        if series.kind != "dots" and places:
            yield Stroke(_stairs(places) if series.kind == "steps" else tuple(places), SERIES[style], 2.0)
        elif series.low is not None and series.high is not None:
            for (x, low), (_, high) in zip(points(series.x, series.low), points(series.x, series.high), strict=True):
                yield _whisker(x, low, x, high, style)
        for (x, y), value in zip(places, series.y, strict=False):
            yield _mark(x, y, style, f"{series.name}: {value:.4g}")


def _stairs(places: Sequence[Point]) -> tuple[Point, ...]:
    """Return the corners of steps: the height stays until the next point."""
    corners = list(places[:1])
    for (_, before), (x, y) in pairwise(places):
        corners += [(x, before), (x, y)]
    return tuple(corners)


def _rows(chart: RowChart, styles: dict[str, int]) -> Iterator[Mark]:
    """Draw one row per category; the series stand a little below one another on it."""
    reach = [x for series in chart.series for values in (series.x, series.low or (), series.high or ()) for x in values]
    scale = Scale.over([*reach, *([0.0] if chart.zero else [])])
    height = _row_height(chart)
    bottom = height * len(chart.rows)
    yield from _x_axis(scale, scale.ticks(), bottom, chart.x_label)
    for number, name in enumerate(chart.rows):
        if number:
            yield _rule(0, number * height, PLOT_WIDTH, number * height)
        yield Words(-10, (number + 0.5) * height + 4, name, TEXT, "end")
    zero = PLOT_WIDTH * scale.place(0.0) if scale.low <= 0 <= scale.high else 0.0
    if chart.zero:
        yield _rule(zero, 0, zero, bottom, "ink")
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
            yield _mark(place, y, style, tip)


def _x_axis(scale: Scale, ticks: Sequence[float], bottom: float, label: str) -> Iterator[Mark]:
    for tick, words in zip(ticks, spell_ticks(ticks), strict=True):
        x = PLOT_WIDTH * scale.place(tick)
        yield _rule(x, 0, x, bottom)
        yield Words(x, bottom + 17, words, SMALL, "middle")
    if label:
        yield Words(PLOT_WIDTH / 2, bottom + 36, label, SMALL, "middle")


def _legend(styles: dict[str, int], width: float, y: float) -> tuple[list[Mark], float]:
    """Write which mark is which below the charts; return where the picture ends."""
    parts: list[Mark] = []
    x = 30.0
    for name, style in styles.items():
        needed = text_width(name, TEXT) * 1.06 + 34
        if x > 30 and x + needed > width:
            x, y = 30.0, y + LEGEND_GAP
        parts += [_mark(x, y, style, name), Words(x + 11, y + 4, name, TEXT)]
        x += needed
    return parts, y + 20


def _mark(x: float, y: float, style: int, tip: str) -> Shape:
    """Return a mark whose shape belongs to the colour."""
    shapes = (
        [(-3.6, -3.6), (3.6, -3.6), (3.6, 3.6), (-3.6, 3.6)],
        [(0, -5), (4.6, 3.6), (-4.6, 3.6)],
        [(0, -5.2), (5.2, 0), (0, 5.2), (-5.2, 0)],
        [(0, 5), (4.6, -3.6), (-4.6, -3.6)],
        [(-5, -1.7), (5, -1.7), (5, 1.7), (-5, 1.7)],
    )
    if style == 0:
        return Shape(((x, y),), SERIES[style], radius=4.2, tip=tip)
    return Shape(tuple((x + dx, y + dy) for dx, dy in shapes[style - 1]), SERIES[style], tip=tip)


def _whisker(x1: float, y1: float, x2: float, y2: float, style: int) -> Stroke:
    return Stroke(((x1, y1), (x2, y2)), SERIES[style], 1.6, 0.6)


def _rule(x1: float, y1: float, x2: float, y2: float, colour: str = "grid") -> Stroke:
    return Stroke(((x1, y1), (x2, y2)), colour)
