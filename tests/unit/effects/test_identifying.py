"""The door `ldag.identify`: what it takes, what it refuses, and learned graphs."""

from typing import Any

import numpy as np
import pytest

import ldag
from ldag.effects import identifying

TRIAL = """
    latent motivation
    assigned {no, yes}
    motivation -> treated : assigned=yes
    motivation -> recovered
    assigned -> treated
    treated -> recovered
"""
BOW = "Z -> X\nX -> Y\nX <-> Y"


def test_a_label_makes_the_difference() -> None:
    """With it there is a formula, without it there is none."""
    graph = ldag.LDAG.from_text(TRIAL)
    effect = ldag.identify(graph, "recovered", do="treated")
    assert effect.status == "identified"
    assert bool(effect)
    assert str(effect) == "P(recovered | do(treated)) = P(recovered | treated, assigned=yes)"
    assert effect.needs == ("assigned", "treated", "recovered")
    plain = ldag.LDAG.from_text(TRIAL.replace(" : assigned=yes", ""))
    without = ldag.identify(plain, "recovered", do="treated")
    assert without.status == "not identifiable"
    assert not without


def test_variables_can_be_taken_as_latent() -> None:
    """Besides those that the graph declares."""
    edges = [("u", "x"), ("u", "y"), ("x", "y")]
    graph = ldag.LDAG.from_edges(edges, states={name: [0, 1] for name in "uxy"})
    assert str(ldag.identify(graph, "y", do="x")) == "P(y | do(x)) = sum_{u} P(u) P(y | x, u)"
    assert ldag.identify(graph, "y", do="x", latent="u").status == "not identifiable"
    assert graph.latent == ()


def test_settings_conditions_and_contexts() -> None:
    """States fix what is set and given; names leave it open."""
    graph = ldag.LDAG.from_text("z -> x\nz -> y\nx -> y")
    assert str(ldag.identify(graph, "y", do={"x": 1})) == "P(y | do(x=1)) = sum_{z} P(z) P(y | x=1, z)"
    assert str(ldag.identify(graph, "y", do="x", given=["z"])) == "P(y | do(x), z) = P(y | x, z)"
    assert str(ldag.identify(graph, "y", do="x", context={"z": 0})) == "P(y | do(x), z=0) = P(y | x, z=0)"
    assert str(ldag.identify(graph, ["y", "z"], do="x")) == "P(y, z | do(x)) = P(z) P(y | x, z)"


def test_a_latent_treatment_may_have_no_effect() -> None:
    """Which needs no state of it; otherwise there is no formula."""
    graph = ldag.LDAG.from_text("latent u\nu -> x\nz -> y")
    effect = ldag.identify(graph, "y", do="u")
    assert str(effect) == "P(y | do(u)) = P(y)"
    assert effect.evaluate({"z": [0, 1, 1], "x": [0, 1, 1], "y": [0, 1, 1]}) == pytest.approx({0: 1 / 3, 1: 2 / 3})
    assert ldag.identify(graph, "x", do="u").status == "not identifiable"


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"target": "Y", "do": "W"}, "do: no variable 'W'"),
        ({"target": "W", "do": "X"}, "target: no variable 'W'"),
        (
            {"target": "Y", "do": {"X": 7}},
            "expected one of '0', '1'; X was written without states, which can be declared: X {...}",
        ),
        ({"target": "Y", "do": None}, "do must be a list, got None"),
        ({"target": "Y", "do": "X", "given": {"Z": 1}}, "context has states: context={'Z': 1}"),
        ({"target": "Y", "do": []}, "do must name at least one variable"),
        ({"target": [], "do": "X"}, "target must name at least one variable"),
        ({"target": "Y", "do": "Y"}, "variable 'Y' is in both target and do; they must not overlap"),
        ({"target": "Y", "do": "X", "given": "X"}, "variable 'X' is in both do and given"),
        ({"target": "Y", "do": "X", "given": "Z", "context": {"Z": 1}}, "variable 'Z' is in both given and context"),
        ({"target": "X <-> Y", "do": "X"}, "target: 'X <-> Y' is latent, and a table says nothing about it"),
        ({"target": "Y", "do": "X", "given": "X <-> Y"}, "given: 'X <-> Y' is latent"),
        ({"target": "Y", "do": "X", "latent": "Q"}, "latent: no variable 'Q'"),
        ({"target": "Y", "do": "X", "budget": 0}, "budget must be a whole number, 1 or more, got 0"),
    ],
)
def test_refusals(question: dict[str, Any], message: str) -> None:
    """One message each, with what to do."""
    with pytest.raises(ldag.LdagError) as caught:
        ldag.identify(ldag.LDAG.from_text(BOW), **question)
    assert message in str(caught.value)


