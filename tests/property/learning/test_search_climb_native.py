"""Climbing against a literal twin and against the optimum."""

from functools import cache
from itertools import combinations
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag import _native
from tests.oracle import search_climb as oracle
from tests.oracle.search_exact import everything


def random_columns(n: int, seed: int) -> _native.Columns:
    """Dependent columns of 2 to 4 states."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 5, n)
    codes = np.zeros((n, 150), dtype=np.uint8)
    for i, size in enumerate(sizes):
        noise = rng.integers(0, size, 150)
        copied = codes[rng.integers(i)] % size if i else noise
        codes[i] = np.where(rng.random(150) < 0.6, copied, noise)
    return _native.Columns(codes, sizes.tolist(), None)


def scorer_of(columns: _native.Columns, structure: str, kappa: float = 0.4) -> _native.FamilyScorer:
    """The paper's prior."""
    return _native.FamilyScorer(columns, 1.0, log(kappa), 0.0, structure, "greedy", True, 0, 5, 1 << 20)


def one_score(scorer: _native.FamilyScorer, node: int, parents: frozenset[int]) -> float:
    """The score of one family."""
    above = np.array(sorted(parents), dtype=np.uint32)
    found = scorer.scores(np.array([node], dtype=np.uint32), above, np.array([0, len(above)], dtype=np.int64), 1)
    return float(found[0])


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 6), st.integers(0, 2**32), st.sampled_from(["table", "ldag", "graph"]), st.integers(1, 3))
def test_plain_climbing_is_the_literal_one(n: int, seed: int, structure: str, max_parents: int) -> None:
    """Kept gains, and bounds in place of those that gain nothing, lead to the same graph as gains computed anew."""
    scorer = scorer_of(random_columns(n, seed), structure, kappa=(0.4, 0.1, 1.0)[seed % 3])
    limit = min(max_parents, n - 1)
    space = everything(n, limit).lists
    parents, score, *_ = _native.search_climb(scorer, *space, 0, 0, 0, 1, 0, [], None)
    expected, best = oracle.climb(n, limit, cache(lambda node, above: one_score(scorer, node, above)))
    assert score == pytest.approx(best, abs=1e-7)
    assert [frozenset(above) for above in parents] == list(expected)


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 2**32), st.sampled_from([0.03, 0.1, 0.5]))
def test_bounds_change_nothing(seed: int, kappa: float) -> None:
    """A scorer that knows all families has no use for bounds: it leads to the same graph, restarts included."""
    n = 6
    columns = random_columns(n, seed)
    fresh, knowing = (scorer_of(columns, "ldag", kappa) for _ in range(2))
    for node in range(n):
        for size in range(n):
            for parents in combinations([other for other in range(n) if other != node], size):
                one_score(knowing, node, frozenset(parents))
    first, second = (
        _native.search_climb(scorer, *everything(n).lists, 30, 10, 1, 1, 0, [], None) for scorer in (fresh, knowing)
    )
    assert first == second


@settings(deadline=None, max_examples=30)
@given(st.integers(2, 5), st.integers(0, 2**32), st.sampled_from(["table", "ldag"]))
def test_restarts_reach_the_optimum_and_never_more(n: int, seed: int, structure: str) -> None:
    """With restarts and a tabu list, small problems are solved; threads change nothing."""
    scorer = scorer_of(random_columns(n, seed), structure)
    space = everything(n).lists
    optimum = _native.search_exact(scorer, *space, 1, None)[1]
    first = _native.search_climb(scorer, *space, 200, 20, 1, 1, 0, [], None)
    second = _native.search_climb(scorer, *space, 200, 20, 1, 2, 0, [], None)
    assert first == second
    assert first[1] == pytest.approx(optimum, abs=1e-7)
