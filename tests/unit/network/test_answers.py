"""Answers are dicts that draw themselves."""

import copy
import json
import pickle

import ldag
from ldag.network import Answer
from ldag.presenting.networks import answer_table

NET = ldag.simulate.guard()


def test_answers_stay_plain_dicts() -> None:
    """Equal to dicts, written as JSON, copied and pickled with what was asked."""
    answer = NET.query("badge", given={"person": "spy"})
    assert isinstance(answer, dict)
    assert answer == dict(answer.items())
    assert json.loads(json.dumps(answer)) == dict(answer)
    for again in (pickle.loads(pickle.dumps(answer)), copy.copy(answer), copy.deepcopy(answer)):
        assert again == answer
        assert again.targets == ("badge",)
        assert again.said == "person is spy"
    assert json.loads(json.dumps(NET.marginals())) == NET.marginals()


def test_answers_show_bars_and_what_was_asked() -> None:
    """The states are escaped, what was given and what was set stand in the head."""
    shown = NET.query("badge", given={"person": "spy"}, do={"gender": "male"})._repr_html_()
    assert "probability if person is spy, gender set to male" in shown
    assert shown.count('class="meter"') == 2
    assert "&lt;b&gt;" in Answer([("<b>", 1.0)], ["x"])._repr_html_()


def test_joint_answers_have_a_column_per_variable() -> None:
    """In the order of the targets."""
    table = answer_table(NET.query(["person", "badge"]))
    assert table.header == ("person", "badge", "probability")
    assert len(table.rows) == 6


def test_many_states_are_cut_to_the_most_probable() -> None:
    """And it is said."""
    table = answer_table(Answer(((number, number / 4950) for number in range(100)), ["x"]))
    assert len(table.rows) == 50
    assert table.rows[0][0] == "99"
    assert "the 50 most probable of 100" in table.header[-1]
