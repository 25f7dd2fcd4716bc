"""How what was learned looks: curves that show what they are about, and lists that end."""

import pytest

import ldag
from ldag.drawing import Drawing
from ldag.drawing.marks import Words, flatten
from ldag.learning import CrossValidation, Trace
from ldag.learning.cross_validation import Candidate
from ldag.presenting import blocks, chart
from ldag.presenting.documents import Bullets, TableBlock


def texts(drawing: Drawing) -> list[str]:
    """Return the lines of text of a drawing."""
    return [mark.text for mark in flatten(drawing.marks) if isinstance(mark, Words)]


@pytest.mark.parametrize(("first", "n_points", "is_left_out"), [(-20.0, 8, False), (-20.5, 8, True), (-20.5, 7, False)])
def test_a_first_rise_that_hides_the_others_is_left_out(first: float, n_points: int, is_left_out: bool) -> None:
    """Of 8 points or more: what is more than 20 times as far from the end as half-way."""
    scores = [first, -5.0, -5.0, *[-1.0] * (n_points - 4), 0.0]
    words = " ".join(texts(chart(Trace.of(enumerate(scores, start=1)))))
    assert ("the first rise, from -2" in words) == is_left_out


@pytest.mark.parametrize(("last", "shown", "hidden"), [(30, "20", "3"), (31, "3", "20")])
def test_long_searches_have_a_logarithmic_axis(last: int, shown: str, hidden: str) -> None:
    """Beyond 30 times the first step."""
    words = texts(chart(Trace.of([(1, -2.0), (last, -1.0)])))
    assert shown in words
    assert hidden not in words


def test_candidates_are_rows_and_kappas_a_curve() -> None:
    """24 candidates and plain tables; several kappas alone are points of a curve, a single one is a row."""
    scores = {Candidate(0.1, float(size), "ldag"): (-float(size), -float(size) - 1) for size in range(1, 31)}
    many = texts(chart(CrossValidation(scores, 2, tables=(-3.0, -4.0))))
    assert sum(text.startswith("ldag, kappa 0.1, sample size ") for text in many) == 24
    assert "ldag, kappa 0.1, sample size 24" in many
    assert "plain tables" in many
    kappas = {Candidate(kappa, 1.0, "ldag"): (-1.0, -2.0 - kappa) for kappa in (0.1, 0.5)}
    assert "best: kappa 0.1; bands are standard errors" in texts(chart(CrossValidation(kappas, 2)))
    single = {Candidate(0.1, 1.0, "ldag"): (-1.0, -2.0)}
    assert "ldag, kappa 0.1, sample size 1" in texts(chart(CrossValidation(single, 2)))


def test_forty_variables_of_a_table_are_listed() -> None:
    """With their states and shares; notes are a list, where there are any."""
    shown = blocks(ldag.read({f"x{number}": [0, 1] for number in range(41)}))
    (table,) = [block for block in shown if isinstance(block, TableBlock)]
    assert len(table.rows) == 40
    assert table.rows[0] == ("x0", 2, "0: 50 %, 1: 50 %")
    assert not any(isinstance(block, Bullets) for block in shown)
    gaps = ldag.read({"x": ["a", None, "b"], "y": ["c", "d", "c"]}, missing="drop")
    assert any(isinstance(block, Bullets) for block in blocks(gaps))


def test_gaps_are_a_picture() -> None:
    """Of the columns that have some."""
    data = ldag.read({"x": ["a", None, "b"], "y": ["u", "v", "v"]}, missing="keep")
    words = texts(chart(data.gaps()))
    assert "x" in words
    assert "y" not in words
