"""Adjustment sets by name, with labels and contexts, and what is refused."""

from typing import Any

import pytest

import ldag
from ldag.effects import adjusting
from ldag.effects.adjusting import list_adjustment_sets
from ldag.effects.results import EffectQuestion
from tests.oracle.adjusting import minimal_adjustment_sets
from tests.oracle.effects import read_graph

CASES = {
    "back-door": ("Z -> X, Z -> Y, X -> Y", "Y", "X", ["Z"]),
    "nothing is needed": ("X -> Y, Z -> Y", "Y", "X", [""]),
    "either of a chain": ("A -> X, A -> B, B -> Y, X -> Y", "Y", "X", ["A", "B"]),
    "butterfly": ("A -> C, B -> C, C -> X, C -> Y, A -> X, B -> Y, X -> Y", "Y", "X", ["A C", "C B"]),
    "M-bias": ("X -> Y, X <-> M, M <-> Y", "Y", "X", [""]),
    "mediators are no help": ("X -> M, M -> Y, X <-> Y", "Y", "X", []),
    "bow": ("X -> Y, X <-> Y, Z -> X", "Y", "X", []),
    "below one treatment, above another": (
        *("X1 -> K, K -> L, L -> X2, X2 -> Y, L <-> Y", "Y", "X1 X2"),
        ["K L"],
    ),
    "two outcomes": ("Z -> X, Z -> Y, X -> Y, X -> V", "Y V", "X", ["Z"]),
    "no effect": ("Y -> X, Z -> Y", "Y", "X", []),
}

TRIAL = """
    latent U {0, 1}
    A {no, yes}
    U -> X : A=yes
    U -> Y
    A -> X -> Y
    A -> Y
"""


@pytest.mark.parametrize("name", CASES)
def test_classical_sets(name: str) -> None:
    """All minimal ones, in order, and the same as by trying all sets on random models."""
    text, target, do, expected = CASES[name]
    graph = read_graph(text)
    y, x = graph.numbers(target), graph.numbers(do)
    sets = list_adjustment_sets(graph.structure, graph.latent, EffectQuestion(y, x))
    assert sets == [graph.numbers(names) for names in expected]
    assert sets == minimal_adjustment_sets(graph.structure, graph.latent, y, x, {})


def test_labels_count() -> None:
    """Where nobody is confounded, nothing need be adjusted for; the whole has no adjustment set."""
    graph = ldag.LDAG.from_text(TRIAL)
    assert ldag.adjustment_sets(graph, "Y", do="X") == []
    assert ldag.adjustment_sets(graph, "Y", do="X", context={"A": "yes"}) == [()]
    assert ldag.adjustment_sets(graph, "Y", do="X", context={"A": "no"}) == []


def test_a_label_makes_a_set_superfluous() -> None:
    """B -> X vanishes where A=1, so B is adjusted for elsewhere only."""
    graph = ldag.LDAG.from_text("B -> X : A=1\nA -> X -> Y\nA -> Y\nB -> Y")
    assert ldag.adjustment_sets(graph, "Y", do="X") == [("B", "A")]
    assert ldag.adjustment_sets(graph, "Y", do="X", context={"A": 1}) == [()]
    assert ldag.adjustment_sets(graph, "Y", do="X", context={"A": 0}) == [("B",)]


def test_a_label_may_name_the_treatment() -> None:
    """Who is not treated is not confounded: P(Y | do(X=0)) needs no set, and the other setting has none."""
    graph = ldag.LDAG.from_text("latent U {0, 1}\nU -> X\nU -> Y : X=0\nX -> Y")
    assert ldag.adjustment_sets(graph, "Y", do={"X": 0}) == [()]
    assert ldag.adjustment_sets(graph, "Y", do={"X": 1}) == []
    assert ldag.adjustment_sets(graph, "Y", do="X") == []


