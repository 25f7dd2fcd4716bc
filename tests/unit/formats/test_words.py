"""Labels in words."""

from ldag.formats import EdgeRecord, edge_in_words


def test_states_that_look_like_several_are_quoted() -> None:
    """A comma inside a state does not separate states."""
    contexts = ({"region": "North, East"}, {"region": "this or that"}, {"region": "West"})
    said = edge_in_words(EdgeRecord("age", "vote", contexts))
    assert said == "age does not matter for vote when region is 'North, East', 'this or that' or West"
