"""Cliques of an order of elimination, set by set, and the products of a circuit, context by context."""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from math import prod

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


Cell = tuple[float, int]
"""A probability and the state it is of, those of two states are never alike; (0.0, -1) for all that are zero."""
Cells = dict[tuple[int, ...], Cell]
Left = dict[tuple[tuple[int, int], ...], Cell]


def circuit_products(network: Network, order: Sequence[int]) -> float:
    """How many products a circuit takes, about, when nodes are summed out in this order: every context is listed."""
    return sum(_step_products(network, order, i) for i in range(len(order)))


def _step_products(network: Network, order: Sequence[int], i: int) -> float:
    structure = network.ldag.structure
    node, gone = order[i], set(order[:i])
    scopes = [(*family.parents, child) for child, family in enumerate(structure.families)]
    groups = [{k} for k, scope in enumerate(scopes) if node in scope]  # families, joined through what is gone
    for other in gone:
        having = {k for k, scope in enumerate(scopes) if other in scope}
        groups = _join([*groups, having], _meet)
    factors = [group for group in groups if any(node in scopes[k] for k in group)]
    own = sorted(set().union(*factors))
    cut = sorted({member for k in own for member in scopes[k]} - gone - {node})
    tables = [_table(network, k) for k in range(len(scopes))]
    found = set()
    for states in product(*(range(structure.n_states[member]) for member in cut)):
        context = dict(zip(cut, states, strict=True))
        left = {k: _restrict(tables[k], scopes[k], context) for k in range(len(scopes))}
        if any(all(p == 0 for p, _ in cells.values()) for cells in left.values()):
            continue
        depends = {k: _depends(left[k]) for k in own}
        reached = {node}
        for _ in own:
            reached |= {m for k in own for m in depends[k] if depends[k] & reached}
        kept = [k for k in own if depends[k] & reached and set(scopes[k]) & set(cut)]
        found.add(tuple((k, tuple(sorted(left[k].items()))) for k in kept))
    return len(found) * structure.n_states[node] * (1.0 + 0.3 * max(0, len(factors) - 2))


def _meet(a: set[int], b: set[int]) -> bool:
    return bool(a & b)


def _join(groups: list[set[int]], meet: Callable[[set[int], set[int]], bool]) -> list[set[int]]:
    joined: list[set[int]] = []
    for group in groups:
        touched = [other for other in joined if meet(other, group)]
        joined = [other for other in joined if not meet(other, group)] + [group.union(*touched)]
    return joined


def _table(network: Network, child: int) -> Cells:
    """A family's probabilities by the states of its parents and its own."""
    family = network.ldag.structure.families[child]
    rows = network.probabilities[child][family.partition.to_array()]
    grid = product(*(range(network.ldag.structure.n_states[member]) for member in (*family.parents, child)))
    return {s: (p, s[-1]) if p else (0.0, -1) for s, p in zip(grid, rows.reshape(-1).tolist(), strict=True)}


def _restrict(table: Cells, scope: Sequence[int], context: Mapping[int, int]) -> Left:
    """What is left of a family in a context: cells by the states of its other members, each with its number."""
    left: Left = {}
    for states, cell in table.items():
        if all(context.get(m, s) == s for m, s in zip(scope, states, strict=True)):
            left[tuple((m, s) for m, s in zip(scope, states, strict=True) if m not in context)] = cell
    return left


def _depends(left: Left) -> set[int]:
    """The members that make a difference."""
    found = set()
    for states, cell in left.items():
        for place, (member, _) in enumerate(states):
            others = (
                c for t, c in left.items() if t[:place] == states[:place] and t[place + 1 :] == states[place + 1 :]
            )
            if any(c != cell for c in others):
                found.add(member)
    return found
