"""Rules, trees, decision graphs and tables: each says the same as the partition it was made from."""

from math import prod

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag.graph.representations import reduce_rules
from ldag.graph.trees import (
    DecisionNode,
    Leaf,
    decision_graph,
    n_leaves,
    partition_of_rows,
    partition_of_tree,
    smallest_tree,
)
from ldag.model import Grid, Partition
from tests.oracle import cover as cover_oracle
from tests.oracle import trees as oracle

SHAPES = st.lists(st.integers(1, 4), max_size=4).map(tuple).filter(lambda shape: prod(shape) <= 24)


@st.composite
def partitions(draw: st.DrawFn) -> Partition:
    """Draw a partition of a small grid."""
    grid = Grid(draw(SHAPES))
    n_classes = draw(st.integers(1, 5))
    classes = draw(st.lists(st.integers(0, n_classes - 1), min_size=grid.size, max_size=grid.size))
    return Partition.of(grid, classes)


@settings(deadline=None, max_examples=150)
@given(partitions())
def test_exactly_the_rule_of_the_class_holds(partition: Partition) -> None:
    """Rules are mutually exclusive and exhaustive, and a rule holds where its class is."""
    for number, rule in enumerate(reduce_rules(partition)):
        assert rule.number == number
        cells = frozenset().union(*(cover_oracle.cells_of(partition.grid, term) for term in rule.terms))
        assert sorted(cells) == np.flatnonzero(partition.to_array() == number).tolist()


@settings(deadline=None, max_examples=150)
@given(partitions())
def test_smallest_tree_has_the_fewest_leaves(partition: Partition) -> None:
    """The tree gives every configuration its class, and plain recursion finds no tree with fewer leaves."""
    grid = partition.grid
    found = smallest_tree(partition)
    walked = [oracle.class_in_tree(found.tree, grid.configuration(cell)) for cell in range(grid.size)]
    assert walked == partition.to_array().tolist()
    assert found.is_minimal
    assert n_leaves(found.tree) == oracle.fewest_leaves(partition)
    assert partition_of_tree(grid, found.tree) == partition


@settings(deadline=None, max_examples=150)
@given(partitions())
def test_decision_graph_says_the_same_without_repetition(partition: Partition) -> None:
    """The graph gives every class, points forward, repeats no node, and has one leaf per class, last."""
    grid = partition.grid
    graph = decision_graph(smallest_tree(partition).tree)
    walked = [oracle.class_in_graph(graph, grid.configuration(cell)) for cell in range(grid.size)]
    assert walked == partition.to_array().tolist()
    assert len(set(graph.nodes)) == len(graph.nodes)
    assert graph.nodes[-partition.n_classes :] == tuple(Leaf(number) for number in range(partition.n_classes))
    for number, node in enumerate(graph.nodes[: -partition.n_classes]):
        assert isinstance(node, DecisionNode)
        assert min(node.targets) > number
        assert len(set(node.targets)) > 1


@settings(deadline=None, max_examples=100)
@given(st.data(), st.integers(1, 12), st.integers(1, 3), st.integers(0, 4))
def test_rows_are_joined_as_pair_by_pair(data: st.DataObject, n_rows: int, n_columns: int, tolerance: int) -> None:
    """Joining by gaps and windows gives the classes that comparing all pairs gives."""
    row = st.lists(st.integers(0, 15), min_size=n_columns, max_size=n_columns)
    rows = np.array(data.draw(st.lists(row, min_size=n_rows, max_size=n_rows)), dtype=np.float64)
    grid = Grid((n_rows,))
    assert partition_of_rows(grid, rows, tolerance) == Partition.of(grid, oracle.joined_rows(rows, tolerance))
