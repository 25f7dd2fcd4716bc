"""The structures: which partitions a family may have, and what follows from that for everybody else.

Every structure is one row of `STRUCTURES`, which stands beside the loops that search it
(``cpp/families/structures.hpp``); the rest of the library asks the row and never compares names.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple, get_args

from ldag import _native
from ldag.errors import ArgumentError
from ldag.scoring import Prior

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
        return self.prior in ("parameters", "leaves") or (
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


def compared_priors(structure: StructureKind) -> tuple[Prior, ...]:
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
