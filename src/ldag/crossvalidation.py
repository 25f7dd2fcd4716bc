"""kappa by cross-validation, in names: `cross_validate`."""

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from ldag.constraints import SearchSpace
from ldag.crossval import Fold, fold_log_predictive
from ldag.data import Dataset
from ldag.errors import ArgumentError, DataError
from ldag.family_search import FamilyOptions
from ldag.progress import Report, Watch
from ldag.scores import check_priors
from ldag.searching import SearchOptions

DEFAULT_KAPPAS = (0.001, 0.1, 0.3, 0.5)
N_FOLDS = 10


@dataclass(frozen=True)
class CrossValidation:
    """How well each kappa predicts: the log posterior predictive probability of every fold.

    ``fold_scores`` has them by kappa; ``mean`` is the paper's rho.
    """

    fold_scores: Mapping[float, tuple[float, ...]]

    @property
    def mean(self) -> dict[float, float]:
        """The mean over folds, by kappa (equation 12)."""
        return {kappa: float(np.mean(scores)) for kappa, scores in self.fold_scores.items()}

    @property
    def standard_error(self) -> dict[float, float]:
        """The standard error of the mean, by kappa."""
        return {k: float(np.std(s, ddof=1)) / sqrt(len(s)) for k, s in self.fold_scores.items()}

    @property
    def best_kappa(self) -> float:
        """The kappa with the best mean; of equal ones the smallest."""
        mean = self.mean
        return min(mean, key=lambda kappa: (-mean[kappa], kappa))

    def __str__(self) -> str:
        lines = [f"{'kappa':>8}  {'mean':>12}  {'std. error':>10}"]
        for kappa, mean in self.mean.items():
            mark = "  best" if kappa == self.best_kappa else ""
            lines.append(f"{kappa:>8g}  {mean:>12.2f}  {self.standard_error[kappa]:>10.2f}{mark}")
        return "\n".join(lines)


def check_kappas(kappas: Sequence[float]) -> tuple[float, ...]:
    """Check the kappas to compare."""
    if isinstance(kappas, str) or not isinstance(kappas, Sequence | np.ndarray) or not len(kappas):
        raise ArgumentError(f"kappas must be a list of numbers, got {kappas!r}")
    checked = tuple(check_priors(kappa, 1.0, "labels").kappa for kappa in kappas)
    if len(set(checked)) < len(checked):
        raise ArgumentError(f"kappas: each may be given once, got {list(kappas)}")
    return checked


def check_folds(data: Dataset, n_folds: int) -> int:
    """Check that the data can be cut into so many folds."""
    if isinstance(n_folds, bool) or not isinstance(n_folds, int) or n_folds < 2:
        raise ArgumentError(f"n_folds must be a whole number, 2 or more, got {n_folds!r}")
    if data.weights is not None and data.weights.dtype != np.int64:
        raise DataError("cross-validation needs observations; data with real weights cannot be cut into folds")
    if n_folds > data.total:
        raise ArgumentError(f"n_folds must be at most the number of observations, {data.total:,}, got {n_folds}")
    return n_folds


@dataclass(frozen=True)
class Comparison:
    """What every search of a cross-validation shares."""

    space: SearchSpace
    families: FamilyOptions
    options: SearchOptions
    time_limit: float | None = None


def compare_kappas(
    parts: Sequence[Fold],
    kappas: Sequence[float],
    shared: Comparison,
    n_jobs: int,
    tell: Callable[[int, int], object] | None = None,
    executor: Executor | None = None,
) -> CrossValidation:
    """Learn from each fold under each kappa, in parallel, and predict what was left out."""
    tasks = [(kappa, fold) for kappa in kappas for fold in parts]
    if executor is not None:
        futures = [executor.submit(_predict, shared, kappa, fold) for kappa, fold in tasks]
        scores = _collect(futures, tell)
    else:
        scores = _in_threads(tasks, shared, n_jobs, tell)
    by_kappa: dict[float, list[float]] = {kappa: [] for kappa in kappas}
    for (kappa, _), found in zip(tasks, scores, strict=True):
        by_kappa[kappa].append(found)
    return CrossValidation({kappa: tuple(found) for kappa, found in by_kappa.items()})


def _predict(shared: Comparison, kappa: float, fold: Fold, stop: threading.Event | None = None) -> float:
    """Do one search and one prediction."""
    families = replace(shared.families, priors=replace(shared.families.priors, kappa=kappa))
    watch = Watch(None, shared.time_limit)

    def on_progress(report: Report) -> bool:
        return watch(report) or (stop is not None and stop.is_set())

    options = replace(shared.options, n_threads=1)
    return fold_log_predictive(fold, shared.space, families, options, on_progress)


def _in_threads(
    tasks: Sequence[tuple[float, Fold]], shared: Comparison, n_jobs: int, tell: Callable[[int, int], object] | None
) -> list[float]:
    """Run the tasks on threads of this process; an interruption ends them all."""
    stop = threading.Event()
    with ThreadPoolExecutor(n_jobs) as pool:
        futures = [pool.submit(_predict, shared, kappa, fold, stop) for kappa, fold in tasks]
        try:
            return _collect(futures, tell)
        except BaseException:
            stop.set()
            for future in futures:
                future.cancel()
            raise


def _collect(futures: Sequence[Future[float]], tell: Callable[[int, int], object] | None) -> list[float]:
    """Wait for all results, in order."""
    found = []
    for done, future in enumerate(futures, start=1):
        found.append(future.result())
        if tell is not None:
            tell(done, len(futures))
    return found