def test_latent_variables_are_in_no_set() -> None:
    """Those that the graph declares, and those that the question does."""
    graph = ldag.LDAG.from_text("A -> X -> Y\nA -> B -> Y")
    assert ldag.adjustment_sets(graph, "Y", do="X") == [("A",), ("B",)]
    assert ldag.adjustment_sets(graph, "Y", do="X", latent="A") == [("B",)]
    assert ldag.adjustment_sets(graph, "Y", do="X", latent=["A", "B"]) == []


def test_sizes_may_be_limited() -> None:
    """Larger sets are not looked for."""
    graph = ldag.LDAG.from_text("A -> X -> Y\nA -> Y\nB -> X\nB -> Y")
    assert ldag.adjustment_sets(graph, "Y", do="X") == [("A", "B")]
    assert ldag.adjustment_sets(graph, "Y", do="X", max_size=1) == []
    assert ldag.adjustment_sets(graph, "Y", do="X", max_size=0) == []


def test_networks_have_graphs() -> None:
    """A network answers as its graph does."""
    graph = ldag.LDAG.from_text("Z -> X -> Y\nZ -> Y")
    halves = {name: [[0.5, 0.5]] * len(graph.partition(name).classes) for name in "XYZ"}
    assert ldag.adjustment_sets(ldag.Network.from_parameters(graph, halves), "Y", do="X") == [("Z",)]


def test_many_sets_are_refused() -> None:
    """With their number and what to do; with a limit on the size, 40 variables are no trouble."""
    chain = [f"Z{i}" for i in range(38)]
    graph = ldag.LDAG.from_text(f"{' -> '.join(chain)} -> Y\nZ0 -> X -> Y")
    with pytest.raises(ldag.LdagError, match=r"38 variables may be adjusted for: .* max_size=3"):
        ldag.adjustment_sets(graph, "Y", do="X")
    assert ldag.adjustment_sets(graph, "Y", do="X", max_size=2) == [(name,) for name in chain]


def test_beyond_tables_premises_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same sets, without a table of everything."""
    graph = ldag.LDAG.from_text("B -> X : A=1\nA -> X -> Y\nA -> Y\nB -> Y")
    contexts: list[dict[str, Any]] = [{}, {"A": 1}, {"A": 0}]
    expected = [ldag.adjustment_sets(graph, "Y", do="X", context=context) for context in contexts]
    monkeypatch.setattr(adjusting, "_multiply_families", None)
    monkeypatch.setattr(adjusting, "MAX_CELLS", 8)
    assert [ldag.adjustment_sets(graph, "Y", do="X", context=context) for context in contexts] == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": "Yy"}, r"target: no variable 'Yy'; did you mean 'Y'\?"),
        ({"do": ()}, "do must name at least one variable"),
        ({"target": ()}, "target must name at least one variable"),
        ({"do": "Y"}, "variable 'Y' is in both target and do"),
        ({"context": {"X": 0}}, "variable 'X' is in both do and context"),
        ({"context": {"A": "maybe"}}, "context: variable 'A' has no state 'maybe'"),
        ({"target": "U"}, "target: 'U' is latent, .* name an observed variable"),
        ({"do": "A", "latent": "A"}, "do: 'A' is latent, and adjusting reads it; name an observed variable"),
        ({"latent": "V"}, "latent: no variable 'V'"),
        ({"max_size": -1}, "max_size must be a whole number, 0 or more, got -1"),
        ({"graph": "X -> Y"}, "expected an LDAG, a Network or a Fit, got str"),
    ],
)
def test_refusals(arguments: dict[str, Any], message: str) -> None:
    """Each by name, with what to do."""
    question = {"graph": ldag.LDAG.from_text(TRIAL), "target": "Y", "do": "X", **arguments}
    graph, target = question.pop("graph"), question.pop("target")
    with pytest.raises(ldag.LdagError, match=message):
        ldag.adjustment_sets(graph, target, **question)
