"""Pictures and pages of networks over time."""

import re
from pathlib import Path

import pytest

import ldag
from ldag.errors import ArgumentError
from tests.dynamics import draw_dynamic
from tests.unit.dynamic.test_door import weather


def _boxes(svg: str) -> dict[str, float]:
    """Return how far to the right the name of each box stands."""
    return {text: float(x) for x, text in re.findall(r'<text[^>]* x="([\d.]+)"[^>]*>([^<]+)</text>', svg)}


def test_slices_stand_side_by_side() -> None:
    """From the past to now, and what is static to the right of it; labels say which step they are about."""
    net = draw_dynamic(5, 2, [2, 2, 2, 2, 2], 2)
    svg = net.to_svg(focus=None)
    places = _boxes(svg)
    assert places["a(t-2)"] < places["a(t-1)"] < places["a"] < places["s1"]
    assert places["2 steps before"] < places["the step before"] < places["now"] < places["static"]
    assert "What series begin with" in svg
    assert "@-" not in svg


def test_arrows_into_now_are_not_hollow() -> None:
    """Time says where they point; those within a step may point either way."""
    states = {name: ["no", "yes"] for name in ("a", "b", "a@-1", "b@-1")}
    graph = ldag.LDAG.from_edges([("a@-1", "a"), ("b@-1", "b"), ("a", "b")], states=states)
    first = ldag.LDAG.from_edges([], states={name: ["no", "yes"] for name in "ab"})
    parts = [ldag.Network.from_data(one, {n: ["no", "yes"] for n in one.schema.names}) for one in (first, graph)]
    assert "hollow" not in ldag.DynamicNetwork.from_networks(*parts).to_svg()


def test_rolled_up_has_one_box_for_each_variable() -> None:
    """Loops are marks, opposite edges one arrow, and the lags stand on the edges."""
    rolled = weather().rolled_up()
    assert (rolled.names, dict(rolled.edges)) == (
        ("place", "rain"),
        {("place", "rain"): (0,), ("rain", "rain"): (1,)},
    )
    svg = rolled.to_svg()
    assert "rain ↻ t-1" in svg
    many = draw_dynamic(5, 2, [2, 2, 2, 2, 2], 2).rolled_up()
    both = [edge for edge in many.edges if edge[0] < edge[1] and edge[::-1] in many.edges]
    assert both
    assert all(f"{parent} → {child}: " in many.to_svg() for edge in both for parent, child in (edge, edge[::-1]))


def test_pages_tell_of_both_parts(tmp_path: Path) -> None:
    """The report has rules of both and the sentences of labels; the explorer is of some steps."""
    net = weather()
    net.report(tmp_path / "net.md", title="Weather")
    text = (tmp_path / "net.md").read_text()
    assert "# Weather" in text
    assert "place does not matter for rain when rain(t-1) is yes" in text
    assert "place is dry and rain(t-1) is no" in text
    net.explore(tmp_path / "net.html")
    page = (tmp_path / "net.html").read_text()
    assert "rain@7" in page
    assert "rain@8" not in page
    with pytest.raises(ArgumentError, match="takes a title only"):
        ldag.report(net, tmp_path / "net.md", data=ldag.read({"rain": ["no"]}))
