"""The score of a family: marginal likelihood and prior, node by node (equations 6 to 9 of the paper).

A prior over graphs is two numbers, what the log prior gets for every parameter that classes save and for every
parameter of the full tables, and whether the labels of a family share one weight. They are worked out here and nowhere
else; the native core is handed the numbers.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite, log
from typing import Literal, NamedTuple, cast, get_args

from ldag import _native
from ldag.checks import check_choice, is_number
from ldag.errors import ArgumentError, argument, suggest
from ldag.model import (
    MAX_CONFIGURATIONS,
    ClassPosteriors,
    CodedFamily,
    Counts,
    Grid,
    Partition,
    Smoothing,
    Spread,
    log_marginals,
)

Prior = Literal["labels", "parameters", "uniform", "normalised", "leaves", "nested"]
"""kappa per parameter that labels save (equation 9), kappa per parameter (equation 8), no preference, equation 9
divided by its sum over all labels that the parents could have, or equation 8 with a sample size for every leaf; or with
one for every leaf of a tree that was grown, spread as the states of the node above it are, which is no marginal
likelihood, as the rows of a leaf shape that node, too."""

PRIORS: tuple[Prior, ...] = get_args(Prior)


class ParameterPrices(NamedTuple):
    """What is added to the log prior of a graph."""

    saved: float
    """For every parameter that classes save."""
    of_table: float
    """For every parameter of the full tables."""


_PRICES: Mapping[Prior, Callable[[float], ParameterPrices]] = {
    "labels": lambda log_kappa: ParameterPrices(log_kappa, 0.0),
    "parameters": lambda log_kappa: ParameterPrices(-log_kappa, log_kappa),
    "uniform": lambda _: ParameterPrices(0.0, 0.0),
    "normalised": lambda log_kappa: ParameterPrices(log_kappa, 0.0),
    "leaves": lambda log_kappa: ParameterPrices(-log_kappa, log_kappa),
    "nested": lambda log_kappa: ParameterPrices(-log_kappa, log_kappa),
}


@dataclass(frozen=True)
class Priors:
    """The three choices a score depends on."""

    kappa: float
    equivalent_sample_size: float
    prior: Prior

    @property
    def prices(self) -> ParameterPrices:
        """What parameters add to the log prior."""
        return _PRICES[self.prior](log(self.kappa))

    @property
    def has_kappa(self) -> bool:
        """Whether kappa makes a difference."""
        return self.prior != "uniform"

    @property
    def is_normalised(self) -> bool:
        """Whether the labels of a family share one weight, however many there could be."""
        return self.prior == "normalised"

    @property
    def smoothing(self) -> Smoothing:
        """The prior over parameters."""
        return Smoothing(self.equivalent_sample_size, spread_of(self.prior))

    def class_lost(self, n_states: int) -> float:
        """Return what a family's log prior gains by having one class fewer."""
        return (n_states - 1) * self.prices.saved

    def log_prior(self, n_states: int, grid: Grid, n_classes: int) -> float:
        """Return a family's share of the log prior, up to a constant that all structures share.

        Of very many configurations, prices that cancel are left out before they are multiplied.
        """
        saved, of_table = self.prices
        if saved + of_table == 0 and grid.size > MAX_CONFIGURATIONS:
            per_state = -n_classes * saved
        else:
            per_state = (grid.size - n_classes) * saved + grid.size * of_table
        shared = _native.log_prior_sum(grid.n_states, self.class_lost(n_states)) if self.is_normalised else 0.0
        return (n_states - 1) * per_state - shared + 0.0  # not minus zero


def spread_of(prior: Prior) -> Spread:
    """Return what the observations of the equivalent sample size are spread over."""
    spreads: Mapping[Prior, Spread] = {"leaves": "classes", "nested": "nested"}
    return spreads.get(prior, "configurations")


def check_priors(kappa: float | None, equivalent_sample_size: float, prior: Prior) -> Priors:
    """Check what a score depends on."""
    if prior not in PRIORS:
        raise ArgumentError(f"no prior {prior!r}{suggest(prior, PRIORS)}")
    if prior == "uniform":
        if kappa not in (None, 1):
            raise ArgumentError(f"the uniform prior has no kappa; leave it out or give 1, got {kappa!r}")
        kappa = 1.0
    if kappa is None:
        raise ArgumentError(f"{argument('kappa')} is needed: a number above 0 and at most 1, such as 0.1")
    if not is_number(kappa) or not 0 < kappa <= 1:
        raise ArgumentError(f"{argument('kappa')} must be a number above 0 and at most 1, got {kappa!r}")
    return Priors(float(kappa), check_equivalent_sample_size(equivalent_sample_size), prior)


def priors_from(origin: Mapping[str, object]) -> Priors | None:
    """Return what a network was learned with, as its file keeps it; None if that says nothing, or nothing sensible."""
    kappa, prior = origin.get("kappa"), origin.get("prior", "labels")
    size = origin.get("equivalent_sample_size", 1.0)
    try:
        return check_priors(cast("float | None", kappa), cast("float", size), cast("Prior", prior))
    except (ArgumentError, TypeError):  # somebody else's
        return None


def check_equivalent_sample_size(size: float, name: str = "equivalent_sample_size") -> float:
    """Check an equivalent sample size."""
    if not is_number(size) or not isfinite(size) or size <= 0:
        raise ArgumentError(f"{argument(name)} must be a finite number above 0, got {size!r}")
    return float(size)


def check_smoothing(size: float, spread: Spread, name: str = "equivalent_sample_size") -> Smoothing:
    """Check the prior over parameters."""
    check_choice(spread, get_args(Spread), "spread")
    return Smoothing(check_equivalent_sample_size(size, name), spread)


@dataclass(frozen=True)
class NodeScore:
    """One node's share of a score."""

    log_marginal_likelihood: float
    log_prior: float

    @property
    def total(self) -> float:
        """Log marginal likelihood plus log prior."""
        return self.log_marginal_likelihood + self.log_prior


def score_family(counts: Counts, family: CodedFamily, priors: Priors) -> NodeScore:
    """Score one family; ``counts`` has a row per parent configuration."""
    partition = family.partition
    likelihood = log_marginal_likelihood(counts, partition, priors.smoothing)
    prior = priors.log_prior(counts.shape[1], partition.grid, partition.n_classes)
    return NodeScore(likelihood, prior)


def log_marginal_likelihood(counts: Counts, partition: Partition, smoothing: Smoothing) -> float:
    """Return the log marginal likelihood of one node given the classes of its family (equation 6).

    So many observations to every class are the paper's prior for a table whose configurations are the classes, with so
    many times more of them.
    """
    size, spread = smoothing
    if partition.as_tree() is not None or spread == "nested":
        own = partition.add_up(counts)
        return float(log_marginals(own, ClassPosteriors.of(partition, smoothing, own).prior).sum())
    if spread == "classes":
        counts, partition = partition.add_up(counts), Partition.singletons(Grid((partition.n_classes,)))
        size *= partition.n_classes
    return _native.score_partition(counts, partition.grid.n_states, size, 0.0, partition.to_array())[1]


def family_log_predictive(trained: Counts, new: Counts, family: CodedFamily, smoothing: Smoothing) -> float:
    """Return the log posterior predictive of new counts (equation 11): p(new | trained) = p(both) / p(trained)."""
    both = log_marginal_likelihood(trained + new, family.partition, smoothing)
    return both - log_marginal_likelihood(trained, family.partition, smoothing)
