"""Labels in words, rules as formulas."""

from collections.abc import Sequence

import numpy as np

from ldag.formats import EdgeRecord, brief, conditions, edge_in_words, formulas
from ldag.model import State, Variable


def test_states_that_look_like_several_are_quoted() -> None:
    """A comma inside a state does not separate states."""
    contexts = ({"region": "North, East"}, {"region": "this or that"}, {"region": "West"})
    said = edge_in_words(EdgeRecord("age", "vote", contexts))
    assert said == "age does not matter for vote when region is 'North, East', 'this or that' or West"


def test_neighbouring_states_of_an_order_are_said_as_ranges() -> None:
    """By cut points, or from state to state; others are listed."""
    bmi, age = Variable.of_bins("bmi", [21, 25, 29.5]), Variable("age", (20, 40, 60, 80), ordered=True)
    low, middle, upper, high = bmi.states

    def said(name: str, *states: State) -> str:
        (line,) = conditions([{name: state} for state in states], [bmi, age])
        return line

    assert said("bmi", low, middle) == "bmi <= 25"
    assert said("bmi", high) == "bmi > 29.5"
    assert said("bmi", middle, upper) == "21 < bmi <= 29.5"
    assert said("age", 40, 60, 80) == "age is 40 or more"
    assert said("age", 20, 40) == "age is 40 or less"
    assert said("age", 40, 60) == "age is 40 to 60"
    assert said("age", 20, 60) == "age is 20 or 60"


def test_formulas_join_neighbours_of_an_order_only() -> None:
    """Cut points and states of a scale become ranges; other variables keep a term per state."""
    bmi = Variable("bmi", (*Variable.of_bins("bmi", [21, 25]).states, "missing"), cuts=(21.0, 25.0))
    pain, sex = Variable("pain", ("no", "some", "bad", "worst"), ordered=True), Variable("sex", ("f", "m", "x"))
    low, middle, high, gap = bmi.states

    def spelled(name: str, *states: State) -> list[str]:
        return formulas([{"sex": "f", name: state} for state in states], [bmi, pain, sex])

    assert spelled("bmi", low) == ["sex=f and bmi <= 21"]
    assert spelled("bmi", middle) == ["sex=f and 21 < bmi <= 25"]
    assert spelled("bmi", low, high) == ["sex=f and bmi <= 21", "sex=f and bmi > 25"]
    assert spelled("bmi", low, high, middle) == ["sex=f and bmi != missing"]
    assert spelled("bmi", high, gap) == ["sex=f and bmi > 25", "sex=f and bmi=missing"]
    assert spelled("pain", "no", "some") == ["sex=f and pain <= some"]
    assert spelled("pain", "bad", "worst") == ["sex=f and pain >= bad"]
    assert spelled("pain", "some", "bad") == ["sex=f and some <= pain <= bad"]
    assert spelled("pain", "bad") == ["sex=f and pain=bad"]
    assert formulas([{"sex": "f"}, {"sex": "m"}], [sex]) == ["sex=f", "sex=m"]
    assert formulas([{}], [sex]) == ["always"]
    assert conditions([{"bmi": state} for state in (low, middle, high)], [bmi]) == ["bmi is not missing"]


def test_bins_that_are_no_neighbours_are_ranges_too() -> None:
    """One notation in a sentence; brackets keep "or" and "and" apart."""
    bmi, sex = Variable.of_bins("bmi", [21, 25, 29.5]), Variable("sex", ("f", "m"))
    low, middle, _, high = bmi.states
    assert conditions([{"bmi": low}, {"bmi": high}], [bmi]) == ["bmi <= 21 or bmi > 29.5"]
    contexts = [{"bmi": state, "sex": "f"} for state in (low, middle, high)]
    assert conditions(contexts, [bmi, sex]) == ["(bmi <= 25 or bmi > 29.5) and sex is f"]


def chess_label(age: Variable, others: Sequence[Variable]) -> EdgeRecord:
    """Return a label that holds for the old, and for a few others: six cases that nothing joins."""
    young, middle, old = age.states
    a, b = (variable.name for variable in others)
    label = [{"age": old, a: 1, b: 0}, {"age": old, a: 0}, {"age": young, a: 0, b: 1}, {"age": middle, a: 1, b: 2}]
    return EdgeRecord("x", "y", tuple(label))


def test_many_cases_are_said_by_what_they_cover() -> None:
    """By rows where these are known, else by cases; three cases are listed."""
    age, a, b = Variable.of_bins("age", [30, 48]), Variable("a", (0, 1)), Variable("b", (0, 1, 2))
    edge = chess_label(age, (a, b))
    covered = np.zeros((3, 2, 3), dtype=bool)
    covered[2, 1, 0] = covered[2, 0] = covered[0, 0, 1] = covered[1, 1, 2] = True
    assert edge_in_words(edge, [age, a, b], most=3) == "x does not matter for y in 6 of 18 cases, mostly when age > 48"
    rows = np.where(covered, 2.0, 1.0)
    rows[2] *= 3.0
    share = round(100 * rows[covered].sum() / rows.sum())
    said = edge_in_words(edge, [age, a, b], most=3, weights=rows)
    assert said == f"x does not matter for y in {share} % of the rows, mostly when age > 48"
    assert edge_in_words(edge, [age, a, b], most=4) == edge_in_words(edge, [age, a, b])
    unseen = edge_in_words(edge, [age, a, b], most=3, weights=np.where(covered, 0.0, 1.0))
    assert unseen == "x does not matter for y in 6 of 18 cases, which no row is in"


def test_cases_without_a_common_condition_are_told_by_the_largest() -> None:
    """On a chess-board with an even number of rows everywhere no condition is right more often than not."""
    a, b = Variable("a", (0, 1, 2, 3)), Variable("b", (0, 1, 2, 3))
    label = tuple({"a": i, "b": j} for i in range(4) for j in range(4) if (i + j) % 2)
    rows = np.ones((4, 4))
    rows[2, 1] = rows[2, 2] = rows[1, 1] = 1.5
    extent, typical = brief(label, [a, b], "if", rows)
    assert extent == f"in {round(100 * 8.5 / 17.5)} % of the rows"
    assert typical.startswith("for instance if a is ")
