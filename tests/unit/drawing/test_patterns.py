"""The picture of what is missing."""

from ldag.drawing.marks import Shape, Words, flatten
from ldag.drawing.patterns import MOST_COLUMNS, MOST_PATTERNS, lay_out_patterns

SHARES = {"age": 0.0, "bmi": 0.3, "pay": 0.5}
PATTERNS = {(): 4.0, ("pay",): 3.0, ("bmi", "pay"): 2.0, ("bmi",): 1.0}


def test_columns_with_most_gaps_come_first_and_full_ones_not_at_all() -> None:
    """Names stand from the top by their shares."""
    words = [
        mark for mark in flatten(lay_out_patterns(SHARES, PATTERNS, title="Gaps").marks) if isinstance(mark, Words)
    ]
    heights = {mark.text: mark.y for mark in words}
    assert heights["pay"] < heights["bmi"]
    assert "age" not in heights
    assert {"50.0 %", "30.0 %", "4", "3", "2", "1"} <= set(heights)


def test_a_dot_is_filled_where_a_pattern_is_empty() -> None:
    """One for each column of each pattern: pay, both, bmi."""
    marks = flatten(lay_out_patterns(SHARES, PATTERNS, title="Gaps").marks)
    filled = [mark for mark in marks if isinstance(mark, Shape) and len(mark.points) == 1 and mark.colour == "second"]
    assert len(filled) == 4


def test_many_columns_and_patterns_are_cut() -> None:
    """Only the columns with most gaps are drawn, and the most common patterns of these."""
    shares = {f"x{i}": (i + 1) / 100 for i in range(40)}
    patterns: dict[tuple[str, ...], float] = {(f"x{i}",): 100.0 - i for i in range(39, -1, -1)}
    drawing = lay_out_patterns(shares, patterns, title="Gaps")
    words = [mark.text for mark in flatten(drawing.marks) if isinstance(mark, Words)]
    assert sum(text.startswith("x") for text in words) == MOST_COLUMNS
    discs = [mark for mark in flatten(drawing.marks) if isinstance(mark, Shape) and len(mark.points) == 1]
    assert len(discs) == MOST_COLUMNS * MOST_PATTERNS
    assert words[3] == "not drawn: 16 columns with fewer gaps and 24 other sets of columns that are empty together"


def test_no_pattern_that_fits_is_no_caption_without_bars() -> None:
    """Where every row lacks a column that is not drawn, shares are all there is to see."""
    shares = {f"x{i}": 1.0 for i in range(MOST_COLUMNS + 1)}
    drawing = lay_out_patterns(shares, {tuple(shares): 5.0}, title="Gaps")
    words = [mark.text for mark in flatten(drawing.marks) if isinstance(mark, Words)]
    assert "rows in which just these are empty" not in words
    assert words[2] == "not drawn: 1 column with fewer gaps and 1 other set of columns that are empty together"


def test_nothing_missing() -> None:
    """One bar, of complete rows, and no heading of shares that are not there."""
    words = [
        m.text for m in flatten(lay_out_patterns({"age": 0.0}, {(): 4.0}, title="Gaps").marks) if hasattr(m, "text")
    ]
    assert words == ["Gaps", "rows in which just these are empty", "4"]
