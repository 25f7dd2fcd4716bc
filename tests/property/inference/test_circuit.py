"""Networks without arrows cost no more than their cliques: orders of elimination fill nothing in."""

from hypothesis import given, settings
from hypothesis import strategies as st

import ldag
from ldag import _native


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_edge_is_filled_in(data: st.DataObject) -> None:
    """Greedy search by least fill-in takes a perfect order of a chordal graph: tables are its cliques."""
    n = data.draw(st.integers(1, 12))
    cliques: list[frozenset[int]] = []
    parents: list[list[int]] = []
    for node in range(n):  # every node hangs on part of a clique before it
        hung = data.draw(st.sampled_from(cliques)) if cliques else frozenset()
        above = sorted(data.draw(st.sets(st.sampled_from(sorted(hung)), max_size=4))) if hung else []
        parents.append(above)
        cliques.append(frozenset({node, *above}))
    names = data.draw(st.permutations(range(n)))  # so that numbers tell no order
    moved: list[list[int]] = [[] for _ in range(n)]
    for node, above in enumerate(parents):
        moved[names[node]] = sorted(names[one] for one in above)
    graph = ldag.StratifiedGraph.from_edges(
        [(str(i), str(j)) for j, above in enumerate(moved) for i in above],
        states={str(node): (0, 1) for node in range(n)},
    )
    for n_tries in (1, 10):
        (order,) = _native.elimination_orders([2] * n, moved, [255] * n, n_tries, 0, 1)
        near = {node: {i for i, above in enumerate(moved) if node in above} | set(moved[node]) for node in range(n)}
        tables = set()
        for node in order:
            assert all(b in near[a] for a in near[node] for b in near[node] if a != b), "nothing is filled in"
            tables.add(frozenset({node, *near[node]}))
            for other in near.pop(node):
                near[other].discard(node)
        largest = {table for table in tables if not any(table < other for other in tables)}
        assert largest == {frozenset(map(int, clique)) for clique in graph.cliques}
