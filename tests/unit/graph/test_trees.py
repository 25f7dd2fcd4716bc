"""CPT-trees, decision graphs, and the partitions of trees and tables."""

import numpy as np
import pytest

from ldag.graph import trees as module
from ldag.graph.trees import (
    CodedDecisionGraph,
    DecisionNode,
    Leaf,
    SmallestTree,
    Split,
    decision_graph,
    n_leaves,
    partition_of_rows,
    partition_of_tree,
    smallest_tree,
)
from ldag.model import Grid, Partition


def test_one_class_is_a_leaf() -> None:
    """Nothing to ask: the tree and the graph are one leaf."""
    tree = smallest_tree(Partition.of(Grid((2, 3)), [0] * 6))
    assert tree == SmallestTree(Leaf(0), True)
    assert decision_graph(tree.tree) == CodedDecisionGraph((Leaf(0),))


def test_no_variables_is_a_leaf() -> None:
    """A node without parents has a tree of one leaf."""
    assert smallest_tree(Partition.singletons(Grid(()))).tree == Leaf(0)


def test_tree_asks_the_variable_that_matters_first() -> None:
    """The second variable decides alone unless it is 2: asking it first saves leaves."""
    partition = Partition.of(Grid((2, 3)), [0, 1, 2, 0, 1, 3])
    expected = Split(1, (Leaf(0), Leaf(1), Split(0, (Leaf(2), Leaf(3)))))
    assert smallest_tree(partition) == SmallestTree(expected, True)


def test_ties_go_to_the_lowest_axis() -> None:
    """Where the order of questions makes no difference, the first variable is asked first."""
    tree = smallest_tree(Partition.of(Grid((2, 2)), [0, 1, 1, 0])).tree
    assert tree == Split(0, (Split(1, (Leaf(0), Leaf(1))), Split(1, (Leaf(1), Leaf(0)))))
    assert n_leaves(tree) == 4


def test_axis_with_one_state_is_never_asked() -> None:
    """A variable with one state tells nothing."""
    assert smallest_tree(Partition.of(Grid((1, 2)), [0, 1])).tree == Split(1, (Leaf(0), Leaf(1)))


def test_axis_with_very_many_states() -> None:
    """Unknown prices of many branches add up without harm."""
    grid = Grid((40_000, 2))
    tree = smallest_tree(Partition.of(grid, [0, 1] * 39_999 + [2, 2])).tree
    assert isinstance(tree, Split)
    assert (tree.axis, n_leaves(tree)) == (0, 79_999)


def test_graph_merges_what_a_tree_repeats() -> None:
    """Exclusive or of three variables: eight leaves in a tree, five decisions and two leaves in a graph."""
    tree = smallest_tree(Partition.of(Grid((2, 2, 2)), [0, 1, 1, 0, 1, 0, 0, 1])).tree
    assert n_leaves(tree) == 8
    assert decision_graph(tree).nodes == (
        DecisionNode(0, (1, 2)),
        DecisionNode(1, (4, 3)),
        DecisionNode(1, (3, 4)),
        DecisionNode(2, (6, 5)),
        DecisionNode(2, (5, 6)),
        Leaf(0),
        Leaf(1),
    )


def test_graph_drops_idle_decisions() -> None:
    """A split with equal branches disappears, also when the branches become equal by merging."""
    idle = Split(1, (Leaf(4), Leaf(4), Leaf(4)))
    assert decision_graph(Split(0, (idle, Leaf(4)))) == CodedDecisionGraph((Leaf(4),))


def test_partition_of_a_tree_joins_leaves_of_equal_number() -> None:
    """Leaf numbers are names of classes: equal numbers are one class."""
    tree = Split(1, (Leaf(7), Split(0, (Leaf(3), Leaf(7))), Leaf(5)))
    assert partition_of_tree(Grid((2, 3)), tree).to_array().tolist() == [0, 1, 2, 0, 0, 2]


def test_greedy_tree_beyond_the_exact_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree that is grown greedily is a tree of the partition; with a leaf per class it is known to be smallest."""
    monkeypatch.setattr(module, "EXACT_CONTEXTS", 10)
    monkeypatch.setattr(module, "_EXACT_BRANCH", 10)
    simple = Partition.of(Grid((2, 3, 2)), [0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 3, 4])
    assert smallest_tree(simple).is_minimal
    classes = np.random.default_rng(1).integers(3, size=48)
    partition = Partition.of(Grid((2, 3, 4, 2)), classes)
    found = smallest_tree(partition)
    assert not found.is_minimal
    assert partition_of_tree(partition.grid, found.tree) == partition


def test_large_trees_are_grown_in_reasonable_time() -> None:
    """A partition of 65,536 configurations by two rules gets its small tree."""
    grid = Grid((4,) * 8)
    codes = np.arange(grid.size)
    classes = np.where(codes // grid.strides[3] % 4 == 2, 1 + codes % 4, 0)
    found = smallest_tree(Partition.of(grid, classes))
    assert found == SmallestTree(
        Split(3, (Leaf(0), Leaf(0), Split(7, tuple(Leaf(n) for n in (1, 2, 3, 4))), Leaf(0))), False
    )


def test_equal_rows_are_one_class() -> None:
    """With no tolerance, exactly equal rows are joined."""
    rows = np.array([[0.5, 0.5], [0.1, 0.9], [0.5, 0.5], [0.1 + 1e-12, 0.9 - 1e-12]])
    assert partition_of_rows(Grid((2, 2)), rows, 0.0).to_array().tolist() == [0, 1, 0, 2]
    assert partition_of_rows(Grid((2, 2)), rows, 1e-9).to_array().tolist() == [0, 1, 0, 1]


def test_rows_are_joined_through_a_chain() -> None:
    """Two distant rows are one class if rows between them link them."""
    rows = np.array([[0.1, 0.9], [0.3, 0.7], [0.2, 0.8], [0.6, 0.4]])
    assert partition_of_rows(Grid((4,)), rows, 0.11).to_array().tolist() == [0, 0, 0, 1]


def test_rows_that_no_single_column_separates() -> None:
    """Each column alone links all rows, together they do not."""
    corners = np.array([[0.0, 0.0], [0.1, 0.2], [0.2, 0.1], [0.3, 0.3]])
    rows = np.column_stack([corners, 1 - corners.sum(axis=1)])
    assert partition_of_rows(Grid((4,)), rows, 0.15).to_array().tolist() == [0, 1, 1, 2]


def test_many_rows() -> None:
    """A table of 65,536 rows and 1,000 distributions."""
    rng = np.random.default_rng(2)
    classes = rng.integers(1000, size=65_536)
    rows = rng.dirichlet([1.0, 1.0, 1.0], size=1000)[classes]
    grid = Grid((2,) * 16)
    assert partition_of_rows(grid, rows + rng.uniform(-1e-12, 1e-12, rows.shape), 1e-9) == Partition.of(grid, classes)
