"""Pictures of a posterior, bars of pairs, and chances in words."""

import pytest

import ldag
from ldag.drawing import Meter
from ldag.presenting import blocks
from ldag.presenting.documents import TableBlock
from ldag.presenting.uncertain import connections, in_words
from ldag.uncertainty import EdgeChance, EdgeChances

HEART = ldag.datasets.load("heart")
POST = ldag.posterior(HEART, kappa=0.3, max_parents=3)


def test_widths_and_labels_are_probabilities() -> None:
    """The consensus is drawn; edges say how probable they are, and labels too."""
    svg = POST.to_svg()
    chance = POST.label("smoking", "pressure", context={"protein": ">3"})
    assert f"not if protein is &gt;3 ({float(chance):.2f})" in svg
    either = float(POST.edge("smoking", "pressure")) + float(POST.edge("pressure", "smoking"))
    assert f"smoking → pressure (joined with probability {either:.2f})" in svg
    assert "width: probability" in svg
    assert POST._repr_html_().startswith("<div")


def bars(edges: EdgeChances) -> TableBlock:
    """Return the table of pairs."""
    (table,) = blocks(edges)
    assert isinstance(table, TableBlock)
    return table


def test_forty_pairs_have_bars() -> None:
    """Of those that are joined at least 5 % of the time, each in its likelier direction."""
    pairs = [(f"a{number}", f"b{number}") for number in range(42)]
    edges = [one for a, b in pairs for one in (EdgeChance(a, b, 0.1, 0.5), EdgeChance(b, a, 0.4, 0.5))]
    table = bars(EdgeChances(edges))
    assert len(table.rows) == 40
    assert table.rows[0][0] == "b0 → a0"
    rare = [EdgeChance("a", "b", 0.05, 0.05), EdgeChance("c", "d", 0.04, 0.04)]
    assert [row[0] for row in bars(EdgeChances(rare)).rows] == ["a → b"]
    assert bars(EdgeChances([EdgeChance("a", "b", 1.0, 1.2)])).rows[0][1] == Meter(1.0)


@pytest.mark.parametrize(
    ("chance", "words"),
    [
        (0.99, "as good as certain"),
        (0.9, "very likely, 90 %"),
        (0.7, "likely, 70 %"),
        (0.3, "uncertain, 30 %"),
        (0.29, "doubtful, 29 %"),
        (0.0, "doubtful, 0 %"),
    ],
)
def test_chances_in_words(chance: float, words: str) -> None:
    """From so much on."""
    assert in_words(chance) == words


def test_connections_that_are_not_drawn_are_listed_from_a_chance_on() -> None:
    """Exactly that chance is enough; what is drawn is listed anyway, and no pair twice."""
    empty = ldag.LDAG.from_edges([], states={v.name: v.states for v in HEART.variables})
    chances = [chance for *_, chance in connections(POST, empty, 0.0)]
    assert len(chances) == 15
    assert chances == sorted(chances, reverse=True)
    assert len(list(connections(POST, empty, chances[3]))) == 4
    drawn = [pair for *pair, is_drawn, _ in connections(POST, POST.consensus(), 1.1) if is_drawn]
    assert len(drawn) == len(POST.consensus().edges)


def test_pairs_that_are_not_drawn_are_counted() -> None:
    """Three variables have three pairs; one is joined often enough to be drawn."""
    joined = [EdgeChance("a", "b", 0.6, 0.9), EdgeChance("b", "a", 0.3, 0.9)]
    apart = [EdgeChance(*pair, 0.0, 0.0) for pair in (("a", "c"), ("c", "a"), ("b", "c"), ("c", "b"))]
    assert "2 other pairs are not drawn" in EdgeChances([*joined, *apart]).to_svg()
    assert "not drawn" not in EdgeChances(joined).to_svg()
