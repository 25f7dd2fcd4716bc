"""Which parent sets a posterior runs over, and what that costs: estimated before, refused with the numbers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from ldag import _native
from ldag.constraints import LabelRules, SearchSpace
from ldag.errors import TooLarge, argument, counted, list_names
from ldag.formats import spell_cost
from ldag.graph import LDAG
from ldag.model import Schema
from ldag.uncertainty.component import ParentSet

MAX_CONFIGURATIONS = _native.MAX_EXACT_CELLS
"""Labels are summed over up to so many configurations of a node's parents; larger families have their full table."""
FEWEST_CONFIGURATIONS = 9
ENOUGH_PARENTS = 5
"""Over so many configurations labels are always summed: two parents of three states, three of two. Between this and the
most, labels give way to parents until there can be enough of them: a family without labels is better than none."""
FEWEST_PARENTS = 2
"""So many parents are allowed however long it takes, unless said otherwise."""
CHAIN_PARENTS = 4
"""Parents of a node in chains, unless said otherwise: every sample looks at all parent sets of the candidates."""
EXACT_SECONDS = 60.0
EXACT_BYTES = 1 << 30
"""What an exact posterior may cost to be chosen without being asked for."""
MOST_BYTES = 1 << 33
MOST_SECONDS = 24 * 3600.0
"""What one that is asked for may cost."""
FAMILY_SECONDS = 10.0
MOST_FAMILIES = 1_000_000
"""Without max_parents, families may take so long together (a quarter of a time limit at most), and be so many."""
ROUND_SECONDS = 0.1
ROUND_EXACT_SECONDS = 0.3
"""Where there are gaps, families are weighed anew in hundreds of rounds: so long may they take in each, and so long an
exact posterior to be chosen."""
ROUNDS_WITHIN = 200
"""Rounds of all runs that a time limit leaves time for."""
FAR_TOO_LONG = 10.0
"""What is estimated to take so many times as long as it may is not begun."""
STEP_SECONDS = 1.2e-8
"""One of the 3 x 3^n steps of the sums over DAGs, measured."""
SETTINGS_LEFT = 4
"""Settings that the evidence, a third of the steps, usually leaves."""


def label_seconds(n_configurations: int) -> float:
    """Estimate the CPU time of the sum over one family's labels; the factors were measured."""
    return 1e-5 + 4.5e-3 * 2.6 ** (n_configurations - MAX_CONFIGURATIONS)


def table_seconds(n_cells: int, n_rows: int) -> float:
    """Estimate the CPU time of counting one family and weighing its full table; the factors were measured."""
    return 5e-6 + 5e-9 * n_rows + 6e-9 * n_cells


@dataclass(frozen=True)
class Limits:
    """What the families of a posterior keep to."""

    max_parents: int
    max_configurations: int = MAX_CONFIGURATIONS
    """Families with more have their full table and no labels."""
    was_chosen: bool = False
    """Whether the number of parents is ours, and there could be more."""


FlatFamilies = tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.int64]]
"""Nodes, all their parents one after the other, and where those of each begin."""


def flat_families(by_node: Iterable[tuple[int, Sequence[ParentSet]]]) -> FlatFamilies:
    """Return families, by node, as the native core takes them."""
    listed = list(by_node)
    nodes = np.repeat([node for node, _ in listed], [len(sets) for _, sets in listed]).astype(np.uint32)
    sizes = [len(own) for _, sets in listed for own in sets]
    parents = np.fromiter(chain.from_iterable(own for _, sets in listed for own in sets), np.uint32, sum(sizes))
    return nodes, parents, np.cumsum([0, *sizes], dtype=np.int64)


