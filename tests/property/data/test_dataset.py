"""Counting agrees with its slow twin on any data."""

from dataclasses import dataclass
from math import prod
from typing import Literal

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag.data import Codes, Columns, Weights, count_family
from tests.oracle import counts as oracle

Kind = Literal["none", "small", "large", "huge", "real"]
KINDS: tuple[Kind, ...] = ("none", "small", "large", "huge", "real")
FEW_ROWS = st.integers(0, 30)
BLOCK_ENDS = st.sampled_from([63, 64, 65, 127, 129, 1023, 1024, 1025, 2047, 2048, 2049])
MAX_CELLS = 20_000


@dataclass(frozen=True)
class Case:
    """Rows of codes, a family, and weights."""

    n_states: tuple[int, ...]
    codes: Codes
    node: int
    parents: tuple[int, ...]
    weights: Weights | None


def draw_weights(rng: np.random.Generator, kind: Kind, n_rows: int) -> Weights | None:
    """Make weights of a kind; all but the huge ones may be zero."""
    match kind:
        case "none":
            return None
        case "small":
            return rng.integers(0, 6, size=n_rows)
        case "large":
            return rng.choice([0, 1, 3, 10**9], size=n_rows) * rng.integers(0, 10**3, size=n_rows)
        case "huge":
            return rng.integers(1 << 50, 1 << 51, size=n_rows)  # no double holds the sums of some
        case "real":
            return np.where(rng.random(n_rows) < 0.5, rng.integers(0, 6, size=n_rows), rng.random(n_rows) * 1e6)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw up to 7 variables of 1 to 4 states (one may have 60), any parents in any order, any kind of weights."""
    states = st.integers(1, 4)
    n_states = draw(st.lists(states, min_size=1, max_size=7))
    if draw(st.booleans()):
        n_states[draw(st.integers(0, len(n_states) - 1))] = draw(st.sampled_from([5, 16, 17, 60]))
    family = draw(st.permutations(range(len(n_states))))[: draw(st.integers(1, len(n_states)))]
    while prod(n_states[variable] for variable in family) > MAX_CELLS:
        family.pop()
    n_rows = draw(FEW_ROWS | BLOCK_ENDS)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    skew = draw(st.sampled_from([1, 3]))  # states alike, or the first ones more often
    codes = np.array([rng.random(n_rows) ** skew * n for n in n_states]).astype(np.uint8)
    weights = draw_weights(rng, draw(st.sampled_from(KINDS)), n_rows)
    return Case(tuple(n_states), codes, family[0], tuple(family[1:]), weights)


@settings(deadline=None, max_examples=400)
@given(cases())
def test_counts_agree_with_the_slow_twin(case: Case) -> None:
    """Whole counts are exact; real ones agree to rounding; asking again gives the same."""
    columns = Columns(case.codes, case.n_states, case.weights)
    found = count_family(columns, case.n_states, case.node, case.parents)
    weights = None if case.weights is None else case.weights.tolist()
    expected = oracle.counts(case.codes.T.tolist(), case.n_states, case.node, case.parents, weights)
    if case.weights is not None and case.weights.dtype == np.float64:
        assert found.dtype == np.float64
        np.testing.assert_allclose(found, np.array(expected), rtol=1e-12)
    else:
        assert found.dtype == np.int64
        assert found.tolist() == expected
    assert count_family(columns, case.n_states, case.node, case.parents).tolist() == found.tolist()
