"""Labels in words."""

from ldag.formats import EdgeRecord, conditions, edge_in_words
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
