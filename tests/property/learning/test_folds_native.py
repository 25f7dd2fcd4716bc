"""How families predict new rows, and the searches for several prices at once, against their slow twins."""

from math import inf, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag import _native
from tests.oracle import family as oracle
from tests.oracle.predictive import log_predictive

PRICES = [log(0.001), log(0.1), log(0.3), log(0.9), 0.0]
NO_LABELS = -inf


def rows_of(rng: np.random.Generator, n_states: list[int], n_rows: int) -> _native.Columns:
    """Rows in which the last variable depends on the first two."""
    codes = np.array([rng.integers(0, n, n_rows) for n in n_states], dtype=np.uint8)
    codes[-1] = (codes[0] * codes[1] + (rng.random(n_rows) < 0.2)) % n_states[-1]
    return _native.Columns(codes, n_states, rng.integers(1, 4, n_rows))


def scorer_of(columns: _native.Columns, structure: str, price: float, cache_bytes: int = 0) -> _native.FamilyScorer:
    """A scorer with a sample size of 2."""
    return _native.FamilyScorer(columns, 2.0, price, 0.0, structure, "greedy", True, 0, 5, cache_bytes)


@settings(deadline=None, max_examples=40)
@given(
    st.integers(0, 2**32),
    st.lists(st.integers(1, 4), min_size=3, max_size=4),
    st.sampled_from(["table", "tree", "ldag", "partial", "graph"]),
)
def test_new_rows_are_predicted_as_the_twin_does(seed: int, n_states: list[int], structure: str) -> None:
    """Observation by observation, for every smoothing; few new rows in some classes, and many in others."""
    rng = np.random.default_rng(seed)
    trained, fresh = rows_of(rng, n_states, 40), rows_of(rng, n_states, 25)
    n = len(n_states)
    parents = [[other for other in range(node) if rng.random() < 0.7][:3] for node in range(n)]
    smoothings = [(0.5, False), (3.0, True), (100.0, False)]
    found = scorer_of(trained, structure, log(0.3)).log_predictives(parents, fresh, smoothings)
    expected = [0.0] * len(smoothings)
    for node, above in enumerate(parents):
        shape = [n_states[parent] for parent in above]
        tables = [one.counts([*above, node]).reshape(-1, n_states[node]).astype(float) for one in (trained, fresh)]
        lost = (n_states[node] - 1) * log(0.3)
        classes = _native.optimise_family(tables[0], shape, 2.0, lost, structure)[0]
        members = [np.flatnonzero(classes == own).tolist() for own in range(classes.max() + 1)]
        for place, (size, per_class) in enumerate(smoothings):
            expected[place] += log_predictive(tables[0].tolist(), tables[1].tolist(), members, size, per_class)
    assert found == pytest.approx(expected, abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(
    st.integers(0, 2**32),
    st.lists(st.integers(1, 4), min_size=3, max_size=4) | st.just([2, 2, 2, 2, 3]),
    st.sampled_from(["ldag", "partial"]),
)
def test_prices_together_find_what_each_finds(seed: int, n_states: list[int], structure: str) -> None:
    """The best graph for every price, and for one that leaves no labels the best tables; with what each predicts."""
    rng = np.random.default_rng(seed)
    columns, fresh = rows_of(rng, n_states, 60), rows_of(rng, n_states, 20)
    n = len(n_states)
    required: list[list[int]] = [[] for _ in range(n)]
    space = ([[other for other in range(n) if other != node] for node in range(n)], required, [n - 1] * n)
    smoothings = [(2.0, False), (1.0, True)]
    found = _native.search_by_price(scorer_of(columns, structure, 0.0), *space, [NO_LABELS, *PRICES], fresh, smoothings)
    each = [scorer_of(columns, structure, price, 1 << 20) for price in PRICES]
    for own, scorer in zip(found, [scorer_of(columns, "table", 0.0, 1 << 20), *each], strict=True):
        parents = _native.search_exact(scorer, *space, 1)[0]
        assert own == (parents, scorer.log_predictives(parents, fresh, smoothings))


@settings(deadline=None, max_examples=30)
@given(
    st.integers(0, 2**32),
    st.sampled_from([(2, 2, 2), (2, 2), (3, 2), (4, 2)]),
    st.integers(2, 3),
    st.sampled_from(["ldag", "partial"]),
)
def test_prices_together_score_as_the_twin_does(
    seed: int, shape: tuple[int, ...], n_states: int, structure: str
) -> None:
    """The greedy joins of one family for several prices; lines of two cells share theirs, others do not."""
    rng = np.random.default_rng(seed)
    states = [*shape, n_states]
    columns = rows_of(rng, states, 30)
    node, above = len(shape), list(range(len(shape)))
    counts = columns.counts([*above, node]).reshape(-1, n_states).astype(float).tolist()
    found = scorer_of(columns, structure, 0.0).scores_by_price(node, above, PRICES)
    for score, price in zip(found, PRICES, strict=True):
        problem = oracle.Problem(shape, counts, 2.0, (n_states - 1) * price, True)
        assert score == pytest.approx(problem.score(oracle.merge(problem, structure)[0]), abs=1e-8)
