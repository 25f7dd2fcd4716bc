"""The score of a structure: marginal likelihood and prior, node by node (equations 6 to 9 of the paper)."""

from dataclasses import dataclass
from math import log
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ldag import _native
from ldag.structure import Family

Prior = Literal["labels", "parameters", "uniform"]
"""kappa per parameter that labels save (equation 9), kappa per parameter (equation 8), or no preference."""

PRIORS: tuple[Prior, ...] = get_args(Prior)
Counts = NDArray[np.float64]


@dataclass(frozen=True)
class Priors:
    """The three choices a score depends on."""

    kappa: float
    equivalent_sample_size: float
    prior: Prior

    def class_lost(self, n_states: int) -> float:
        """Return what a family's log prior gains by having one class fewer."""
        if self.prior == "uniform":
            return 0.0
        sign = 1.0 if self.prior == "labels" else -1.0
        return sign * (n_states - 1) * log(self.kappa)

    def log_prior(self, n_states: int, n_configurations: int, n_classes: int) -> float:
        """Return a family's share of the log prior, up to a constant that all structures share."""
        lost = n_configurations - n_classes if self.prior == "labels" else -n_classes
        return lost * self.class_lost(n_states) + 0.0  # not minus zero


@dataclass(frozen=True)
class NodeScore:
    """One node's share of a score."""

    log_marginal_likelihood: float
    log_prior: float

    @property
    def total(self) -> float:
        """Log marginal likelihood plus log prior."""
        return self.log_marginal_likelihood + self.log_prior


def score_family(counts: Counts, family: Family, priors: Priors) -> NodeScore:
    """Score one family; ``counts`` has a row per parent configuration."""
    partition = family.partition
    likelihood = log_marginal_likelihood(counts, family, priors.equivalent_sample_size)
    prior = priors.log_prior(counts.shape[1], partition.grid.size, partition.n_classes)
    return NodeScore(likelihood, prior)


def log_marginal_likelihood(counts: Counts, family: Family, equivalent_sample_size: float) -> float:
    """Return the log marginal likelihood of one node given its family (equation 6)."""
    partition = family.partition
    _, likelihood = _native.score_partition(
        counts, partition.grid.n_states, equivalent_sample_size, 0.0, partition.classes
    )
    return likelihood


def family_log_predictive(trained: Counts, new: Counts, family: Family, equivalent_sample_size: float) -> float:
    """Return the log posterior predictive of new counts (equation 11): p(new | trained) = p(both) / p(trained)."""
    both = log_marginal_likelihood(trained + new, family, equivalent_sample_size)
    return both - log_marginal_likelihood(trained, family, equivalent_sample_size)
