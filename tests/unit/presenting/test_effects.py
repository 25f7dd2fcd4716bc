"""Effects in pictures and notebooks."""

import ldag
from ldag import LDAG
from ldag.presenting import blocks, draw
from ldag.presenting.documents import Figure, Listing
from ldag.presenting.effects import effect_picture

BOW = LDAG.from_text("z -> x\nx -> y\nx <-> y")
ROWS = {"z": [0, 1, 0, 1, 1], "x": [0, 1, 1, 0, 1], "y": [0, 1, 1, 1, 0]}


def test_a_picture_cuts_what_is_set() -> None:
    """What is set has no arrows, and the states that were asked for are in the boxes."""
    picture = effect_picture(ldag.identify(BOW, "y", do={"x": 1}, context={"z": 0}), {})
    assert [(node.is_set, node.state) for node in picture.nodes] == [
        (False, "0"),
        (True, "1"),
        (False, ""),
        (False, ""),
    ]
    assert [edge.ends for edge in picture.edges if edge.is_cut] == [(0, 1), (3, 1)]
    assert picture.title == "P(y | do(x=1), z=0)"
    free = effect_picture(ldag.identify(BOW, "y", do="x"), {"direction": "right"})
    assert ([node.state for node in free.nodes], free.direction) == ([""] * 4, "right")


def test_a_notebook_shows_the_graph_and_the_formula() -> None:
    """The picture first, and then what is known."""
    figure, listing = blocks(ldag.identify(BOW, "y", do="x"))
    assert isinstance(figure, Figure)
    assert "do(x)" in figure.svg
    assert listing == Listing("P(y | do(x)) is not identifiable")


def test_bounds_are_a_table() -> None:
    """Two numbers for each state, which may be below 0 where they are of a difference."""
    bounds = ldag.identify(BOW, "y", do="x").bounds(ROWS, do={"x": 1})
    assert blocks(bounds) == [Listing(str(bounds))]
    assert "greatest" in str(draw(bounds, {}))
    difference = ldag.identify(BOW, "y", do="x").bounds(ROWS, do={"x": 1}, against={"x": 0}, event={"y": 1})
    assert difference.to_svg().startswith("<svg")
