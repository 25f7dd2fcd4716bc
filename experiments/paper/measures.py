"""What all experiments share: a run's settings and seeds, its searches, and how far a result is from the truth."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np

from experiments.paper.cells import Row
from experiments.paper.plan import ExperimentPlan
from ldag.comparing import compare
from ldag.data import Dataset
from ldag.errors import TooLarge
from ldag.learning import CrossValidation, Fit, cross_validate, learn
from ldag.network import Network

DIVERGENCE_SAMPLES = 100_000
"""Rows from which a divergence is estimated if exact inference is too large."""


@dataclass(frozen=True)
class Searched:
    """A graph for each kappa, and what cross-validation says of the kappas."""

    fits: Mapping[float, Fit]
    cv: CrossValidation


@dataclass(frozen=True)
class ExperimentRun:
    """A plan with its seed and threads; ``tell`` hears of each piece that is begun."""

    plan: ExperimentPlan
    rng: int = 0
    n_jobs: int = -1
    tell: Callable[[str], object] = lambda _: None

    def made_by(self, *settings: str, **others: object) -> dict[str, object]:
        """Return what a cell depends on: the version, the seed, some settings of the plan, and others."""
        chosen = {name: getattr(self.plan, name) for name in settings}
        return {"ldag": version("ldag"), "rng": self.rng, **chosen, **others}

    def seed(self, *numbers: int) -> int:
        """Return a seed that belongs to the run and to some numbers."""
        return int(np.random.default_rng([self.rng, *numbers]).integers(2**62))

    def chain_options(self, method: str) -> dict[str, Any]:
        """Return the length of the chains, for the search that has them."""
        return {"n_chains": self.plan.n_chains, "n_iter": self.plan.n_iter} if method == "chain" else {}

    def search(self, data: Dataset, *, method: str, **options: Any) -> Searched:
        """Learn a graph under each kappa, and compare the kappas by cross-validation."""
        shared: dict[str, Any] = {"method": method, "rng": self.rng, "n_jobs": self.n_jobs, "progress": False}
        shared |= {"equivalent_sample_size": 1.0} | self.chain_options(method) | options
        cv = cross_validate(data, kappas=self.plan.kappas, n_folds=self.plan.n_folds, **shared)
        return Searched({kappa: finished(learn(data, kappa=kappa, **shared)) for kappa in self.plan.kappas}, cv)


def finished(fit: Fit) -> Fit:
    """Return a fit whose search came to its end; Ctrl-C, which ends a search early, ends the experiment too."""
    if fit.stopped:
        raise KeyboardInterrupt
    return fit


def distances(truth: Network, learned: Network) -> Row:
    """Return how far a learned network is from the true one: edges, labels, distribution."""
    try:
        result = compare(truth, learned)
    except TooLarge:
        result = compare(truth, learned, n_samples=DIVERGENCE_SAMPLES, rng=0)
    labels = result.labels
    return {
        "edges": len(learned.ldag.edges),
        "parameters": learned.ldag.dimension,
        "kl": result.kl_divergence,
        "shd": result.structural_hamming_distance,
        "cpdag_shd": result.cpdag_distance,
        "label_precision": _number(labels.precision),
        "label_recall": _number(labels.recall),
    }


def split(data: Dataset, n_folds: int, seed: int) -> Iterator[tuple[Dataset, Dataset]]:
    """Yield, for each of some random parts of the observations, what is left and the part."""
    weights = np.ones(data.n_rows, dtype=np.int64) if data.weights is None else data.weights
    rows = np.random.default_rng(seed).permutation(np.repeat(np.arange(data.n_rows), weights.astype(np.int64)))
    folds = np.array_split(rows, n_folds)
    for number, part in enumerate(folds):
        rest = np.concatenate([fold for other, fold in enumerate(folds) if other != number])
        yield _taken(data, rest), _taken(data, part)


def _taken(data: Dataset, rows: "np.ndarray[Any, np.dtype[np.int64]]") -> Dataset:
    return Dataset.from_codes(data.schema, np.ascontiguousarray(data.codes[:, rows]))


def _number(value: float) -> float | None:
    """Return a number that JSON has; a share of nothing is None."""
    return None if np.isnan(value) else value
