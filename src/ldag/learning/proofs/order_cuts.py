"""Cuts on a few nodes that a solution violates most: no weights on their families cut off more.

The shares that a solution gives the families of a few nodes, by their parents among these nodes, should be a mixture of
acyclic graphs on them, possibly with fewer parents. If they are not, weights prove it, which a small linear programme
finds: each order of the nodes must weigh 1, and the solution as little as possible.
"""

import time
from functools import cache
from typing import Any

import numpy as np

from ldag.learning.proofs.clusters import SHARE, Fraction
from ldag.learning.proofs.cuts import Cut, OrderCut, cells_of, cells_of_orders
from ldag.learning.proofs.families import FamilyTable, Flags, Reals
from ldag.learning.proofs.solver import start_highs

VIOLATION = 1e-3
"""Of orders that weigh 1."""

MOST_SETS = 300
"""Sets of nodes that are tried at a time."""


def find_order_cuts(table: FamilyTable, solution: Reals, deadline: float, size: int, links: int) -> dict[Cut, float]:
    """Return cuts on so many nodes that a solution violates, with how much.

    Sets of nodes are grown along fractional edges; a node that is added has at least so many links to those before it.
    """
    edges = Fraction.of(table, solution).edges
    is_open = (edges > VIOLATION) & (edges < 1 - VIOLATION)
    families = np.flatnonzero(solution > SHARE)
    violated: dict[Cut, float] = {}
    for nodes in _choose_sets(edges > SHARE, is_open | is_open.T, size, links):
        own, cells = cells_of(table, families, nodes)
        shares = np.zeros(size << size)
        np.add.at(shares, cells, solution[own])
        cut = OrderCut.of(nodes, _lightest_weights(shares, size))
        violation = cut.least - float(np.array(cut.weights) @ shares)
        if violation > VIOLATION:
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
