"""Constraints on a panel, as constraints on the tables it is cut into."""

import pytest

from ldag.constraints import Constraints, PanelRules
from ldag.errors import ArgumentError, LdagError

CHANGING = ("dose", "pain")


def rules(given: Constraints, lags: int = 1, instantaneous: bool = True) -> PanelRules:
    """Rules on two columns that change and one that does not."""
    return PanelRules(given, lags, ("sex",), CHANGING, instantaneous)


def test_nothing_points_back_in_time() -> None:
    """What was before, and what is static, has no parents in the transition; in the first slice static comes first."""
    own = rules(Constraints(), lags=2)
    assert {name: tuple(allowed) for name, allowed in own.of_windows().allowed_parents.items()} == {
        "dose@-1": (),
        "pain@-1": (),
        "dose@-2": (),
        "pain@-2": (),
        "sex": (),
    }
    assert own.of_first().tiers == (("sex",), ("dose@0", "pain@0"), ("dose@1", "pain@1"))
    assert rules(Constraints()).of_first().tiers == (("sex",), ("dose", "pain"))


def test_plain_names_are_of_every_slice() -> None:
    """Edges between plain names hold within each slice, those with a lag from slice to slice."""
    own = rules(Constraints(forbidden=[("dose", "pain"), ("pain@-1", "dose")]), lags=2)
    assert own.of_windows().forbidden == (("dose", "pain"), ("pain@-1", "dose"))
    assert own.of_first().forbidden == (("dose@0", "pain@0"), ("dose@1", "pain@1"), ("pain@0", "dose@1"))
    assert rules(Constraints(forbidden=[("dose", "pain"), ("pain@-1", "dose")])).of_first().forbidden == (
        ("dose", "pain"),
    )


def test_required_edges_and_labels() -> None:
    """They are required where their ends are; static variables are called the same everywhere."""
    label = {("pain@-1", "pain"): [{"sex": "f"}]}
    own = rules(Constraints(required=[("sex", "pain")], labels=label), lags=2)
    windows, first = own.of_windows(), own.of_first()
    assert windows.required == (("sex", "pain"),)
    assert windows.labels == {("pain@-1", "pain"): ({"sex": "f"},)}
    assert first.required == (("sex", "pain@0"), ("sex", "pain@1"))
    assert first.labels == {("pain@0", "pain@1"): ({"sex": "f"},)}


def test_edges_among_static_variables_are_of_the_first_slice() -> None:
    """In the transition they are given."""
    own = PanelRules(Constraints(required=[("age", "sex")]), 1, ("sex", "age"), CHANGING)
    assert own.of_windows().required == ()
    assert own.of_first().required == (("age", "sex"),)


def test_tiers_and_orders_are_within_a_slice() -> None:
    """They forbid edges of the same slice only: what was before may matter for an earlier tier."""
    own = rules(Constraints(tiers=[["dose"], ["*"]]), lags=2)
    assert own.of_windows().forbidden == (("pain", "dose"), ("sex", "dose"))
    assert set(own.of_first().forbidden) == {
        ("pain@0", "dose@0"),
        ("pain@1", "dose@1"),
        ("sex", "dose@0"),
        ("sex", "dose@1"),
    }
    assert rules(Constraints(order=["dose", "pain"])).of_windows().forbidden == (("pain", "dose"),)


def test_no_instantaneous_edges() -> None:
    """Then parents are from before, or static; what series begin with keeps its edges."""
    given = Constraints(allowed_parents={"dose": ["pain@-1", "pain"]})
    allowed = rules(given, instantaneous=False).of_windows().allowed_parents
    assert set(allowed["pain"]) == {"dose@-1", "pain@-1", "sex"}
    assert tuple(allowed["dose"]) == ("pain@-1",)
    assert rules(given, instantaneous=False).of_first().allowed_parents == {"dose": ("pain",)}


def test_limits_and_allowed_parents() -> None:
    """They are of a variable wherever it stands."""
    own = rules(Constraints(max_parents={"pain": 2, "*": 3}, allowed_parents={"pain": ["dose@-1", "sex"]}), lags=2)
    assert own.of_windows().max_parents == {"pain": 2, "*": 3}
    assert own.of_first().max_parents == {"pain@0": 2, "pain@1": 2, "*": 3}
    assert own.of_first().allowed_parents == {"pain@0": ("sex",), "pain@1": ("dose@0", "sex")}


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (Constraints(required=[("pain", "dose@-1")]), "'dose@-1' was before, and nothing points to it"),
        (Constraints(max_parents={"dose@-1": 1}), "'dose@-1' was before, and nothing points to it"),
        (Constraints(required=[("pain", "sex")]), "'sex' is static, and nothing that changes points to it"),
        (Constraints(forbidden=[("pian", "dose")]), "no variable 'pian'; did you mean 'pain'?"),
        (Constraints(forbidden=[("sex@-1", "dose")]), "'sex' is static, so that there is no 'sex@-1'; write 'sex'"),
        (Constraints(forbidden=[("pain@-2", "dose")]), "'pain@-2' is 2 steps before, and lags is 1"),
        (Constraints(tiers=[["pain@-1"], ["pain"]]), "tiers and orders are of one slice; leave out 'pain@-1'"),
    ],
)
def test_constraints_against_time(given: Constraints, text: str) -> None:
    """Each is refused with what to do."""
    with pytest.raises(LdagError) as caught:
        rules(given)
    assert text in str(caught.value)


def test_required_within_a_slice_without_instantaneous_edges() -> None:
    """A contradiction."""
    with pytest.raises(ArgumentError, match="instantaneous is False; require dose@-1 -> pain"):
        rules(Constraints(required=[("dose", "pain")]), instantaneous=False)
