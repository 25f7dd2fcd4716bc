"""Available cases, counted by the native core, against rows looked at one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag import _native
from tests.oracle.gaps import GAP, Rows, available_counts, available_gain


@st.composite
def tables(draw: st.DrawFn) -> tuple[Rows, list[int], list[float] | list[int] | None]:
    """Rows of two to four variables with 1 to 4 states and gaps, and weights of any kind."""
    n_states = draw(st.lists(st.integers(1, 4), min_size=2, max_size=4))
    rows = draw(
        st.lists(st.tuples(*(st.sampled_from([GAP, *range(n)]) for n in n_states)).map(list), min_size=1, max_size=40)
    )
    n = len(rows)
    whole = st.lists(st.integers(0, 9), min_size=n, max_size=n)
    real = st.lists(st.sampled_from([0.25, 1.0, 2.5]), min_size=n, max_size=n)
    return rows, n_states, draw(st.none() | whole | real)


def available(rows: Rows, n_states: list[int], weights: list[float] | list[int] | None) -> _native.Columns:
    """Return the columns that count available cases."""
    codes = np.ascontiguousarray(np.array(rows, dtype=np.uint8).T)
    return _native.Columns(codes, n_states, None if weights is None else np.array(weights), available=True)


@given(tables(), st.data())
@settings(max_examples=60, deadline=None)
def test_available_cases_are_counted(
    table: tuple[Rows, list[int], list[float] | list[int] | None], data: st.DataObject
) -> None:
    """A family is counted in the rows without a gap in it."""
    rows, n_states, weights = table
    node, *others = data.draw(st.permutations(range(len(n_states))))
    parents = others[: data.draw(st.integers(0, len(others)))]
    counted = available(rows, n_states, weights).counts([*parents, node]).reshape(-1, n_states[node])
    np.testing.assert_allclose(counted, available_counts(rows, n_states, node, parents, weights), rtol=1e-12)


@given(tables())
@settings(max_examples=30, deadline=None)
def test_a_scorer_of_available_cases_tells_what_parents_gain_there(
    table: tuple[Rows, list[int], list[float] | list[int] | None],
) -> None:
    """Whatever way is asked for, a family is compared with no parents in the rows where it is seen."""
    rows, n_states, weights = table
    scorer = _native.FamilyScorer(
        available(rows, n_states, weights),
        equivalent_sample_size=1.0,
        parameter_saved=0.0,
        parameter_of_table=0.0,
        structure="table",
        labels="greedy",
        regular=True,
        seed=0,
        n_restarts=0,
        cache_bytes=1 << 20,
    )
    times = [1] * len(rows) if weights is None else weights
    if not any(GAP in row for row, n in zip(rows, times, strict=True) if n):
        return  # an ordinary score
    total = float(len(rows) if weights is None else sum(weights))
    expected = available_gain(available_counts(rows, n_states, 0, [1], weights), total, 1.0)
    assert scorer.score(0, [1]) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert scorer.scores_of_additions(0, [], [1])[0] == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_gaps_are_refused_unless_asked_for() -> None:
    """The last byte is no state, so that nobody counts gaps by mistake."""
    with pytest.raises(ValueError, match="holds code 255"):
        _native.Columns(np.array([[0, GAP]], dtype=np.uint8), [2])
