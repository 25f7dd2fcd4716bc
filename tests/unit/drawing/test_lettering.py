"""Text blocks side by side."""

from ldag.drawing import side_by_side

BLOCKS = [("person = worker", ["person -> gender", "gender -> badge"]), ("visitor", ["person -> gender"])]


def test_columns_stand_beside_each_other() -> None:
    """Headings are underlined, shorter columns are filled up, and no line ends in blanks."""
    assert side_by_side(BLOCKS).splitlines() == [
        "person = worker     visitor",
        "───────────────     ───────",
        "person -> gender    person -> gender",
        "gender -> badge",
    ]


def test_nothing() -> None:
    """No columns are an empty text, and a column may be empty."""
    assert side_by_side([]) == ""
    assert side_by_side([("a", [])]) == "a\n─"
