"""Whether chains have mixed: split R-hat, effective sample size and Monte-Carlo errors."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ldag.drawing import Printable
from ldag.uncertainty.component import Floats

CONVERGED = 1.05
"""Chains with a larger R-hat have not converged."""


@dataclass(frozen=True, eq=False, repr=False)
class Diagnostics(Printable):
    """How chains went: by pair of variables (from, to), and over all."""

    n_runs: int
    n_samples: int
    r_hat: Floats
    effective_sizes: Floats
    edge_errors: Floats
    ancestor_errors: Floats
    swap_rates: tuple[float, ...]
    stopped: bool

    @property
    def max_r_hat(self) -> float:
        """The largest R-hat of any edge; 1 is perfect."""
        return float(self.r_hat.max(initial=1.0))

    @property
    def max_mc_error(self) -> float:
        """The largest Monte-Carlo error of any edge."""
        return float(self.edge_errors.max(initial=0.0))

    @property
    def converged(self) -> bool:
        """Whether the runs agree: the R-hat of every edge is at most 1.05, and none was cut short."""
        return not self.stopped and self.max_r_hat <= CONVERGED

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, and what follows from them."""
        plain = {f.name: getattr(self, f.name) for f in fields(self)}
        arrays = {name: value.tolist() for name, value in plain.items() if isinstance(value, np.ndarray)}
        more = {"max_r_hat": self.max_r_hat, "max_mc_error": self.max_mc_error, "converged": self.converged}
        return {**plain, **arrays, **more}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "Diagnostics":
        """Read what `to_dict` returns."""
        own = {f.name: given[f.name] for f in fields(cls)}
        arrays = {f.name: np.array(own[f.name], dtype=np.float64) for f in fields(cls) if f.type is Floats}
        return cls(**{**own, **arrays, "swap_rates": tuple(own["swap_rates"])})

    def __str__(self) -> str:
        said = "converged" if self.converged else "NOT converged"
        if self.stopped:
            said += ", stopped early"
        return (
            f"{said}: {self.n_runs} runs of {self.n_samples:,} samples, largest R-hat {self.max_r_hat:.3f}"
            f" (at most {CONVERGED} is wanted), largest Monte-Carlo error {self.max_mc_error:.3f}"
        )


def split_r_hat(chains: Floats) -> float:
    """Return the split R-hat of chains, a row each (Gelman et al., Bayesian Data Analysis, 3rd ed., 11.4).

    Constant chains that agree have 1, those that differ infinity.
    """
    halves = _split(chains)
    n = halves.shape[1]
    within = halves.var(axis=1, ddof=1).mean()
    between = n * halves.mean(axis=1).var(ddof=1)
    if within <= 1e-30:
        return 1.0 if between <= 1e-24 else float("inf")
    return float(np.sqrt(((n - 1) / n * within + between / n) / within))


def effective_size(chains: Floats) -> float:
    """Return the effective sample size of chains, by Geyer's initial monotone sequence on split chains."""
    halves = _split(chains)
    m, n = halves.shape
    within = halves.var(axis=1, ddof=1).mean()
    if within <= 1e-30:
        return float(m * n)
    between = n * halves.mean(axis=1).var(ddof=1)
    pooled = (n - 1) / n * within + between / n
    covariances = np.mean([_autocovariance(half) for half in halves], axis=0)
    rho = 1.0 - (within - covariances) / pooled
    total, least = 0.0, np.inf
    for lag in range(0, n - 1, 2):
        pair = rho[lag] + rho[lag + 1]
        if pair < 0:
            break
        least = min(least, pair)
        total += least
    return float(m * n / max(2 * total - 1, 1 / np.log10(m * n)))


def _split(chains: Floats) -> Floats:
    half = chains.shape[1] // 2
    return np.concatenate([chains[:, :half], chains[:, -half:]])


def _autocovariance(chain: Floats) -> Floats:
    """Return the autocovariances of a chain, each divided by its length less one."""
    n = len(chain)
    centred = chain - chain.mean()
    size = 1 << (2 * n - 1).bit_length()
    spectrum = np.fft.rfft(centred, size)
    return np.asarray(np.fft.irfft(spectrum * spectrum.conj(), size)[:n] / (n - 1))
