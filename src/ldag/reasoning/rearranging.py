"""Classes that labels cannot tell, with other arrows: which classes mean the same there, if any do.

Only the families of the nodes whose parents change matter. Their product f is a distribution of these nodes for every
configuration of the parents outside. A structure with the new arrows has the same distributions iff f factorises along
them for all parameters, and then with as many free parameters as before: what the conditional distributions of f have
in common are the new classes. Parameters are drawn modulo a prime, as in `ldag.reasoning.algebra`.
"""

from math import prod

import numpy as np
from numpy.typing import NDArray

from ldag.errors import TooLarge
from ldag.model import CodedFamily, Parents, Partition, Structure
from ldag.reasoning.algebra import PRIME

N_DRAWS = 4
"""Draws of all parameters; that two of a million numbers agree by chance in all has a probability below 2 ** -80."""

MOST_CELLS = 1 << 15
"""Cells of the table of all nodes that take part, at most."""

DrawnTable = NDArray[np.int64]
"""Numbers below the prime: an axis for the draws, then one for each node that takes part, of length 1 if it is idle."""


def rearrange(structure: Structure, parents: Parents) -> Structure | None:
    """Return the structure with other arrows and the same distributions, or None if there is none.

    The nodes must be adjacent to the same nodes as before. Raises `TooLarge` where that is not decided.
    """
    moved = [node for node, above in enumerate(parents) if tuple(above) != structure.parents(node)]
    scope = sorted({*moved, *(p for node in moved for p in (*structure.parents(node), *parents[node]))})
    if not moved:
        return structure
    if prod(structure.n_states[node] for node in scope) > MOST_CELLS:
        raise TooLarge(f"{len(scope)} variables take part, more than a table holds")
    joint = _multiply([_draw(structure, node, scope) for node in moved])
    families = list(structure.families)
    tables = []
    for node in moved:
        above = tuple(parents[node])
        table = _conditional(joint, scope, set(moved) - {node, *above}, node)
        for axis in (1 + place for place, other in enumerate(scope) if other not in (node, *above)):
            first = np.take(table, [0], axis=axis)
            if not (table == first).all():
                return None
            table = first
        families[node] = _family(structure, above, scope, table)
        if families[node].partition.irrelevant_axes():
            return None
        tables.append(table)
    rearranged = Structure(structure.n_states, tuple(families))
    is_same_size = sum(map(structure.dimension, moved)) == sum(map(rearranged.dimension, moved))
    return rearranged if is_same_size and np.array_equal(_multiply(tables), joint) else None


def _draw(structure: Structure, node: int, scope: list[int]) -> DrawnTable:
    """Draw the distributions of a node; those of a class are equal, and each sums to 1 modulo the prime."""
    family, n_states = structure.families[node], structure.n_states[node]
    rng = np.random.default_rng(node)
    drawn = rng.integers(1, PRIME, size=(N_DRAWS, family.partition.n_classes, n_states), dtype=np.int64)
    drawn[..., -1] = (1 - drawn[..., :-1].sum(axis=-1)) % PRIME
    own = (*family.parents, node)
    table = drawn[:, family.partition.to_array()].reshape(N_DRAWS, *(structure.n_states[v] for v in own))
    table = table.transpose(0, *(1 + place for place in sorted(range(len(own)), key=own.__getitem__)))
    return table.reshape(N_DRAWS, *(structure.n_states[v] if v in own else 1 for v in scope))


def _multiply(tables: list[DrawnTable]) -> DrawnTable:
    """Multiply modulo the prime."""
    product = np.ones((1,) * tables[0].ndim, dtype=np.int64)
    for table in tables:
        product = product * table % PRIME
    return product


def _conditional(joint: DrawnTable, scope: list[int], summed: set[int], node: int) -> DrawnTable:
    """Return the distributions of a node given all that take part except those that are summed out."""
    axes = tuple(1 + scope.index(other) for other in sorted(summed))
    table = joint.sum(axis=axes, keepdims=True) % PRIME
    total = table.sum(axis=1 + scope.index(node), keepdims=True) % PRIME
    return np.asarray(table * _inverse(total) % PRIME)


def _inverse(numbers: DrawnTable) -> DrawnTable:
    """Return one divided by each number, modulo the prime: its power PRIME - 2."""
    result = np.ones_like(numbers)
    for bit in bin(PRIME - 2)[2:]:
        result = result * result % PRIME
        if bit == "1":
            result = result * numbers % PRIME
    return result


def _family(structure: Structure, parents: tuple[int, ...], scope: list[int], table: DrawnTable) -> CodedFamily:
    """Return the family whose classes are the configurations with equal distributions in all draws."""
    places = [1 + scope.index(parent) for parent in parents]
    others = [place for place in range(1, table.ndim) if place not in places]
    grid = structure.grid(parents)
    rows = table.transpose(*places, 0, *others).reshape(grid.size, -1)
    return CodedFamily.from_partition(parents, Partition.of(grid, np.unique(rows, axis=0, return_inverse=True)[1]))
