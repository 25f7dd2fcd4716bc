"""The score of a structure: marginal likelihood and prior, node by node (equations 6 to 9 of the paper)."""

from dataclasses import dataclass

from ldag import _native
from ldag.model import CodedFamily, Counts, Grid, Partition, Smoothing
from ldag.scoring.priors import Priors


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
    if spread == "classes":
        counts, partition = partition.add_up(counts), Partition.singletons(Grid((partition.n_classes,)))
        size *= partition.n_classes
    return _native.score_partition(counts, partition.grid.n_states, size, 0.0, partition.to_array())[1]


def family_log_predictive(trained: Counts, new: Counts, family: CodedFamily, smoothing: Smoothing) -> float:
    """Return the log posterior predictive of new counts (equation 11): p(new | trained) = p(both) / p(trained)."""
    both = log_marginal_likelihood(trained + new, family.partition, smoothing)
    return both - log_marginal_likelihood(trained, family.partition, smoothing)
