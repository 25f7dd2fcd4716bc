"""The structures: which partitions a family may have, and what follows from that for everybody else.

Every structure is one entry of `STRUCTURES`; the rest of the library asks it and never compares names.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ldag import _native
from ldag.errors import ArgumentError
from ldag.scoring import Prior

StructureKind = Literal["table", "tree", "ldag", "partial", "graph"]
"""Which partitions are allowed: see `learn_family`."""


@dataclass(frozen=True)
class StructureTraits:
    """What a structure can do."""

    takes_fixed_labels: bool
    """Whether constraints may fix the labels of its edges."""
    takes_unlabelled: bool
    """Whether constraints may forbid the labels of its edges."""
    greedy_microseconds: Callable[[float], float]
    """What the greedy search takes for a node of two states with so many configurations, as measured."""
    unvisited_microseconds: Callable[[float], float] = lambda _: 0.0
    """The same for configurations that no row visits, which cost next to nothing in most structures."""
    classes: str = "classes"
    """What its classes are made by."""
    beyond_exact: str = "refined"
    """How they are found where the exact search cannot find the best."""
    exact_limit: str = f"more than {_native.MAX_EXACT_CELLS}"
    """The configurations of parents from which on that is so."""
    compared_priors: tuple[Prior, ...] = ("labels",)
    """Those that cross-validation chooses from."""
    is_table: bool = False
    """Whether no configurations share a distribution: nothing to search, and no labels to pay for."""
    has_normalised_prior: bool = False
    """Whether the sum of the prior over all its partitions is known, or a bound of it."""
    has_leaf_prior: bool = False
    """Whether its classes are leaves, each of which can have a sample size of its own."""
    has_greedy_prices: bool = False
    """Whether the greedy search for several prices of a class is one search."""
    has_label_steps: bool = False
    """Whether each step of its greedy search adds an entry to a label."""


STRUCTURES: Mapping[StructureKind, StructureTraits] = {
    "table": StructureTraits(False, True, lambda _: 0.0, is_table=True, has_normalised_prior=True),
    "tree": StructureTraits(
        False,
        False,
        lambda n: 0.1 * n,
        classes="tree",
        beyond_exact="found greedily",
        exact_limit="too many",
        compared_priors=("leaves",),
        has_leaf_prior=True,
    ),
    "ldag": StructureTraits(
        True,
        True,
        lambda n: 0.15 * n**1.5,
        classes="labels",
        compared_priors=("labels", "normalised"),
        has_normalised_prior=True,
        has_greedy_prices=True,
        has_label_steps=True,
    ),
    "partial": StructureTraits(False, False, lambda n: 0.15 * n**1.5, has_greedy_prices=True),
    "graph": StructureTraits(False, False, lambda n: 0.1 * n**2, lambda n: 2e-3 * n**2),
}


class ClassKind(NamedTuple):
    """Which classes are allowed, and what they cost."""

    structure: StructureKind
    prior: Prior

    @property
    def has_kappa(self) -> bool:
        """Whether kappa makes a difference: not to the uniform prior, and not to tables that pay for labels only."""
        return self.prior in ("parameters", "leaves") or (
            self.prior != "uniform" and not STRUCTURES[self.structure].is_table
        )


def prior_of(structure: StructureKind, prior: Prior) -> Prior:
    """Return the prior as a structure has it: tables have nothing to share the weight of a family with."""
    if prior == "leaves" and not STRUCTURES[structure].has_leaf_prior:
        known = " and ".join(repr(name) for name, traits in STRUCTURES.items() if traits.has_leaf_prior)
        raise ArgumentError(
            f"prior 'leaves' applies to structure {known}, not to {structure!r}; take prior 'parameters', which has the"
            " same price for every parameter"
        )
    if prior != "normalised":
        return prior
    if not STRUCTURES[structure].has_normalised_prior:
        known = " and ".join(repr(name) for name, traits in STRUCTURES.items() if traits.has_normalised_prior)
        raise ArgumentError(
            f"prior 'normalised' applies to structures {known}, not to {structure!r}: the sum over its classes is not"
            " known; take prior 'labels' or 'parameters'"
        )
    return "labels" if STRUCTURES[structure].is_table else prior
