"""Counting agrees with its slow twin on any data."""

from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag.counts import Weights, counts
from tests.oracle import counts as oracle


@dataclass(frozen=True)
class Case:
    """Rows of codes, a family, and weights."""

    n_states: list[int]
    rows: list[list[int]]
    node: int
    parents: list[int]
    weights: list[int] | list[float] | None


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw up to 6 variables of 1 to 4 states, any parents in any order, and whole, real or no weights."""
    n_states = draw(st.lists(st.integers(1, 4), min_size=1, max_size=6))
    rows = draw(st.lists(st.tuples(*(st.integers(0, n - 1) for n in n_states)).map(list), max_size=30))
    order = draw(st.permutations(range(len(n_states))))
    n_parents = draw(st.integers(0, len(n_states) - 1))
    whole = st.lists(st.integers(0, 10**9), min_size=len(rows), max_size=len(rows))
    real = st.lists(st.floats(0, 1e6), min_size=len(rows), max_size=len(rows))
    return Case(n_states, rows, order[0], order[1 : n_parents + 1], draw(st.none() | whole | real))


@settings(deadline=None, max_examples=300)
@given(cases())
def test_counts_agree_with_the_slow_twin(case: Case) -> None:
    """Whole counts are exact; real ones agree to rounding."""
    codes = np.array(case.rows, dtype=np.uint8).reshape(len(case.rows), len(case.n_states)).T.copy()
    real = case.weights is not None and any(isinstance(weight, float) for weight in case.weights)
    dtype = np.float64 if real else np.int64
    weights: Weights | None = None
    if case.weights is not None:
        weights = np.array(case.weights, np.float64) if real else np.array(case.weights, np.int64)
    found = counts(codes, case.n_states, case.node, case.parents, weights)
    expected = np.array(oracle.counts(case.rows, case.n_states, case.node, case.parents, case.weights))
    assert found.shape == expected.shape
    assert found.dtype == dtype
    if real:
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    else:
        assert found.tolist() == expected.tolist()
