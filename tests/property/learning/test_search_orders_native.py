"""The pool of families that climbs met, and the search over orders, against every order written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag import _native
from tests.oracle.search_orders import Family, best_by_order, keep_undominated


def random_families(n: int, n_each: int, seed: int, needs_parents: bool) -> list[Family]:
    """Families with random parents and scores; the last node may need parents, the others may be without."""
    rng = np.random.default_rng(seed)
    families = []
    for node in range(n):
        sets = {frozenset(np.flatnonzero(rng.random(n) < 0.4).tolist()) - {node} for _ in range(n_each)}
        sets = sets - {frozenset()} | ({frozenset({0})} if needs_parents and node == n - 1 else {frozenset()})
        families += [(node, parents, float(-10 * rng.random())) for parents in sorted(sets, key=sorted)]
    return families


def plain(families: list[Family]) -> tuple[list[int], list[list[int]], list[float]]:
    """As the core takes them."""
    return [f[0] for f in families], [sorted(f[1]) for f in families], [f[2] for f in families]


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 6), st.integers(0, 12), st.integers(0, 10**6))
def test_a_pool_keeps_what_beats_its_subsets(n: int, n_each: int, seed: int) -> None:
    """Whatever order families come in, and a second time."""
    families = random_families(n, n_each, seed, needs_parents=False)
    expected = plain(keep_undominated(families))
    shuffled = [families[i] for i in np.random.default_rng(seed).permutation(len(families))]
    pooled = _native.testing.pool_families(n, plain(shuffled))
    assert tuple(pooled) == expected
    assert tuple(_native.testing.pool_families(n, pooled)) == expected


@settings(max_examples=40, deadline=None)
@given(
    st.integers(2, 5),
    st.integers(1, 8),
    st.integers(0, 10**6),
    st.booleans(),
    st.sampled_from([0, 1, 5]),
    st.booleans(),
)
def test_a_search_ends_with_the_best_families_of_an_order(
    n: int, n_each: int, seed: int, needs_parents: bool, n_kicks: int, turns: bool
) -> None:
    """One that is not worse than where it began, and with many tries the best of all orders."""
    families = random_families(n, n_each, seed, needs_parents)
    by_order = dict(best_by_order(families, n))
    start, first = sorted(by_order.items(), key=lambda pair: pair[1])[seed % len(by_order)]
    given_start = [sorted(parents) for parents in start]
    found = _native.testing.search_orders(plain(families), given_start, n_kicks, seed, turns)
    score = by_order[tuple(frozenset(parents) for parents in found)]
    assert score >= first - 1e-9
    best = _native.testing.search_orders(plain(families), given_start, 1000, seed, turns)
    assert by_order[tuple(frozenset(parents) for parents in best)] == pytest.approx(max(by_order.values()))


def test_a_start_that_the_pool_does_not_have_is_returned() -> None:
    """Where some node has no family that fits."""
    families = [(0, frozenset({1}), -1.0), (1, frozenset({0}), -2.0), (2, frozenset({1}), -3.0)]
    assert _native.testing.search_orders(plain(families), [[], [0], [1]], 10, 1) == [[], [0], [1]]


def test_families_of_other_nodes_are_refused() -> None:
    """A node or a parent that is not there."""
    for node, parent in ((3, 0), (0, 3)):
        with pytest.raises(ValueError, match="expected families of the nodes"):
            _native.testing.pool_families(3, ([node], [[parent]], [-1.0]))
