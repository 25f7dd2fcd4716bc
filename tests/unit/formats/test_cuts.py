"""Ordered states and cut points in every native form."""

import json
from pathlib import Path

import jsonschema
import pytest

import ldag
from ldag.errors import ArgumentError, FormatError, LdagError
from ldag.model import Variable, bin_states

TEXT = """\
pain {none < mild < severe}
bmi {"<= 21.3" < "(21.3, 25.100000000000001]" < "> 25.100000000000001"} cut 21.3, 25.1
day {early < late < missing} cut "2020-01-31"
bmi -> pain
"""


def graph() -> ldag.LDAG:
    """A graph with every kind of order."""
    return ldag.LDAG.from_text(TEXT)


def test_order_and_cut_points_are_read() -> None:
    """The order, the cut points and the state that stands outside the order."""
    pain, bmi, day = graph().variables
    assert (pain.ordered, pain.cuts, pain.n_ordered) == (True, (), 3)
    assert bmi.cuts == (21.3, 25.1)
    assert (day.cuts, day.n_ordered, day.n_states) == (("2020-01-31",), 2, 3)


def test_every_native_form_gives_them_back(tmp_path: Path) -> None:
    """Text, JSON, DOT, networkx, and files of them; numbers come back to the last digit."""
    hard = Variable.of_bins("x", [0.1, 1 / 3, 1e22, 1e300])
    data = ldag.read({"y": [0, 1]}, states={"y": ldag.ordered([0, 1])})
    assert data.variables[0].ordered
    mine = ldag.LDAG.from_text("x cut 0.1, 0.3333333333333333, 1e22, 1e300\n" + TEXT)
    assert mine.variables[0] == hard
    for again in (
        ldag.LDAG.from_text(mine.to_text()),
        ldag.LDAG.from_json(mine.to_json()),
        ldag.LDAG.from_dot(mine.to_dot()),
        ldag.LDAG.from_networkx(mine.to_networkx()),
    ):
        assert again.variables == mine.variables
    for name in ("g.json", "g.ldag", "g.dot"):
        mine.save(tmp_path / name)
        assert ldag.LDAG.load(tmp_path / name).variables == mine.variables
    schema = json.loads((Path(__file__).parents[3] / "docs" / "ldag.schema.json").read_text())
    jsonschema.validate(json.loads(mine.to_json()), schema)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x {a < b, c}", "expected ',' or '}' after a state, got ','"),
        ("x {a < b} cut 1, 2", "2 cut points make 3 states, got 2"),
        ("x cut 2, 1", "cut points must increase, got 2.0 before 1.0"),
        ("x cut old", "a cut point is a finite number or a date such as 2020-01-31, got 'old'"),
        ('x cut 1, "2020-01-31"', "all numbers or all dates"),
        ("x cut", "expected a state, got nothing more"),
    ],
)
def test_wrong_orders_are_refused(text: str, message: str) -> None:
    """Each with its line."""
    with pytest.raises(FormatError, match="line 1: ") as caught:
        ldag.LDAG.from_text(text)
    assert message in str(caught.value)


def test_wrong_orders_in_json_are_refused() -> None:
    """Each with its place."""
    start = '{"format": "ldag", "version": 1, "edges": [], "variables": [{"name": "x", '
    for rest, message in (
        ('"states": [0, 1], "ordered": 1', r"variables\[0\].ordered: expected true or false, got 1"),
        ('"ordered": true', "'x' have an order, but are not given"),
        ('"cuts": 3', r"variables\[0\].cuts: expected a list of cut points, got 3"),
        ('"cuts": [true]', "a cut point is a finite number"),
    ):
        with pytest.raises(FormatError, match=message):
            ldag.LDAG.from_json(start + rest + "}]}")


def test_measurements_find_their_bin() -> None:
    """At most the cut point, or above it; numbers, texts of numbers, and states by name."""
    bmi = Variable.of_bins("bmi", [21.3, 25.1])
    assert bin_states(bmi.cuts) == ("<= 21.3", "(21.3, 25.1]", "> 25.1")
    given: list[float | str] = [-1e9, 21.3, 21.300001, "25.1", "25.2", "> 25.1", float("inf")]
    assert [bmi.code(value) for value in given] == [0, 0, 1, 1, 2, 2, 2]
    with pytest.raises(LdagError, match="no state 'fat'"):
        bmi.code("fat")
    with pytest.raises(LdagError, match="no state True"):
        bmi.code(True)
    day = Variable.of_bins("day", ["2020-01-31"])
    assert [day.code(d) for d in ("2019-12-31", "2020-01-31", "2020-01-31T00:01:00", "2021-01-01")] == [0, 0, 1, 1]


def test_truth_may_be_given_as_a_number() -> None:
    """1, "1" and "true" stand for True where no other state is spelled so."""
    flag = Variable("flag", (False, True))
    assert [flag.code(v) for v in (True, 1, "1", "True", "true", 0, "false")] == [1, 1, 1, 1, 1, 0, 0]
    assert Variable("both", (True, 1)).code(1) == 1


def test_ordered_takes_a_list() -> None:
    """A text is not a list of states."""
    with pytest.raises(ArgumentError, match="ordered takes a list of states, got 'abc'"):
        ldag.ordered("abc")
