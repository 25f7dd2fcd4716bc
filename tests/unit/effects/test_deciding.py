"""How an effect is decided: what is below the question makes no difference, and cases that are alike become one."""

import numpy as np
import pytest

import ldag
from ldag.effects.deciding import Deciding
from ldag.effects.results import Budget, EffectQuestion, Hedge, RankProof


def test_what_is_below_makes_no_difference() -> None:
    """Labels and latent causes of descendants leave a hedge a proof, however many there are; its models are whole."""
    below = "".join(f"y -> a{i}\nu -> a{i}\na{i} -> b{i} : x=1\nx -> b{i}\n" for i in range(12))
    graph = ldag.LDAG.from_text("latent u\nu -> x\nu -> y\nx -> y\n" + below)
    effect = ldag.identify(graph, "y", do="x")
    assert isinstance(effect.outcome.proof, Hedge)
    assert effect.witness is not None
    first, second = effect.witness
    assert first.ldag.edges == graph.edges
    names = ["x", "y", "a0", "b0"]
    tables = [np.array(list(net.query(names).values())) for net in (first, second)]
    np.testing.assert_allclose(tables[0], tables[1], atol=1e-9)
    assert abs(first.query("y", do={"x": 1})[1] - second.query("y", do={"x": 1})[1]) > 0.001


def test_only_what_is_above_has_parents() -> None:
    """In the structure that proofs are about."""
    graph = ldag.LDAG.from_text("latent u\nz -> x\nu -> x\nu -> y : z=1\nz -> y\nx -> y\ny -> w\nu -> w")
    number = graph.schema.node
    question = EffectQuestion((number("y"),), (number("x"),))
    latent = frozenset([number("u")])
    deciding = Deciding(graph.structure.regular(), latent, question, Budget())
    assert deciding.ancestral.parents(number("w")) == ()
    assert deciding.ancestral.parents(number("y")) == graph.structure.parents(number("y"))
    assert isinstance(deciding.decide().proof, RankProof)


def test_settings_that_are_alike_have_one_formula() -> None:
    """Three settings of one form are one; where one of them differs, each has its own."""
    text = "latent u\na {{0, 1}}\nx {{0, 1, 2}}\ny {{0, 1}}\nu -> x : a=1\nu -> y{label}\na -> x\nx -> y"
    alike = ldag.identify(ldag.LDAG.from_text(text.format(label="")), "y", do="x")
    assert str(alike) == "P(y | do(x)) = P(y | x, a=1)"
    apart = ldag.identify(ldag.LDAG.from_text(text.format(label=" : x=2")), "y", do="x")
    assert apart.status == "identified"
    assert len(apart.outcome.formulas) == 3
    assert "P(y | do(x=2)) = P(y | x=2)" in str(apart)
    assert "P(y | do(x=0)) = P(y | x=0, a=1)" in str(apart)


def test_latents_that_labels_name_below_keep_their_states() -> None:
    """A label on an edge below the question says what the states of u are: the two models have them, too."""
    text = "latent u {0, 1, 2}\nu -> x\nu -> y\nx -> y\nu -> w\ny -> w : u=2"
    effect = ldag.identify(ldag.LDAG.from_text(text), "y", do="x")
    assert isinstance(effect.outcome.proof, RankProof)
    assert effect.witness is not None
    for network in effect.witness:
        assert network.ldag.schema[0].states == (0, 1, 2)
        table = network.query(["w"], given={"u": 2, "y": 0}), network.query(["w"], given={"u": 2, "y": 1})
        assert table[0][0] == pytest.approx(table[1][0], abs=1e-12)


def test_cases_are_merged_variable_by_variable() -> None:
    """What x is decides, and what w is does not; z is given, and its reason is not that of one state."""
    graph = ldag.LDAG.from_text(
        "latent u\nx {0, 1, 2}\nw {0, 1}\nz {0, 1, 2}\nu -> x\nu -> y : x=0 ; x=1\nx -> y\nw -> y : z=1\nz -> y\nz -> x"
    )
    effect = ldag.identify(graph, "y", do=["x", "w"], given="z")
    assert [str(part) for part in effect.partial] == [
        f"P(y | do(x={state}, w), z) = P(y | x={state}, w, z)" for state in (0, 1)
    ]
    assert "z=" not in effect.explain().split("Identified are:")[1]


def test_a_case_is_told_once() -> None:
    """States of what is given, which labels name, are no further contexts."""
    graph = ldag.LDAG.from_text("latent u\nz {0, 1}\nu -> x : z=1\nu -> y\nz -> x\nz -> y\nx -> y")
    effect = ldag.identify(graph, "y", do="x", given="z")
    assert str(effect).splitlines() == [
        "P(y | do(x), z) is not identifiable; but",
        "  P(y | do(x), z=1) = P(y | z=1, x)",
    ]