def test_other_things_are_no_graphs() -> None:
    """A name is not a graph."""
    with pytest.raises(ldag.LdagError, match="expected an LDAG, a Network or a Fit, got str"):
        ldag.identify("heart", "pressure", do="smoking")  # type: ignore[arg-type]


def chain(n: int = 500) -> ldag.Dataset:
    """Data of a -> b -> c, whose directions no data determine."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, n)
    b = np.where(rng.random(n) < 0.9, a, 1 - a)
    c = np.where(rng.random(n) < 0.9, b, 1 - b)
    return ldag.read({"a": a, "b": b, "c": c})


def test_open_arrows_of_a_learned_graph() -> None:
    """Graphs that say the same disagree about an effect, and each is there; constraints settle it."""
    fit = ldag.learn(chain(), kappa=0.1, equivalent_sample_size=1)
    effect = ldag.identify(fit, "b", do="a")
    assert effect.status == "not identifiable"
    assert {str(member) for member in effect.members} == {"P(b | do(a)) = P(b | a)", "P(b | do(a)) = P(b)"}
    assert "graphs that the data do not tell apart have different effects" in str(effect)
    described = effect.to_dict()["members"]
    assert {member["if"] for member in described} == {"no arrow leads to a", "b -> a"}  # type: ignore[attr-defined]
    with pytest.raises(ldag.LdagError, match=r"effect\.members has the effect in each graph"):
        effect.evaluate(fit.data, do={"a": 1})
    assert ldag.identify(fit.network, "b", do="a").members
    assert not ldag.identify(fit.ldag, "b", do="a").members  # drawn by hand, a graph is taken at its word
    tiers = ldag.Constraints(tiers=[["a"], ["b"], ["c"]])
    settled = ldag.identify(ldag.learn(chain(), kappa=0.1, equivalent_sample_size=1, constraints=tiers), "b", do="a")
    assert str(settled) == "P(b | do(a)) = P(b | a)"
    assert settled.members == ()


def test_members_that_agree_are_one() -> None:
    """Different parents of the treatment may give one effect: no arrow into c from a, so no effect either way."""
    rng = np.random.default_rng(1)
    data = ldag.read({"a": rng.integers(0, 2, 300), "b": rng.integers(0, 2, 300)})
    fit = ldag.learn(data, kappa=0.1, equivalent_sample_size=1)
    assert not fit.ldag.edges
    assert str(ldag.identify(fit, "b", do="a")) == "P(b | do(a)) = P(b)"


def test_more_members_than_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """What only some graphs were asked about is not decided; sets to adjust for are not listed."""
    monkeypatch.setattr(identifying, "MOST_MEMBERS", 1)
    fit = ldag.learn(chain(), kappa=0.1, equivalent_sample_size=1)
    effect = ldag.identify(fit, "b", do="a")
    assert effect.status == "unknown"
    assert "is not decided: of the graphs that say the same only 1 were looked at" in str(effect)
    assert len(effect.members) == 1
    with pytest.raises(ldag.LdagError, match="settle arrows by constraints"):
        ldag.adjustment_sets(fit, "b", do="a")


def test_adjustment_sets_of_a_learned_graph() -> None:
    """Only those that are valid whichever way the open arrows point."""
    fit = ldag.learn(chain(), kappa=0.1, equivalent_sample_size=1)
    assert ldag.adjustment_sets(fit.ldag, "c", do="b") in ([()], [("a",)])
    assert ldag.adjustment_sets(fit, "c", do="b") == []
    tiers = ldag.Constraints(tiers=[["a"], ["b"], ["c"]])
    settled = ldag.learn(chain(), kappa=0.1, equivalent_sample_size=1, constraints=tiers)
    assert ldag.adjustment_sets(settled, "c", do="b") == [()]
