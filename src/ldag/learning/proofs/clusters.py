"""Clusters of nodes that a solution violates: grown greedily, or the worst of all by an integer programme."""

import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldag.learning.proofs.cuts import ClusterCut, Cut
from ldag.learning.proofs.families import FamilyTable, Flags, Reals
from ldag.learning.proofs.solver import load_highspy, run_highs, start_highs

VIOLATION = 1e-4
"""What is violated by less is not worth a cut."""

SHARE = 1e-7
"""Families with less do not count as taken."""

DETOUR = 0.3
"""A cluster is grown on as long as no step loses more than this: the way to a violated one need not go straight."""

MOST_BRANCHES = 200
"""Of the programme for the worst cluster; a number and not a time, so that cuts are the same on any machine."""


class Fraction(NamedTuple):
    """The families that a solution takes a share of."""

    shares: NDArray[np.float32]
    owners: NDArray[np.float32]
    members: NDArray[np.float32]

    @classmethod
    def of(cls, table: FamilyTable, solution: Reals) -> "Fraction":
        """Take the families with a share."""
        taken = np.flatnonzero(solution > SHARE)
        return cls(solution[taken].astype(np.float32), table.owners[taken], table.members[taken])

    @property
    def edges(self) -> Reals:
        """How much of each parent (column) each node (row) takes."""
        return ((self.owners * self.shares[:, None]).T @ self.members).astype(np.float64)


def grow_clusters(table: FamilyTable, solution: Reals, deadline: float, least: int) -> dict[Cut, float]:
    """Return clusters that a solution violates, with how much: those met on growing pairs node by node."""
    fraction = Fraction.of(table, solution)
    edges = fraction.edges > 0
    starts = np.argwhere(np.triu(edges | edges.T))
    grown = np.zeros((len(starts), table.n_nodes), dtype=np.bool_)
    grown[np.arange(len(starts))[:, None], starts] = True
    violated: dict[Cut, float] = {}
    met: set[bytes] = set()
    while len(grown) and time.monotonic() < deadline:
        sums, after = _sums(grown, fraction, least)
        for i in np.flatnonzero((sums < least - VIOLATION) & (grown.sum(axis=1) > least)):
            violated[ClusterCut(tuple(np.flatnonzero(grown[i]).tolist()), least)] = least - float(sums[i])
        added = after.argmin(axis=1)
        rows = np.arange(len(grown))
        is_near = after[rows, added] <= sums + DETOUR
        grown[rows, added] = True
        grown = _new_ones(grown[is_near], met)
    return violated


def _new_ones(clusters: Flags, met: set[bytes]) -> Flags:
    """Return the clusters that were not met before."""
    rows = []
    for i, cluster in enumerate(clusters):
        key = cluster.tobytes()
        if key not in met:
            met.add(key)
            rows.append(i)
    return clusters[rows]


def _sums(clusters: Flags, fraction: Fraction, least: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return what the families that each cluster weighs have together, and what with each other node added."""
    inside = clusters.astype(np.float32)
    n_parents = inside @ fraction.members.T  # of each family in each cluster
    is_own = inside @ fraction.owners.T > 0
    weighed = np.where(is_own & (n_parents < least), fraction.shares, 0)
    sums = weighed.sum(axis=1)
    lost = np.where(n_parents == least - 1, weighed, 0) @ fraction.members
    gained = np.where(n_parents < least, fraction.shares, 0) @ fraction.owners
    return sums, np.where(clusters, np.inf, sums[:, None] - lost + gained)


def find_worst_cluster(table: FamilyTable, solution: Reals, deadline: float, least: int) -> dict[Cut, float]:
    """Return the cluster that a solution violates most, if it violates any and time suffices to find one.

    A variable for each node says whether it is in the cluster, and one for each family with a share whether it has
    enough parents in it: the cluster's size minus the shares of such families is to be as small as possible.
    """
    highspy = load_highspy()
    n = table.n_nodes
    families = np.flatnonzero((solution > SHARE) & (table.parents.sum(axis=1) >= least))
    highs = start_highs()
    highs.setOptionValue("presolve", "on")
    highs.setOptionValue("time_limit", max(deadline - time.monotonic(), 0.0))
    highs.setOptionValue("mip_max_nodes", MOST_BRANCHES)
    n_columns = n + len(families)
    highs.addVars(n_columns, np.zeros(n_columns), np.ones(n_columns))
    columns = np.arange(n_columns, dtype=np.int32)
    highs.changeColsCost(n_columns, columns, np.append(np.ones(n), -solution[families]))
    highs.changeColsIntegrality(n_columns, columns, np.array([highspy.HighsVarType.kInteger] * n_columns))
    for column, family in enumerate(families, start=n):
        parents = np.flatnonzero(table.parents[family])
        pair = np.array([column, table.nodes[family]], dtype=np.int32)
        highs.addRow(-np.inf, 0.0, 2, pair, np.array([1.0, -1.0]))
        entries = np.append(column, parents).astype(np.int32)
        highs.addRow(-np.inf, 0.0, len(entries), entries, np.append(float(least), -np.ones(len(parents))))
    highs.addRow(least + 1.0, np.inf, n, columns[:n], np.ones(n))
    run_highs(highs)
    found = highs.getSolution()
    if not found.value_valid:
        return {}
    cut = ClusterCut(tuple(np.flatnonzero(np.array(found.col_value)[:n] > 0.5).tolist()), least)
    violation = least - float(solution[cut.weigh(table)[0]].sum())
    return {cut: violation} if violation > VIOLATION and len(cut.nodes) > least else {}
