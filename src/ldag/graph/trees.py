"""CPT-trees and decision graphs over a partition, and the partitions that trees and tables describe."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldag.model import Grid, Partition

EXACT_CONTEXTS = 200_000
"""Up to this many contexts, prod(r_i + 1), the smallest tree is found exactly."""

_EXACT_BRANCH = 10_000  # contexts up to which a branch of a greedy tree is made exactly
_UNKNOWN = 1 << 42  # the price of a context whose tree is not known yet: above all others, sums fit 64 bits
_Cube = NDArray[np.int32]  # class numbers, one axis per variable; an axis that is fixed has length one
_Prices = NDArray[np.int64]


@dataclass(frozen=True)
class Leaf:
    """The end of a path: the number of a class."""

    number: int


@dataclass(frozen=True)
class Split:
    """A question about one variable: a tree for each of its states."""

    axis: int
    branches: tuple["Tree", ...]


Tree = Leaf | Split


@dataclass(frozen=True)
class SmallestTree:
    """A CPT-tree of a partition; ``is_minimal`` says that no tree has fewer leaves (proven)."""

    tree: Tree
    is_minimal: bool


@dataclass(frozen=True)
class DecisionNode:
    """A node of a decision graph that asks about one variable: the next node for each of its states."""

    axis: int
    targets: tuple[int, ...]


@dataclass(frozen=True)
class CodedDecisionGraph:
    """A rooted graph of decisions that ends in one leaf per class.

    Node 0 is the root; every target has a higher number than its source; the leaves come last, by class.
    """

    nodes: tuple[DecisionNode | Leaf, ...]


def n_leaves(tree: Tree) -> int:
    """Count the leaves; more than there are classes means that the tree must repeat itself."""
    return 1 if isinstance(tree, Leaf) else sum(n_leaves(branch) for branch in tree.branches)


def smallest_tree(partition: Partition) -> SmallestTree:
    """Find the CPT-tree of a partition with the fewest leaves; among those, fewest splits, then least depth.

    Exact up to `EXACT_CONTEXTS` contexts, by dynamic programming over all of them; ties go to the lowest axis.
    Beyond, the upper part of the tree is grown greedily: the split whose branches hold the fewest classes in
    total, which is the fewest leaves they can have, then the purest by the Gini index.

    Examples
    --------
    >>> smallest_tree(Partition.of(Grid((2, 2)), [0, 0, 1, 2])).tree
    Split(axis=0, branches=(Leaf(number=0), Split(axis=1, branches=(Leaf(number=1), Leaf(number=2)))))
    """
    cube = partition.to_array().reshape(partition.grid.n_states)
    if _n_contexts(cube) <= EXACT_CONTEXTS:
        return SmallestTree(_exact_tree(cube), True)
    tree = _grow_tree(cube)
    return SmallestTree(tree, n_leaves(tree) == partition.n_classes)


def decision_graph(tree: Tree) -> CodedDecisionGraph:
    """Merge equal parts of a tree and drop the decisions that this makes idle."""
    leaves: set[int] = set()
    decisions: dict[DecisionNode, int] = {}  # targets are ~number of a decision or the class of a leaf

    def visit(part: Tree) -> int:
        if isinstance(part, Leaf):
            leaves.add(part.number)
            return part.number
        backwards = [visit(branch) for branch in reversed(part.branches)]
        if len(set(backwards)) == 1:
            return backwards[0]
        return ~decisions.setdefault(DecisionNode(part.axis, tuple(reversed(backwards))), len(decisions))

    visit(tree)
    n_decisions = len(decisions)
    place = {number: n_decisions + rank for rank, number in enumerate(sorted(leaves))}
    place.update({~number: n_decisions - 1 - number for number in decisions.values()})
    nodes: list[DecisionNode | Leaf] = [
        DecisionNode(decision.axis, tuple(place[target] for target in decision.targets))
        for decision in reversed(decisions)
    ]
    return CodedDecisionGraph((*nodes, *(Leaf(number) for number in sorted(leaves))))


def partition_of_tree(grid: Grid, tree: Tree) -> Partition:
    """Return the partition that a tree describes; leaves with equal numbers are one class."""
    cube = np.empty(grid.n_states, dtype=np.int32)

    def fill(view: _Cube, part: Tree) -> None:
        if isinstance(part, Leaf):
            view[...] = part.number
            return
        assert view.shape[part.axis] == len(part.branches) == grid.n_states[part.axis]
        for code, branch in enumerate(part.branches):
            fill(_fix(view, part.axis, code), branch)

    fill(cube, tree)
    return Partition.of(grid, cube)


def partition_of_rows(grid: Grid, rows: NDArray[np.float64], tolerance: float) -> Partition:
    """Join the configurations whose rows of a table differ by at most ``tolerance`` in every entry.

    Joining is transitive: two rows are in one class if a chain of close rows links them.
    """
    assert len(rows) == grid.size
    groups = _gap_groups(rows, tolerance)
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    classes = groups.copy()
    next_class = len(starts)
    for members in np.split(order, starts[1:]):
        if (np.ptp(rows[members], axis=0) > tolerance).any():
            links = _link(rows[members], tolerance)
            classes[members] = next_class + links
            next_class += int(links.max()) + 1
    return Partition.of(grid, classes)


def _gap_groups(rows: NDArray[np.float64], tolerance: float) -> NDArray[np.int64]:
    """Separate rows by gaps wider than the tolerance in single columns, until no column shows one."""
    groups = np.zeros(len(rows), dtype=np.int64)
    n_groups = 0
    while n_groups < groups.max() + 1:
        n_groups = int(groups.max()) + 1
        for column in rows.T:
            order = np.lexsort((column, groups))
            steps = (np.diff(groups[order]) > 0) | (np.diff(column[order]) > tolerance)
            groups[order] = np.concatenate([[0], np.cumsum(steps)])
    return groups


def _link(rows: NDArray[np.float64], tolerance: float) -> NDArray[np.int64]:
    """Give each chain of close rows a number: spread from row to row, in a window of the widest column."""
    widest = int(np.argmax(np.ptp(rows, axis=0)))
    left = np.argsort(rows[:, widest], kind="stable")  # rows not reached yet
    numbers = np.empty(len(rows), dtype=np.int64)
    number = -1
    todo: list[int] = []
    while todo or len(left):
        if not todo:
            number += 1
            todo.append(int(left[0]))
            numbers[left[0]] = number
            left = left[1:]
        row = rows[todo.pop()]
        column = rows[left, widest]  # ascending; twice the tolerance leaves room for rounding
        first = int(np.searchsorted(column, row[widest] - 2 * tolerance))
        last = int(np.searchsorted(column, row[widest] + 2 * tolerance, side="right"))
        near = first + np.flatnonzero((np.abs(rows[left[first:last]] - row) <= tolerance).all(axis=1))
        numbers[left[near]] = number
        todo.extend(left[near].tolist())
        left = np.delete(left, near)
    return numbers


def _fix(cube: _Cube, axis: int, code: int) -> _Cube:
    """Return the part of a cube where one axis has one state; the axis stays, with length one."""
    return cube[(slice(None),) * axis + (slice(code, code + 1),)]


def _n_contexts(cube: _Cube) -> int:
    """Count the contexts: each variable has a state or is left open."""
    return int(np.prod([n + 1 if n > 1 else 1 for n in cube.shape], dtype=object))


def _contexts(cube: _Cube) -> _Cube:
    """Return the class of every context, -1 where classes differ; the last entry of an axis leaves it open."""
    for axis, n in enumerate(cube.shape):
        if n > 1:
            first = np.take(cube, [0], axis=axis)
            equal = (cube == first).all(axis=axis, keepdims=True)
            cube = np.concatenate([cube, np.where(equal, first, np.int32(-1))], axis=axis)
    return cube


class _Tariff:
    """Prices of trees as single numbers, ordered by leaves, then splits, then depth."""

    def __init__(self, cube: _Cube) -> None:
        self.depths = cube.ndim + 1
        self.leaf = cube.size * self.depths  # there are fewer splits than cells

    def split(self, branches: _Prices) -> _Prices:
        """Return the price of splitting, given the prices of the branches along axis 0."""
        depth = branches % self.depths
        return np.asarray((branches - depth).sum(axis=0) + self.depths + depth.max(axis=0) + 1)


def _exact_tree(cube: _Cube) -> Tree:
    """Return the cheapest tree, by dynamic programming: a context with k open axes is final after k rounds."""
    classes = _contexts(cube)
    tariff = _Tariff(cube)
    prices = np.where(classes >= 0, np.int64(tariff.leaf), np.int64(_UNKNOWN))
    axes = [axis for axis, n in enumerate(cube.shape) if n > 1]
    for _ in axes:
        for axis in axes:
            along = np.moveaxis(prices, axis, 0)
            np.minimum(along[-1:], tariff.split(along[:-1]), out=along[-1:])

    def build(context: tuple[int, ...]) -> Tree:
        if classes[context] >= 0:
            return Leaf(int(classes[context]))
        for axis in axes:
            if context[axis] < cube.shape[axis]:
                continue
            inside = [(*context[:axis], code, *context[axis + 1 :]) for code in range(cube.shape[axis])]
            if tariff.split(np.array([prices[branch] for branch in inside])) == prices[context]:
                return Split(axis, tuple(build(branch) for branch in inside))
        raise AssertionError("a context with several classes has a split")

    return build(tuple(n if n > 1 else 0 for n in cube.shape))


def _grow_tree(cube: _Cube) -> Tree:
    """Split greedily until the branches are small enough for the exact tree."""
    if _n_contexts(cube) <= _EXACT_BRANCH:
        return _exact_tree(cube)
    if (cube == cube.flat[0]).all():
        return Leaf(int(cube.flat[0]))
    axis = min((axis for axis, n in enumerate(cube.shape) if n > 1), key=lambda axis: _disorder(cube, axis))
    return Split(axis, tuple(_grow_tree(_fix(cube, axis, code)) for code in range(cube.shape[axis])))


def _disorder(cube: _Cube, axis: int) -> tuple[bool, int, int]:
    """Return how much a split leaves to do: whether it is idle, the classes in all branches, their impurity."""
    branches = np.moveaxis(cube, axis, 0).reshape(cube.shape[axis], -1)
    counts = [np.unique(branch, return_counts=True)[1] for branch in branches]
    purity = cube.shape[axis] * sum(int((count**2).sum()) for count in counts)
    return bool((branches == branches[0]).all()), sum(len(count) for count in counts), -purity
