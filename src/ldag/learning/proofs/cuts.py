"""Cuts: what every acyclic choice of one family for each node fulfils, and a fractional one may not.

A cut weighs families; those of an acyclic graph weigh at least ``least`` together.
"""

from functools import cache
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldag.learning.proofs.families import FamilyTable, Numbering, Reals


class ClusterCut(NamedTuple):
    """Of a cluster of at least k nodes, k or more have fewer than k parents in it.

    The first k of them in the graph's order are such. With k = 1, some node has no parent in the cluster (Jaakkola et
    al. 2010); beyond, Cussens (2011).
    """

    nodes: tuple[int, ...]
    least: int

    def weigh(self, table: FamilyTable) -> tuple[Numbering, Reals]:
        """Weigh the families of the cluster's nodes with few parents in it by 1."""
        inside = np.zeros(table.n_nodes, dtype=np.float32)
        inside[list(self.nodes)] = 1.0
        columns = np.flatnonzero((inside[table.nodes] > 0) & (table.members @ inside < self.least))
        return columns, np.ones(len(columns))


class OrderCut(NamedTuple):
    """WeighedCut of the families of a few nodes by their parents among these nodes.

    A family with more of these parents never weighs more, so an acyclic graph weighs at least what the families do in
    which every node has all those before it as its parents, in some order of the nodes; ``least`` is the minimum over
    all orders.
    """

    nodes: tuple[int, ...]
    weights: tuple[float, ...]
    """Place by place, as `cells_of` numbers the families."""
    least: float

    @classmethod
    def of(cls, nodes: tuple[int, ...], weights: Reals) -> "OrderCut":
        """Make a cut of weights that never grow with the parents."""
        return cls(nodes, tuple(weights.tolist()), float(weights[cells_of_orders(len(nodes))].sum(axis=1).min()))

    def weigh(self, table: FamilyTable) -> tuple[Numbering, Reals]:
        """Weigh the families of the nodes."""
        columns, cells = cells_of(table, np.arange(len(table.nodes)), self.nodes)
        weights = np.array(self.weights)[cells]
        weighty = weights > 0
        return columns[weighty], weights[weighty]


Cut = ClusterCut | OrderCut


def cells_of(table: FamilyTable, families: Numbering, nodes: tuple[int, ...]) -> tuple[Numbering, Numbering]:
    """Return those of some families that belong to a few nodes, numbered by node and parents among the nodes."""
    n = len(nodes)
    place = np.full(table.n_nodes, -1)
    place[list(nodes)] = np.arange(n)
    own = families[place[table.nodes[families]] >= 0]
    return own, (place[table.nodes[own]] << n) + table.parents[own][:, nodes] @ (1 << np.arange(n))


@cache
def cells_of_orders(n: int) -> NDArray[np.int64]:
    """Return a row per order of so many nodes: where each has all those before it as its parents."""
    rows = []
    for order in permutations(range(n)):
        before = 0
        row = [0] * n
        for node in order:
            row[node] = (node << n) + before
            before |= 1 << node
        rows.append(row)
    return np.array(rows, dtype=np.int64)
