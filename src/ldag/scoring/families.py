"""The score of a structure: marginal likelihood and prior, node by node (equations 6 to 9 of the paper)."""

from collections.abc import Iterable, Iterator
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
    likelihood = log_marginal_likelihood(counts, partition, priors.equivalent_sample_size)
    prior = priors.log_prior(counts.shape[1], partition.grid, partition.n_classes)
    return NodeScore(likelihood, prior)


def log_marginal_likelihood(counts: Counts, partition: Partition, equivalent_sample_size: float) -> float:
    """Return the log marginal likelihood of one node given the classes of its family (equation 6)."""
    _, likelihood = _native.score_partition(
        counts, partition.grid.n_states, equivalent_sample_size, 0.0, partition.to_array()
    )
    return likelihood


def family_log_predictive(trained: Counts, new: Counts, family: CodedFamily, smoothing: Smoothing) -> float:
    """Return the log posterior predictive of new counts (equation 11)."""
    return next(family_log_predictives(trained, new, family, [smoothing]))


def family_log_predictives(
    trained: Counts, new: Counts, family: CodedFamily, smoothings: Iterable[Smoothing]
) -> Iterator[float]:
    """Go through the log posterior predictives of new counts under several priors (equation 11).

    p(new | trained) = p(both) / p(trained). So many observations to every class are the paper's prior for a table whose
    configurations are the classes, with so many times more of them.
    """
    partition = family.partition
    table = Partition.singletons(Grid((partition.n_classes,)))
    both = trained + new
    by_class = partition.add_up(trained), partition.add_up(both)
    for size, spread in smoothings:
        if spread == "classes":
            yield _log_ratio(*by_class, table, size * table.n_classes)
        else:
            yield _log_ratio(trained, both, partition, size)


def _log_ratio(trained: Counts, both: Counts, partition: Partition, size: float) -> float:
    return log_marginal_likelihood(both, partition, size) - log_marginal_likelihood(trained, partition, size)
