"""Chordal graphs and perfect orders, against trying all orders."""

from itertools import combinations

import numpy as np
import pytest

from ldag.reasoning import (
    find_chordless_cycle,
    find_cliques,
    find_immorality,
    find_perfect_order,
    find_separators,
    neighbours_of,
    orient,
)
from tests.oracle.chordal import all_graphs, is_perfect, parents_along, perfect_orders, realises


@pytest.mark.parametrize(("n", "n_chordal"), [(1, 1), (2, 2), (3, 8), (4, 61), (5, 822)])
def test_all_graphs(n: int, n_chordal: int) -> None:
    """A perfect order where there is one (counts are those of OEIS A058862), and else a cycle without a chord."""
    found = 0
    for edges in all_graphs(n):
        near = neighbours_of(n, edges)
        order = find_perfect_order(near)
        cycle = find_chordless_cycle(near, range(n))
        assert bool(order.stuck) == bool(cycle)
        if cycle:
            assert len(cycle) > 3
            chords = [frozenset(pair) for pair in combinations(cycle, 2) if frozenset(pair) in edges]
            assert len(chords) == len(cycle)
            assert all(frozenset(pair) in edges for pair in zip(cycle, (*cycle[1:], cycle[0]), strict=True))
        else:
            found += 1
            parents = parents_along(order.nodes, edges)
            assert is_perfect(parents)
            assert parents == orient(near, order.nodes)
            assert find_immorality(parents) is None
    assert found == n_chordal


@pytest.mark.parametrize("n", [3, 4])
def test_cliques_and_separators(n: int) -> None:
    """Cliques are the largest complete sets; sizes of cliques, less those of separators, count nodes and edges."""
    for edges in all_graphs(n):
        near = neighbours_of(n, edges)
        order = find_perfect_order(near)
        if order.stuck:
            continue
        sets = [frozenset(s) for size in range(1, n + 1) for s in combinations(range(n), size)]
        complete = [s for s in sets if all(frozenset(pair) in edges for pair in combinations(s, 2))]
        cliques = find_cliques(near, order.nodes)
        separators = find_separators(cliques)
        assert set(cliques) == {s for s in complete if not any(s < other for other in complete)}
        for size in (1, 2):
            of_cliques = sum(s <= c for s in complete if len(s) == size for c in cliques)
            of_separators = sum(s <= c for s in complete if len(s) == size for c in separators)
            assert of_cliques - of_separators == (n if size == 1 else len(edges))


def test_strata_on_four_nodes() -> None:
    """An order that realises strata is found where trying all orders finds one, with any node first as well."""
    rng = np.random.default_rng(1)
    refused = realised = 0
    for edges in all_graphs(4):
        near = neighbours_of(4, edges)
        if find_perfect_order(near).stuck:
            continue
        for _ in range(20):
            scopes = {}
            for pair in edges:
                a, b = pair
                common = near[a] & near[b]
                scope = frozenset(v for v in common if rng.random() < 0.8)
                if scope and rng.random() < 0.5:
                    scopes[pair] = scope
            orders = list(perfect_orders(4, edges, scopes))
            order = find_perfect_order(near, scopes)
            assert bool(order.stuck) == (not orders)
            refused, realised = refused + (not orders), realised + bool(orders and scopes)
            if orders:
                assert realises(parents_along(order.nodes, edges), scopes)
            for first in range(4):
                with_first = find_perfect_order(near, scopes, first)
                assert bool(with_first.stuck) == all(one[0] != first for one in orders)
                assert with_first.stuck or with_first.nodes[0] == first
    assert refused > 50
    assert realised > 100
