"""Scores of full tables by sets of variables, row by row: the slow twin of the native one."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import fsum, lgamma, prod

import numpy as np
from numpy.typing import NDArray


def score_set(
    codes: NDArray[np.uint8], weights: Sequence[int], n_states: Sequence[int], variables: Iterable[int], size: float
) -> float:
    """Return the sum over configurations of ln Gamma(n + N / q) - ln Gamma(N / q)."""
    chosen = sorted(variables)
    alpha = size / prod(n_states[variable] for variable in chosen)
    counts: Counter[tuple[int, ...]] = Counter()
    for row, weight in zip(codes[chosen].T.tolist() if chosen else [[]] * codes.shape[1], weights, strict=True):
        counts[tuple(row)] += weight
    return fsum(lgamma(n + alpha) - lgamma(alpha) for n in counts.values())


def score_family(
    codes: NDArray[np.uint8],
    weights: Sequence[int],
    n_states: Sequence[int],
    node: int,
    parents: Sequence[int],
    size: float,
) -> float:
    """Return the log marginal likelihood of a node with a full table: the difference of two sets."""
    above = score_set(codes, weights, n_states, parents, size)
    return score_set(codes, weights, n_states, [*parents, node], size) - above
