"""Scores of graphs on data, in names: `score` and `log_predictive`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite

import numpy as np

from ldag.data import Dataset
from ldag.errors import ArgumentError, suggest
from ldag.graph import LDAG
from ldag.scoring import PRIORS, Counts, NodeScore, Prior, Priors, family_log_predictive, score_family
from ldag.structure import Family


@dataclass(frozen=True)
class Score:
    """How well a graph explains data: natural logarithms, the prior up to a constant.

    ``per_node`` has each node's share.
    """

    log_marginal_likelihood: float
    log_prior: float
    per_node: Mapping[str, NodeScore]

    @property
    def total(self) -> float:
        """Log marginal likelihood plus log prior."""
        return self.log_marginal_likelihood + self.log_prior

    def __str__(self) -> str:
        width = max(len("total"), *(len(name) for name in self.per_node))
        lines = [f"{'':<{width}}  {'likelihood':>12}  {'prior':>9}  {'score':>12}"]
        shares = [*self.per_node.items(), ("total", NodeScore(self.log_marginal_likelihood, self.log_prior))]
        for name, part in shares:
            numbers = f"{part.log_marginal_likelihood:>12.2f}  {part.log_prior:>9.2f}  {part.total:>12.2f}"
            lines.append(f"{name:<{width}}  {numbers}")
        return "\n".join(lines)


def score(
    graph: LDAG,
    data: Dataset,
    *,
    kappa: float | None = None,
    equivalent_sample_size: float = 1.0,
    prior: Prior = "labels",
) -> Score:
    """Score a graph on data: log marginal likelihood plus log prior.

    Parameters
    ----------
    graph
        The graph; data must be over its variables, and have no state that it does not know.
    data
        The data.
    kappa
        Between 0 (exclusive) and 1: the prior probability ratio that a parameter saved by labels costs. Not for the
        uniform prior, which is kappa = 1.
    equivalent_sample_size
        How many observations the prior over parameters counts for.
    prior
        "labels": kappa per parameter that labels save; "parameters": kappa per parameter; "uniform".

    Examples
    --------
    >>> import ldag
    >>> found = ldag.score(ldag.datasets.graph("heart"), ldag.datasets.load("heart"), kappa=0.1)
    >>> print(round(found.total, 2))
    -6729.69
    """
    priors = check_priors(kappa, equivalent_sample_size, prior)
    parts = {}
    for name, counts, family in family_counts(graph, data):
        parts[name] = score_family(counts, family, priors)
    return Score(
        sum(part.log_marginal_likelihood for part in parts.values()),
        sum(part.log_prior for part in parts.values()),
        parts,
    )


def log_predictive(graph: LDAG, data: Dataset, new: Dataset, *, equivalent_sample_size: float = 1.0) -> float:
    """Return the log posterior predictive probability of new data after seeing data (equation 11).

    The parameters are integrated out: this is how cross-validation judges a graph.
    """
    size = check_equivalent_sample_size(equivalent_sample_size)
    seen = family_counts(graph, data)
    unseen = family_counts(graph, new)
    return sum(
        family_log_predictive(trained, fresh, family, size)
        for (_, trained, family), (_, fresh, _) in zip(seen, unseen, strict=True)
    )


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
    if not _is_number(kappa) or not 0 < kappa <= 1:
        raise ArgumentError(f"kappa must be a number above 0 and at most 1, got {kappa!r}")
    return Priors(float(kappa), check_equivalent_sample_size(equivalent_sample_size), prior)


def check_equivalent_sample_size(size: float) -> float:
    """Check an equivalent sample size."""
    if not _is_number(size) or not isfinite(size) or size <= 0:
        raise ArgumentError(f"equivalent_sample_size must be a finite number above 0, got {size!r}")
    return float(size)


def check_data(data: Dataset) -> Dataset:
    """Refuse what is not a data set, and say how to make one."""
    if not isinstance(data, Dataset):
        raise ArgumentError(f"data must be a Dataset; make one with ldag.read(...), got {type(data).__name__}")
    return data


def family_counts(graph: LDAG, data: Dataset) -> Iterator[tuple[str, Counts, Family]]:
    """Go through the nodes of a graph with their counts by configuration in the data."""
    if not isinstance(graph, LDAG):
        raise ArgumentError(f"graph must be an LDAG, got {type(graph).__name__}")
    aligned = check_data(data).aligned_to(graph.schema)
    for variable, family in zip(graph.variables, graph.structure.families, strict=True):
        counts = aligned.counts(variable.name, graph.parents(variable.name))
        yield variable.name, counts.astype(np.float64), family


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
