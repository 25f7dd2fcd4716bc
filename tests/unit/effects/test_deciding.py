"""How an effect is decided: what is below the question makes no difference, and cases that are alike become one."""

import numpy as np

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
