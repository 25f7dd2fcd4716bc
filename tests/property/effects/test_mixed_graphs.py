"""Mixed graphs against their slow twins, which go through all paths."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ldag.effects.mixed_graphs import MixedGraph, m_separated
from tests.oracle import mixed_graphs as oracle


@st.composite
def dags(draw: st.DrawFn, max_nodes: int = 6) -> list[set[int]]:
    """Parents of every node, the nodes in any order."""
    n = draw(st.integers(2, max_nodes))
    order = draw(st.permutations(range(n)))
    parents: list[set[int]] = [set() for _ in range(n)]
    for i, child in enumerate(order):
        parents[child] = {parent for parent in order[:i] if draw(st.booleans())}
    return parents


@given(dags(), st.data())
def test_projection_is_by_paths(parents: list[set[int]], data: st.DataObject) -> None:
    """An arrow is a path through latents, an arc two of them from one latent."""
    latent = frozenset(data.draw(st.sets(st.sampled_from(range(len(parents))))))
    graph = MixedGraph.project(parents, latent)
    arrows, arcs = oracle.project(parents, latent)
    assert {(a, b) for b, above in graph.parents.items() for a in above} == arrows
    assert graph.arcs == arcs
    assert graph.nodes == frozenset(range(len(parents))) - latent


@settings(deadline=None)
@given(dags(), st.data())
def test_separation_is_that_of_the_graph_with_latents(parents: list[set[int]], data: st.DataObject) -> None:
    """The projection separates what the DAG separates."""
    roles = [data.draw(st.sampled_from(["latent", "a", "b", "given", "out"])) for _ in parents]
    part = {role: [node for node, r in enumerate(roles) if r == role] for role in set(roles) | {"a", "b", "given"}}
    graph = MixedGraph.project(parents, frozenset(part.get("latent", ())))
    expected = oracle.is_d_separated(parents, part["a"], part["b"], part["given"])
    assert m_separated(graph, part["a"], part["b"], part["given"]) == expected


@given(dags(), st.data())
def test_parts_of_a_graph(parents: list[set[int]], data: st.DataObject) -> None:
    """Ancestors, districts, subgraphs, cut arrows and orders are what paths say."""
    n = len(parents)
    arcs = data.draw(st.sets(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] < p[1])))
    arrows = {(a, b) for b, above in enumerate(parents) for a in above}
    graph = MixedGraph.of(range(n), arrows, arcs)
    some = data.draw(st.sets(st.sampled_from(range(n))))
    below = some | {v for v in range(n) for s in some if any(oracle.directed_paths(parents, s, v))}
    above = some | {v for v in range(n) for s in some if any(oracle.directed_paths(parents, v, s))}
    assert graph.descendants(some) == below
    assert graph.ancestors(some) == above
    order = graph.order(some)
    assert sorted(order) == list(range(n))
    assert all(order.index(a) < order.index(b) for a, b in arrows)
    assert set(order[: len(above)]) == above
    assert graph.subgraph(some) == MixedGraph.of(some, *([p for p in e if set(p) <= some] for e in (arrows, arcs)))
    into = MixedGraph.of(range(n), [p for p in arrows if p[1] not in some], [p for p in arcs if not set(p) & some])
    assert graph.without_arrows_into(some) == into
    assert graph.without_arrows_out_of(some) == MixedGraph.of(range(n), [p for p in arrows if p[0] not in some], arcs)
    districts = graph.districts()
    assert sorted(v for district in districts for v in district) == list(range(n))
    both_ways = [{b for a, b in arcs if a == v} | {a for a, b in arcs if b == v} for v in range(n)]
    for district in districts:
        assert set(district) == {min(district)} | {v for u in district for v in both_ways[u]}
        for v in district:
            assert graph.district([v]) == district
