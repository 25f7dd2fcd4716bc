"""Likelihood weighting: answers by sampling, with their standard errors."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ldag.inference.circuit import Evidence, Numbers
from ldag.inference.sampling import sample_given
from ldag.model import Model


@dataclass(frozen=True, eq=False)
class Weighted:
    """Estimates of a joint posterior, an axis per node; ``effective_size`` is how many equal weights are worth it."""

    probabilities: Numbers
    standard_errors: Numbers
    effective_size: float


def estimate_by_weighting(
    model: Model, nodes: Sequence[int], evidence: Evidence, n_samples: int, seed: int
) -> Weighted | None:
    """Estimate the posterior of nodes from rows drawn with the evidence fixed; None if every row has weight zero."""
    codes, log_weights = sample_given(model.structure, model.probabilities, evidence, n_samples, seed)
    largest = log_weights.max()
    if np.isneginf(largest):
        return None
    weights = np.exp(log_weights - largest)
    weights /= weights.sum()
    shape = tuple(model.structure.n_states[node] for node in nodes)
    cells = np.ravel_multi_index([codes[node].astype(np.intp) for node in nodes], shape)
    size = int(np.prod(shape))
    means: Numbers = np.bincount(cells, weights, minlength=size).astype(np.float64)
    squares = np.bincount(cells, weights**2, minlength=size)
    # The variance of a ratio of sums: sum of w^2 (1[cell] - p)^2, expanded.
    variance = squares * (1 - 2 * means) + (weights**2).sum() * means**2
    effective_size = float(1 / (weights**2).sum())
    # What no sample or every sample shows is not certain: about one in so many would not be seen.
    is_certain = (means == 0) | (means > 1 - 1e-12)
    errors = np.where(is_certain, 1 / effective_size, np.sqrt(np.maximum(variance, 0.0)))
    return Weighted(np.minimum(means, 1.0).reshape(shape), errors.reshape(shape), effective_size)
