"""Rules for labels by example: each graph needs the rule that it is named for."""

import numpy as np
import pytest

from ldag import LDAG
from ldag.effects.context_identification import LabelIdentification, identify_with_labels
from ldag.effects.formulas import evaluate
from ldag.effects.results import Budget, EffectQuestion, Reason
from ldag.effects.spelling import spell
from tests.oracle.effects import observed_source, random_parameters, true_effect


class Example:
    """A graph whose latents are L and M, and questions about it."""

    def __init__(self, text: str) -> None:
        graph = LDAG.from_text(text.replace(", ", "\n"))
        self.schema, self.structure = graph.schema, graph.structure.regular()
        self.number = graph.schema.names.index
        self.latent = frozenset(self.number(name) for name in "LM" if name in graph.schema.names)

    def ask(self, setting: dict[str, int], context: dict[str, int] | None = None, target: str = "Y") -> Reason | None:
        """Ask for the effect of a setting in a context."""
        states = {self.number(name): state for name, state in setting.items()}
        at = {self.number(name): state for name, state in (context or {}).items()}
        question = EffectQuestion(tuple(map(self.number, target.split())), tuple(states), (), at, states)
        return identify_with_labels(self.structure, self.latent, question, Budget())

    def error(self, reason: Reason) -> float:
        """How far a formula is from the true effect in a random model."""
        q = reason.question
        model = random_parameters(self.structure, np.random.default_rng(3))
        source = observed_source(self.structure, self.latent, model)
        values = evaluate(reason.formula, source).over(q.target, self.structure.n_states)[0]
        effect = true_effect(self.structure, model, q.target, q.do, (), q.context)
        return float(
            np.abs(
                values
                - np.moveaxis(effect, range(-len(q.do), 0), range(len(q.do)))[tuple(q.setting[node] for node in q.do)]
            ).max()
        )

    def write(self, reason: Reason) -> str:
        """The formula as text."""
        return spell(self.schema, reason.formula, reason.question.do)


def test_districts_at_the_setting() -> None:
    """Where X=1 the latent cause lets go of A: a product over districts, each with an adjustment of its own."""
    example = Example("L -> X, L -> A : X=1, L -> Y, X -> A, A -> N, N -> Y")
    reason = example.ask({"X": 1})
    assert reason is not None
    assert reason.rule == "districts at the setting"
    assert [(example.schema.names[a], example.schema.names[b]) for a, b in reason.vanished] == [("L", "A")]
    assert example.error(reason) < 1e-12
    assert example.ask({"X": 0}) is None


@pytest.mark.parametrize(
    ("text", "setting", "context"),
    [
        ("X -> Y : Z=1, Z -> Y : X=1, L -> Y, M -> X, L -> Z, M -> Z", {"X": 1}, {"Z": 0}),
        ("L -> Y, Y -> X, L -> X : Y=0, Y -> Z, X -> Z : Y=1, L -> Z", {"X": 0}, {"Z": 0}),
        ("L -> Y, Y -> X, L -> X : Y=0, Y -> Z, X -> Z : Y=1, L -> Z", {"X": 0}, {"Z": 1}),
        ("X -> A, L -> X, A -> Y : X=1, X -> Y : A=0, L -> Y", {"X": 1}, {}),
        ("X -> A, L -> A : X=0, L -> X, L -> Z, M -> X, A -> Y : X=1, X -> Y : A=1, M -> Y", {"X": 1}, {"Z": 1}),
        ("Z -> X, L -> Z, L -> Y, X -> Y, Y -> C : X=1, X -> C, M -> C, M -> X : Z=1, Z -> Y", {"X": 1}, {"C": 0}),
    ],
    ids=["subtraction", "by states of the target", "at the other", "set another", "leave out", "leave out and adjust"],
)
def test_rules_that_few_questions_need(text: str, setting: dict[str, int], context: dict[str, int]) -> None:
    """Questions that only a difference, branches, another treatment or fewer conditions answer."""
    example = Example(text)
    reason = example.ask(setting, context)
    assert reason is not None
    assert example.error(reason) < 1e-12


@pytest.mark.parametrize(
    ("text", "target", "setting", "context"),
    [
        ("L -> A, A -> X, M -> X, X -> Y, L -> Y, M -> Y : X=0", "A Y", {"X": 0}, {}),
        ("X -> C, L -> C : X=1, Y -> X, L -> X : Y=1, M -> X : Y=1, M -> Y, L -> A, A -> M", "Y A", {"X": 0}, {"C": 1}),
    ],
    ids=["chain", "division"],
)
def test_several_targets(text: str, target: str, setting: dict[str, int], context: dict[str, int]) -> None:
    """One target, and the other given it; with a condition that is below both."""
    example = Example(text)
    reason = example.ask(setting, context, target)
    assert reason is not None
    assert example.error(reason) < 1e-12


def test_a_difference_is_written() -> None:
    """P(y, z) at one state is the whole less the other state."""
    example = Example("X -> Y : Z=1, Z -> Y : X=1, L -> Y, M -> X, L -> Z, M -> Z")
    reason = example.ask({"X": 1}, {"Z": 0})
    assert reason is not None
    assert example.write(reason) == "[P(Y | X=1) - P(Z=1) P(Y | Z=1)] / [P(Z=0)]"


def test_two_labels_that_need_each_other() -> None:
    """A -> Y vanishes where X=0 and X -> Y where A=0: where both are so, both still matter together."""
    example = Example("A -> Y : X=0, X -> Y : A=0, L -> Y, L -> A, M -> A, A -> X, M -> X : A=0, A -> W, M -> W")
    for x in (0, 1):
        reason = example.ask({"X": x})
        assert reason is None or example.error(reason) < 1e-12


def test_conditions_that_treatments_change() -> None:
    """A context below the treatment is in every probability, or the formula does not count."""
    example = Example("X -> C, L -> X, L -> C, C -> Y, X -> Y, L -> Y : C=1, M -> C, M -> Y : C=1")
    for x in (0, 1):
        for c in (0, 1):
            reason = example.ask({"X": x}, {"C": c})
            assert reason is None or example.error(reason) < 1e-12


def test_two_treatments_by_different_rules() -> None:
    """One treatment has no effect, the other is as good as observed in one context."""
    example = Example("W -> X, L -> X : W=1, X -> Y, L -> Y, V -> W")
    reason = example.ask({"X": 1, "V": 0})
    assert reason is not None
    assert example.error(reason) < 1e-12


def test_a_latent_treatment_may_have_no_effect() -> None:
    """Setting a latent is answered where nothing depends on it, and a formula never reads it."""
    example = Example("L -> X, X -> Y, A -> Y, L -> Y : A=1")
    assert example.ask({"L": 1}) is None
    reason = example.ask({"L": 1}, {"A": 1, "X": 0})
    assert reason is not None
    assert example.write(reason) == "P(Y | X=0, A=1)"


def test_a_small_budget_is_told() -> None:
    """A search that ends early says so, and one that does not, does not."""
    example = Example("L -> X : A=0, A -> X, L -> Y, X -> Y : A=1, A -> Y")
    question = EffectQuestion((example.number("Y"),), (example.number("X"),), setting={example.number("X"): 1})
    for n_premises, is_cut in ((4, True), (1000, False)):
        search = LabelIdentification.of(example.structure, example.latent, Budget(n_premises=n_premises), question.do)
        assert (search.solve(question) is None) == is_cut
        assert search.is_cut == is_cut
        assert ("until 4 independencies" in search.tell()) == is_cut
