"""Smallest trees by plain recursion, and rows of a table joined pair by pair."""

import numpy as np
from numpy.typing import NDArray

from ldag.graph.trees import CodedDecisionGraph, Leaf, Tree
from ldag.model import Partition


def fewest_leaves(partition: Partition) -> int:
    """Return the number of leaves of a smallest tree: try every variable at every split."""
    grid = partition.grid
    table = {grid.configuration(cell): int(number) for cell, number in enumerate(partition.to_array())}

    def best(cells: list[tuple[int, ...]], axes: frozenset[int]) -> int:
        if len({table[cell] for cell in cells}) == 1:
            return 1
        return min(
            sum(best([c for c in cells if c[axis] == code], axes - {axis}) for code in range(grid.n_states[axis]))
            for axis in axes
        )

    return best(list(table), frozenset(range(grid.n_axes)))


def class_in_tree(tree: Tree, configuration: tuple[int, ...]) -> int:
    """Walk a tree to the class of one configuration."""
    while not isinstance(tree, Leaf):
        tree = tree.branches[configuration[tree.axis]]
    return tree.number


def class_in_graph(graph: CodedDecisionGraph, configuration: tuple[int, ...]) -> int:
    """Walk a decision graph to the class of one configuration."""
    node = graph.nodes[0]
    while not isinstance(node, Leaf):
        node = graph.nodes[node.targets[configuration[node.axis]]]
    return node.number


def joined_rows(rows: NDArray[np.float64], tolerance: float) -> list[int]:
    """Return a class per row: the smallest row that a chain of close rows leads to."""
    classes = list(range(len(rows)))
    for _ in rows:
        for a, row in enumerate(rows):
            for b, other in enumerate(rows):
                if all(abs(x - y) <= tolerance for x, y in zip(row, other, strict=True)):
                    classes[a] = classes[b] = min(classes[a], classes[b])
    return classes
