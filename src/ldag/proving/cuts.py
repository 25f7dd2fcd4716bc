"""Cuts: what every acyclic choice of one family for each node fulfils, and a fractional one may not.

A cut weighs families; those of an acyclic graph weigh at least ``least`` together. Clusters of nodes that a solution
violates are grown greedily, or the worst of all comes from an integer programme. Of a few nodes, order cuts are what a
solution violates most: the shares that it gives their families, by their parents among these nodes, should be a mixture
of acyclic graphs on them, possibly with fewer parents. If they are not, weights prove it, which a small linear
programme finds: each order of the nodes must weigh 1, and the solution as little as possible. Rounds of cuts begin with
the cheap kinds, and go on to dearer ones where these find little.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldag.proving.families import FamilyTable, Flags, Numbering, Reals
from ldag.proving.solver import load_highspy, run_highs, start_highs


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
    worst = highs.getSolution()
    if not worst.value_valid:
        return {}
    cut = ClusterCut(tuple(np.flatnonzero(np.array(worst.col_value)[:n] > 0.5).tolist()), least)
    violation = least - float(solution[cut.weigh(table)[0]].sum())
    return {cut: violation} if violation > VIOLATION and len(cut.nodes) > least else {}


ORDER_VIOLATION = 1e-3
"""Of orders that weigh 1."""

MOST_SETS = 300
"""Sets of nodes that are tried at a time."""


def find_order_cuts(table: FamilyTable, solution: Reals, deadline: float, size: int, links: int) -> dict[Cut, float]:
    """Return cuts on so many nodes that a solution violates, with how much.

    Sets of nodes are grown along fractional edges; a node that is added has at least so many links to those before it.
    """
    edges = Fraction.of(table, solution).edges
    is_open = (edges > ORDER_VIOLATION) & (edges < 1 - ORDER_VIOLATION)
    families = np.flatnonzero(solution > SHARE)
    violated: dict[Cut, float] = {}
    for nodes in _choose_sets(edges > SHARE, is_open | is_open.T, size, links):
        own, cells = cells_of(table, families, nodes)
        shares = np.zeros(size << size)
        np.add.at(shares, cells, solution[own])
        cut = OrderCut.of(nodes, _lightest_weights(shares, size))
        violation = cut.least - float(np.array(cut.weights) @ shares)
        if violation > ORDER_VIOLATION:
            violated[cut] = violation
        if time.monotonic() > deadline:
            break
    return violated


def _choose_sets(edges: Flags, linked: Flags, size: int, links: int) -> list[tuple[int, ...]]:
    """Return sets of nodes, each grown from a linked pair; evenly spread ones if there are too many.

    A set is worth trying if its edges connect it strongly; otherwise a smaller one says as much.
    """
    sets = [tuple(pair) for pair in np.argwhere(np.triu(linked)).tolist()]
    for _ in range(size - 2):
        grown: set[tuple[int, ...]] = set()
        for nodes in sets[:: len(sets) // MOST_SETS + 1]:
            near = linked[list(nodes)].sum(axis=0) >= links
            near[list(nodes)] = False
            grown.update(tuple(sorted((*nodes, node))) for node in np.flatnonzero(near).tolist())
        sets = sorted(grown)
    strong = [nodes for nodes, is_strong in zip(sets, _are_strong(edges, sets), strict=True) if is_strong]
    return strong[:: len(strong) // MOST_SETS + 1]


def _are_strong(edges: Flags, sets: list[tuple[int, ...]]) -> Flags:
    """Return whether the edges among the nodes of each set connect it strongly."""
    if not sets:
        return np.zeros(0, dtype=np.bool_)
    nodes = np.array(sets)
    reached = edges[nodes[:, :, None], nodes[:, None, :]]
    for middle in range(nodes.shape[1]):  # Warshall
        reached = reached | (reached[:, :, [middle]] & reached[:, [middle], :])
    return np.asarray(reached.all(axis=(1, 2)))


def _lightest_weights(shares: Reals, size: int) -> Reals:
    """Return the weights by which a solution's shares weigh least, each order 1, and more parents never more."""
    highs = _weights_programme(size)
    n = len(shares)
    highs.changeColsCost(n, np.arange(n, dtype=np.int32), shares + 1e-7)  # weights that nothing asks for are 0
    highs.run()
    weights = np.array(highs.getSolution().col_value)
    return _without_growth(np.where(weights > 1e-9, weights, 0.0), size)


def _without_growth(weights: Reals, size: int) -> Reals:
    """Take away what weights grow with more parents, by the solver's tolerance: each at most that of any subset."""
    cells = weights.reshape(size, 1 << size).copy()
    for parent in range(size):
        with_it = np.array([a for a in range(1 << size) if a >> parent & 1])
        cells[:, with_it] = np.minimum(cells[:, with_it], cells[:, with_it ^ (1 << parent)])
    return cells.ravel()


@cache
def _weights_programme(size: int) -> Any:
    """Return the programme of the weights of so many nodes, but for what the solution has."""
    highs = start_highs()
    n = size << size
    highs.addVars(n, np.zeros(n), np.ones(n))
    for cells in cells_of_orders(size):
        highs.addRow(1.0, np.inf, size, cells.astype(np.int32), np.ones(size))
    for node in range(size):
        for parents in range(1 << size):
            for other in range(size):
                if not parents >> node & 1 and node != other and not parents >> other & 1:
                    cell = (node << size) + parents
                    pair = np.array([cell, cell + (1 << other)], dtype=np.int32)
                    highs.addRow(0.0, np.inf, 2, pair, np.array([1.0, -1.0]))
        everyone = ((1 << size) - 1) ^ (1 << node)
        highs.changeColBounds((node << size) + everyone, 0.0, 0.0)
    return highs


MOST_CUTS = 200
"""In a round; the most violated ones."""

ENOUGH_CUTS = 10
"""A round with so many needs no dearer ones."""

Separator = Callable[[FamilyTable, Reals, float], Mapping[Cut, float]]
"""Returns cuts that a solution violates, with how much, until a moment on the monotonic clock."""


CHEAP: tuple[Separator, ...] = (
    partial(grow_clusters, least=1),
    partial(grow_clusters, least=2),
    partial(find_order_cuts, size=4, links=2),
    partial(find_order_cuts, size=5, links=2),
)
ALL: tuple[Separator, ...] = (
    *CHEAP,
    partial(find_order_cuts, size=6, links=2),
    partial(find_order_cuts, size=4, links=1),
    partial(find_worst_cluster, least=1),
    partial(find_order_cuts, size=5, links=1),
    partial(find_order_cuts, size=6, links=1),
)


def find_violated(
    kinds: Sequence[Separator], table: FamilyTable, solution: Reals, deadline: float, enough: float = ENOUGH_CUTS
) -> Iterator[list[Cut]]:
    """Go through the kinds of cuts that a solution violates until there are enough."""
    n_cuts = 0
    for find in kinds:
        if time.monotonic() > deadline or n_cuts >= enough:
            return
        violated = find(table, solution, deadline)
        worst = sorted(violated, key=lambda cut: -violated[cut])[:MOST_CUTS]
        n_cuts += len(worst)
        yield worst
