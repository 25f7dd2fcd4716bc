"""Both faces of a partition answer alike: every question, on random trees with 2 to 4 states."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ldag.model import CodedFamily, Grid, Partition, TreePartition
from tests.tree_partitions import draw_tree

SEEDS = st.integers(0, 10**6)


def draw(seed: int, shared: bool, complete: bool) -> tuple[TreePartition, Partition, np.random.Generator]:
    """Return a partition by its tree and, from one class per configuration found by walking, by its grid."""
    rng = np.random.default_rng(seed)
    n_states = rng.integers(2, 5, size=rng.integers(1, 5)).tolist()
    tree = draw_tree(rng, n_states, int(rng.integers(1, 9)), shared, complete)
    grid = Grid(tuple(n_states))
    numbers = []
    for cell in range(grid.size):
        codes, node = grid.configuration(cell), 0
        while tree.axes[node] >= 0:
            node = int(tree.targets[tree.starts[node] + codes[tree.axes[node]]])
        numbers.append(int(tree.class_of_node[node]))
    return TreePartition.of_tree(tree), Partition.of(grid, numbers), rng


@given(seed=SEEDS, shared=st.booleans(), complete=st.booleans())
def test_both_faces_answer_alike(seed: int, shared: bool, complete: bool) -> None:
    """Classes, sizes, labels, and what a context leaves of them."""
    tree, dense, rng = draw(seed, shared, complete)
    assert tree.to_array().tolist() == dense.to_array().tolist()
    assert (tree.n_classes, tree.is_table) == (dense.n_classes, dense.is_table)
    assert (tree == dense, dense == tree, hash(tree) == hash(dense)) == (True, True, True)
    assert tree.is_csi_consistent == dense.is_csi_consistent
    assert tree.irrelevant_axes() == dense.irrelevant_axes()
    np.testing.assert_allclose(tree.shares(7.0), dense.shares(7.0))
    cells = np.indices(dense.grid.n_states).reshape(dense.grid.n_axes, -1).astype(np.uint8)
    assert tree.classes_of_rows(cells).tolist() == dense.to_array().tolist()
    for axis in range(dense.grid.n_axes):
        assert tree.has_label(axis) == dense.has_label(axis)
        rest = dense.grid.without(axis)
        listed = np.zeros(rest.n_states, dtype=bool)
        for box in tree.label_boxes(axis):
            states = [box.get(a, tuple(range(n))) for a, n in enumerate(dense.grid.n_states) if a != axis]
            assert not listed[np.ix_(*states)].any(), "regions do not overlap"
            listed[np.ix_(*states)] = True
        assert listed.reshape(-1).tolist() == dense.labels[axis].tolist()
    chosen = [axis for axis in range(dense.grid.n_axes) if rng.random() < 0.4]
    context = {axis: int(rng.integers(dense.grid.n_states[axis])) for axis in chosen}
    for axis in range(dense.grid.n_axes):
        if axis not in context:
            assert tree.vanishes(axis, context) == dense.vanishes(axis, context)
    (by_tree, own), (by_grid, numbers) = tree.restricted_classes(context), dense.restricted_classes(context)
    assert by_tree == by_grid
    assert own.tolist() == numbers.tolist()


@given(seed=SEEDS, shared=st.booleans(), complete=st.booleans())
def test_both_faces_move_alike(seed: int, shared: bool, complete: bool) -> None:
    """Axes and states in another order, and parents that make no difference left out."""
    tree, dense, rng = draw(seed, shared, complete)
    order = rng.permutation(dense.grid.n_axes).tolist()
    assert tree.reordered(order) == dense.reordered(order)
    states = [rng.permutation(dense.grid.n_states[axis]).tolist() for axis in order]
    (by_tree, own), (by_grid, numbers) = tree.realigned(order, states), dense.realigned(order, states)
    assert by_tree == by_grid
    assert own.tolist() == numbers.tolist()
    parents = tuple(range(1, dense.grid.n_axes + 1))
    assert CodedFamily.from_partition(parents, tree).regular() == CodedFamily.from_partition(parents, dense).regular()
    new = rng.permutation(dense.grid.n_axes + 1).tolist()
    one, other = (CodedFamily.from_partition(parents, face).renumbered(new) for face in (tree, dense))
    assert one == other


@given(first=SEEDS, second=SEEDS, shared=st.booleans())
def test_trees_are_equal_when_their_classes_are(first: int, second: int, shared: bool) -> None:
    """Whatever is asked first; compared configuration by configuration."""
    rng = np.random.default_rng(first)
    n_states = rng.integers(2, 4, size=3).tolist()
    one, other = (
        TreePartition.of_tree(draw_tree(np.random.default_rng(seed), n_states, 3, shared)) for seed in (first, second)
    )
    assert (one == other) == (one.to_array().tolist() == other.to_array().tolist())
    assert one != other or hash(one) == hash(other)
