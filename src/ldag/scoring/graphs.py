"""Scores of graphs on data, in names: `score` and `log_predictive`."""

from collections.abc import Mapping
from dataclasses import dataclass

from ldag.data import Dataset
from ldag.graph import LDAG, family_counts
from ldag.scoring.families import NodeScore, family_log_predictive, score_family
from ldag.scoring.priors import Prior, check_equivalent_sample_size, check_priors


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