@dataclass(frozen=True)
class ParentSets:
    """The parent sets of every node, and the limits that they keep to."""

    by_node: tuple[tuple[ParentSet, ...], ...]
    limits: Limits
    n_tables: int = 0
    """Families that are too large to sum over their labels."""
    n_left_out: int = 0
    """Families whose table would be too large, or whose labels are fixed and cannot be summed over."""

    @cached_property
    def flat(self) -> FlatFamilies:
        """The families as the native core takes them."""
        return flat_families(enumerate(self.by_node))

    def masks(self, candidates: Sequence[ParentSet] | None = None) -> tuple[NDArray[np.uint32], ...]:
        """Return the parent sets as bits: of the nodes, or of the candidates of each."""
        nodes, parents, offsets = self.flat
        bits = np.tile(np.arange(len(self.by_node)), (len(self.by_node), 1))
        for node, own in enumerate(candidates or ()):
            bits[node, list(own)] = range(len(own))
        until = np.cumsum([0, *(1 << bits[np.repeat(nodes, np.diff(offsets)), parents])])
        ends = np.cumsum([len(own) for own in self.by_node])[:-1]
        return tuple(np.split(np.diff(until[offsets]).astype(np.uint32), ends))

    @property
    def n_families(self) -> int:
        """How many parent sets there are, of all nodes."""
        return sum(map(len, self.by_node))


