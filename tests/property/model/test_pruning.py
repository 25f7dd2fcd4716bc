"""Parameters that learn from the nodes above the leaves: against all prunings one by one, and the plain recursion."""

from math import log
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ldag import LDAG, Network
from ldag.model import CodedTree, TreePartition, average_prunings, lean_on_above, normalise
from tests.oracle import prunings as oracle
from tests.tree_partitions import draw_tree

MOST_PRUNINGS = 2_000


def plain(tree: CodedTree, leaves: np.ndarray, node: int = 0, share: float = 1.0) -> oracle.Place:
    """Return a tree as the twin has it: shares by the states that the branches divide among them."""
    branches = tree.branches[node]
    if not branches:
        number = int(np.flatnonzero(tree.leaves == node)[0])
        return oracle.Place(share, tuple(leaves[number].tolist()))
    sizes = [branch.states.bit_count() for branch in branches]
    below = [
        plain(tree, leaves, branch.node, share * size / sum(sizes))
        for branch, size in zip(branches, sizes, strict=True)
    ]
    return oracle.Place(share, (), tuple(below))


@st.composite
def counted_trees(draw: st.DrawFn) -> tuple[CodedTree, np.ndarray]:
    """Trees of up to ten leaves over two or three axes, complete or not, and counts that may be zero or no integers."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n_states = draw(st.lists(st.integers(2, 4), min_size=2, max_size=3))
    tree = draw_tree(rng, n_states, draw(st.integers(1, 10)), complete=draw(st.booleans()))
    counts = rng.integers(0, draw(st.sampled_from([2, 10, 300])), (tree.n_leaves, draw(st.integers(2, 4)))).astype(
        float
    )
    return tree, counts * draw(st.sampled_from([1.0, 0.7]))


@given(counted_trees(), st.sampled_from([0.3, 1.0, 20.0]), st.booleans(), st.sampled_from([1.0, 0.3, 0.01]))
def test_averages_are_over_all_prunings(
    counted: tuple[CodedTree, np.ndarray], size: float, per_leaf: bool, kappa: float
) -> None:
    """The sum over trees of questions that were made leaves, each of which is scored by itself."""
    tree, leaves = counted
    root = plain(tree, leaves)
    assume(root.n_prunings() <= MOST_PRUNINGS)
    expected, total = oracle.average(root, size, per_leaf, kappa)
    sizes = np.full(tree.n_nodes, size) if per_leaf else size * tree.shares
    averaged, log_sum = average_prunings(tree, leaves, sizes, log(kappa))
    np.testing.assert_allclose(averaged, expected, atol=1e-9)
    assert log_sum == pytest.approx(total, abs=1e-8)
    partition, order = TreePartition.number_classes(tree.with_classes(np.arange(tree.n_leaves)), "y")
    by_class = partition.average_prunings(leaves[order], size, per_leaf, log(kappa))
    np.testing.assert_allclose(by_class, np.array(expected)[order], atol=1e-9)


@given(counted_trees(), st.sampled_from([0.5, 4.0, 64.0]))
def test_leaves_lean_on_the_nodes_above(counted: tuple[CodedTree, np.ndarray], strength: float) -> None:
    """The recursion from the root down."""
    tree, leaves = counted
    expected = oracle.lean(plain(tree, leaves), strength)
    np.testing.assert_allclose(normalise(leaves + lean_on_above(tree, leaves, strength)), expected, atol=1e-12)


TREE: Any = {"a": {"x": {"b": {"0": 0, ("1", "2"): {"b": {"1": 1, "2": 2}}}}, "y": 3}}
"""Asks about one variable twice in one branch."""


def table(n: int, seed: int) -> dict[str, list[str]]:
    """Return random rows over two parents and a node of three states."""
    rng = np.random.default_rng(seed)
    return {"a": rng.choice(["x", "y"], n).tolist(), "b": rng.choice(list("012"), n).tolist()} | {
        "y": rng.choice(["u", "v", "w"], n).tolist()
    }


@pytest.fixture(name="graph")
def make_graph() -> LDAG:
    """Return the graph of the tree."""
    states = {"a": ["x", "y"], "b": ["0", "1", "2"], "y": ["u", "v", "w"]}
    return LDAG.from_edges([("a", "y"), ("b", "y")], states=states, trees={"y": TREE})


def rows_of(data: dict[str, list[str]]) -> oracle.Place:
    """Return the tree with the counts of the data, by hand."""

    def count(a: str, b: str) -> tuple[float, ...]:
        rows = list(zip(*(data[name] for name in ("a", "b", "y")), strict=True))
        return tuple(float(sum(row[0] == a and row[1] in b and row[2] == y for row in rows)) for y in "uvw")

    of_two = oracle.Place(1 / 3, (), (oracle.Place(1 / 6, count("x", "1")), oracle.Place(1 / 6, count("x", "2"))))
    of_x = oracle.Place(0.5, (), (oracle.Place(1 / 6, count("x", "0")), of_two))
    return oracle.Place(1.0, (), (of_x, oracle.Place(0.5, count("y", "012"))))


@pytest.mark.parametrize("how", ["nested", "averaged", "averaged by class"])
def test_networks_have_these_parameters(graph: LDAG, how: str) -> None:
    """By name of the estimate; as more rows come, too, and through a file."""
    data, more = table(60, 1), table(25, 2)
    given = {
        "nested": {"spread": "nested"},
        "averaged": {"estimate": "averaged", "kappa": 0.2},
        "averaged by class": {"estimate": "averaged", "kappa": 0.2, "spread": "classes"},
    }[how]
    network = Network.from_data(graph, data, equivalent_sample_size=3.0, **given)  # type: ignore[arg-type]
    both = {name: [*own, *more[name]] for name, own in data.items()}
    for known, net in ((data, network), (both, network.update(more)), (data, Network.from_json(network.to_json()))):
        root = rows_of(known)
        expected = oracle.lean(root, 3.0) if how == "nested" else oracle.average(root, 3.0, "class" in how, 0.2)[0]
        np.testing.assert_allclose(net.parameters("y"), expected, atol=1e-12)
