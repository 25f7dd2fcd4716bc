"""The reduced tables, trees and decision graphs that the paper draws for X1 with binary parents X2, X3, X4."""

import numpy as np

from ldag.graph.representations import CodedRule, reduce_rules
from ldag.graph.trees import DecisionNode, Leaf, Split, decision_graph, n_leaves, partition_of_tree, smallest_tree
from ldag.model import Grid, Partition

GRID = Grid((2, 2, 2))


def structure(from_2: list[tuple[int, int]], from_4: list[tuple[int, int]]) -> Partition:
    """Return the partition of the labels on 2→1, over (X3, X4), and on 4→1, over (X2, X3)."""
    labels = [np.zeros(4, dtype=np.bool_) for _ in range(3)]
    for axis, entries in ((0, from_2), (2, from_4)):
        for entry in entries:
            labels[axis][GRID.without(axis).index(entry)] = True
    return Partition.from_labels(GRID, labels)


FIVE = structure([(0, 1)], [(0, 1), (1, 1)])
SIX = structure([(1, 0)], [(0, 1)])
FOUR = structure([(0, 1), (1, 0)], [(0, 1), (1, 1)])


def test_full_table_of_the_first_structure() -> None:
    """The right column of the full table shows p1 p3 p4 p4 p2 p3 p5 p5."""
    assert Partition.of(GRID, [1, 3, 4, 4, 2, 3, 5, 5]) == FIVE


def test_reduced_table_of_the_first_structure() -> None:
    """Five classes, each a single AND-term."""
    assert reduce_rules(FIVE) == (
        CodedRule(0, ((0, 0, 0),), True),
        CodedRule(1, ((None, 0, 1),), True),
        CodedRule(2, ((0, 1, None),), True),
        CodedRule(3, ((1, 0, 0),), True),
        CodedRule(4, ((1, 1, None),), True),
    )


def test_the_first_structure_is_a_tree() -> None:
    """A tree with a leaf per class asks X3, then X4 and X2, or X2."""
    found = smallest_tree(FIVE)
    assert found.is_minimal
    low = Split(2, (Split(0, (Leaf(0), Leaf(3))), Leaf(1)))
    assert found.tree == Split(1, (low, Split(0, (Leaf(2), Leaf(4)))))
    assert n_leaves(found.tree) == FIVE.n_classes == 5


def test_reduced_table_of_the_second_structure() -> None:
    """Six classes; the third is (X2=0 and X3=1) or (X3=1 and X4=0)."""
    assert reduce_rules(SIX) == (
        CodedRule(0, ((0, 0, 0),), True),
        CodedRule(1, ((0, 0, 1),), True),
        CodedRule(2, ((0, 1, None), (None, 1, 0)), True),
        CodedRule(3, ((1, 0, 0),), True),
        CodedRule(4, ((1, 0, 1),), True),
        CodedRule(5, ((1, 1, 1),), True),
    )


def test_the_second_structure_is_no_tree() -> None:
    """Every tree repeats a class: the smallest has seven leaves for six classes."""
    found = smallest_tree(SIX)
    assert found.is_minimal
    assert (n_leaves(found.tree), SIX.n_classes) == (7, 6)
    assert partition_of_tree(GRID, found.tree) == SIX


def test_decision_graph_of_the_second_structure() -> None:
    """Merging the repeated leaf gives a graph with a leaf per class, one of them reached twice."""
    nodes = decision_graph(smallest_tree(SIX).tree).nodes
    assert nodes[6:] == tuple(Leaf(number) for number in range(6))
    targets = [target for node in nodes if isinstance(node, DecisionNode) for target in node.targets]
    third = 6 + 2
    assert sorted(targets) == sorted([*range(1, 12), third])


def test_reduced_table_of_the_third_structure() -> None:
    """Overlapping terms combine into the single term X3=1."""
    assert reduce_rules(FOUR) == (
        CodedRule(0, ((0, 0, 0),), True),
        CodedRule(1, ((None, 0, 1),), True),
        CodedRule(2, ((None, 1, None),), True),
        CodedRule(3, ((1, 0, 0),), True),
    )
    assert n_leaves(smallest_tree(FOUR).tree) == 4
