"""Folds: the observations cut into parts, each of which is predicted from the rest."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ldag.checks import check_whole
from ldag.data import Dataset
from ldag.errors import ArgumentError, DataError, TooLarge, argument

N_FOLDS = 10
"""Unless told otherwise, as in the paper."""

MOST_OBSERVATIONS = 10**9 - 1
"""Beyond this, numpy cannot draw the numbers of observations of a fold."""


def check_folds(data: Dataset, n_folds: int) -> int:
    """Check that the data can be cut into so many folds."""
    n_folds = check_whole(n_folds, "n_folds", 2)
    instead = f"without cross-validation, {argument('kappa')} is a number and nothing else is 'cv'"
    if data.weights is not None and data.weights.dtype != np.int64:
        raise DataError(
            f"cross-validation needs observations; data with real weights cannot be cut into folds; {instead}"
        )
    if data.total < 2:
        raise DataError(f"cross-validation needs at least two observations, got {data.total:,}; {instead}")
    if n_folds > data.total:
        raise ArgumentError(
            f"{argument('n_folds')} must be at most the number of observations, {data.total:,}, got {n_folds};"
            f" {instead}"
        )
    if data.total > MOST_OBSERVATIONS:
        raise TooLarge(
            f"cross-validation takes at most {MOST_OBSERVATIONS:,} observations, got {data.total:,}; {instead}"
        )
    return n_folds


def usual_folds(data: Dataset) -> int:
    """Return how many folds are cut unless told otherwise: ten, or as many as there are observations, at least two."""
    return max(2, min(N_FOLDS, int(data.total)))


def has_folds(data: Dataset, n_folds: int) -> bool:
    """Return whether the data can be cut into so many folds."""
    try:
        check_folds(data, n_folds)
    except (ArgumentError, DataError, TooLarge):
        return False
    return True


@dataclass(frozen=True, eq=False)
class Fold:
    """One part of the data to predict, and the rest to learn from: how many observations of each row it has."""

    data: Dataset
    inside: NDArray[np.int64]

    @cached_property
    def train(self) -> Dataset:
        """What is learned from."""
        return self.data.reweighed(self.data.whole_weights - self.inside)

    @cached_property
    def test(self) -> Dataset:
        """What is predicted."""
        return self.data.reweighed(self.inside)


def cut_folds(data: Dataset, n_folds: int, seed: int) -> Iterator[Fold]:
    """Cut the observations at random into parts of near-equal size; each is the test set once.

    How many observations of each row a part has is drawn at once (multivariate hypergeometric), as if all observations
    had been shuffled, so that memory is needed for different rows only.
    """
    rng = np.random.default_rng(seed)
    left = data.whole_weights
    n_left = int(left.sum())
    for number in range(n_folds, 0, -1):
        size = -(-n_left // number)
        inside = rng.multivariate_hypergeometric(left, size, method="marginals")
        left = left - inside
        n_left -= size
        yield Fold(data, inside)
