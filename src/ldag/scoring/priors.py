"""The priors over graphs and parameters that a score depends on, and their checks (equations 8 and 9 of the paper)."""

from dataclasses import dataclass
from math import isfinite, log
from typing import Literal, get_args

from ldag.checks import is_number
from ldag.errors import ArgumentError, suggest

Prior = Literal["labels", "parameters", "uniform"]
"""kappa per parameter that labels save (equation 9), kappa per parameter (equation 8), or no preference."""

PRIORS: tuple[Prior, ...] = get_args(Prior)


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


def check_priors(kappa: float | None, equivalent_sample_size: float, prior: Prior) -> Priors:
    """Check what a score depends on."""
    if prior not in PRIORS:
        raise ArgumentError(f"no prior {prior!r}{suggest(prior, PRIORS)}")
    if prior == "uniform":
        if kappa not in (None, 1):
            raise ArgumentError(f"the uniform prior has no kappa; leave it out or give 1, got {kappa!r}")
        kappa = 1.0
    if kappa is None:
        raise ArgumentError("kappa is needed: a number above 0 and at most 1, such as 0.1")
    if not is_number(kappa) or not 0 < kappa <= 1:
        raise ArgumentError(f"kappa must be a number above 0 and at most 1, got {kappa!r}")
    return Priors(float(kappa), check_equivalent_sample_size(equivalent_sample_size), prior)


def check_equivalent_sample_size(size: float) -> float:
    """Check an equivalent sample size."""
    if not is_number(size) or not isfinite(size) or size <= 0:
        raise ArgumentError(f"equivalent_sample_size must be a finite number above 0, got {size!r}")
    return float(size)
