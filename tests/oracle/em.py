"""EM by listing every completion of every row, as it is defined."""

from collections.abc import Sequence
from itertools import product
from math import exp, lgamma, log

import numpy as np
from numpy.typing import NDArray

from ldag.model import Structure
from tests.oracle.completions import Tables, class_of, completions, expected_counts

Counts = list[NDArray[np.float64]]


def pseudo_counts(structure: Structure, size: float, spread: str) -> Counts:
    """N |S| / (r q) for every state of a class S, or N / r."""
    alphas = []
    for n_states, family in zip(structure.n_states, structure.families, strict=True):
        classes = family.partition.to_array()
        sizes = np.bincount(classes).astype(float)
        share = size * sizes / len(classes) if spread == "configurations" else np.full(len(sizes), size)
        alphas.append(np.repeat(share[:, None] / n_states, n_states, axis=1))
    return alphas


def objective(logs: Sequence[float], weights: Sequence[float], tables: Tables, alphas: Counts) -> float:
    """The log-likelihood of the observed cells, and the sum of pseudo-counts times log parameters."""
    value = sum(w * own for w, own in zip(weights, logs, strict=True) if w > 0)
    for table, alpha in zip(tables, alphas, strict=True):
        value += sum(a * log(p) for a, p in zip(alpha.ravel(), table.ravel(), strict=True) if a > 0)
    return value


def improve(counts: Counts, alphas: Counts) -> Counts:
    """Estimate from counts; a class that has none gets equal probabilities."""
    tables = []
    for table, alpha in zip(counts, alphas, strict=True):
        total = table + alpha
        total[total.sum(axis=1) == 0] = 1.0
        tables.append(total / total.sum(axis=1, keepdims=True))
    return tables


def em(
    structure: Structure, start: Tables, rows: Sequence[Sequence[int]], weights: Sequence[float], alphas: Counts, n: int
) -> tuple[list[float], Counts]:
    """Take n steps: the objective of the start and after every step, and the parameters at the end."""
    tables = list(start)
    logs, counts = expected_counts(structure, tables, rows, weights)
    trace = [objective(logs, weights, tables, alphas)]
    for _ in range(n):
        tables = improve(counts, alphas)
        logs, counts = expected_counts(structure, tables, rows, weights)
        trace.append(objective(logs, weights, tables, alphas))
    return trace, tables


def exact_means(structure: Structure, rows: Sequence[Sequence[int]], alphas: Counts) -> tuple[Counts, Counts]:
    """The posterior means and variances of all parameters, summed over every completion of all rows together."""
    total, mean, square = 0.0, [np.zeros_like(a) for a in alphas], [np.zeros_like(a) for a in alphas]
    for full in product(*(list(completions(structure, row)) for row in rows)):
        counts = [np.zeros_like(alpha) for alpha in alphas]
        for row in full:
            for node in range(len(structure)):
                counts[node][class_of(structure, node, row), row[node]] += 1
        log_weight = sum(_log_evidence(n, alpha) for n, alpha in zip(counts, alphas, strict=True))
        weight = exp(log_weight)
        total += weight
        for node, (n, alpha) in enumerate(zip(counts, alphas, strict=True)):
            sums = (n + alpha).sum(axis=1, keepdims=True)
            share = (n + alpha) / sums
            mean[node] += weight * share
            square[node] += weight * share * (n + alpha + 1) / (sums + 1)
    means = [m / total for m in mean]
    return means, [s / total - m * m for s, m in zip(square, means, strict=True)]


def _log_evidence(counts: NDArray[np.float64], alpha: NDArray[np.float64]) -> float:
    """The closed form of the Dirichlet integral, class by class."""
    value = 0.0
    for n, a in zip(counts, alpha, strict=True):
        value += lgamma(a.sum()) - lgamma(a.sum() + n.sum())
        value += sum(lgamma(x + y) - lgamma(y) for x, y in zip(n, a, strict=True))
    return value
