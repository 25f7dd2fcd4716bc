"""What is told of gaps: how many, which together, and what they depend on; the twin goes through rows one by one."""

from collections import Counter
from itertools import product
from math import log
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ldag
from ldag.data import ASSUMED, GAP
from ldag.model import Schema, Variable

Rows = list[list[int | None]]


def urn(draws: list[int], n_urns: int) -> float:
    """Return the log probability of draws of two colours, one by one, from an urn with half a ball of each in all urns.

    The share of an urn is one of ``n_urns``; every draw puts a ball of its colour back beside it.
    """
    balls, result = [0.5 / n_urns, 0.5 / n_urns], 0.0
    for colour in draws:
        result += log(balls[colour] / sum(balls))
        balls[colour] += 1
    return result


def slow_factor(rows: Rows, node: int, other: int, n_states: int) -> float:
    """Return the log Bayes factor of gaps depending on another column, by drawing row after row."""
    seen = [row for row in rows if row[other] is not None]
    by_state = [[int(row[node] is None) for row in seen if row[other] == state] for state in range(n_states)]
    return sum(urn(draws, n_states) for draws in by_state) - urn([int(row[node] is None) for row in seen], 1)


def make(rows: Rows, n_states: tuple[int, ...]) -> ldag.Dataset:
    """Make data of rows in which None is a gap."""
    schema = Schema(tuple(Variable(f"x{node}", tuple(range(n))) for node, n in enumerate(n_states)))
    codes = np.array([[GAP if code is None else code for code in row] for row in rows], dtype=np.uint8)
    return ldag.Dataset.from_codes(schema, np.ascontiguousarray(codes.T))


@st.composite
def tables(draw: st.DrawFn) -> tuple[Rows, tuple[int, ...]]:
    """Draw rows with gaps over two to four variables of two to four states."""
    n_states = tuple(draw(st.lists(st.integers(2, 4), min_size=2, max_size=4)))
    rng = np.random.default_rng(draw(st.integers(0, 1 << 30)))
    rows: Rows = []
    for _ in range(draw(st.integers(1, 80))):
        row: list[int | None] = [int(rng.integers(n)) for n in n_states]
        row[0] = None if rng.random() < (0.6 if row[1] == 0 else 0.1) else row[0]
        rows.append([None if rng.random() < 0.1 else code for code in row])
    return rows, n_states


@settings(max_examples=60)
@given(tables())
def test_gaps_are_those_counted_one_by_one(table: tuple[Rows, tuple[int, ...]]) -> None:
    """Shares, patterns and dependences are those of the rows as they came, not merged."""
    rows, n_states = table
    gaps = make(rows, n_states).gaps()
    patterns = Counter(tuple(f"x{node}" for node, code in enumerate(row) if code is None) for row in rows)
    assert dict(gaps.patterns) == dict(patterns)
    assert list(gaps.patterns.values()) == sorted(patterns.values(), reverse=True)
    assert gaps.complete == patterns[()] / len(rows)
    assert gaps.n_cells == sum(row.count(None) for row in rows)
    assert gaps.shares == {f"x{i}": sum(row[i] is None for row in rows) / len(rows) for i in range(len(n_states))}
    nodes = range(len(n_states))
    slow = {(a, b): slow_factor(rows, a, b, n_states[b]) for a, b in product(nodes, nodes) if a != b}
    clear = {(f"x{a}", f"x{b}"): factor for (a, b), factor in slow.items() if factor >= 3}
    assert {(a, b): factor for a, b, factor in gaps.depends_on} == pytest.approx(clear)
    factors = [factor for *_, factor in gaps.depends_on]
    assert factors == sorted(factors, reverse=True)


def test_a_factor_by_hand() -> None:
    """Two rows, of which that with the other state is empty: 1/4 with a parent against 1/8 without one."""
    assert slow_factor([[None, 0], [0, 1]], 0, 1, 2) == pytest.approx(log(2))


def test_dependences_are_named_from_three_on() -> None:
    """Of all small tables, the one just below 3 is not named, and the one just above is."""
    by_factor = {}
    for a, b, c, d in product(range(9), repeat=4):
        if a + c and b + d and a + b and c + d:
            rows: Rows = [[None, 0]] * a + [[0, 0]] * b + [[None, 1]] * c + [[0, 1]] * d
            by_factor[slow_factor(rows, 0, 1, 2)] = rows
    below, above = max(f for f in by_factor if f < 3), min(f for f in by_factor if f >= 3)
    assert 2.9 < below < 3 <= above < 3.1
    assert make(by_factor[below], (2, 2)).gaps().depends_on == ()
    ((column, other, factor),) = make(by_factor[above], (2, 2)).gaps().depends_on
    assert (column, other) == ("x0", "x1")
    assert factor == pytest.approx(above)


def survey(n: int = 400) -> dict[str, list[Any]]:
    """Return a survey in which the young leave income empty, and nobody's sex says anything of it."""
    rng = np.random.default_rng(2)
    age = rng.integers(18, 80, n)
    income = np.where((age < 26) & (rng.random(n) < 0.7), None, rng.choice(["low", "high"], n))  # type: ignore[call-overload]
    bmi = np.where(rng.random(n) < 0.1, None, rng.choice(["n", "o"], n))  # type: ignore[call-overload]
    return {
        "age": age.tolist(),
        "sex": rng.choice(["f", "m"], n).tolist(),
        "income": income.tolist(),
        "bmi": bmi.tolist(),
    }


