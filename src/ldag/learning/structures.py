"""The structures: which partitions a family may have, and what follows from that for everybody else.

Every structure is one row of `STRUCTURES`, which stands beside the loops that search it
(``cpp/families/structures.hpp``); the rest of the library asks the row and never compares names.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np

from ldag import _native
from ldag.constraints import FixedLabels, LabelRules, fix_labels
from ldag.data import count_family
from ldag.errors import ArgumentError
from ldag.model import CodedFamily, Counts, Grid, Parents, Partition, Schema
from ldag.scoring import Prior, Priors

StructureKind = Literal["table", "tree", "ldag", "partial", "graph"]
"""Which partitions are allowed: see `learn_family`."""

STRUCTURES: Mapping[StructureKind, _native.Structure] = {
    name: _native.STRUCTURES[name] for name in get_args(StructureKind)
}


class ClassKind(NamedTuple):
    """Which classes are allowed, and what they cost."""

    structure: StructureKind
    prior: Prior

    @property
    def has_kappa(self) -> bool:
        """Whether kappa makes a difference: not to the uniform prior, and not to tables that pay for labels only."""
        return self.prior in ("parameters", "leaves", "nested") or (
            self.prior != "uniform" and not STRUCTURES[self.structure].is_table
        )


def prior_of(structure: StructureKind, prior: Prior) -> Prior:
    """Return the prior as a structure has it: tables have nothing to share the weight of a family with."""
    if prior == "leaves" and not STRUCTURES[structure].has_leaf_prior:
        known = " and ".join(repr(name) for name, row in STRUCTURES.items() if row.has_leaf_prior)
        raise ArgumentError(
            f"prior 'leaves' applies to structure {known}, not to {structure!r}; take prior 'parameters', which has the"
            " same price for every parameter"
        )
    if prior != "normalised":
        return prior
    if STRUCTURES[structure].is_table:
        return "labels"
    if not STRUCTURES[structure].has_normalised_prior:
        known = " and ".join(repr(name) for name, row in STRUCTURES.items() if row.is_table or row.has_normalised_prior)
        raise ArgumentError(
            f"prior 'normalised' applies to structures {known}, not to {structure!r}: the sum over its classes is not"
            " known; take prior 'labels' or 'parameters'"
        )
    return prior


def rules_for(structure: StructureKind, rules: LabelRules, schema: Schema) -> LabelRules:
    """Return the rules that a search over a structure has to keep; nothing at all where that is none."""
    traits = STRUCTURES[structure]
    if not any(rules) or traits.takes_fixed_labels:
        return rules if any(rules) else ()
    if not traits.takes_unlabelled:
        labelled = [name for name, other in STRUCTURES.items() if other.takes_fixed_labels]
        plain = [name for name, other in STRUCTURES.items() if other.takes_unlabelled and name not in labelled]
        raise ArgumentError(
            f"constraints on labels apply to structure {' or '.join(map(repr, labelled))} "
            f"(and edges without labels to {' or '.join(map(repr, plain))}), not to {structure!r}"
        )
    for child, of_node in enumerate(rules):
        for rule in of_node:
            if rule.contexts:
                raise ArgumentError(
                    f"constraints fix a label of the edge {schema[rule.parent].name} -> {schema[child].name}, "
                    f"but structure {structure!r} has no labels; use structure 'ldag'"
                )
    return ()


GROWN: StructureKind = "tree"
"""What is grown from rows."""


def order_of_states(structure: StructureKind, schema: Schema) -> tuple[bool, ...]:
    """Return by node whether its states have an order, for the structure that asks."""
    return tuple(variable.ordered for variable in schema) if STRUCTURES[structure].uses_order else ()


def priors_to_compare(structure: StructureKind) -> tuple[Prior, ...]:
    """Return the priors that cross-validation chooses from."""
    row = STRUCTURES[structure]
    if row.has_leaf_prior:
        return ("leaves",)
    return ("labels", "normalised") if row.has_normalised_prior else ("labels",)


def describe_beyond_exact(structure: StructureKind) -> tuple[str, str]:
    """Say how classes are found where the exact search cannot find the best, and from how many configurations on."""
    if STRUCTURES[structure].is_refined_to_the_best:
        return "found greedily", "too many"
    return "refined", f"more than {_native.MAX_EXACT_CELLS}"


LabelSearch = Literal["greedy", "refined", "exact"]
"""How the best partition of a family is looked for."""

N_RESTARTS = 10
"""Of the refined search for labels."""

CACHE_BYTES = 1 << 28
"""For the scores of families."""


@dataclass(frozen=True)
class FamilyOptions:
    """How families are scored and optimised."""

    priors: Priors
    structure: StructureKind
    label_search: LabelSearch
    seed: int = 0
    label_rules: LabelRules = ()
    ordered: tuple[bool, ...] = ()
    """By node, whether the order of its states means something; empty where no structure asks."""

    def is_solved(self, n_states: int, parent_states: Sequence[int]) -> bool:
        """Whether the best classes of such a family are found, and known to be the best."""
        is_searched = self.label_search == "exact" or STRUCTURES[self.structure].is_table
        return is_searched and _native.is_solved_exactly(parent_states, n_states, self.structure)

    def in_words(self, are_solved: bool) -> str:
        """Say what every family has; ``are_solved`` if all of them can be solved."""
        traits = STRUCTURES[self.structure]
        if traits.is_table:
            return "full tables"
        if self.label_search != "exact":
            return f"the {traits.classes} that {self.label_search} search finds"
        how, limit = describe_beyond_exact(self.structure)
        beyond = f", {how} where there are {limit} configurations of parents"
        return f"the best {traits.classes}" + ("" if are_solved else beyond)

    def scorer(self, columns: _native.Columns, cache_bytes: int = CACHE_BYTES) -> _native.FamilyScorer:
        """Return a scorer of the families of some data."""
        prices = self.priors.prices
        return _native.FamilyScorer(
            columns,
            equivalent_sample_size=self.priors.equivalent_sample_size,
            parameter_saved=prices.saved,
            parameter_of_table=prices.of_table,
            structure=self.structure,
            labels=self.label_search,
            regular=True,
            seed=self.seed,
            n_restarts=N_RESTARTS,
            cache_bytes=cache_bytes,
            label_rules=[[(rule.parent, rule.contexts) for rule in of_node] for of_node in self.label_rules],
            ordered=list(map(int, self.ordered)),
            normalised=self.priors.is_normalised,
            per_class=self.priors.smoothing.spread == "classes",
        )

    def order_of(self, parents: Sequence[int]) -> list[int]:
        """Return which parents have an order."""
        return [int(self.ordered[parent]) for parent in parents] if self.ordered else []

    def fix_labels(self, node: int, parents: Sequence[int], n_states: Sequence[int]) -> FixedLabels:
        """Return the labels that are fixed in a family."""
        return fix_labels(self.label_rules[node], parents, n_states) if self.label_rules else ()


@dataclass(frozen=True)
class BestPartition:
    """The best partition found, its likelihood, and the steps of the greedy search."""

    partition: Partition
    log_marginal_likelihood: float
    is_exact: bool
    steps: "_native.Steps"


def best_partition(
    counts: Counts, grid: Grid, options: FamilyOptions, fixed: FixedLabels = (), ordered: Sequence[int] = ()
) -> BestPartition:
    """Find the best regular partition of a family; ``counts`` has a row per parent configuration.

    ``ordered`` says which parents have states with an order, of which only neighbours can act alike (partial).
    """
    classes, _, likelihood, is_exact, steps = _native.optimise_family(
        counts,
        grid.n_states,
        options.priors.equivalent_sample_size,
        options.priors.class_lost(counts.shape[1]),
        options.structure,
        options.label_search,
        regular=True,
        seed=options.seed,
        n_restarts=N_RESTARTS,
        fixed=[[] if mask is None else mask.astype(int).tolist() for mask in fixed],
        ordered=list(ordered),
        per_class=options.priors.smoothing.spread == "classes",
    )
    partition = Partition.from_numbers(grid, classes, int(classes.max()) + 1)
    return BestPartition(partition, likelihood, is_exact, steps)


@dataclass(frozen=True, eq=False)
class CountedFamily:
    """A family with the counts it was learned from, which are handed on to whoever needs them."""

    family: CodedFamily
    counts: Counts

    def renumbered(self, new: Sequence[int]) -> "CountedFamily":
        """Return the same after node i was renamed new[i]."""
        above, grid = self.family.parents, self.family.partition.grid
        order = sorted(range(len(above)), key=lambda axis: new[above[axis]])
        if order == list(range(len(above))):
            return CountedFamily(self.family.renumbered(new), self.counts)
        if self.family.partition.as_tree() is not None:
            states = [range(grid.n_states[axis]) for axis in order]
            partition, classes = self.family.partition.realigned(order, states)
            parents = tuple(new[above[axis]] for axis in order)
            return CountedFamily(CodedFamily.from_partition(parents, partition), self.counts[classes])
        cube = self.counts.reshape(*grid.n_states, -1).transpose(*order, len(above))
        return CountedFamily(self.family.renumbered(new), np.ascontiguousarray(cube.reshape(self.counts.shape)))


def learn_families(
    columns: _native.Columns, n_states: tuple[int, ...], parents: Parents, options: FamilyOptions
) -> tuple[CountedFamily, ...]:
    """Count every family of a graph, once, and find its best partition."""
    families = []
    for node, above in enumerate(map(tuple, parents)):
        grid = Grid(tuple(n_states[parent] for parent in above))
        counts = count_family(columns, n_states, node, above).astype(np.float64)
        if STRUCTURES[options.structure].is_table:
            family = CodedFamily.table(above, grid)
        else:
            fixed = options.fix_labels(node, above, n_states)
            best = best_partition(counts, grid, options, fixed, options.order_of(above))
            family = CodedFamily.from_partition(above, best.partition)
        families.append(CountedFamily(family, counts))
    return tuple(families)
