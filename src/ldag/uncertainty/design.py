"""What it does to an edge's evidence that rows belong together: design effects.

An edge is there because states of parent and child meet more often, or less, than they would if they were independent
given the child's other parents. How much these surpluses vary if groups are drawn again, over how much they vary if
rows are, is the design effect: the mean, over the contrasts of the table, of the ratios of Rao and Scott (1981), who
divide the statistics of tests by it. It is computed to first order, which is the limit of both bootstraps: no
replicates are drawn.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ldag.data import GAP, Dataset, row_keys
from ldag.formats import Edge

Tables = NDArray[np.float64]
"""A table for every stratum or group: the states of parent and child."""

BLOCK_CELLS = 1 << 22
"""Cells of the tables of groups that are held at once: 32 MB."""


@dataclass(frozen=True)
class DesignEffects:
    """How many times more the evidence for edges varies between draws of groups than between draws of rows."""

    groups: str
    """How many there are, in words."""
    nouns: str
    effects: Mapping[Edge, float]

    def lines(self) -> Iterator[str]:
        """Say what the numbers are, and what to do."""
        worst = max(self.effects.values(), default=1.0)
        yield (
            f"design effect: how many times more the evidence for an edge varies if {self.nouns} are drawn than if rows"
            " are, given the other parents in the consensus"
        )
        if worst >= 1.5:
            yield (
                f"  at {worst:.1f}, rows count for 1/{worst:.1f} of what is reckoned here, and edges are less sure than"
                f" they look; a table of one row for each of the {self.nouns} shows what is left of them"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""
        effects = [{"parent": a, "child": b, "design_effect": one} for (a, b), one in self.effects.items()]
        return {"groups": self.groups, "nouns": self.nouns, "effects": effects}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what `to_dict` gave."""
        effects = {(one["parent"], one["child"]): one["design_effect"] for one in content["effects"]}
        return cls(content["groups"], content["nouns"], effects)


def design_effect(data: Dataset, parent: str, child: str, given: Sequence[str] = ()) -> float:
    """Return the design effect of an edge, given other parents; rows with gaps in one of them do not count."""
    if data.groups is None:
        raise ValueError("the data have no groups")
    nodes = data.schema.nodes([parent, child, *given])
    codes = data.codes[list(nodes)]
    seen = (codes != GAP).all(axis=0)
    codes, weights = codes[:, seen], np.ones(int(seen.sum())) if data.weights is None else data.weights[seen]
    shape = data.schema[nodes[0]].n_states, data.schema[nodes[1]].n_states
    cells = codes[0].astype(np.int64) * shape[1] + codes[1]
    strata = np.unique(
        row_keys(codes[2:], tuple(data.schema[node].n_states for node in nodes[2:])), return_inverse=True
    )[1]
    pairs = strata * len(data.groups) + data.groups.codes[seen]
    units, first, own = np.unique(pairs, return_index=True, return_inverse=True)
    stratum_of = strata[first]
    is_first = np.diff(stratum_of, prepend=-1) > 0
    by_group, by_row, n_units = 0.0, 0.0, max(BLOCK_CELLS // (shape[0] * shape[1]), 1)
    for start in range(0, len(units), n_units):
        part = slice(start, min(start + n_units, len(units)))
        low, high = int(stratum_of[part][0]), int(stratum_of[part][-1]) + 1
        tables = _count((strata >= low) & (strata < high), strata - low, high - low, cells, weights, shape)
        groups = _count((own >= part.start) & (own < part.stop), own - start, part.stop - start, cells, weights, shape)
        by_group += _square_groups(groups, tables[stratum_of[part] - low])
        by_row += _square_rows(tables[stratum_of[part][is_first[part]] - low])
    return by_group / by_row if by_row > 0 else 1.0


def _count(
    used: NDArray[np.bool_],
    places: NDArray[np.int64],
    n: int,
    cells: NDArray[np.int64],
    weights: NDArray[np.generic],
    shape: tuple[int, int],
) -> Tables:
    """Return a table of the states of parent and child for every one of n places."""
    n_cells = shape[0] * shape[1]
    counts = np.bincount(places[used] * n_cells + cells[used], weights[used], n * n_cells)
    return counts.astype(np.float64).reshape(n, *shape)


def _square_groups(groups: Tables, tables: Tables) -> float:
    """Return the sum of squares of what groups add to the surpluses of their strata, over what is expected there.

    The surplus of a cell is its share less the product of the shares of its row and column; a row of the data adds the
    product of how far its states are from these shares, less the surplus.
    """
    total, above, below = _shares(tables)
    size = groups.sum(axis=(1, 2), keepdims=True)
    left = groups - above * groups.sum(axis=1, keepdims=True) - below * groups.sum(axis=2, keepdims=True)
    left += (2 * above * below - tables / total) * size
    return _over_expected(left**2, total * above * below)


def _square_rows(tables: Tables) -> float:
    """Return the same for rows by themselves: those that have both states of a cell, one of them, or none."""
    total, above, below = _shares(tables)
    with_above, with_below = total * above, total * below
    squares = tables * ((1 - above) * (1 - below)) ** 2
    squares += (with_above - tables) * ((1 - above) * below) ** 2 + (with_below - tables) * (above * (1 - below)) ** 2
    squares += (total - with_above - with_below + tables) * (above * below) ** 2
    surplus = tables / total - above * below
    return _over_expected(squares - total * surplus**2, total * above * below)


def _shares(tables: Tables) -> tuple[Tables, Tables, Tables]:
    """Return how many rows each table has, and the shares of the states of parent and child."""
    total = tables.sum(axis=(1, 2), keepdims=True)
    return total, tables.sum(axis=2, keepdims=True) / total, tables.sum(axis=1, keepdims=True) / total


def _over_expected(squares: Tables, expected: Tables) -> float:
    return float((squares[expected > 0] / expected[expected > 0]).sum())
