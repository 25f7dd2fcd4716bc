"""Random graphs keep what they promise."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ldag import LDAG, simulate


@settings(deadline=None, max_examples=60)
@given(
    n_nodes=st.integers(1, 9),
    n_states=st.sampled_from([2, 3, (2, 4), (3, 3)]),
    max_parents=st.integers(0, 4),
    edge_density=st.sampled_from([None, 0.0, 0.5, 1.0]),
    label_density=st.sampled_from([0.0, 0.3, 1.0]),
    rng=st.integers(0, 1000),
)
def test_random_graphs_keep_their_limits(
    n_nodes: int,
    n_states: int | tuple[int, int],
    max_parents: int,
    edge_density: float | None,
    label_density: float,
    rng: int,
) -> None:
    """Regular, maximal, within the limits, told by labels alone, and the same for the same seed."""

    def drawn(seed: int) -> LDAG:
        return simulate.random_ldag(
            n_nodes,
            n_states=n_states,
            max_parents=max_parents,
            edge_density=edge_density,
            label_density=label_density,
            rng=seed,
        )

    graph = drawn(rng)
    low, high = n_states if isinstance(n_states, tuple) else (n_states, n_states)
    assert [v.name for v in graph.variables] == [f"x{i}" for i in range(1, n_nodes + 1)]
    assert all(low <= v.n_states <= high for v in graph.variables)
    assert all(len(graph.parents(v.name)) <= max_parents for v in graph.variables)
    assert graph.is_regular()
    assert graph.is_maximal()
    assert graph.is_csi_consistent()
    assert graph.structure.order  # acyclic
    if label_density == 0:
        assert graph.dimension == graph.dag_dimension
    if edge_density == 1:
        assert len(graph.edges) == sum(min(i, max_parents) for i in range(n_nodes))
    assert graph.to_text() == drawn(rng).to_text()


@settings(deadline=None, max_examples=40)
@given(
    widths=st.lists(st.integers(1, 6), min_size=1, max_size=4),
    n_states=st.sampled_from([2, 3, (2, 4)]),
    max_classes=st.integers(1, 15),
    rng=st.integers(0, 1000),
)
def test_layered_graphs_keep_their_limits(
    widths: list[int], n_states: int | tuple[int, int], max_classes: int, rng: int
) -> None:
    """Regular, few classes, and parents are one layer up."""
    graph = simulate.layered_ldag(widths, n_states=n_states, n_parents=(1, 5), max_classes=max_classes, rng=rng)
    layer = {f"x{n + 1}": place for n, place in enumerate(p for p, width in enumerate(widths) for _ in range(width))}
    assert set(layer) == {v.name for v in graph.variables}
    assert graph.is_regular()
    assert graph.is_csi_consistent()
    assert all(layer[child] - layer[parent] == 1 for parent, child in graph.edges)
    assert all(graph.partition(name).n_classes <= max_classes for name in layer)
    assert all(len(graph.parents(name)) <= 5 for name in layer)
