"""What a node may need in graphs nearby, against every score asked for anew."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag import _native
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
    """Without a parent, and with one that stands below, grown and shrunk from there and from none."""
    space = everything(n, min(max_parents, n - 1))
    if requires:
        space.required[n - 1].append(0)
    graph = random_graph(space, seed)
    scorer = scorer_of(random_columns(n, seed), structure)
    score = cache(lambda node, above: one_score(scorer, node, above))
    families = {
        (node, parents): value
        for child in range(n)
        for node, parents, value in Surroundings(child, graph, space, score).families()
    }
    expected = {family[:2]: family[2] for family in keep_undominated([(*key, v) for key, v in families.items()])}
    nodes, parents, scores = _native.testing.look_around(scorer, *space.lists, [sorted(above) for above in graph])
    found = dict(zip(zip(nodes, map(frozenset, parents), strict=True), scores, strict=True))
    assert found.keys() == expected.keys()
    assert found == pytest.approx(expected, abs=1e-7)


def test_a_graph_outside_of_the_space_is_refused() -> None:
    """A cycle has no surroundings."""
    scorer = scorer_of(random_columns(2, 1), "table")
    with pytest.raises(ValueError, match="not an allowed DAG"):
        _native.testing.look_around(scorer, *everything(2).lists, [[1], [0]])
