"""How much two structures over the same nodes agree: edges, labels and partitions, by codes."""

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from ldag.model import Partition, Structure
from ldag.reasoning import CodedCpdag, CodedEdge, cpdag


@dataclass(frozen=True)
class EdgeAgreement:
    """The edges (parent, child) of two graphs; those reversed point as in the first."""

    common: tuple[CodedEdge, ...]
    missing: tuple[CodedEdge, ...]
    extra: tuple[CodedEdge, ...]
    reversed: tuple[CodedEdge, ...]


@dataclass(frozen=True)
class LabelAgreement:
    """Lines in the labels of edges that two graphs share: in those of the first, the second, and both.

    ``precision`` is the share of the second graph's lines that the first one has too, ``recall`` the share of the
    first one's that the second has; not a number (nan) if there are none.
    """

    n_first: int
    n_second: int
    n_common: int

    def __add__(self, other: "LabelAgreement") -> "LabelAgreement":
        return LabelAgreement(
            self.n_first + other.n_first, self.n_second + other.n_second, self.n_common + other.n_common
        )

    @property
    def precision(self) -> float:
        """How much of what the second graph says is true of the first."""
        return self.n_common / self.n_second if self.n_second else nan

    @property
    def recall(self) -> float:
        """How much of what is true of the first graph the second one says."""
        return self.n_common / self.n_first if self.n_first else nan


@dataclass(frozen=True)
class Overlay:
    """The partitions that two graphs give a node, on the grid of the parents it has in either."""

    parents: tuple[int, ...]
    first: Partition
    second: Partition


def compare_edges(a: Structure, b: Structure) -> EdgeAgreement:
    """Sort the edges of two graphs."""
    ours, theirs = set(a.edges), set(b.edges)
    turned = {(i, j) for i, j in ours if (j, i) in theirs}
    return EdgeAgreement(
        common=tuple(sorted(ours & theirs)),
        missing=tuple(sorted(ours - theirs - turned)),
        extra=tuple(sorted(edge for edge in theirs - ours if edge[::-1] not in ours)),
        reversed=tuple(sorted(turned)),
    )


def hamming_distance(a: Structure, b: Structure, *, of_classes: bool) -> int:
    """Count the pairs of nodes that the DAGs, or their Markov equivalence classes, join in different ways."""
    first, second = (_class(a), _class(b)) if of_classes else (_dag(a), _dag(b))
    differing = (first.directed ^ second.directed) | (first.undirected ^ second.undirected)
    return len({frozenset(edge) for edge in differing})


def union_size(a: Structure, b: Structure, node: int) -> int:
    """Return how many configurations the parents that a node has in either graph have."""
    return a.grid(set(a.parents(node)) | set(b.parents(node))).size


def overlay(a: Structure, b: Structure, node: int) -> Overlay:
    """Express both partitions of a node on one grid; a parent that a graph lacks makes no difference there."""
    parents = tuple(sorted(set(a.parents(node)) | set(b.parents(node))))
    grid = a.grid(parents)
    first, second = (
        Partition.of(grid, family.partition.over(grid, [parents.index(parent) for parent in family.parents]))
        for family in (a.families[node], b.families[node])
    )
    return Overlay(parents, first, second)


def compare_labels(both: Overlay, common_parents: set[int]) -> LabelAgreement:
    """Count the lines of the maximal labels of the edges that a node has in both graphs."""
    total = LabelAgreement(0, 0, 0)
    for axis, parent in enumerate(both.parents):
        if parent in common_parents:
            ours, theirs = both.first.labels[axis], both.second.labels[axis]
            total += LabelAgreement(int(ours.sum()), int(theirs.sum()), int((ours & theirs).sum()))
    return total


def adjusted_rand_index(a: Partition, b: Partition) -> float:
    """Return the adjusted Rand index of two partitions of one grid (Hubert and Arabie 1985).

    Pairs of configurations that both put together, corrected for chance: 1 if the partitions are equal, about 0 if
    they have nothing to do with each other.
    """
    cells = a.to_array().astype(np.int64) * b.n_classes + b.to_array()
    together = _pairs(np.unique(cells, return_counts=True)[1])
    in_a, in_b = _pairs(a.sizes), _pairs(b.sizes)
    if in_a == in_b == together:
        return 1.0
    size = a.grid.size
    # Multiplied by the number of pairs, so that both sides are whole numbers.
    all_pairs = size * (size - 1) // 2
    expected = in_a * in_b
    return (together * all_pairs - expected) / ((in_a + in_b) * all_pairs / 2 - expected)


def _pairs(sizes: NDArray[np.intp]) -> int:
    return sum(n * (n - 1) // 2 for n in sizes.tolist())


def _dag(structure: Structure) -> CodedCpdag:
    return CodedCpdag(frozenset(structure.edges), frozenset())


def _class(structure: Structure) -> CodedCpdag:
    return cpdag([family.parents for family in structure.families])
