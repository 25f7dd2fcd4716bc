"""Searches over perfect DAGs against going through all of them, with families of 2 to 4 states."""

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag import _native
from tests.oracle.chordal import is_perfect
from tests.oracle.search_perfect import best_perfect

TABLES = st.tuples(
    st.integers(0, 10**6),
    st.lists(st.integers(2, 4), min_size=1, max_size=4),
    st.sampled_from([0.05, 0.3, 0.9]),
    st.sampled_from(["ldag", "table"]),
    st.sampled_from([None, 1, 2]),
)


def _draw(seed: int, n_states: list[int], n_rows: int = 60) -> _native.Columns:
    """Rows in which variables depend on those before."""
    rng = np.random.default_rng(seed)
    codes = np.zeros((n_rows, len(n_states)), dtype=np.uint8)
    for v, n in enumerate(n_states):
        noise = rng.integers(0, n, n_rows)
        other = codes[:, rng.integers(0, v)] if v else noise
        codes[:, v] = np.where(rng.random(n_rows) < 0.6, other % n, noise)
    return _native.Columns(np.ascontiguousarray(codes.T), n_states)


def _scorer(columns: _native.Columns, kappa: float, structure: str) -> _native.FamilyScorer:
    return _native.FamilyScorer(columns, 1.0, log(kappa), 0.0, structure, "greedy", True, 0, 5, 1 << 20)


def _bounds(n: int, max_parents: int | None) -> tuple[list[list[int]], list[int]]:
    return [[u for u in range(n) if u != v] for v in range(n)], [n if max_parents is None else max_parents] * n


@settings(max_examples=40, deadline=None)
@given(TABLES)
def test_exact(drawn: tuple[int, list[int], float, str, int | None]) -> None:
    """The best of all perfect DAGs is found, whatever number of threads scores families."""
    seed, n_states, kappa, structure, limit = drawn
    columns = _draw(seed, n_states)
    candidates, max_parents = _bounds(len(n_states), limit)
    scorer = _scorer(columns, kappa, structure)
    found = _native.search_perfect_exact(scorer, candidates, max_parents, n_threads=1)
    best, _ = best_perfect(len(n_states), scorer.score, limit)
    assert found[1] == pytest.approx(best, abs=1e-8)
    assert sum(scorer.score(v, above) for v, above in enumerate(found[0])) == pytest.approx(found[1], abs=1e-9)
    assert is_perfect(found[0])
    assert not found[3]
    again = _native.search_perfect_exact(_scorer(columns, kappa, structure), candidates, max_parents, n_threads=2)
    assert again == found


@settings(max_examples=30, deadline=None)
@given(TABLES)
def test_climb(drawn: tuple[int, list[int], float, str, int | None]) -> None:
    """Few variables are climbed to the best; the climb has every graph on its way chordal, and within the limits."""
    seed, n_states, kappa, structure, limit = drawn
    columns = _draw(seed, n_states)
    candidates, max_parents = _bounds(len(n_states), limit)
    scorer = _scorer(columns, kappa, structure)
    found = _native.search_perfect_climb(scorer, candidates, max_parents, 1000, seed, 0, [])
    best, _ = best_perfect(len(n_states), scorer.score, limit)
    assert found[1] == pytest.approx(best, abs=1e-8)
    for parents in _native.testing.watch_perfect_climb(scorer, candidates, max_parents, 40, seed):
        assert is_perfect(parents)
        assert max(map(len, parents)) <= max_parents[0]


def test_every_step_is_chordal() -> None:
    """On ten variables with strong dependence, steps add and remove edges one by one."""
    columns = _draw(5, [2, 3, 2, 4, 2, 3, 2, 2, 3, 2], 2000)
    candidates, max_parents = _bounds(10, None)
    steps = _native.testing.watch_perfect_climb(_scorer(columns, 0.1, "ldag"), candidates, max_parents, 30, 1)
    assert len(steps) > 50
    sizes = {0}
    for parents in steps:
        assert is_perfect(parents)
        sizes.add(sum(map(len, parents)))
    assert len(sizes) > 5


def test_order_five_nodes() -> None:
    """The same best score on five variables by trying all 822 chordal graphs along all their orders."""
    columns = _draw(9, [2, 3, 2, 2, 3], 300)
    candidates, max_parents = _bounds(5, None)
    scorer = _scorer(columns, 0.3, "ldag")
    found = _native.search_perfect_exact(scorer, candidates, max_parents, n_threads=2)
    assert found[1] == pytest.approx(best_perfect(5, scorer.score)[0], abs=1e-8)


def test_climbing_reaches_the_best() -> None:
    """On 19 of 20 problems of eight variables at least."""
    reached = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        columns = _draw(seed, rng.integers(2, 4, 8).tolist(), 400)
        candidates, max_parents = _bounds(8, 4)
        scorer = _scorer(columns, 0.3, "ldag")
        best = _native.search_perfect_exact(scorer, candidates, max_parents, n_threads=2)[1]
        climbed = _native.search_perfect_climb(scorer, candidates, max_parents, 400, seed, 64, [])[1]
        assert climbed < best + 1e-6
        reached += climbed > best - 1e-6
    assert reached >= 19


def test_a_climb_goes_on() -> None:
    """Paused after every restart and resumed, it ends with the same result."""
    columns = _draw(2, [2, 3, 2, 2, 3, 2], 300)
    candidates, max_parents = _bounds(6, None)
    whole = _native.search_perfect_climb(_scorer(columns, 0.2, "ldag"), candidates, max_parents, 20, 7, 0, [])
    state: list[object] = [None]

    def keep(plain: object) -> bool:
        state.append(plain)
        return len(state) % 3 == 0

    for _ in range(100):
        found = _native.search_perfect_climb(
            _scorer(columns, 0.2, "ldag"), candidates, max_parents, 20, 7, 0, [],
            resume=state[-1], keep=keep, keep_every=0.0,
        )  # fmt: skip
        if not found[3]:
            break
    assert found[:2] == whole[:2]
    wrong = (1, 0, ([[1], [0]], 0.0, [(0, 0.0)], False, 0, 0))
    with pytest.raises(_native.BadState):
        _native.search_perfect_climb(_scorer(columns, 0.2, "ldag"), candidates, max_parents, 20, 7, 0, [], resume=wrong)


def test_bad_arguments() -> None:
    """Too many nodes, and a start that is not perfect, are refused."""
    columns = _draw(1, [2] * 15, 20)
    candidates, max_parents = _bounds(15, 1)
    scorer = _scorer(columns, 0.2, "table")
    with pytest.raises(ValueError, match="too many nodes"):
        _native.search_perfect_exact(scorer, candidates, max_parents, n_threads=1)
    collider = [[], [], [0, 1], *([[]] * 12)]
    with pytest.raises(ValueError, match="not an allowed perfect DAG"):
        _native.search_perfect_climb(scorer, candidates, [3] * 15, 0, 0, 0, collider)
    assert _native.MAX_PERFECT == 14
