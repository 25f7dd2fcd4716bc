"""kappa by cross-validation: folds of single observations, and the predictive probability of each."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldag.data import Dataset, count_family
from ldag.learning.constraints import SearchSpace
from ldag.learning.partitions import FamilyOptions
from ldag.learning.searching import OnProgress, SearchOptions, learned_structure, search
from ldag.model import Structure
from ldag.scoring import family_log_predictive


@dataclass(frozen=True)
class Fold:
    """One part of the data to predict, and the rest to learn from."""

    train: Dataset
    test: Dataset


class Prediction(NamedTuple):
    """The log predictive probability of a fold, and whether the search before it came to its end."""

    log_predictive: float
    is_final: bool


def folds(data: Dataset, n_folds: int, seed: int) -> Iterator[Fold]:
    """Shuffle the observations and cut them into parts of near-equal size; each is the test set once."""
    weights = np.ones(data.n_rows, dtype=np.int64) if data.weights is None else data.weights.astype(np.int64)
    observations = np.repeat(np.arange(data.n_rows), weights)
    shuffled = np.random.default_rng(seed).permutation(observations)
    for part in np.array_split(shuffled, n_folds):
        inside = np.bincount(part, minlength=data.n_rows)
        yield Fold(_weighted(data, weights - inside), _weighted(data, inside))


def fold_log_predictive(
    fold: Fold,
    space: SearchSpace,
    families: FamilyOptions,
    options: SearchOptions,
    on_progress: OnProgress | None = None,
) -> Prediction:
    """Learn a graph from the training part, and predict the test part."""
    columns = fold.train.columns
    found = search(families.scorer(columns), space, options, on_progress)
    structure = learned_structure(columns, fold.train.schema.n_states, found.parents, families)
    return Prediction(log_predictive(structure, fold, families.priors.equivalent_sample_size), not found.stopped)


def log_predictive(structure: Structure, fold: Fold, equivalent_sample_size: float) -> float:
    """Return the log posterior predictive of a fold's test part, node by node (equation 11)."""
    total = 0.0
    for node, family in enumerate(structure.families):
        trained, new = (
            count_family(part.columns, structure.n_states, node, family.parents).astype(np.float64)
            for part in (fold.train, fold.test)
        )
        total += family_log_predictive(trained, new, family, equivalent_sample_size)
    return total


def _weighted(data: Dataset, weights: NDArray[np.int64]) -> Dataset:
    return Dataset.from_codes(data.schema, data.codes, weights.astype(np.int64), data.weight_name)
