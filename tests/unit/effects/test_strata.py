"""Sums over strata: which questions replace a question, which edges must be gone, and how large sets become small."""

from dataclasses import replace

from ldag import LDAG
from ldag.effects.premises import Scene
from ldag.effects.results import Budget, EffectQuestion, Reason
from ldag.effects.spelling import spell
from ldag.effects.strata import (
    find_vanished,
    insert_and,
    insert_one,
    leave_out_one,
    read_directly,
    reduce_treatments,
    set_one,
    sum_strata,
)


class Stage:
    """A graph whose latents begin with L, and the question of Y when X=1."""

    def __init__(self, text: str, budget: Budget | None = None) -> None:
        graph = LDAG.from_text(text.replace(", ", "\n"))
        self.schema, self.number = graph.schema, graph.schema.names.index
        latent = frozenset(i for i, name in enumerate(graph.schema.names) if name.startswith("L"))
        x = self.number("X")
        self.scene = Scene.of(graph.structure, latent, budget or Budget(), (x,))
        self.question = EffectQuestion((self.number("Y"),), (x,), setting={x: 1})

    def read(self, question: EffectQuestion) -> Reason | None:
        """Read the table."""
        return read_directly(self.scene, question)

    def write(self, reason: Reason | None) -> str:
        """A formula as text."""
        return "" if reason is None else spell(self.schema, reason.formula)


def test_some_treatments_at_a_time() -> None:
    """V is dropped, X becomes a condition, and both at once need both to be the same kind."""
    stage = Stage("V -> X, X -> Y, L -> V, L -> Y")
    x, v = stage.number("X"), stage.number("V")
    both = replace(stage.question, do=(x, v), setting={x: 1, v: 0})
    (rule, rest, _), *_ = reduce_treatments(stage.scene, both, [v])
    assert (rule, rest.do, rest.context) == ("no effect", (x,), {})
    (rule, rest, _), *_ = reduce_treatments(stage.scene, both, [x])
    assert (rule, rest.do, rest.context) == ("direct", (v,), {x: 1})


def test_edges_that_must_be_gone() -> None:
    """Of edges that vanish in the context, those are named that would join the two sides."""
    stage = Stage("L -> X : A=0, A -> X, L -> Y, X -> Y, A -> Y, B -> C : A=0, A -> C, C -> Y")
    a, cause, x = (stage.number(name) for name in ("A", "L", "X"))
    reason = stage.read(replace(stage.question, context={a: 0}))
    assert reason is not None
    assert reason.vanished == find_vanished(reason.premises) == ((cause, x),)


def test_conditions_that_make_no_difference_when_treatments_are_set() -> None:
    """C is joined with Y through X as it is, and not when X is set: it can be left out, and inserted."""
    stage = Stage("L1 -> X, L1 -> C, L2 -> X, L2 -> Y, X -> Y")
    c = stage.number("C")
    at_c = replace(stage.question, context={c: 1})
    assert [rest.context for _, rest in leave_out_one(stage.scene, at_c)] == [{}]
    below = Stage("L1 -> X, L1 -> C, L2 -> X, L2 -> Y, X -> Y, Y -> C")
    at_c = replace(below.question, context={below.number("C"): 1})
    assert not list(leave_out_one(below.scene, at_c))


def test_inserting_one_variable_after_another() -> None:
    """Nothing joins X and Y where A=1 and B=1: one of the two is not enough."""
    stage = Stage("A -> X, L -> X : A=1,B=1, B -> X, X -> Y, L -> Y")
    a, b = stage.number("A"), stage.number("B")
    inserted = [states for _, _, states in insert_one(stage.scene, stage.question)]
    assert inserted == [{a: 0}, {a: 1}, {b: 0}, {b: 1}]
    assert insert_and(stage.scene, stage.question, stage.read, 1) is None
    assert stage.write(insert_and(stage.scene, stage.question, stage.read, 2)) == "P(Y | A=1, X=1, B=1)"


def test_another_treatment_that_has_no_effect_here() -> None:
    """Where X=1, A may be set to anything."""
    stage = Stage("X -> A, L -> X, A -> Y : X=1, X -> Y : A=0, L -> Y")
    more = [question.setting for question, _ in set_one(stage.scene, stage.question)]
    x, a = stage.number("X"), stage.number("A")
    assert more == [{x: 1, a: 0}, {x: 1, a: 1}]
    assert not list(set_one(stage.scene, replace(stage.question, setting={x: 0})))


def test_strata_by_value_only_where_needed() -> None:
    """A label variable is summed over as it is where one formula holds at all of its states."""
    stage = Stage("A -> X, A -> Y, X -> Y, B -> X : A=1, B -> Y")
    assert stage.write(sum_strata(stage.scene, stage.question, stage.read)) == "sum_{A, B} P(A, B) P(Y | A, X=1, B)"
    stage = Stage("A -> X, A -> Y, X -> Y : A=1, B -> X, B -> Y, L -> X : A=0, L -> Y")
    text = stage.write(sum_strata(stage.scene, stage.question, stage.read))
    assert text == "(sum_{B} P(A=0, B) P(Y | A=0, X=1, B)) + P(A=1) P(Y | A=1)"


def test_many_candidates_for_strata() -> None:
    """Four of twelve variables are needed: all are taken, then fewer; with a budget of three there is no sum."""
    needed = ", ".join(f"C{i} -> X, C{i} -> Y" for i in range(4))
    others = ", ".join(f"D{i} -> X" for i in range(8))
    for most, is_enough in ((4, True), (3, False)):
        stage = Stage(f"{needed}, {others}, X -> Y", Budget(max_adjusted=most))
        reason = sum_strata(stage.scene, stage.question, stage.read)
        assert (reason is not None) == is_enough
        if reason is not None:
            assert {stage.schema.names[node] for node in reason.adjusted} == {f"C{i}" for i in range(4)}
