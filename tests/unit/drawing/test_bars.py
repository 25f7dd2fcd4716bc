"""Tables with bars: as long as their probabilities, inside the paper, folded where texts are long."""

import pytest

from ldag.drawing import Meter, lay_out_table
from ldag.drawing.bars import BAR_WIDTH
from ldag.drawing.lettering import text_width
from ldag.drawing.marks import Drawing, Shape, Stroke, Words


def bars(drawing: Drawing) -> list[float]:
    """Return the lengths of the bars."""
    shapes = [mark for mark in drawing.marks if isinstance(mark, Shape) and mark.colour == "first"]
    return [shape.points[1][0] - shape.points[0][0] for shape in shapes]


def test_bars_are_as_long_as_probabilities() -> None:
    """With the interval as a line from its lower to its upper end."""
    drawing = lay_out_table(("if", "p"), [("a", Meter(0.25, 0.1, 0.5)), ("b", Meter(1.0))], title="t")
    assert bars(drawing) == [pytest.approx(0.25 * BAR_WIDTH), pytest.approx(BAR_WIDTH)]
    (line,) = [mark for mark in drawing.marks if isinstance(mark, Stroke) and mark.colour == "second"]
    assert line.points[1][0] - line.points[0][0] == pytest.approx(0.4 * BAR_WIDTH)


def test_long_texts_stay_on_the_paper_and_apart() -> None:
    """Names of many letters are folded; no text leaves the paper, and rows do not overlap."""
    long = "a very long condition about something that people measured " * 4
    rows = [(long, 12345, Meter(0.5), Meter(0.5)), ("short", 7, Meter(0.1), Meter(0.9)), ("x" * 300, 8, None, None)]
    drawing = lay_out_table(("if", "rows", f"{long} = 1", "b"), rows, title="t", below=long)
    words = [mark for mark in drawing.marks if isinstance(mark, Words)]
    for word in words:
        wide = text_width(word.text, word.size)
        assert word.x - (wide if word.anchor == "end" else 0) >= 0
        assert word.x + (0 if word.anchor == "end" else wide) <= drawing.width
        assert 0 < word.y < drawing.height
    places = [(round(word.x), round(word.y)) for word in words if word.text]
    assert len(set(places)) == len(places)


def test_numbers_are_written_as_people_read_them() -> None:
    """Thousands are set off, and nothing stands for nothing."""
    drawing = lay_out_table(("what", "n"), [("a", 12345), ("b", None)], title="t")
    texts = [mark.text for mark in drawing.marks if isinstance(mark, Words)]
    assert "12,345" in texts
    assert "None" not in texts
