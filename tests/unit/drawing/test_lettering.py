"""Text blocks side by side."""

import pytest

from ldag.drawing import side_by_side
from ldag.errors import ArgumentError

BLOCKS = [("person = worker", ["person -> gender", "gender -> badge"]), ("visitor", ["person -> gender"])]


def test_columns_stand_beside_each_other() -> None:
    """Headings are underlined, shorter columns are filled up, and no line ends in blanks."""
    assert side_by_side(BLOCKS).splitlines() == [
        "person = worker     visitor",
        "───────────────     ───────",
        "person -> gender    person -> gender",
        "gender -> badge",
    ]


def test_wrapping() -> None:
    """Columns go below the others exactly when they do not fit."""
    assert side_by_side(BLOCKS, width=36) == side_by_side(BLOCKS)
    assert side_by_side(BLOCKS, width=35).splitlines() == [
        "person = worker",
        "───────────────",
        "person -> gender",
        "gender -> badge",
        "",
        "visitor",
        "───────",
        "person -> gender",
    ]


def test_gap() -> None:
    """The gap is the number of blanks between columns."""
    assert side_by_side([("a", ["b"]), ("c", [])], gap=1) == "a c\n─ ─\nb"


def test_wide_columns_are_not_cut() -> None:
    """A column wider than the page stands alone, whole."""
    assert side_by_side([("a", ["x" * 30]), ("b", ["y"])], width=10).count("x") == 30


def test_nothing() -> None:
    """No columns are an empty text, and a column may be empty."""
    assert side_by_side([]) == ""
    assert side_by_side([("a", [])]) == "a\n─"


def test_gap_below_zero() -> None:
    """A negative gap is refused with its value."""
    with pytest.raises(ArgumentError, match="at least 0, got -1"):
        side_by_side(BLOCKS, gap=-1)
