"""Scores with gaps: a lower bound of the log marginal likelihood of the observed cells.

For any distribution q of the completions, independent over rows, with expected counts n and entropy H,

    log BD(n) + H(q)  <=  log p(observed cells),

where BD is the marginal likelihood of counts (equation 6), which need not be whole. It is Cheeseman and Stutz's score
where q is that of EM's parameters, and highest where q is that of the variational weights
exp(digamma(alpha + n) - digamma(sum)).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldag.inference import CodedGaps, Completions, EMControl, EMResult, run_em, run_em_from_random_starts
from ldag.model import (
    ClassPosteriors,
    ClassTable,
    CodedFamily,
    Counts,
    Partition,
    Smoothing,
    Structure,
    configuration_counts,
)
from ldag.scoring.families import NodeScore, Priors, log_marginal_likelihood

SMALLEST_STEP = 1e-6
"""Nats: a variational step that gains less is the last one."""

N_STARTS = 10
"""Random starts where a variable was never observed: from equal probabilities, its states would stay alike."""

MOST_STEPS = 1_000
"""Variational steps; scattered gaps take about 15, variables that nobody observed some hundreds."""


@dataclass(frozen=True, eq=False)
class ExpectedCounts:
    """What weights of the classes make of gaps: the counts by class that are to be expected, and the entropy."""

    weights: tuple[ClassTable, ...]
    """By node, a row per class and a column per state; probabilities, or weights that do not sum to one."""
    counts: tuple[ClassTable, ...]
    entropy: float
    """Of the completions of all rows, in nats."""

    @classmethod
    def of(
        cls, completions: Completions, table: CodedGaps, weights: Sequence[ClassTable], n_threads: int = 0
    ) -> "ExpectedCounts":
        """Complete all rows; those without gaps have one completion, and add nothing to the entropy."""
        logs, gained = completions.expected_counts(weights, table.rows, table.weights, n_threads)
        total = float(logs @ table.weights)
        explained = sum(_weigh(counts, own) for counts, own in zip(gained, weights, strict=True))
        seen = table.counts(completions.structure)
        counts = tuple(a + b for a, b in zip(seen, gained, strict=True))
        return cls(tuple(weights), counts, max(total - explained, 0.0))

    @classmethod
    def from_em(cls, result: EMResult) -> "ExpectedCounts":
        """Return what the parameters of EM make of the gaps."""
        pairs = zip(result.expected, result.probabilities, strict=True)
        explained = sum(_weigh(counts, own) for counts, own in pairs)
        return cls(result.probabilities, result.expected, max(result.log_likelihood - explained, 0.0))

    def node_scores(self, structure: Structure, priors: Priors) -> tuple[NodeScore, ...]:
        """Return the share of every node, as if the counts had been seen."""
        return tuple(
            NodeScore(
                score_classes(counts, family.partition, priors.smoothing),
                priors.log_prior(n_states, family.partition.grid, family.partition.n_classes),
            )
            for counts, family, n_states in zip(self.counts, structure.families, structure.n_states, strict=True)
        )

    def bound(self, structure: Structure, priors: Priors) -> float:
        """Return the lower bound of the log marginal likelihood, plus the log prior."""
        return sum(share.total for share in self.node_scores(structure, priors)) + self.entropy

    def variational(self, structure: Structure, smoothing: Smoothing) -> tuple[ClassTable, ...]:
        """Return the weights of a variational step: exp(E log theta) under the Dirichlet distributions of the counts.

        What it completes is the best for these distributions, and these are the best for what was completed, so that
        the bound rises.
        """
        weights = []
        for counts, family in zip(self.counts, structure.families, strict=True):
            posterior = ClassPosteriors.of(family.partition, smoothing, counts)
            given = posterior.prior + posterior.counts
            weights.append(np.exp(digamma(given) - digamma(given.sum(axis=1, keepdims=True))))
        return tuple(weights)


def _weigh(counts: ClassTable, weights: ClassTable) -> float:
    """Return the sum of counts times log weights, where there are any."""
    seen = counts > 0
    return float(counts[seen] @ np.log(weights[seen]))


def score_classes(counts: ClassTable, partition: Partition, smoothing: Smoothing) -> float:
    """Return the log marginal likelihood of counts by class, which need not be whole (equation 6)."""
    return log_marginal_likelihood(configuration_counts(counts, partition), partition, smoothing)


def tighten(
    completions: Completions, table: CodedGaps, expected: ExpectedCounts, priors: Priors, n_threads: int = 0
) -> ExpectedCounts:
    """Go up to the best bound by variational steps."""
    structure = completions.structure
    best = expected.bound(structure, priors)
    for _ in range(MOST_STEPS):
        weights = expected.variational(structure, priors.smoothing)
        further = ExpectedCounts.of(completions, table, weights, n_threads)
        bound = further.bound(structure, priors)
        if bound <= best:
            break
        expected, gain, best = further, bound - best, bound
        if gain < SMALLEST_STEP:
            break
    return expected


def expect_configurations(
    structure: Structure, probabilities: Sequence[ClassTable], table: CodedGaps, n_threads: int = 0
) -> tuple[Counts, ...]:
    """Return for each node the counts to be expected under parameters, a row per configuration of its parents."""
    full = [CodedFamily.table(family.parents, family.partition.grid) for family in structure.families]
    spread = [family.partition.expand(own) for own, family in zip(probabilities, structure.families, strict=True)]
    tables = Completions(Structure(structure.n_states, tuple(full)))
    return ExpectedCounts.of(tables, table, spread, n_threads).counts


def best_bound(structure: Structure, table: CodedGaps, priors: Priors) -> ExpectedCounts:
    """Return the completions of the best bound that steps from EM's parameters find."""
    completions = Completions(structure)
    if table.has_unobserved:
        result, _ = run_em_from_random_starts(
            completions, table, priors.smoothing, "mean", EMControl(), n_restarts=N_STARTS, seed=0
        )
    else:
        result = run_em(completions, table, priors.smoothing)
    return tighten(completions, table, ExpectedCounts.from_em(result), priors)


FAR = 10.0
"""From here on, so many terms of the asymptotic series of digamma are exact to the last digits."""

SERIES = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)


def digamma(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the derivative of ln Gamma at positive numbers.

    Examples
    --------
    >>> digamma(np.array([1.0, 0.5, 100.0])).round(6).tolist()
    [-0.577216, -1.96351, 4.600162]
    """
    value, at = np.zeros_like(x), x.astype(np.float64)
    for _ in range(int(FAR)):
        near = at < FAR
        value -= np.where(near, 1 / at, 0.0)
        at = np.where(near, at + 1, at)
    square = 1 / at**2
    tail = np.zeros_like(at)
    for coefficient in reversed(SERIES):
        tail = (tail + coefficient) * square
    return np.asarray(value + np.log(at) - 0.5 / at - tail)
