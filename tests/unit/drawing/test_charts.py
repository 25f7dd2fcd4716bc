"""Charts: well-formed, escaped, one mark per number, and what cannot be drawn is refused."""

from collections.abc import Sequence
from xml.etree import ElementTree

import pytest

from ldag.drawing import LineChart, RowChart, Series, lay_out_charts, write_svg
from ldag.drawing.charts import Chart, Scale, spell_ticks
from ldag.errors import ArgumentError

SVG = "{http://www.w3.org/2000/svg}"
NASTY = 'a<b & "c"\x00'
LINE = Series(NASTY, [250, 500, 1000], [0.3, 0.2, 0.1], low=[0.2, 0.1, 0.05], high=[0.4, 0.3, 0.2])
DOTS = Series("the paper", [250, 1000], [0.25, 0.12], kind="dots", colour=5)


def draw_charts(charts: Sequence[Chart], title: str) -> str:
    """Draw charts side by side."""
    return write_svg(lay_out_charts(charts, title=title))


def strokes(root: ElementTree.Element, kind: str) -> list[list[tuple[float, float]]]:
    """Return the points of the lines of a colour."""
    lines = [line.get("points", "").split() for line in root.iter(f"{SVG}polyline") if line.get("class") == kind]
    return [[(float(x), float(y)) for x, y in (point.split(",") for point in line)] for line in lines]


def test_a_line_chart_has_a_mark_for_every_number() -> None:
    """Three points and their band, two dots, and one mark for each series in the legend; names are escaped."""
    root = ElementTree.fromstring(draw_charts([LineChart("KL", [LINE, DOTS], log_x=True, log_y=True)], title=NASTY))
    tips = [tip.text for tip in root.iter(f"{SVG}title")]
    assert sum("the paper" in (tip or "") for tip in tips) == 2 + 1
    assert len(strokes(root, "s-first")) == 1
    bands = [shape for shape in root.iter(f"{SVG}polygon") if shape.get("fill-opacity")]
    assert len(bands[0].get("points", "").split()) == 6
    assert root.get("aria-label") == 'a<b & "c"\ufffd'


def test_points_stand_where_their_numbers_are() -> None:
    """On logarithmic axes, doubling the rows is the same step to the right, and a smaller number stands lower."""
    root = ElementTree.fromstring(draw_charts([LineChart("KL", [LINE], log_x=True, log_y=True)], title="t"))
    (line,) = strokes(root, "s-first")
    (x1, y1), (x2, y2), (x3, y3) = line
    assert x2 - x1 == pytest.approx(x3 - x2, abs=0.11)
    assert y1 < y2 < y3


def test_a_row_chart_shows_both_sides_of_zero() -> None:
    """A gain is right of the line at zero, a loss left of it; each row is named."""
    chart = RowChart("Gain", ["heart", "titanic"], [Series("ldag", [0.1, -0.2], [0, 1])])
    root = ElementTree.fromstring(draw_charts([chart], title="t"))
    (((zero, _), _),) = strokes(root, "s-ink")
    gain, loss = list(root.iter(f"{SVG}circle"))[:2]
    assert float(loss.get("cx", "")) < zero < float(gain.get("cx", ""))
    assert {"heart", "titanic"} <= {text.text for text in root.iter(f"{SVG}text")}


def test_charts_follow_dark_mode_and_repeat_exactly() -> None:
    """The style sheet has both sets of colours, and drawing twice gives the same bytes."""
    charts = [LineChart("a", [LINE]), LineChart("b", [LINE]), LineChart("c", [DOTS])]
    picture = draw_charts(charts, title="t")
    assert "prefers-color-scheme: dark" in picture
    assert picture == draw_charts(charts, title="t")


def test_what_cannot_be_drawn_is_refused() -> None:
    """Each mistake is named."""
    many = [Series(f"s{number}", [1], [1]) for number in range(7)]
    for chart, words in (
        (LineChart("t", many), "6 series apart by colour, got 7"),
        (LineChart("t", [Series("s", [1, 2], [1])]), "'s': x, y, low and high must be of one length"),
        (LineChart("t", [Series("s", [1], [1], low=[0])]), "'s': low and high are given together"),
        (LineChart("t", [Series("s", [1], [0])], log_y=True), "needs numbers above 0, got 0"),
        (RowChart("t", ["a"], [Series("s", [1], [1])]), "y must be rows from 0 to 0"),
    ):
        with pytest.raises(ArgumentError, match=words):
            draw_charts([chart], title="t")
    with pytest.raises(ArgumentError, match="at least one chart"):
        draw_charts([], title="t")


@pytest.mark.parametrize(
    ("scale", "ticks"),
    [
        (Scale(0, 10), (0, 2, 4, 6, 8, 10)),
        (Scale(-0.03, 0.07), (-0.02, 0, 0.02, 0.04, 0.06)),
        (Scale(0.5, 2000, True), (1, 10, 100, 1000)),
        (Scale(1.5, 6, True), (2, 5)),
    ],
)
def test_ticks_are_round_numbers_inside(scale: Scale, ticks: tuple[float, ...]) -> None:
    """As a person would choose them."""
    assert scale.ticks() == ticks


def test_scales_hold_one_number_and_none() -> None:
    """A single number, or nothing that is finite, still makes an axis."""
    assert Scale.over([3.0]).low < 3 < Scale.over([3.0]).high
    assert Scale.over([float("nan")]).place(0.5) == pytest.approx(0.5)
    assert spell_ticks([-1e7]) == ["-1e+07"]
