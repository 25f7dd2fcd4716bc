"""How far two distributions are apart: differences, ratios and odds ratios of an event, means, and information."""

from collections.abc import Mapping
from typing import Literal

import numpy as np

from ldag.inference import Numbers
from ldag.network.answers import Averaged, Contrasts


def compare_probabilities(first: Numbers, second: Numbers) -> dict[str, Numbers]:
    """Return the difference, the ratio and the odds ratio of probabilities of one event under two settings."""
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = (first / (1 - first)) / (second / (1 - second))
        return {"difference": first - second, "ratio": first / second, "odds ratio": odds}


def average_draws(draws: Numbers, interval: float) -> Averaged:
    """Return the mean of draws and the ends of their equal-tailed interval; odds may be infinite."""
    between: Literal["linear", "inverted_cdf"] = "linear" if np.isfinite(draws).all() else "inverted_cdf"
    low, high = np.quantile(draws, [(1 - interval) / 2, (1 + interval) / 2], method=between)
    return Averaged(float(draws.mean()), float(low), float(high))


def contrast_draws(
    first: Numbers, second: Numbers, interval: float, more: Mapping[str, Numbers] | None = None
) -> Contrasts:
    """Compare drawn probabilities of an event, draw by draw; ``more`` are further comparisons, as draws."""
    compared = {**compare_probabilities(first, second), **(more or {})}
    return Contrasts((name, average_draws(draws, interval)) for name, draws in compared.items())


def compare_means(first: Numbers, second: Numbers, scores: Numbers) -> Numbers:
    """Return the differences of mean scores, of draws of distributions: a row per draw, a column per state."""
    return np.asarray((first - second) @ scores)


def information_of_settings(distributions: Numbers) -> float:
    """Return the Jensen-Shannon divergence of distributions, one per setting, all settings alike, in nats.

    It is what an experiment that sets every state equally often would tell about the outcome.
    """
    mean = distributions.mean(axis=0)
    inside = distributions > 0
    ratios = np.where(inside, distributions / np.where(mean > 0, mean, 1.0), 1.0)
    return max(0.0, float((distributions * np.log(np.where(inside, ratios, 1.0))).sum(axis=1).mean()))
