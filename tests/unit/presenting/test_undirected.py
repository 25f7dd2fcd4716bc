"""Pictures of graphs without arrows."""

import pytest

import ldag
from ldag import StratifiedGraph
from ldag.errors import LdagError

U = StratifiedGraph.from_text("a - b - c\na - c : b=1\nc - d")


def test_lines_without_heads() -> None:
    """Strata are worded for both ends, and no edge has a head or an arrow in its tooltip."""
    svg = U.to_svg()
    assert "independent if b is 1" in svg
    assert "not if" not in svg
    assert "→" not in svg
    assert "a – c : independent if b is 1" in svg or "c – a : independent if b is 1" in svg
    arrows = U.to_ldag().to_svg()
    assert svg.count("<path") + svg.count("<polygon") < arrows.count("<path") + arrows.count("<polygon")


def test_a_fit_is_drawn_without_arrows() -> None:
    """A decomposable fit has no arrows, in its picture and in its page."""
    fit = ldag.learn(ldag.datasets.load("heart"), decomposable=True, kappa=0.1, equivalent_sample_size=1)
    assert "→" not in fit.to_svg()
    assert "independent if" in fit._repr_html_()
    assert "independent if" in U._repr_html_()


def test_moral_graphs() -> None:
    """Edges that were added are dashed, and told."""
    moral = ldag.LDAG.from_text("a -> c\nb -> c").moral_graph()
    svg = moral.to_svg()
    assert "dashed: between two parents of a child" in svg
    assert "→" not in svg


@pytest.mark.parametrize(("option", "value"), [("do", "a"), ("arrows", True), ("forbidden", [("a", "b")])])
def test_options_of_arrows(option: str, value: object) -> None:
    """They are refused."""
    with pytest.raises(LdagError, match=f"{option} is about arrows"):
        U.to_svg(**{option: value})  # type: ignore[arg-type]
    with pytest.raises(LdagError, match="takes direction and title only"):
        U.to_ldag().moral_graph().to_svg(focus="a")