@dataclass(frozen=True)
class FamilySpace:
    """The families that a posterior may run over, and what their number and time depend on."""

    schema: Schema
    space: SearchSpace
    label_rules: LabelRules
    n_labelled: int
    """Settings with labels; families are summed over under all of them, and counted once."""
    n_settings: int
    n_rows: int
    time_limit: float | None = None
    is_repeated: bool = False
    """Whether all this is done many times, as there are gaps; the time limit is that of one round then."""

    def choose_limits(self, is_given: bool, candidates: Sequence[ParentSet] | None = None) -> Limits:
        """Return the limits: without one on parents, as many of them as can be summed in a few seconds.

        Over how many configurations labels are summed then is what leaves the parents as many as there can be.
        Candidates are those of every node, if not all are possible parents.
        """
        own = self.space.candidates if candidates is None else candidates
        most = max((min(limit, len(c)) for limit, c in zip(self.space.max_parents, own, strict=True)), default=0)
        if is_given and not self.is_repeated:
            return Limits(most)
        choices = range(MAX_CONFIGURATIONS, FEWEST_CONFIGURATIONS - 1, -1) if self.has_labels else [MAX_CONFIGURATIONS]
        kinds = self._kinds(own)
        if is_given:
            affordable = (c for c in choices if self._most_parents(kinds[: most + 1], c) >= most)
            return Limits(most, next(affordable, choices[-1]))
        if candidates is not None:
            kinds = kinds[: CHAIN_PARENTS + 1]
        offers = [(self._most_parents(kinds, largest), largest) for largest in choices]
        n_parents, largest = max(offers, key=lambda offer: (min(offer[0], ENOUGH_PARENTS), offer[1]))
        n_parents = min(max(n_parents, FEWEST_PARENTS), most)
        return Limits(n_parents, largest, was_chosen=n_parents < most)

    def list_sets(self, limits: Limits, candidates: Sequence[ParentSet] | None = None) -> ParentSets:
        """List the parent sets inside limits."""
        own = self.space.candidates if candidates is None else candidates
        made = [self._sets_of(node, parents, limits.max_parents) for node, parents in enumerate(own)]
        n_tables = 0
        if self.has_labels:
            n_tables = sum(size > limits.max_configurations for sets, _ in made for size in sets.values())
        return ParentSets(
            tuple(tuple(sets) for sets, _ in made), limits, n_tables, sum(left_out for _, left_out in made)
        )

    def cost(self, limits: Limits) -> "ExactCost":
        """Estimate memory and time of the exact posterior."""
        n = len(self.schema)
        kinds = self._kinds(self.space.candidates, limits.max_parents)
        families = sum(self._seconds(of_size, limits.max_configurations) for of_size in kinds)
        n_families = sum(of_size.total() for of_size in kinds)
        n_left = min(self.n_settings, SETTINGS_LEFT)
        steps = (self.n_settings + 2 * n_left) * STEP_SECONDS * 3.0**n
        return ExactCost(n, n_families, (n_left + 1) * _native.dag_posterior_bytes(n), families + steps)

    @property
    def has_labels(self) -> bool:
        """Whether there are labels under any setting."""
        return self.n_labelled > 0

    def _sets_of(self, node: int, candidates: ParentSet, limit: int) -> tuple[dict[ParentSet, int], int]:
        """Return the parent sets of a node with their numbers of configurations, and how many were left out."""
        required, n_states = self.space.required[node], self.schema.n_states
        free = sorted(p for p in candidates if p not in required)
        most = max(min(limit, self.space.max_parents[node]), len(required))
        fewest = prod(n_states[p] for p in required)
        sets: dict[ParentSet, int] = {}
        n_left_out = 0
        for size in range(most - len(required) + 1):
            factors = map(prod, combinations([n_states[p] for p in free], size))
            for added, factor in zip(combinations(free, size), factors, strict=True):
                parents = tuple(sorted((*required, *added))) if required else added
                if self._is_possible(node, parents, fewest * factor):
                    sets[parents] = fewest * factor
                else:
                    n_left_out += 1
        if not sets:
            raise TooLarge(
                f"the required parents of {self.schema[node].name!r} have"
                f" {fewest:,} configurations, over which fixed labels cannot be"
                f" summed (at most {MAX_CONFIGURATIONS}); require fewer, or use prior 'table'"
            )
        return sets, n_left_out

    def _is_possible(self, node: int, parents: ParentSet, n_configurations: int) -> bool:
        """Whether a family can be weighed: not one whose labels are fixed where they cannot be summed over."""
        if n_configurations * self.schema.n_states[node] > _native.MAX_CELLS:
            return False
        if n_configurations <= MAX_CONFIGURATIONS or not self.has_labels or not self.label_rules:
            return True
        return not any(rule.contexts for rule in self.label_rules[node] if rule.parent in parents)

    def _most_parents(self, kinds: Sequence[Counter[tuple[int, int]]], largest: int) -> int:
        """Return how many parents can be had if labels are summed over so many configurations."""
        usual = ROUND_SECONDS if self.is_repeated else FAMILY_SECONDS
        most_seconds = usual if self.time_limit is None else min(usual, self.time_limit / 4)
        seconds, n_families = 0.0, 0
        for n_parents, of_size in enumerate(kinds):
            seconds += self._seconds(of_size, largest)
            n_families += of_size.total()
            if seconds > most_seconds or n_families > MOST_FAMILIES:
                return n_parents - 1
        return len(kinds) - 1

    def _kinds(self, candidates: Sequence[ParentSet], most: int | None = None) -> list[Counter[tuple[int, int]]]:
        """Count the families by their number of parents, and by configurations and states of the node.

        More configurations than labels are ever summed over are rounded up to a power of two, so that there are few.
        """
        largest = max(map(len, candidates), default=0)
        kinds: list[Counter[tuple[int, int]]] = [Counter() for _ in range(largest + 1 if most is None else most + 1)]
        for node, own in enumerate(candidates):
            limit = min(self.space.max_parents[node], len(kinds) - 1)
            sets: Counter[tuple[int, int]] = Counter({(0, 1): 1})
            for parent in own:
                for (size, q), number in list(sets.items()):
                    if size < limit:
                        sets[size + 1, _round(q * self.schema[parent].n_states)] += number
            for (size, q), number in sets.items():
                kinds[size][q, self.schema[node].n_states] += number
        return kinds

    def _seconds(self, kinds: Counter[tuple[int, int]], largest: int) -> float:
        """Estimate the time of weighing families, given as (configurations, states of the node): how many."""
        total = 0.0
        for (q, n_states), number in kinds.items():
            counting = table_seconds(q * n_states, self.n_rows)
            sums = self.n_labelled * label_seconds(q) if self.has_labels and 4 <= q <= largest else 0.0
            total += number * (counting + sums)
        return total


