"""What a node may need in graphs nearby, against every score asked for anew."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag import _native
from tests.oracle.closeness import closeness
from tests.oracle.look_around import Surroundings
from tests.oracle.search_climb import Parents
from tests.oracle.search_exact import Space, everything
from tests.oracle.search_orders import keep_undominated
from tests.property.learning.test_search_climb_native import one_score, random_columns, scorer_of


def random_graph(space: Space, seed: int) -> Parents:
    """A graph along a random order, with the parents that are required and some others."""
    rng = np.random.default_rng(seed)
    graph = [frozenset(above) for above in space.required]
    order = rng.permutation(len(graph)).tolist() if not any(graph) else list(range(len(graph)))
    for place, node in enumerate(order):
        for parent in order[:place]:
            if len(graph[node] | {parent}) <= space.max_parents[node] and rng.random() < 0.4:
                graph[node] |= {parent}
    return tuple(graph)


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 6), st.integers(1, 4), st.integers(0, 10**6), st.sampled_from(["table", "ldag"]), st.booleans())
def test_the_pool_has_what_nodes_may_need_nearby(
    n: int, max_parents: int, seed: int, structure: str, requires: bool
) -> None:
    """Without a parent, and with one that stands below, grown and shrunk from there, from none and from close ones."""
    space = everything(n, min(max_parents, n - 1))
    if requires:
        space.required[n - 1].append(0)
    graph = random_graph(space, seed)
    rng = np.random.default_rng(seed)
    close = [[node for node in space.candidates[child] if rng.random() < 0.3] for child in range(n)]
    close[n - 1] = [node for node in close[n - 1] if node not in space.required[n - 1]]
    scorer = scorer_of(random_columns(n, seed), structure)
    score = cache(lambda node, above: one_score(scorer, node, above))
    families = {
        (node, parents): value
        for child in range(n)
        for node, parents, value in Surroundings(child, graph, space, score, close[child]).families()
    }
    expected = {family[:2]: family[2] for family in keep_undominated([(*key, v) for key, v in families.items()])}
    nodes, parents, scores = _native.testing.look_around(
        scorer, *space.lists, [sorted(above) for above in graph], close
    )
    found = dict(zip(zip(nodes, map(frozenset, parents), strict=True), scores, strict=True))
    assert found.keys() == expected.keys()
    assert found == pytest.approx(expected, abs=1e-7)


def test_a_graph_outside_of_the_space_is_refused() -> None:
    """A cycle has no surroundings."""
    scorer = scorer_of(random_columns(2, 1), "table")
    with pytest.raises(ValueError, match="not an allowed DAG"):
        _native.testing.look_around(scorer, *everything(2).lists, [[1], [0]], [[], []])


def test_close_nodes_that_are_no_candidates_are_refused() -> None:
    """A node is not close to itself."""
    scorer = scorer_of(random_columns(2, 1), "table")
    with pytest.raises(ValueError, match="not candidates"):
        _native.testing.look_around(scorer, *everything(2).lists, [[], []], [[0], []])


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 7), st.integers(0, 10**6), st.integers(0, 4), st.integers(1, 3))
def test_close_nodes_make_a_node_more_likely(n: int, seed: int, most: int, n_threads: int) -> None:
    """Those that do so most, of the candidates; states that do not occur are no parameters."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 5, n)
    codes = np.zeros((n, 60), dtype=np.uint8)
    for i, size in enumerate(sizes):
        source = codes[rng.integers(i)] % size if i else rng.integers(0, size, 60)
        codes[i] = np.where(rng.random(60) < 0.4, source, rng.integers(0, max(size - 1, 1), 60))
    scorer = scorer_of(_native.Columns(codes, sizes.tolist(), None), "table")
    candidates = [[other for other in range(n) if other != node and rng.random() < 0.8] for node in range(n)]
    found = _native.testing.find_close(scorer, candidates, most, n_threads)
    for node in range(n):
        values = {other: closeness(codes[other], codes[node]) for other in candidates[node]}
        best = sorted((other for other in values if values[other] > 0), key=lambda other: -values[other])
        assert found[node] == sorted(best[:most])
