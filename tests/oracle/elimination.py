"""Cliques of an order of elimination, and how many sums a circuit has at most, set by set."""

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from ldag import Network


def cliques(parents: Sequence[Sequence[int]], order: Sequence[int]) -> list[frozenset[int]]:
    """The largest sets of nodes that stand in a table together when they are eliminated in this order."""
    around: dict[int, set[int]] = {node: set() for node in range(len(parents))}
    for node, above in enumerate(parents):
        for member in (node, *above):
            around[member] |= {*above, node} - {member}
    found: list[frozenset[int]] = []
    for node in order:
        found.append(frozenset({node} | around[node]))
        for other in around[node]:
            around[other] |= around[node] - {other}
            around[other].discard(node)
    return [one for i, one in enumerate(found) if not any(one < o or (one == o and i > k) for k, o in enumerate(found))]


def cells(n_states: Sequence[int], members: frozenset[int]) -> int:
    """How many cells a table over these nodes has."""
    return prod(n_states[node] for node in members)


def circuit_bound(network: Network, order: Sequence[int]) -> float:
    """The greatest number of terms of all sums when nodes are summed out in this order."""
    n_states = network.ldag.structure.n_states
    rank = {node: i for i, node in enumerate(order)}
    scopes = [frozenset({*family.parents, node}) for node, family in enumerate(network.ldag.structure.families)]
    groups = [(frozenset({i}), scope) for i, scope in enumerate(scopes)]
    total = 0.0
    for node in order:
        own = [group for group in groups if node in group[1]]
        members = frozenset().union(*(group[0] for group in own))
        around = frozenset().union(*(group[1] for group in own)) - {node}
        groups = [group for group in groups if node not in group[1]] + [(members, around)]
        cut = {}
        for i in members:
            above = frozenset(other for other in scopes[i] if rank[other] > rank[node])
            if above:
                cut[i] = above, _n_left(network, i, above)
        total += n_states[node] * _fewest(cut, n_states)
    return total


def _fewest(cut: dict[int, tuple[frozenset[int], int]], n_states: Sequence[int]) -> float:
    """Combinations of states, or of what is left of families, each taken while that makes them fewer."""
    taken = 1.0
    while True:
        now = taken * cells(n_states, frozenset().union(*(above for above, _ in cut.values())))
        tries = {
            i: taken * width * cells(n_states, frozenset().union(*(above for k, (above, _) in cut.items() if k != i)))
            for i, (_, width) in cut.items()
        }
        best = min(tries, key=lambda i: tries[i], default=None)
        if best is None or tries[best] >= now * (1 - 1e-9):
            return now
        taken *= cut.pop(best)[1]


def _n_left(network: Network, node: int, above: frozenset[int]) -> int:
    """How many different functions are left of a family once these of its members have states."""
    table = network.cpt(network.variables[node].name)
    names = [network.variables[other].name for other in sorted(above)]
    first = [table.names.index(name) for name in names]
    rest = [axis for axis in range(len(table.names)) if axis not in first]
    rows = table.values.transpose(first + rest)
    # A probability of one state is not that of another, even if they are equal, unless it is zero.
    own = table.names.index(network.variables[node].name)
    if own in first:
        state = first.index(own)
        return len(
            {
                tuple((p, configuration[state]) if p else (0.0, -1) for p in cell.reshape(-1).tolist())
                for configuration, cell in _cells_of(rows, len(first))
            }
        )
    return len({tuple(cell.reshape(-1).tolist()) for _, cell in _cells_of(rows, len(first))})


def _cells_of(rows: NDArray[np.float64], n_axes: int) -> list[tuple[tuple[int, ...], NDArray[np.float64]]]:
    return [(place, np.asarray(rows[place])) for place in np.ndindex(*rows.shape[:n_axes])]