def _round(q: int) -> int:
    return q if q <= MAX_CONFIGURATIONS else min(1 << (q - 1).bit_length(), _native.MAX_CELLS)


@dataclass(frozen=True)
class ExactCost:
    """What an exact posterior needs."""

    n_variables: int
    n_families: int
    n_bytes: float
    seconds: float

    @property
    def is_affordable(self) -> bool:
        """Whether it is chosen without being asked for."""
        return self._is_possible and self.n_bytes <= EXACT_BYTES and self.seconds <= EXACT_SECONDS

    @property
    def _is_possible(self) -> bool:
        is_held = self.n_variables <= _native.MAX_DAG_NODES and self.n_bytes <= MOST_BYTES
        return is_held and self.seconds <= MOST_SECONDS

    def check(self, time_limit: float | None) -> None:
        """Refuse what cannot be held or waited for."""
        if time_limit is not None and self.seconds > FAR_TOO_LONG * time_limit:
            raise TooLarge(
                f"the exact posterior over {self.n_variables} variables takes about {spell_cost(self.seconds)} seconds"
                f" of CPU, and {argument('time_limit')} is {time_limit:g}; use method 'chain', or fewer"
                " variables or parents"
            )
        if self._is_possible:
            return
        raise TooLarge(
            f"the exact posterior over {self.n_variables} variables needs {spell_cost(self.n_bytes / 2**30, 1)} GB and"
            f" about {spell_cost(self.seconds / 3600, 1)} hours of CPU for {spell_cost(self.n_families)} families and"
            f" 3^{self.n_variables} steps; at most {_native.MAX_DAG_NODES} variables, {MOST_BYTES / 2**30:.0f} GB and"
            f" {MOST_SECONDS / 3600:.0f} hours are possible; use method 'chain', or fewer variables or parents"
        )


SHOWN_NODES = 3
"""Of more variables than these, it is said how many there are."""


def describe_space(sets: ParentSets, n_candidates: int | None) -> Iterator[str]:
    """Go through the limits; ``n_candidates`` is how many parents of a variable were looked at, if not all."""
    limits = sets.limits
    sizes = [max(map(len, own)) for own in sets.by_node]
    largest = max(sizes)
    candidates = [len({parent for parents in own for parent in parents}) for own in sets.by_node]
    others = len(sizes) - 1
    if any(size == largest < (n if size else others) for size, n in zip(sizes, candidates, strict=True)):
        hint = f" (more would take long; {argument('max_parents')} allows them)"
        yield f"at most {counted(largest, 'parent')} of a variable{hint if limits.was_chosen else ''}"
    if n_candidates is not None:
        yield f"{n_candidates} candidate parents of each, those that gain most"
    if sets.n_tables:
        yield (
            f"no labels in the {sets.n_tables:,} of {counted(sets.n_families, 'family', 'families')} that have more"
            f" than {limits.max_configurations} configurations of parents: these have their full table"
        )
    if sets.n_left_out:
        n_left_out = counted(sets.n_left_out, "family", "families")
        yield f"{n_left_out} left out: too large, or with fixed labels that cannot be summed over"


def describe_outside(graph: LDAG, sets: ParentSets, schema: Schema) -> str | None:
    """Say where a graph that was learned lies outside the space of a posterior, if it does."""
    said = []
    for name, family in sorted(zip(graph.schema.names, graph.structure.families, strict=True)):
        parents, size = graph.parents(name), family.partition.grid.size
        if tuple(sorted(schema.nodes(parents))) not in sets.by_node[schema.node(name)]:
            said.append(f"{name} has {counted(len(parents), 'parent')} ({list_names(parents)})")
        elif size > sets.limits.max_configurations and family.labelled_axes:
            said.append(f"{name} has labels over {size} configurations")
    if not said:
        return None
    more = f", and {len(said) - SHOWN_NODES} more" if len(said) > SHOWN_NODES else ""
    return f"what learn finds lies outside these limits: {'; '.join(said[:SHOWN_NODES])}{more}"
