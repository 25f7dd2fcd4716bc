"""What a graph and its labels weigh before any data, and the checks of it."""

from dataclasses import dataclass
from math import log
from typing import Literal, get_args

from ldag import _native
from ldag.checks import check_choice
from ldag.errors import ArgumentError, argument
from ldag.scoring import check_equivalent_sample_size, check_priors

GraphPrior = Literal["labels", "normalised", "table"]
"""labels: kappa for each parameter that labels save, as in `score`. A DAG with more room for labels then weighs more.
normalised: the same divided by its sum over all labels, so that every DAG weighs the same. table: no labels at all."""

KAPPAS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
"""The kappas that "evidence" compares, equally probable before any data."""

KappaChoice = float | Literal["evidence"] | None


@dataclass(frozen=True)
class PosteriorPriors:
    """The choices that a posterior depends on; several kappas are averaged over."""

    kappas: tuple[float, ...]
    equivalent_sample_size: float
    prior: GraphPrior
    max_configurations: int = _native.MAX_EXACT_CELLS
    """Labels are summed over up to so many configurations of parents; larger families have their full table."""

    def sums_labels(self, n_configurations: int) -> bool:
        """Whether a family with so many configurations has labels."""
        return self.prior != "table" and n_configurations <= self.max_configurations

    @property
    def structure(self) -> str:
        """Which partitions have any weight."""
        return "table" if self.prior == "table" else "ldag"

    def class_lost(self, kappa: float, n_states: int) -> float:
        """Return what a family's log prior gains by having one class fewer."""
        return (n_states - 1) * log(kappa)


def check_posterior_priors(kappa: KappaChoice, equivalent_sample_size: float, prior: GraphPrior) -> PosteriorPriors:
    """Check what a posterior depends on."""
    check_choice(prior, get_args(GraphPrior), "prior")
    size = check_equivalent_sample_size(equivalent_sample_size)
    if prior == "table":
        if kappa not in (None, "evidence"):
            raise ArgumentError(f"prior 'table' has no labels to pay for; leave {argument('kappa')} out, got {kappa!r}")
        return PosteriorPriors((1.0,), size, prior)
    if kappa == "evidence" and prior == "labels":
        raise ArgumentError(
            "kappa 'evidence' needs prior 'normalised': under prior 'labels' a larger kappa also makes larger graphs"
            " weigh more; give a number, or leave prior out"
        )
    if isinstance(kappa, str) and kappa != "evidence":
        raise ArgumentError(f"{argument('kappa')} must be a number above 0 and at most 1, or 'evidence', got {kappa!r}")
    if kappa == "evidence" or kappa is None:
        return PosteriorPriors(KAPPAS, size, prior)
    return PosteriorPriors((check_priors(kappa, size, "labels").kappa,), size, prior)
