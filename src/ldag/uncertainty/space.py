"""Which parent sets a posterior runs over, and what that costs: estimated before, refused with the numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from ldag import _native
from ldag.errors import TooLarge
from ldag.formats import spell_cost
from ldag.learning import SearchSpace
from ldag.model import Schema
from ldag.uncertainty.component import ParentSet

MAX_CONFIGURATIONS = _native.MAX_EXACT_CELLS
"""Labels are summed over up to so many configurations of a node's parents."""
EXACT_SECONDS = 60.0
EXACT_BYTES = 1 << 30
"""What an exact posterior may cost to be chosen without being asked for."""
MOST_BYTES = 1 << 33
MOST_SECONDS = 24 * 3600.0
"""What one that is asked for may cost."""
CHAIN_PARENTS = 3
"""Parents of a node in chains over more variables than sums over all DAGs take, unless said otherwise."""
FAMILY_SECONDS = 10.0
"""Without max_parents, families may take so long together."""
STEP_SECONDS = 1.2e-8
"""One of the 3 x 3^n steps of the sums over DAGs, measured."""


def family_seconds(n_configurations: int, n_states: int, labelled: bool) -> float:
    """Estimate the CPU time of the sum over one family's labels; the factors were measured."""
    if not labelled or n_configurations < 4:
        return 5e-6
    return n_states / 2 * 4e-2 * 2.6 ** (n_configurations - MAX_CONFIGURATIONS) + 5e-6


@dataclass(frozen=True)
class ParentSets:
    """The parent sets of every node, and whether some were left out because labels cannot be summed over them."""

    by_node: tuple[tuple[ParentSet, ...], ...]
    max_parents: int
    was_chosen: bool
    n_left_out: int
    n_families: int


def flat_families(
    node: int, sets: Sequence[ParentSet]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.int64]]:
    """Return the families of a node as the native core takes them."""
    nodes = np.full(len(sets), node, dtype=np.uint32)
    parents = np.array([parent for own in sets for parent in own], dtype=np.uint32)
    return nodes, parents, np.cumsum([0, *map(len, sets)], dtype=np.int64)


def parent_sets(schema: Schema, space: SearchSpace, labelled: bool, is_given: bool) -> ParentSets:
    """List the parent sets of a space; without a limit on parents, as many as can be summed in a few seconds."""
    n = len(schema)
    most = max(space.max_parents, default=0)
    limit = most if is_given else _affordable(schema.n_states, space, labelled)
    if n > _native.MAX_DAG_NODES:  # beyond sums over all DAGs: only candidates are listed, later
        limit = limit if is_given else min(limit, CHAIN_PARENTS)
        n_families = sum(comb(len(own), size) for own in space.candidates for size in range(limit + 1))
        return ParentSets((), limit, not is_given and limit < most, 0, n_families)
    left_out = 0
    by_node: list[tuple[ParentSet, ...]] = []
    for node in range(n):
        sets: list[ParentSet] = []
        for parents in _sets_of(space, node, limit):
            fits = not labelled or prod(schema.n_states[p] for p in parents) <= MAX_CONFIGURATIONS
            left_out += not fits
            if fits:
                sets.append(parents)
        if not sets:
            raise TooLarge(
                f"the required parents of {schema[node].name!r} have more than {MAX_CONFIGURATIONS} configurations,"
                " over which labels cannot be summed; require fewer, or use prior 'table'"
            )
        by_node.append(tuple(sets))
    return ParentSets(tuple(by_node), limit, not is_given and limit < most, left_out, sum(map(len, by_node)))


def _sets_of(space: SearchSpace, node: int, limit: int) -> Iterator[ParentSet]:
    """Go through the parent sets of a node."""
    required = space.required[node]
    free = [p for p in space.candidates[node] if p not in required]
    most = max(min(limit, space.max_parents[node]), len(required))
    for size in range(most - len(required) + 1):
        for added in combinations(free, size):
            yield tuple(sorted((*required, *added)))


def _affordable(n_states: Sequence[int], space: SearchSpace, labelled: bool) -> int:
    """Return the largest number of parents whose families take a few seconds together, 2 at least."""
    mean = sum(n_states) / max(len(n_states), 1)
    total, size = 0.0, 0
    for size in range(max(space.max_parents, default=0) + 1):
        q = round(mean**size)
        if labelled and q > 4 * MAX_CONFIGURATIONS:
            return max(size - 1, 0)
        each = family_seconds(min(q, MAX_CONFIGURATIONS), round(mean), labelled)
        total += sum(comb(len(candidates), size) for candidates in space.candidates) * each
        if total > FAMILY_SECONDS and size > 2:
            return size - 1
    return size


@dataclass(frozen=True)
class ExactCost:
    """What an exact posterior needs."""

    n_bytes: float
    seconds: float

    @property
    def is_affordable(self) -> bool:
        """Whether it is chosen without being asked for."""
        return self.n_bytes <= EXACT_BYTES and self.seconds <= EXACT_SECONDS

    def check(self, n_variables: int, n_families: int) -> None:
        """Refuse what cannot be held or waited for."""
        if n_variables <= _native.MAX_DAG_NODES and self.n_bytes <= MOST_BYTES and self.seconds <= MOST_SECONDS:
            return
        raise TooLarge(
            f"the exact posterior over {n_variables} variables needs {spell_cost(self.n_bytes / 2**30, 1)} GB and"
            f" about {spell_cost(self.seconds / 3600, 1)} hours of CPU for {n_families:,} families and"
            f" 3^{n_variables} steps; at most {_native.MAX_DAG_NODES} variables, {MOST_BYTES / 2**30:.0f} GB and"
            f" {MOST_SECONDS / 3600:.0f} hours are possible; use method 'chains', or fewer variables or parents"
        )


def exact_cost(sets: ParentSets, n_states: Sequence[int], n_kappas: int, labelled: bool) -> ExactCost:
    """Estimate memory and time of the exact posterior."""
    n = len(n_states)
    families = sum(
        family_seconds(prod(n_states[p] for p in parents), n_states[node], labelled)
        for node, own in enumerate(sets.by_node)
        for parents in own
    )
    return ExactCost(n_kappas * _native.dag_posterior_bytes(n), n_kappas * (families + 3 * STEP_SECONDS * 3.0**n))
