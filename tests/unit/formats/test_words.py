"""Labels in words, rules as formulas."""

from ldag.formats import EdgeRecord, conditions, edge_in_words, formulas
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


def test_of_many_cases_the_first_are_said() -> None:
    """And the others counted."""
    label = tuple({"a": i, f"b{i}": 1} for i in range(5))
    edge = EdgeRecord("x", "y", label)
    assert edge_in_words(edge, most=2) == (
        "x does not matter for y when a is 0 and b0 is 1, or when a is 1 and b1 is 1, or in 3 more cases"
    )
    assert edge_in_words(edge, most=4).endswith(", or in 1 more case")
    assert edge_in_words(edge, most=5) == edge_in_words(edge)
