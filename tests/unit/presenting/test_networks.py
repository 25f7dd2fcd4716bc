"""How rules and answers look: what stands beside each other, and what is left out."""

import pytest

from ldag.drawing import Drawing, Meter
from ldag.drawing.marks import Words, flatten
from ldag.graph import Rule
from ldag.model import State
from ldag.network import Answer, ClassParameters, Marginals, NodeParameters
from ldag.presenting import chart
from ldag.presenting.networks import answer_table, marginals_table, rules_tables


def node(
    n_states: int, n_classes: int, *, counts: tuple[float, ...] | None = None, is_root: bool = False
) -> NodeParameters:
    """Return a node with a rule for each state of its parent."""
    states: tuple[State, ...] = tuple(f"s{number}" for number in range(n_states))
    shares = (1 / n_states,) * n_states
    classes = tuple(
        ClassParameters(Rule(number, ({"p": f"a{number}"},)), states, shares, counts and shares, counts)
        for number in range(n_classes)
    )
    return NodeParameters("x", () if is_root else ("p",), states, classes)


def texts(drawing: Drawing) -> list[str]:
    """Return the lines of text of a drawing."""
    return [mark.text for mark in flatten(drawing.marks) if isinstance(mark, Words)]


def test_five_states_stand_beside_each_other_and_six_below() -> None:
    """A column per state, or a row per state under the rule, which is said once."""
    across, below, root = rules_tables([node(5, 2), node(6, 2), node(2, 1, is_root=True)])
    assert across.header == ("if", "x: s0", "x: s1", "x: s2", "x: s3", "x: s4")
    assert len(across.rows) == 2
    assert below.header == ("if", "x", "probability")
    assert [row[0] for row in below.rows] == ["p is a0", *[None] * 5, "p is a1", *[None] * 5]
    assert root.header == ("x", "probability")
    assert len(root.rows) == 2


def test_rows_and_intervals_are_shown_where_they_are_known() -> None:
    """Counts of a rule are added up; without them there is no interval, and no word of one."""
    (known,) = rules_tables([node(2, 1, counts=(3.0, 9.0))])
    assert known.header == ("if", "rows", "x: s0", "x: s1")
    assert known.rows[0][1] == 12
    bar = known.rows[0][2]
    assert isinstance(bar, Meter)
    assert bar.low is not None
    assert bar.low < 0.25 < (bar.high or 0)
    assert "thin line" in " ".join(texts(chart(node(2, 1, counts=(3.0, 9.0)))))
    assert "thin line" not in " ".join(texts(chart(node(2, 1))))


def test_forty_rules_are_drawn() -> None:
    """Others are counted."""
    assert {"p is a39", "x given p"} <= set(texts(chart(node(2, 40))))
    assert not any("not drawn" in text for text in texts(chart(node(2, 40))))
    assert "p is a40" not in texts(chart(node(2, 41)))
    assert "1 more rules are not drawn" in texts(chart(node(2, 41)))


@pytest.mark.parametrize(("n", "more"), [(50, ""), (51, ", the 50 most probable of 51")])
def test_fifty_states_of_an_answer_are_shown(n: int, more: str) -> None:
    """In their order; of more, the most probable first."""
    table = answer_table(Answer(((number, number / 2000) for number in range(n)), ["x"], "y is 1"))
    assert table.header == ("x", f"probability if y is 1{more}")
    assert len(table.rows) == 50
    assert table.rows[0][0] == ("0" if n == 50 else "50")


def test_ranges_are_shown_where_arrows_make_them_wide() -> None:
    """A range that no arrow is named for says nothing."""
    answer = Answer([("a", 0.5), ("b", 0.5)], ["x"])
    answer.range = {"a": (0.4, 0.6), "b": (0.4, 0.6)}
    assert answer_table(answer).rows[0] == ("a", Meter(0.5))
    answer.undetermined = (("x", "y"),)
    table = answer_table(answer)
    assert table.rows[0] == ("a", Meter(0.5, 0.4, 0.6))
    assert table.header[-1] == "probability, and its range over graphs that say the same"


def test_marginals_name_each_variable_once() -> None:
    """At its first state."""
    table = marginals_table(Marginals({"x": {"a": 0.25, "b": 0.75}, "y": {"c": 1.0}}))
    assert [row[:2] for row in table.rows] == [("x", "a"), ("", "b"), ("y", "c")]
    assert "All variables" in texts(chart(Marginals({"x": {"a": 1.0}})))
