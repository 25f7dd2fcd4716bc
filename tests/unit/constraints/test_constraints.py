"""Constraints: reading them, the space they leave, and contradictions."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ldag
from ldag import Constraints, LdagError
from ldag.constraints import search_space
from ldag.constraints.space import LabelRule, random_order
from ldag.errors import ArgumentError
from ldag.model import Schema, Variable

SCHEMA = Schema(tuple(Variable(name, (0, 1)) for name in ("age", "sex", "job", "income")))
AGE, SEX, JOB, INCOME = range(4)


def test_without_constraints_everything_is_allowed() -> None:
    """Every other variable may be a parent, in any number."""
    space = search_space(SCHEMA, Constraints(), None)
    assert space.candidates[AGE] == (SEX, JOB, INCOME)
    assert space.required == ((), (), (), ())
    assert space.max_parents == (3, 3, 3, 3)


def test_tiers_order_and_forbidden_edges() -> None:
    """No edge points to an earlier tier or against the order; within a tier all is free."""
    space = search_space(
        SCHEMA,
        Constraints(tiers=[["age", "sex"], ["income"]], forbidden=[("job", "income")], order=["sex", "job"]),
        None,
    )
    assert space.candidates[AGE] == (SEX, JOB)
    assert space.candidates[SEX] == (AGE,)
    assert space.candidates[INCOME] == (AGE, SEX)
    assert space.candidates[JOB] == (AGE, SEX, INCOME)


def test_a_star_in_a_tier_is_all_others() -> None:
    """First, last or between; a variable that is called so is meant itself."""
    for text in ("tier age\ntier *", 'tier age\ntier "*"'):
        listed = Constraints(tiers=[["age"], ["sex", "job", "income"]])
        assert search_space(SCHEMA, Constraints.from_text(text), None) == search_space(SCHEMA, listed, None)
    between = Constraints.from_text("tier income\ntier sex, *\ntier age\nmax_parents * 1\nmax_parents age 2")
    assert between.to_text().startswith("tier income\ntier sex, *\ntier age\nmax_parents * 1\n")
    assert Constraints.from_text(between.to_text()) == between
    named = Constraints(tiers=[["income"], ["sex", "job"], ["age"]], max_parents={"age": 2, "*": 1})
    assert search_space(SCHEMA, between, None) == search_space(SCHEMA, named, None)
    starry = Schema((Variable("*", (0, 1)), *SCHEMA.variables))
    assert search_space(starry, Constraints(tiers=[["age"], ["*"]]), None).candidates[2] == (0, 1, 3, 4)
    with pytest.raises(LdagError, match=r"tiers: all others \(\*\) are in two tiers"):
        search_space(SCHEMA, Constraints(tiers=[["*"], ["age", "*"]]), None)
    with pytest.raises(LdagError, match="line 1: expected a variable's name"):
        Constraints.from_text("order *")


def test_required_edges_rule_out_their_reversal() -> None:
    """A required edge is a required parent; limits below the candidates leave only what is required."""
    space = search_space(SCHEMA, Constraints(required=[("age", "job")], max_parents={"job": 1}), 2)
    assert space.required[JOB] == (AGE,)
    assert JOB not in space.candidates[AGE]
    assert space.candidates[JOB] == (AGE,)
    assert space.max_parents == (2, 2, 1, 2)


def test_the_smaller_limit_of_parents_holds() -> None:
    """Whichever of the two is given by itself; a limit for all others is no limit for a variable that has its own."""
    own = Constraints(max_parents={"job": 2})
    assert search_space(SCHEMA, own, 1).max_parents == (1, 1, 1, 1)
    assert search_space(SCHEMA, own, 3).max_parents == (3, 3, 2, 3)
    assert search_space(SCHEMA, Constraints(max_parents={"*": 1, "job": 3}), 2).max_parents == (1, 1, 2, 1)
    table = {name: [0, 1] * 50 for name in ("a", "b", "x")} | {"x": [0, 1, 1, 0] * 25, "a": [0, 0, 1, 1] * 25}
    fit = ldag.learn(
        table, kappa=0.1, max_parents=1, constraints=Constraints(max_parents={"x": 2}), equivalent_sample_size=1
    )
    assert max(len(fit.ldag.parents(name)) for name in table) <= 1


def test_arrows_that_edges_cannot_be_turned_into() -> None:
    """Tiers, order, forbidden, required and allowed parents; an edge with a label becomes no arrow without one."""
    graph = ldag.LDAG.from_edges(
        [("age", "job"), ("sex", "job"), ("job", "income"), ("age", "income")],
        states={name: [0, 1] for name in SCHEMA.names},
        labels={("age", "income"): [{"job": 0}]},
    )

    def ruled_out(constraints: Constraints) -> set[tuple[int, int]]:
        return set(search_space(SCHEMA, constraints, None).ruled_out(graph.structure))

    assert ruled_out(Constraints()) == set()
    assert ruled_out(Constraints(tiers=[["age", "sex"], ["job"]])) == {(JOB, AGE), (JOB, SEX)}
    assert ruled_out(Constraints(order=["job", "income"])) == {(INCOME, JOB)}
    assert ruled_out(Constraints(forbidden=[("job", "age"), ("sex", "age")])) == {(JOB, AGE)}
    assert ruled_out(Constraints(required=[("age", "job")])) == {(JOB, AGE)}
    assert ruled_out(Constraints(allowed_parents={"age": ["sex"]})) == {(JOB, AGE), (INCOME, AGE)}
    assert ruled_out(Constraints(max_parents={"job": 2})) == set()
    assert ruled_out(Constraints(unlabelled=[("income", "age"), ("income", "job")])) == {(INCOME, AGE)}


def test_allowed_parents() -> None:
    """A variable with named parents has no others; none named means none allowed."""
    space = search_space(SCHEMA, Constraints(allowed_parents={"income": ["job"], "age": []}), None)
    assert space.candidates[INCOME] == (JOB,)
    assert space.candidates[AGE] == ()


def test_text_form(tmp_path: Path) -> None:
    """One statement per line; edges are written either way."""
    path = tmp_path / "rules.txt"
    path.write_text(
        "# what we know\ntier age, sex\ntier job, income\nrequire job -> income\nforbid income <- sex\n"
        "order age, income\nparents job : age\nmax_parents income 2\n"
    )
    found = Constraints.load(path)
    assert found == Constraints(
        required=[("job", "income")],
        forbidden=[("sex", "income")],
        tiers=[["age", "sex"], ["job", "income"]],
        order=["age", "income"],
        allowed_parents={"job": ["age"]},
        max_parents={"income": 2},
    )


def test_text_round_trip() -> None:
    """What is written reads back, also names and states that need quotes."""
    constraints = Constraints(
        required=[("a b", "c")],
        forbidden=[("c", "d")],
        tiers=[["a b"], ["c", "d"]],
        order=["a b", "d"],
        allowed_parents={"d": [], "c": ["a b", "e"]},
        max_parents={"c": 2},
        unlabelled=[("e", "c")],
        labels={("a b", "c"): [{"e": ">3", "d": 1}, {"e": "1"}, {}], ("e", "d"): []},
    )
    text = constraints.to_text()
    assert 'label "a b" -> c : e=">3", d=1 ; e="1" ; *' in text
    assert Constraints.from_text(text) == constraints
    assert Constraints.from_text(Constraints().to_text()) == Constraints()


def test_fixed_labels_require_their_edges() -> None:
    """The edge and those from the variables its contexts name; an edge without labels stays optional."""
    constraints = Constraints(
        labels={("age", "income"): [{"sex": 1}], ("job", "sex"): []}, unlabelled=[("sex", "income"), ("age", "job")]
    )
    space = search_space(SCHEMA, constraints, None)
    assert space.required == ((), (JOB,), (), (AGE, SEX))
    assert space.label_rules[INCOME] == (LabelRule(AGE, (((SEX, 1),),)), LabelRule(SEX))
    assert space.label_rules[SEX] == (LabelRule(JOB),)
    assert space.label_rules[JOB] == (LabelRule(AGE),)


def test_a_variable_with_one_state_has_no_edges() -> None:
    """It neither matters nor depends on anything, so all that edges could change is a tie; what is required stays."""
    schema = Schema((Variable("a", (0,)), Variable("b", (0, 1)), Variable("c", (0, 1))))
    free, bound = (search_space(schema, Constraints(required=given), None) for given in ([], [("a", "b")]))
    assert free.without_edges_at({0}).candidates == ((), (2,), (1,))
    assert bound.without_edges_at({0}).candidates == ((), (0, 2), (1,))
    with pytest.raises(ArgumentError, match="'a' has one state, so it never matters"):
        search_space(schema, Constraints(required=[("a", "b")], unlabelled=[("a", "b")]), None)


def space_of(**given: object) -> Callable[[], object]:
    """The space of constraints, to be made later."""
    return lambda: search_space(SCHEMA, Constraints(**given), None)  # type: ignore[arg-type]  # wrong on purpose


def label_of(parent: str, child: str, /, **context: object) -> Callable[[], object]:
    """The space of one fixed label, and of other constraints given by their names."""
    names = {variable.name for variable in SCHEMA} | {"agee"}
    others = {name: value for name, value in context.items() if name not in names}
    states = {name: value for name, value in context.items() if name in names}
    return space_of(labels={(parent, child): [states]}, **others)


WRONG: list[tuple[Callable[[], object], str]] = [
    (space_of(required=[("age", "job")], forbidden=[("age", "job")]), "age -> job is required, but it is forbidden"),
    (space_of(required=[("age", "job"), ("job", "age")]), "the required edges form a cycle, (age|job) -> (job|age)"),
    (space_of(required=[("income", "age")], tiers=[["age"], ["income"]]), "required, but it points to an earlier tier"),
    (space_of(required=[("job", "age")], order=["age", "job"]), "required, but it points against the order"),
    (space_of(required=[("sex", "job")], allowed_parents={"job": ["age"]}), "'sex' is not among the allowed parents"),
    (space_of(required=[("sex", "job"), ("age", "job")], max_parents={"job": 1}), "2 required parents, but at most 1"),
    (space_of(required=[("agee", "job")]), "required: no variable 'agee'; did you mean 'age'?"),
    (space_of(forbidden=[("age", "jobs")]), "forbidden: no variable 'jobs'"),
    (space_of(tiers=[["age"], ["age"]]), "variable 'age' is in two tiers"),
    (space_of(tiers=["age"]), "a tier must be a list, got 'age'"),
    (space_of(order=["age", "age"]), "order: variable 'age' is named twice"),
    (space_of(allowed_parents={"age": ["age"]}), "'age' cannot be its own parent"),
    (space_of(max_parents={"age": -1}), "max_parents of 'age' must be a whole number, 0 or more, got -1"),
    (space_of(required=["age -> job"]), "an edge is a pair"),
    (space_of(max_parents=-3), "max_parents must be a whole number, 0 or more, got -3"),
    (space_of(unlabelled=[("age", "jobs")]), "unlabelled: no variable 'jobs'; did you mean 'job'?"),
    (space_of(labels={("agee", "job"): []}), "labels: no variable 'agee'; did you mean 'age'?"),
    (label_of("job", "income", agee=1), "the label of job -> income: no variable 'agee'; did you mean 'age'?"),
    (label_of("job", "income", age=7), "the label of job -> income: variable 'age' has no state 7"),
    (label_of("job", "income", job=1), "the label of job -> income names 'job', which is the parent itself; contexts"),
    (
        label_of("job", "income", income=1),
        "the label of job -> income names 'income', which is the child; contexts are",
    ),
    (label_of("job", "job", age=1), "'job' cannot be its own parent"),
    (space_of(unlabelled=[("age", "age")]), "'age' cannot be its own parent"),
    (label_of("job", "income"), "the labels fixed for 'income' say that job never matters for it; an edge must matter"),
    (
        label_of("job", "income", age=1, forbidden=[("job", "income")]),
        "the edge job -> income is required by its label, but it is forbidden as well",
    ),
    (
        label_of("job", "income", age=1, tiers=[["income"], ["age"]]),
        "the edge age -> income is required by the label of job -> income, but it points to an earlier tier",
    ),
    (
        label_of("job", "income", age=1, unlabelled=[("job", "income")]),
        "the edge job -> income is in unlabelled and in labels; it can be in one only",
    ),
    (
        space_of(
            labels={
                ("age", "income"): [{"job": 0, "sex": 1}, {"job": 1, "sex": 0}],
                ("sex", "income"): [{"job": 1}],
            }
        ),
        "the labels fixed for 'income' together say also that age does not matter for income when sex is 1 and job is "
        "1, which the label of age -> income must not hold; add it there, or change the others",
    ),
    (
        space_of(  # the paper's example of labels that are not full, but make one full together
            labels={
                ("sex", "income"): [{"age": 0, "job": 0}, {"age": 0, "job": 1}, {"age": 1, "job": 0}],
                ("age", "income"): [{"job": 1}],
            }
        ),
        "the labels fixed for 'income' say that sex never matters for it",
    ),
    (space_of(labels=[("age", "job")]), "labels must be a mapping from edges, got"),
    (space_of(labels={("age", "job"): {"sex": 1}}), "a context maps variables to states, .* got 'sex'"),
    (space_of(labels={("age", "job"): "sex"}), "a label must be a list, got 'sex'"),
    (space_of(labels={"age": []}), "labels: an edge is a pair"),
    (lambda: Constraints.from_text("label a -> b"), "line 1: expected ':' and the contexts in which a -> b vanishes"),
    (lambda: Constraints.from_text("label a -> b : c=*"), "line 1: leave out c=\\*; a parent that is not named may"),
    (
        lambda: Constraints.from_text("label a -> b : c=1\nlabel b <- a : c=2"),
        "line 2: the label of a -> b is given twice; use ';' between contexts",
    ),
    (lambda: search_space(SCHEMA, Constraints(), -1), "max_parents must be a whole number, 0 or more, got -1"),
    (lambda: Constraints.from_text("requires a -> b"), "line 1: expected require, forbid, .* tier, .* got 'requires'"),
    (lambda: Constraints.from_text("\nrequire a b"), "line 2: expected '->' or '<-', got 'b'"),
    (lambda: Constraints.from_text("max_parents a many"), "line 1: expected a number of parents, got 'many'"),
    (lambda: Constraints.from_text("tier a, b c"), "line 1: expected the end of the line, got 'c'"),
    (lambda: Constraints.load("no-such-file.txt"), "^no-such-file.txt: no such file"),
]


@pytest.mark.parametrize(("attempt", "message"), WRONG, ids=[message[:50] for _, message in WRONG])
def test_contradictions_and_mistakes_are_explained(attempt: Callable[[], object], message: str) -> None:
    """Before any search starts."""
    with pytest.raises(LdagError) as caught:
        attempt()
    assert re.search(message, str(caught.value)), str(caught.value)


def test_a_random_order_keeps_to_what_is_required() -> None:
    """Required parents come first always, one-way candidates where no circle of wishes forbids it."""
    for seed in range(20):
        order = random_order([(1, 2), (0, 2), (0,)], [(2,), (), ()], np.random.default_rng(seed))
        assert order.index(2) < order.index(0)
        order = random_order([(), (0,), (0, 1)], [(), (), ()], np.random.default_rng(seed))
        assert order == [0, 1, 2]
    orders = {tuple(random_order([(1,), (0,)], [(), ()], np.random.default_rng(seed))) for seed in range(20)}
    assert orders == {(0, 1), (1, 0)}