def test_what_gaps_depend_on_is_said_with_its_direction() -> None:
    """The state where gaps are more common is named, in words."""
    gaps = ldag.read(survey(), missing="keep", bins={"age": [25, 45, 65]}).gaps()
    ((column, other, factor),) = gaps.depends_on
    assert (column, other, gaps.where) == ("income", "age", ("<= 25",))
    assert gaps.sentences() == (f"income is empty more often where age is up to 25 (log Bayes factor {factor:.0f})",)
    assert factor > 20


def test_the_text_and_plain_values() -> None:
    """Columns with gaps, the emptiest first; patterns; dependences; and what no data can tell."""
    gaps = ldag.read(survey(), missing="keep", bins={"age": [25, 45, 65]}).gaps()
    lines = str(gaps).splitlines()
    n_income, n_bmi = (round(gaps.shares[name] * 400) for name in ("income", "bmi"))
    assert lines[0].startswith(f"{n_income + n_bmi} cells missing, ")
    assert [line.split()[0] for line in lines[1:3]] == (["income", "bmi"] if n_income > n_bmi else ["bmi", "income"])
    assert "empty together:" in lines
    assert "  " + gaps.sentences()[0] in lines
    assert lines[-1] == f"what is assumed: {ASSUMED}"
    assert ASSUMED == (
        "gaps may depend on anything in the table, but not on what would have stood in the gap itself; no data can tell"
    )
    assert repr(gaps) == f"<Gaps: {lines[0]}>"
    plain: Any = gaps.to_dict()
    assert plain["n_cells"] == gaps.n_cells
    assert plain["complete"] == gaps.complete
    assert plain["patterns"][0] == {"empty": [], "observations": gaps.patterns[()]}
    assert plain["depends_on"][0]["where"] == "<= 25"


def test_no_gaps_and_gaps_only() -> None:
    """A table without gaps has none; a row of gaps only is a pattern, and a column of gaps only has a share of 1."""
    none = ldag.read({"x": ["a", "b"]}).gaps()
    assert (none.n_cells, none.complete, none.patterns, str(none)) == (0, 1.0, {(): 2}, "no gaps in 2 observations")
    table: dict[str, list[Any]] = {"x": [None, None, None], "y": ["a", None, "b"]}
    gaps = ldag.read(table, missing="keep", states={"x": ["u", "v"]}).gaps()
    assert gaps.patterns == {("x",): 2, ("x", "y"): 1}
    assert (gaps.complete, gaps.shares["x"]) == (0.0, 1.0)
    assert "3 of 3 observations have gaps" in str(gaps)
    assert gaps.depends_on == ()


def test_many_patterns_are_counted_not_listed() -> None:
    """A text stays short, whatever the table; plain values have all."""
    rows: Rows = [[None if number >> node & 1 else 0 for node in range(6)] for number in range(64)]
    gaps = make(rows, (2,) * 6).gaps()
    assert len(gaps.patterns) == len(gaps.to_dict()["patterns"]) == 64  # type: ignore[arg-type]
    assert "  and 54 more" in str(gaps).splitlines()
    ten, eleven = make(rows[:10], (2,) * 6).gaps(), make(rows[:11], (2,) * 6).gaps()
    assert " more" not in str(ten)
    assert "  and 1 more" in str(eleven).splitlines()


@pytest.mark.parametrize("kind", ["counts", "weights"])
def test_rows_count_as_often_as_they_occur(kind: Any) -> None:
    """Counted and weighted rows are as many observations."""
    table: dict[str, list[Any]] = {"x": ["a", None, "b", None], "y": ["u", "v", "u", "v"], "n": [30, 20, 4, 10]}
    gaps = ldag.read(table, missing="keep", **cast("Any", {kind: "n"})).gaps()
    assert (gaps.n_cells, gaps.total, gaps.patterns) == (30, 64, {(): 34, ("x",): 30})
    rows: Rows = [[0, 0] if number < 34 else [None, 1] for number in range(64)]
    assert [factor for *_, factor in gaps.depends_on] == pytest.approx([slow_factor(rows, 0, 1, 2)])
    assert isinstance(gaps.n_cells, int if kind == "counts" else float)


def test_what_nobody_observed_is_no_gap() -> None:
    """A latent variable without a column makes no row incomplete."""
    graph = ldag.LDAG.from_edges([("h", "x")], states={"h": [0, 1], "x": ["a", "b"]}, latent=["h"])
    data = ldag.read({"x": ["a", "b", None]}, missing="keep").aligned_to(graph.schema)
    assert data.gaps().patterns == {(): 2, ("x",): 1}


def test_what_chance_can_do_in_many_columns_is_said() -> None:
    """Gaps by chance in many columns: some pairs look dependent, and none is as clear as one in so many can be."""
    rng = np.random.default_rng(1)
    rows: Rows = [[None if rng.random() < 0.1 else int(rng.random() < 0.5) for _ in range(80)] for _ in range(200)]
    gaps = make(rows, (2,) * 80).gaps()
    assert gaps.depends_on
    assert gaps.by_chance == pytest.approx(log(80 * 79))
    assert gaps.depends_on[0][2] < gaps.by_chance
    assert "  6,320 pairs of columns were compared: log Bayes factors below 8.8 can be chance" in str(gaps).splitlines()
    assert ldag.read(survey(), missing="keep", bins={"age": [25, 45, 65]}).gaps().caution() is None


def test_one_row_has_gaps() -> None:
    """Numbers and verbs agree."""
    gaps = ldag.read({"x": ["a", None], "y": ["u", "v"]}, missing="keep").gaps()
    assert str(gaps).startswith("1 cell missing, 25 % of all; 1 of 2 observations has gaps")
