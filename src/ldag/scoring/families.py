"""The score of a structure: marginal likelihood and prior, node by node (equations 6 to 9 of the paper)."""

from dataclasses import dataclass

from ldag import _native
from ldag.model import CodedFamily, Counts
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
    likelihood = log_marginal_likelihood(counts, family, priors.equivalent_sample_size)
    prior = priors.log_prior(counts.shape[1], partition.grid, partition.n_classes)
    return NodeScore(likelihood, prior)


def log_marginal_likelihood(counts: Counts, family: CodedFamily, equivalent_sample_size: float) -> float:
    """Return the log marginal likelihood of one node given its family (equation 6)."""
    partition = family.partition
    _, likelihood = _native.score_partition(
        counts, partition.grid.n_states, equivalent_sample_size, 0.0, partition.to_array()
    )
    return likelihood


def family_log_predictive(trained: Counts, new: Counts, family: CodedFamily, equivalent_sample_size: float) -> float:
    """Return the log posterior predictive of new counts (equation 11): p(new | trained) = p(both) / p(trained)."""
    both = log_marginal_likelihood(trained + new, family, equivalent_sample_size)
    return both - log_marginal_likelihood(trained, family, equivalent_sample_size)
